"""The table that decides how a start gets its context, row by row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.capabilities import capabilities_of
from graph.model import CheckpointId, RunId, Strength
from resolvers.strategy import (
    CheckpointContext,
    DeltaContext,
    NativeFork,
    NoTransfer,
    Outcome,
    PendingFork,
    PortableContext,
    StartFacts,
    Unsupported,
    choose,
)
from tests.unit.served_runs import (
    ALL,
    AT_HEAD,
    AT_TURN,
    CLAUDE,
    CODEX,
    CODEX_TOO,
    NO_PLAN,
    NOTHING,
    ids,
    lost,
    native,
    run,
)

CHECKPOINT = CheckpointId("k")
SOURCE = run("a", own=False)
FORK = PendingFork(run=SOURCE, plan=AT_TURN)
FORKED = StartFacts(
    provider=CODEX,
    capabilities=capabilities_of("codex"),
    runs=(run("0", CLAUDE, own=False), SOURCE),
    fork=FORK,
    forked_by_command=True,
    has_text=True,
    checkpoint_id=CHECKPOINT,
)
ALONE = StartFacts(
    provider=CODEX, capabilities=capabilities_of("codex"), runs=(run("a"),), has_text=True
)
SWITCHED = replace(ALONE, runs=(run("a", CLAUDE), lost("b", CLAUDE)))
RETURNED = replace(ALONE, runs=(run("a"), lost("b"), run("c", CLAUDE)))

NEW_HERE = "The provider has received no run of this thread."
WENT_ON = "The thread went on with another provider."
OF_CODEX = native("of codex-1")


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        pytest.param(replace(ALONE, runs=()), NoTransfer(resume=None), id="1 the first run"),
        pytest.param(ALONE, NoTransfer(resume=OF_CODEX), id="1 the provider goes on"),
        pytest.param(
            replace(ALONE, runs=(run("a", thread=native("n", Strength.WEAK)),)),
            NoTransfer(resume=native("n", Strength.WEAK)),
            id="1 a weak native thread is still the one",
        ),
        pytest.param(
            replace(ALONE, runs=(run("a", thread=native(None)),)),
            NoTransfer(resume=None),
            id="1 a native thread without a name",
        ),
        pytest.param(
            replace(ALONE, runs=(lost("a"),)), NoTransfer(resume=None), id="1 a first start again"
        ),
        pytest.param(
            replace(ALONE, provider=CODEX_TOO), NoTransfer(resume=OF_CODEX), id="2 shared state"
        ),
        pytest.param(FORKED, NativeFork(plan=AT_TURN), id="3 a native fork"),
        pytest.param(
            replace(FORKED, provider=CODEX_TOO), NativeFork(plan=AT_TURN), id="3 shared state"
        ),
        pytest.param(
            replace(
                FORKED,
                fork=replace(FORK, plan=AT_HEAD),
                has_text=False,
                capabilities=replace(NOTHING, fork=True),
            ),
            NativeFork(plan=AT_HEAD),
            id="3 at the head, where no turn is named",
        ),
        pytest.param(
            replace(FORKED, provider=CLAUDE),
            PortableContext(run_ids=ids("0", "a"), reason="The source ran with another provider."),
            id="4 another provider",
        ),
        pytest.param(
            SWITCHED, PortableContext(run_ids=ids("a", "b"), reason=NEW_HERE), id="5 a switch"
        ),
        pytest.param(
            RETURNED,
            DeltaContext(
                resume=OF_CODEX, base_run_id=RunId("a"), run_ids=ids("b", "c"), reason=WENT_ON
            ),
            id="6 a return",
        ),
        pytest.param(
            replace(FORKED, provider=CLAUDE, has_text=False, capabilities=ALL),
            CheckpointContext(
                checkpoint_id=CHECKPOINT, reason="The source ran with another provider."
            ),
            id="7 a fork of which nothing can be told",
        ),
        pytest.param(
            replace(SWITCHED, checkpoint_id=CHECKPOINT, has_text=False, capabilities=ALL),
            CheckpointContext(checkpoint_id=CHECKPOINT, reason=NEW_HERE),
            id="7 a switch of which nothing can be told",
        ),
        pytest.param(
            replace(SWITCHED, has_text=False),
            Unsupported(
                missing=("history",),
                reason="There is no item with text to hand over.",
            ),
            id="8 nothing to tell",
        ),
    ],
)
def test_the_first_row_that_matches_decides(facts: StartFacts, expected: Outcome) -> None:
    """Each row of the table, and what it carries for the caller."""
    assert choose(facts) == expected


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        pytest.param(
            replace(FORKED, fork=replace(FORK, is_at_item=True)),
            "The point is at an item, where no provider forks.",
            id="an item",
        ),
        *(
            pytest.param(
                replace(FORKED, fork=replace(FORK, run=run("a", status=status, turn_id="t"))),
                f"The source run is {status}, so its provider may hold half a turn.",
                id=status,
            )
            for status in ("failed", "interrupted", "cancelled")
        ),
        pytest.param(
            replace(FORKED, fork=replace(FORK, run=run("a", rolled_back=True))),
            "The source run was rolled back, so its provider no longer has it.",
            id="rolled back since",
        ),
        pytest.param(
            replace(FORKED, fork=replace(FORK, run=run("a", thread=native("n", Strength.WEAK)))),
            "The native thread of the source is not known for certain.",
            id="weak",
        ),
        pytest.param(
            replace(FORKED, runs=(SOURCE, run("b", CLAUDE))),
            "The fork already has a run that a provider received.",
            id="already begun",
        ),
        pytest.param(
            replace(FORKED, capabilities=replace(ALL, fork=False)),
            "The provider does not fork.",
            id="no fork",
        ),
        pytest.param(
            replace(FORKED, fork=replace(FORK, plan=NO_PLAN)), NO_PLAN.reason, id="refused"
        ),
        pytest.param(
            replace(FORKED, capabilities=replace(ALL, fork_at_turn=False)),
            "The provider does not fork at a turn.",
            id="not at a turn",
        ),
    ],
)
def test_a_fork_that_is_not_native_is_portable_and_says_why(
    facts: StartFacts, reason: str
) -> None:
    """What keeps a fork from being native is kept as the reason of the transfer's step."""
    outcome = choose(facts)

    assert isinstance(outcome, PortableContext)
    assert outcome.reason == reason
    assert RunId("a") in outcome.run_ids


