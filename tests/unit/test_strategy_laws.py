"""What holds for every combination of facts, all of which are tried."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, assert_never

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from adapters.abilities import Capabilities
from adapters.native_plan import NativePlan
from graph.model import CheckpointId, Strength
from resolvers.coverage import coverage, has_strong_thread, received, same_account
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
    CODEX_ALONE,
    CODEX_TOO,
    NO_PLAN,
    NOTHING,
    lost,
    native,
    run,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.transfers import Provider

CHECKPOINT = CheckpointId("k")
STEADY = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
"""A slow machine is no failure."""
DECIDING = ("fork", "fork_at_turn", "full_handoff", "delta_handoff", "checkpoint_handoff")
"""Rolling back decides nothing here: it is part of what the adapter made of the point."""

SOURCES = (
    *(run("s", status=status, turn_id="t", own=False) for status in ("completed", "waiting")),
    run("s", status="failed", turn_id="t", own=False),
    run("s", own=False, rolled_back=True),
    run("s", own=False, thread=native("n", Strength.WEAK)),
    run("s", CLAUDE, own=False),
    run("s", CODEX_TOO, own=False),
)
FORKS = (
    *(PendingFork(run=source, plan=AT_TURN) for source in SOURCES),
    PendingFork(run=SOURCES[0], plan=AT_HEAD),
    PendingFork(run=SOURCES[0], plan=NO_PLAN),
    PendingFork(run=SOURCES[0], plan=AT_TURN, is_at_item=True),
)
INHERITED = run("s", own=False)
HISTORIES = (
    (),
    (run("a"),),
    (lost("a"),),
    (run("a", CODEX_TOO),),
    (run("a", CODEX_ALONE),),
    (run("a", CLAUDE),),
    (run("a"), run("b", CLAUDE)),
    (run("a", CLAUDE), lost("b")),
    (run("a", CLAUDE), run("b"), lost("c", CODEX_TOO)),
    (INHERITED,),
    (INHERITED, lost("a")),
    (INHERITED, run("a")),
    (INHERITED, run("a", CLAUDE)),
)
NO_FORK = tuple(
    StartFacts(
        provider=CODEX, capabilities=NOTHING, runs=runs, forked_by_command=by_command, fork=None
    )
    for runs, by_command in product(HISTORIES, (False, True))
)
PENDING = tuple(
    StartFacts(provider=CODEX, capabilities=NOTHING, runs=runs, forked_by_command=True, fork=fork)
    for runs, fork in product(HISTORIES[-4:], FORKS)
)


def some_capabilities() -> Iterator[Capabilities]:
    """Every set of what decides."""
    for values in product((False, True), repeat=len(DECIDING)):
        yield replace(NOTHING, **dict(zip(DECIDING, values, strict=True)))


@cache
def every_decision() -> tuple[tuple[StartFacts, Outcome], ...]:
    """Every combination of facts, and what is chosen."""
    return tuple(
        (facts, choose(facts))
        for known, capabilities, has_text, checkpoint_id, merge_backs in product(
            (*NO_FORK, *PENDING),
            some_capabilities(),
            (False, True),
            (None, CHECKPOINT),
            (0, 2),
        )
        for facts in [
            replace(
                known,
                capabilities=capabilities,
                has_text=has_text,
                checkpoint_id=checkpoint_id,
                pending_merge_backs=merge_backs,
            )
        ]
    )


def rows(facts: StartFacts) -> Iterator[type]:
    """The table as it is written, each row that matches by itself, in order."""
    can, fork = facts.capabilities, facts.fork
    known = coverage(facts.runs, facts.provider, forked_by_command=facts.forked_by_command)
    if facts.pending_merge_backs and not can.delta_handoff:
        yield Unsupported
    if fork is None and not known.uncovered:
        yield NoTransfer
    if (
        fork is not None
        and fork.run.status in {"completed", "waiting"}
        and not fork.run.rolled_back
        and not fork.is_at_item
        and same_account(fork.run, facts.provider)
        and has_strong_thread(fork.run)
        and can.fork
        and isinstance(fork.plan, NativePlan)
        and (can.fork_at_turn or not fork.plan.names_turn)
        and not any(each.own and received(each) for each in facts.runs)
    ):
        yield NativeFork
    if fork is not None and facts.has_text and can.full_handoff:
        yield PortableContext
    is_new = fork is None and bool(known.uncovered) and known.last_received is None
    if is_new and facts.has_text and can.full_handoff:
        yield PortableContext
    is_back = fork is None and bool(known.uncovered) and known.last_received is not None
    if is_back and can.delta_handoff:
        yield DeltaContext
    if facts.checkpoint_id is not None and not facts.has_text and can.checkpoint_handoff:
        yield CheckpointContext
    yield Unsupported


WORDS = {
    "fork": "fork",
    "forkAtTurn": "fork_at_turn",
    "fullHandoff": "full_handoff",
    "deltaHandoff": "delta_handoff",
    "checkpointHandoff": "checkpoint_handoff",
}


def lacking(facts: StartFacts) -> set[str]:
    """What a refusal of a start has to name, from the table as it is written."""
    alone = replace(facts, pending_merge_backs=0)
    words = set[str]()
    if next(rows(alone)) is Unsupported:
        granted = {word: able(alone, name) for word, name in WORDS.items()}
        granted["history"] = replace(alone, has_text=True)
        if alone.fork is not None:
            fork = replace(alone.fork, plan=AT_TURN)
            granted["forkAtTurn"] = replace(granted["forkAtTurn"], fork=fork)
        words = {word for word, each in granted.items() if next(rows(each)) is not Unsupported}
    if facts.pending_merge_backs and not facts.capabilities.delta_handoff:
        words.add("deltaHandoff")
    return words


def able(facts: StartFacts, name: str) -> StartFacts:
    """The facts of a provider that can do one thing more."""
    return replace(facts, capabilities=replace(facts.capabilities, **{name: True}))


def worth(outcome: Outcome) -> int:
    """How much of the conversation reaches the provider."""
    match outcome:
        case NoTransfer() | NativeFork():
            return 3
        case PortableContext() | DeltaContext():
            return 2
        case CheckpointContext():
            return 1
        case Unsupported():
            return 0
        case _:
            assert_never(outcome)


def test_the_same_facts_give_the_same_answer() -> None:
    """A repeated command, and a transaction that runs twice, decide as before."""
    changed = [facts for facts, outcome in every_decision() if choose(facts) != outcome]

    assert changed == []


def test_the_first_row_that_matches_is_the_answer() -> None:
    """Exactly one outcome, that of the table, for every combination of facts."""
    wrong = [
        (facts, outcome)
        for facts, outcome in every_decision()
        if type(outcome) is not next(rows(facts))
    ]

    assert wrong == []


def test_a_further_capability_never_makes_the_answer_worse() -> None:
    """Whoever can do more gets at least as much of the conversation."""
    decided = {_key(facts): worth(outcome) for facts, outcome in every_decision()}

    worse = [
        (facts, name)
        for facts, outcome in every_decision()
        for name in DECIDING
        if decided[_key(able(facts, name))] < worth(outcome)
    ]

    assert worse == []


def test_every_outcome_is_reached() -> None:
    """No row of the table is dead."""
    reached = {type(outcome) for _, outcome in every_decision()}

    assert reached == {
        *(NoTransfer, NativeFork, PortableContext),
        *(DeltaContext, CheckpointContext, Unsupported),
    }


def test_whoever_can_do_everything_and_has_text_is_never_refused() -> None:
    """Only what is missing refuses a start."""
    refused = [
        facts
        for facts, outcome in every_decision()
        if isinstance(outcome, Unsupported) and facts.has_text and _takes_everything(facts)
    ]

    assert refused == []


def test_a_refusal_names_all_that_alone_would_have_let_the_start() -> None:
    """Each word by itself lets a row match, or the deltas be delivered; no other does."""
    wrong = [
        (facts, outcome)
        for facts, outcome in every_decision()
        if isinstance(outcome, Unsupported)
        and (list(outcome.missing) != sorted(lacking(facts)) or not outcome.reason)
    ]

    assert wrong == []


def test_a_portable_context_always_tells_something() -> None:
    """Nothing is handed over where there is no text."""
    empty = [
        facts
        for facts, outcome in every_decision()
        if isinstance(outcome, PortableContext) and not (facts.has_text and outcome.reason)
    ]

    assert empty == []


PROVIDERS = st.sampled_from([CODEX, CODEX_TOO, CODEX_ALONE, CLAUDE])


@st.composite
def histories(draw: st.DrawFn) -> StartFacts:
    """A thread without a pending fork: any runs, inherited ones first."""
    served = draw(
        st.lists(
            st.builds(
                run,
                st.uuids().map(str),
                PROVIDERS,
                st.sampled_from(
                    ["completed", "waiting", "failed", "interrupted", "cancelled", "queued"]
                ),
                thread=st.sampled_from([native("n"), native("w", Strength.WEAK), native(None)]),
                turn_id=st.none() | st.just("t"),
                confirmed=st.booleans(),
                rolled_back=st.booleans(),
            ),
            max_size=8,
        )
    )
    inherited = draw(st.integers(0, len(served)))
    return StartFacts(
        provider=draw(PROVIDERS),
        capabilities=ALL,
        runs=tuple(replace(each, own=place >= inherited) for place, each in enumerate(served)),
        forked_by_command=draw(st.booleans()),
        has_text=True,
    )


@STEADY
@given(facts=histories())
def test_a_provider_that_received_a_new_run_lacks_nothing(facts: StartFacts) -> None:
    """What a start delivers is not delivered again by the next one."""
    after = replace(facts, runs=(*facts.runs, run("new", facts.provider)))

    assert isinstance(choose(after), NoTransfer)


@STEADY
@given(facts=histories())
def test_a_lost_start_changes_no_decision_of_its_provider(facts: StartFacts) -> None:
    """A retry gets what the start before it got, and the message that was lost."""
    before = choose(facts)

    after = choose(replace(facts, runs=(*facts.runs, lost("lost", facts.provider))))

    assert type(after) is type(before)
    match before, after:
        case PortableContext() | DeltaContext(), PortableContext() | DeltaContext():
            assert after.run_ids == (*before.run_ids, "lost")
        case _:
            assert after == before


@STEADY
@given(facts=histories(), other=PROVIDERS)
def test_every_conversation_run_reaches_the_provider_or_was_received(
    facts: StartFacts, other: Provider
) -> None:
    """Between what it has and what it is told no run of another provider is lost."""
    facts = replace(facts, provider=other)
    known = coverage(facts.runs, other, forked_by_command=facts.forked_by_command)

    outcome = choose(facts)

    match outcome:
        case PortableContext() | DeltaContext():
            assert set(known.uncovered) <= set(outcome.run_ids)
        case _:
            assert known.uncovered == ()


@pytest.mark.parametrize("name", [field.name for field in fields(Capabilities)])
def test_no_capability_matters_where_nothing_is_to_be_transferred(name: str) -> None:
    """A provider that has everything goes on, whatever it can do."""
    facts = StartFacts(
        provider=CODEX, capabilities=replace(ALL, **{name: False}), runs=(run("a"),)
    )

    assert choose(facts) == choose(replace(facts, capabilities=NOTHING))


def _takes_everything(facts: StartFacts) -> bool:
    return facts.capabilities.full_handoff and facts.capabilities.delta_handoff


def _key(facts: StartFacts) -> tuple[object, ...]:
    """Facts without what can't be hashed: a plan's arguments."""
    fork = facts.fork
    which = None if fork is None else FORKS.index(fork)
    return (
        *(facts.runs, facts.forked_by_command, which, facts.capabilities),
        *(facts.has_text, facts.checkpoint_id, facts.pending_merge_backs),
    )
