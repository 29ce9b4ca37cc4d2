"""What each driver can do, and what a caller may say against it."""

from __future__ import annotations

from dataclasses import asdict, fields

import pytest

from adapters.capabilities import Capabilities, CapabilityOverrides, capabilities_of

FORKS = Capabilities(fork=True, fork_at_turn=True, rollback=False)
FORKS_AND_ROLLS_BACK = Capabilities(fork=True, fork_at_turn=True, rollback=True)
TAKES_HANDOFFS = Capabilities(fork=False, fork_at_turn=False, rollback=False)


@pytest.mark.parametrize(
    ("driver", "expected"),
    [
        ("codex", FORKS_AND_ROLLS_BACK),
        ("claude", FORKS),
        ("opencode", FORKS),
        ("cursor", TAKES_HANDOFFS),
        ("grok", TAKES_HANDOFFS),
        ("acp", TAKES_HANDOFFS),
        ("pi", TAKES_HANDOFFS),
        ("never heard of", TAKES_HANDOFFS),
    ],
)
def test_a_driver_can_do_what_its_row_says(driver: str, expected: Capabilities) -> None:
    """A driver without a row takes handoffs and no more."""
    assert capabilities_of(driver) == expected


@pytest.mark.parametrize("driver", ["codex", "claude", "opencode", "cursor", "acp", "pi"])
def test_every_driver_takes_full_and_delta_handoffs_and_no_checkpoint(driver: str) -> None:
    """A prompt is text: there is none that could not begin with what went before."""
    said = capabilities_of(driver)

    assert (said.full_handoff, said.delta_handoff, said.checkpoint_handoff) == (True, True, False)


@pytest.mark.parametrize("driver", ["codex", "claude", "opencode", "cursor", "acp", "pi"])
@pytest.mark.parametrize("name", [field.name for field in fields(Capabilities)])
@pytest.mark.parametrize("value", [True, False])
def test_a_caller_overrides_one_field_and_no_other(driver: str, name: str, value: bool) -> None:  # noqa: FBT001 - a test's parameter
    """What is not said stays as the row of the driver says, whichever driver it is."""
    said = capabilities_of(driver, CapabilityOverrides(**{name: value}))

    assert asdict(said) == asdict(capabilities_of(driver)) | {name: value}


def test_overrides_that_say_nothing_change_nothing() -> None:
    """``None`` keeps what the driver's row says."""
    assert capabilities_of("codex", CapabilityOverrides()) == capabilities_of("codex")


def test_an_override_names_each_capability_once() -> None:
    """A capability that nobody could override would be a gap."""
    assert [each.name for each in fields(CapabilityOverrides)] == [
        each.name for each in fields(Capabilities)
    ]