def test_a_waiting_source_is_forked_natively() -> None:
    """Its provider has finished; only its checkpoint is still to come."""
    fork = replace(FORK, run=run("a", status="waiting"))

    assert choose(replace(FORKED, fork=fork)) == NativeFork(plan=AT_TURN)


def test_a_start_that_was_lost_does_not_keep_a_fork_from_being_native() -> None:
    """Nothing was received, so the fork has not begun."""
    facts = replace(FORKED, runs=(SOURCE, lost("b")))

    assert choose(facts) == NativeFork(plan=AT_TURN)


def test_a_portable_fork_carries_its_chosen_run_whatever_its_status() -> None:
    """The point that somebody chose is part of what they asked for."""
    cancelled = run("a", status="cancelled", own=False)
    facts = replace(
        FORKED, runs=(run("0", own=False), cancelled), fork=replace(FORK, run=cancelled)
    )

    outcome = choose(facts)

    assert isinstance(outcome, PortableContext)
    assert outcome.run_ids == ids("0", "a")


def test_a_fork_whose_transfer_failed_for_good_starts_with_its_whole_history() -> None:
    """It is never silently empty, also for the provider of the source."""
    facts = replace(FORKED, fork=None, runs=(SOURCE, lost("b")))

    assert choose(facts) == PortableContext(run_ids=ids("a", "b"), reason=NEW_HERE)


def test_an_imported_fork_goes_on_with_its_own_native_thread() -> None:
    """What it inherited stands in the native thread of the source, which must not be gone on."""
    facts = replace(ALONE, runs=(SOURCE,), native_thread_ref=native("fork"))

    assert choose(facts) == NoTransfer(resume=native("fork"))


def test_an_imported_fork_without_a_native_thread_resumes_none() -> None:
    """Above all not that of its source."""
    assert choose(replace(ALONE, runs=(SOURCE,))) == NoTransfer(resume=None)


@pytest.mark.parametrize(
    ("facts", "missing", "reason"),
    [
        pytest.param(
            replace(FORKED, has_text=False, checkpoint_id=None, fork=replace(FORK, plan=NO_PLAN)),
            ("forkAtTurn", "history"),
            "The adapter says no. There is no item with text to hand over.",
            id="no plan",
        ),
        pytest.param(
            replace(FORKED, has_text=False, capabilities=replace(NOTHING, full_handoff=True)),
            ("checkpointHandoff", "history"),
            "The provider does not fork. There is no item with text to hand over.",
            id="neither fork nor at a turn",
        ),
        pytest.param(
            replace(
                FORKED,
                has_text=False,
                checkpoint_id=None,
                capabilities=replace(ALL, fork=False),
            ),
            ("fork", "history"),
            "The provider does not fork. There is no item with text to hand over.",
            id="no fork",
        ),
        pytest.param(
            replace(FORKED, provider=CLAUDE, capabilities=replace(ALL, full_handoff=False)),
            ("fullHandoff",),
            "The source ran with another provider. The provider takes no full handoff.",
            id="no full handoff for a fork",
        ),
        pytest.param(
            replace(SWITCHED, capabilities=replace(ALL, full_handoff=False)),
            ("fullHandoff",),
            "The provider takes no full handoff.",
            id="no full handoff for a switch",
        ),
        pytest.param(
            replace(RETURNED, capabilities=replace(ALL, delta_handoff=False)),
            ("deltaHandoff",),
            "The provider takes no delta.",
            id="no delta for a return",
        ),
        pytest.param(
            replace(SWITCHED, has_text=False, capabilities=NOTHING),
            (),
            "There is no item with text to hand over. The provider takes no full handoff.",
            id="several at once",
        ),
        pytest.param(
            replace(ALONE, pending_merge_backs=1, capabilities=replace(ALL, delta_handoff=False)),
            ("deltaHandoff",),
            "The provider takes no delta, and a merge-back waits to be delivered.",
            id="a merge-back",
        ),
        pytest.param(
            replace(SWITCHED, pending_merge_backs=2, has_text=False, capabilities=NOTHING),
            ("deltaHandoff",),
            "There is no item with text to hand over. The provider takes no full handoff."
            " The provider takes no delta, and a merge-back waits to be delivered.",
            id="base and merge-back",
        ),
    ],
)
def test_a_refused_start_names_what_alone_would_have_let_it(
    facts: StartFacts, missing: tuple[str, ...], reason: str
) -> None:
    """The words are sorted; the reason of an adapter's refusal is told."""
    assert choose(facts) == Unsupported(missing=missing, reason=reason)


def test_a_merge_back_is_delivered_besides_the_base() -> None:
    """Where the target takes deltas, a pending merge-back changes nothing of the base."""
    assert choose(replace(FORKED, pending_merge_backs=1)) == choose(FORKED)
