"""How a start gets its context: facts in, a decision out.

The rows are tried in order and the first that matches decides. What would have to be true for
a refused start to be possible is found by granting it and trying again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.native_plan import NativePlan, PlanRefused
from resolvers.coverage import (
    Coverage,
    ServedRun,
    conversation,
    coverage,
    has_strong_thread,
    received,
    same_account,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from adapters.abilities import Capabilities
    from graph.model import CheckpointId, NativeRef, RunId
    from graph.transfers import Provider

FORKED_STATUSES = frozenset({"completed", "waiting"})
"""The words for a source run that a provider may fork: others may hold half a turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingFork:
    """The fork that a thread still waits for.

    *run* is the chosen run of the source as it is now, *plan* what the adapter of its driver
    made of the point.
    """

    run: ServedRun
    plan: NativePlan | PlanRefused
    is_at_item: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StartFacts:
    """All that decides how a run gets its context.

    *runs* is the thread's history before the new run, in order. *native_thread_ref* is what an
    import knows as the native thread of this thread itself. *has_text* says whether any item
    with text stands in the runs that a whole context carries (``conversation``). *checkpoint_id*
    is the checkpoint of the point that the context is taken from: that of the fork, else of the
    last conversation run.
    """

    provider: Provider
    capabilities: Capabilities
    runs: Sequence[ServedRun] = ()
    fork: PendingFork | None = None
    forked_by_command: bool = False
    native_thread_ref: NativeRef | None = None
    has_text: bool = False
    checkpoint_id: CheckpointId | None = None
    pending_merge_backs: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoTransfer:
    """The provider has what it needs; *resume* is the native thread to go on with, if any."""

    resume: NativeRef | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeFork:
    """The provider forks its own thread: what to ask it for."""

    plan: NativePlan


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableContext:
    """The runs whose items are handed over whole, and why it is not done natively."""

    run_ids: tuple[RunId, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class DeltaContext:
    """The runs after *base_run_id*, the last one that the provider received."""

    resume: NativeRef | None
    base_run_id: RunId
    run_ids: tuple[RunId, ...]
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointContext:
    """The state of the files alone, as nothing of the conversation can be told."""

    checkpoint_id: CheckpointId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """That the start can't get its context.

    *missing* are, sorted, the words for what alone would have let it, which may be none where
    several lack at once; *reason* says it in sentences.
    """

    missing: tuple[str, ...]
    reason: str


Base = NoTransfer | NativeFork | PortableContext | DeltaContext | CheckpointContext
Outcome = Base | Unsupported


def choose(facts: StartFacts) -> Outcome:
    """The way in which a start gets its context; the same facts give the same way."""
    base = _base(facts)
    takes_deltas = facts.pending_merge_backs == 0 or facts.capabilities.delta_handoff
    if base is not None and takes_deltas:
        return base
    missing = set[str]()
    reasons = list[str]()
    if base is None:
        missing.update(word for word in _WORDS if _base(_granting(facts, word)) is not None)
        reasons.append(_why_nothing(facts))
    if not takes_deltas:
        missing.add("deltaHandoff")
        reasons.append("The provider takes no delta, and a merge-back waits to be delivered.")
    return Unsupported(missing=tuple(sorted(missing)), reason=" ".join(reasons))


def why_not_native(facts: StartFacts, fork: PendingFork) -> str | None:
    """Why a pending fork is not made by the provider, as a sentence; ``None`` where it can be."""
    reason: str | None = None
    if fork.is_at_item:
        reason = "The point is at an item, where no provider forks."
    elif fork.run.status not in FORKED_STATUSES:
        reason = f"The source run is {fork.run.status}, so its provider may hold half a turn."
    elif fork.run.rolled_back:
        reason = "The source run was rolled back, so its provider no longer has it."
    elif not same_account(fork.run, facts.provider):
        reason = "The source ran with another provider."
    elif not has_strong_thread(fork.run):
        reason = "The native thread of the source is not known for certain."
    elif any(run.own and received(run) for run in facts.runs):
        reason = "The fork already has a run that a provider received."
    elif not facts.capabilities.fork:
        reason = "The provider does not fork."
    elif isinstance(fork.plan, PlanRefused):
        reason = fork.plan.reason
    elif fork.plan.names_turn and not facts.capabilities.fork_at_turn:
        reason = "The provider does not fork at a turn."
    return reason


def _base(facts: StartFacts) -> Base | None:
    if facts.fork is not None:
        return _for_fork(facts, facts.fork)
    known = coverage(facts.runs, facts.provider, forked_by_command=facts.forked_by_command)
    if not known.uncovered:
        return NoTransfer(resume=_resume(facts, known))
    if known.last_received is None:
        return _whole(facts, None, "The provider has received no run of this thread.")
    if facts.capabilities.delta_handoff:
        return DeltaContext(
            resume=_resume(facts, known),
            base_run_id=known.last_received.run_id,
            run_ids=known.since,
            reason="The thread went on with another provider.",
        )
    return _checkpoint(facts, "The provider takes no delta.")


def _for_fork(facts: StartFacts, fork: PendingFork) -> Base | None:
    reason = why_not_native(facts, fork)
    if reason is None and isinstance(fork.plan, NativePlan):
        return NativeFork(plan=fork.plan)
    return _whole(facts, fork.run.run_id, reason or "")


def _whole(facts: StartFacts, chosen: RunId | None, reason: str) -> Base | None:
    if facts.has_text and facts.capabilities.full_handoff:
        return PortableContext(run_ids=conversation(facts.runs, chosen=chosen), reason=reason)
    return _checkpoint(facts, reason)


def _checkpoint(facts: StartFacts, reason: str) -> Base | None:
    """Only where there is nothing to tell: files without their conversation would mislead."""
    if facts.has_text or facts.checkpoint_id is None or not facts.capabilities.checkpoint_handoff:
        return None
    return CheckpointContext(checkpoint_id=facts.checkpoint_id, reason=reason)


def _resume(facts: StartFacts, known: Coverage) -> NativeRef | None:
    """An inherited run stands in the native thread of the source, which is not to be gone on."""
    run = known.last_received
    if run is None:
        return None
    ref = run.native_thread_ref if run.own else facts.native_thread_ref
    return ref if ref is not None and ref.native_id else None


_WORDS = {
    "checkpointHandoff": "checkpoint_handoff",
    "deltaHandoff": "delta_handoff",
    "fork": "fork",
    "forkAtTurn": "fork_at_turn",
    "fullHandoff": "full_handoff",
    "history": None,
}


def _granting(facts: StartFacts, word: str) -> StartFacts:
    """The facts as they would be with one thing more; *forkAtTurn* stands for any plan."""
    name = _WORDS[word]
    if name is None:
        return replace(facts, has_text=True)
    granted = replace(facts, capabilities=replace(facts.capabilities, **{name: True}))
    if word == "forkAtTurn" and facts.fork is not None:
        granted = replace(granted, fork=replace(facts.fork, plan=NativePlan(())))
    return granted


def _why_nothing(facts: StartFacts) -> str:
    """Every reason there is, also where several lack at once."""
    reasons = list[str]()
    known = coverage(facts.runs, facts.provider, forked_by_command=facts.forked_by_command)
    if facts.fork is not None:
        reasons.append(why_not_native(facts, facts.fork) or "")
    elif known.last_received is not None:
        return "The provider takes no delta."
    if not facts.has_text:
        reasons.append("There is no item with text to hand over.")
    if not facts.capabilities.full_handoff:
        reasons.append("The provider takes no full handoff.")
    return " ".join(reasons)
