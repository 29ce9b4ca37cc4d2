"""What a provider has of a thread, told by the runs alone."""

from __future__ import annotations

from dataclasses import replace

import pytest

from graph.model import RunId, Strength
from graph.transfers import Provider
from resolvers.coverage import (
    Coverage,
    ServedRun,
    conversation,
    coverage,
    covers,
    is_conversation,
    received,
    uncovered,
)
from tests.unit.served_runs import CLAUDE, CODEX, CODEX_ALONE, CODEX_TOO, ids, lost, native, run

STATUSES = (
    *("preparing", "queued", "starting", "running"),
    *("waiting", "completed", "interrupted", "failed", "cancelled"),
)


@pytest.mark.parametrize("status", STATUSES)
def test_a_conversation_run_has_ended_and_still_counts(status: str) -> None:
    """Neither queued nor cancelled nor active, and never one that was rolled back."""
    ended = {"completed", "waiting", "failed", "interrupted"}

    assert is_conversation(run("a", status=status)) == (status in ended)
    assert not is_conversation(run("a", status=status, rolled_back=True))


@pytest.mark.parametrize("status", STATUSES)
def test_a_run_without_a_trace_was_received_if_it_was_answered(status: str) -> None:
    """Completed and waiting say it by themselves."""
    assert received(run("a", status=status)) == (status in {"completed", "waiting"})


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("trace", ["confirmed", "native turn"])
def test_a_conversation_run_with_a_trace_was_received(status: str, trace: str) -> None:
    """A confirmed start or a native turn show that the message arrived."""
    traced = (
        run("a", status=status, confirmed=True)
        if trace == "confirmed"
        else run("a", status=status, turn_id="t")
    )

    assert received(traced) == is_conversation(traced)


def test_a_rolled_back_run_was_not_received() -> None:
    """Its provider no longer has it."""
    assert not received(run("a", turn_id="t", confirmed=True, rolled_back=True))


@pytest.mark.parametrize(
    ("served", "provider", "expected"),
    [
        pytest.param(run("a"), CODEX, True, id="the same account"),
        pytest.param(run("a"), CODEX_TOO, True, id="an account with the same state"),
        pytest.param(run("a"), CODEX_ALONE, False, id="another account"),
        pytest.param(run("a", CODEX_ALONE), CODEX_ALONE, True, id="an account of its own"),
        pytest.param(run("a"), CLAUDE, False, id="the same key of another driver"),
        pytest.param(
            run("a", thread=native("n", Strength.WEAK)), CODEX_TOO, False, id="shared but weak"
        ),
        pytest.param(run("a", thread=native(None)), CODEX_TOO, False, id="shared but nameless"),
        pytest.param(
            run("a", thread=native("n", Strength.WEAK)), CODEX, True, id="weak, the same account"
        ),
        pytest.param(
            run("a", CODEX_ALONE),
            Provider(instance_id="x", driver="codex"),
            False,
            id="two accounts without a key",
        ),
        pytest.param(lost("a"), CODEX, False, id="never received"),
    ],
)
def test_a_provider_has_what_it_or_a_sharer_of_its_state_received(
    served: ServedRun,
    provider: Provider,
    expected: bool,  # noqa: FBT001 - a test's parameter
) -> None:
    """Another account is as good only with the same key and a native thread known for certain."""
    assert covers(served, provider) == expected


A, B, C = run("a"), run("b", CLAUDE), run("c")


