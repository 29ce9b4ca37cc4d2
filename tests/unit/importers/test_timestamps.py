"""Times as Codex writes them become times as the graph keeps them."""

from __future__ import annotations

import pytest

from importers.timestamps import from_milliseconds, from_seconds, seconds_between, timestamp

FORMS = [
    ("2026-11-30T12:40:56.335Z", "2026-11-30T12:40:56.335000Z"),
    ("2026-11-30T12:40:56Z", "2026-11-30T12:40:56.000000Z"),
    ("2026-11-30T12:40:56.335766Z", "2026-11-30T12:40:56.335766Z"),
    ("2026-11-30T11:01:57.967755837Z", "2026-11-30T11:01:57.967755Z"),
    ("2026-11-30T14:40:56.5+02:00", "2026-11-30T12:40:56.500000Z"),
    ("2026-11-30T12:40:56", "2026-11-30T12:40:56.000000Z"),
    ("2026-11-30T12-40-56", "2026-11-30T12:40:56.000000Z"),
    ("2026-11-30", "2026-11-30T00:00:00.000000Z"),
    ("2026-13-45T99:99:99.000Z", None),
    ("yesterday", None),
    ("", None),
    (None, None),
]


@pytest.mark.parametrize(("written", "kept"), FORMS)
def test_every_form_has_one_width(written: str | None, kept: str | None) -> None:
    """UTC with microseconds; what is no time is none."""
    assert timestamp(written) == kept


def test_counts_since_1970_are_times() -> None:
    """Databases keep them in seconds and in milliseconds; absurd ones are none."""
    assert from_milliseconds(1785585600500) == "2026-08-01T12:00:00.500000Z"
    assert from_seconds(1785585600) == "2026-08-01T12:00:00.000000Z"
    assert [from_milliseconds(value) for value in (None, 0, -5, 10**18)] == [None] * 4
    assert [from_seconds(value) for value in (None, float("inf"), float("nan"))] == [None] * 3


def test_the_time_between_two_times_is_in_seconds() -> None:
    """As far as the later is after the earlier."""
    earlier, later = timestamp("2026-11-30T12:00:00Z"), timestamp("2026-11-30T12:01:00.5Z")

    assert earlier is not None
    assert later is not None
    assert seconds_between(earlier, later) == 60.5