@pytest.mark.parametrize(
    ("runs", "provider", "expected"),
    [
        pytest.param((), CODEX, Coverage(last_received=None, uncovered=(), since=()), id="none"),
        pytest.param(
            (A,), CODEX, Coverage(last_received=A, uncovered=(), since=()), id="all its own"
        ),
        pytest.param(
            (A,),
            CLAUDE,
            Coverage(last_received=None, uncovered=ids("a"), since=ids("a")),
            id="another's",
        ),
        pytest.param(
            (A, B), CODEX, Coverage(last_received=A, uncovered=ids("b"), since=ids("b")), id="back"
        ),
        pytest.param(
            (A, B, C), CODEX, Coverage(last_received=C, uncovered=(), since=()), id="back again"
        ),
        pytest.param(
            (B, C),
            CLAUDE,
            Coverage(last_received=B, uncovered=ids("c"), since=ids("c")),
            id="only what came after counts",
        ),
        pytest.param(
            (A, lost("x"), B),
            CODEX,
            Coverage(last_received=A, uncovered=ids("b"), since=ids("x", "b")),
            id="the delta carries its own lost start too",
        ),
        pytest.param(
            (A, lost("x")),
            CODEX,
            Coverage(last_received=A, uncovered=(), since=ids("x")),
            id="a retry after its own lost start",
        ),
        pytest.param(
            (lost("x"),),
            CODEX,
            Coverage(last_received=None, uncovered=(), since=ids("x")),
            id="a retry of the first start",
        ),
        pytest.param(
            (A, lost("x", CODEX_TOO)),
            CODEX,
            Coverage(last_received=A, uncovered=ids("x"), since=ids("x")),
            id="the lost start of another account is lacking, whatever they share",
        ),
        pytest.param(
            (A, run("q", CLAUDE, "queued"), run("x", CLAUDE, "cancelled")),
            CODEX,
            Coverage(last_received=A, uncovered=(), since=()),
            id="neither queued nor cancelled ones",
        ),
        pytest.param(
            (A, run("b", CLAUDE, rolled_back=True)),
            CODEX,
            Coverage(last_received=A, uncovered=(), since=()),
            id="none that was rolled back",
        ),
        pytest.param(
            (A, B, run("c", rolled_back=True)),
            CODEX,
            Coverage(last_received=A, uncovered=ids("b"), since=ids("b")),
            id="what it no longer has does not cover",
        ),
        pytest.param(
            (A, B),
            CODEX_TOO,
            Coverage(last_received=A, uncovered=ids("b"), since=ids("b")),
            id="through the account that shares its state",
        ),
    ],
)
def test_a_provider_lacks_what_others_did_since_it_last_received_a_run(
    runs: tuple[ServedRun, ...], provider: Provider, expected: Coverage
) -> None:
    """The conversation runs of other providers after the last run that it received."""
    assert coverage(runs, provider) == expected
    assert uncovered(runs, provider) == expected.uncovered


INHERITED = replace(A, own=False)


def test_an_imported_fork_has_what_its_provider_received_before_it() -> None:
    """The tool copied its own history: nothing has to be delivered."""
    known = coverage((INHERITED,), CODEX)

    assert known == Coverage(last_received=INHERITED, uncovered=(), since=())


def test_a_fork_by_command_has_nothing_before_its_first_received_run() -> None:
    """A start after the transfer failed for good delivers the whole history."""
    known = coverage((INHERITED, lost("x")), CODEX, forked_by_command=True)

    assert known == Coverage(last_received=None, uncovered=ids("a"), since=ids("a", "x"))


def test_a_fork_by_command_is_covered_by_its_own_received_run() -> None:
    """The transfer that was consumed with it delivered what was inherited."""
    own = run("x")

    known = coverage((INHERITED, own), CODEX, forked_by_command=True)

    assert known == Coverage(last_received=own, uncovered=(), since=())


def test_a_fork_by_command_lacks_its_history_for_a_provider_that_came_later() -> None:
    """Also what that provider itself did in the source: it forked nothing."""
    known = coverage((INHERITED, run("x", CLAUDE)), CODEX, forked_by_command=True)

    assert known == Coverage(last_received=None, uncovered=ids("a", "x"), since=ids("a", "x"))


def test_a_whole_context_carries_the_conversation_and_the_chosen_run() -> None:
    """The point of a fork is part of it, whatever its status."""
    runs = (A, run("x", status="cancelled"), run("y", status="cancelled"), B, lost("z"))

    assert conversation(runs) == ids("a", "b", "z")
    assert conversation(runs, chosen=RunId("y")) == ids("a", "y", "b", "z")
