"""Codex: forks at a turn that it names, else at the head with the later turns rolled back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.abilities import Capabilities
from adapters.fork_point import known_id
from adapters.native_plan import NativeCall, NativePlan, PlanRefused, result_of

if TYPE_CHECKING:
    from adapters.fork_point import ForkPoint

DRIVER = "codex"

CAPABILITIES = Capabilities(fork=True, fork_at_turn=True, rollback=True)

LEGACY = "legacy"
PAGINATED = "paginated"


def plan_fork(point: ForkPoint, capabilities: Capabilities) -> NativePlan | PlanRefused:
    """The calls that fork a thread of Codex, or why there are none.

    Rolling back comes after the fork, so whatever forbids it is found before: a refusal leaves
    no thread behind.
    """
    if point.history_mode is None:
        return PlanRefused("The history mode of the Codex thread is not known.")
    if point.history_mode not in {LEGACY, PAGINATED}:
        return PlanRefused(f"The history mode {point.history_mode} of the thread is not known.")
    thread_id = known_id(point.native_thread_ref)
    turn_id = known_id(point.native_turn_ref)
    if turn_id is None:
        return _from_head(point, capabilities, NativeCall("thread/fork", {"threadId": thread_id}))
    params = {"threadId": thread_id, "lastTurnId": turn_id}
    return NativePlan((NativeCall("thread/fork", params),), names_turn=True)


def _from_head(
    point: ForkPoint, capabilities: Capabilities, fork: NativeCall
) -> NativePlan | PlanRefused:
    """Fork all there is, and take away the turns after the point."""
    if any(turn.is_active for turn in point.later):
        return PlanRefused("Codex does not name the turn, and a later one is under way.")
    count = sum(turn.is_there and turn.is_terminal for turn in point.later)
    if count == 0:
        return NativePlan((fork,))
    if point.history_mode == PAGINATED:
        return PlanRefused(
            "Codex does not name the turn, and a thread with paginated history is not rolled back."
        )
    if not capabilities.rollback:
        return PlanRefused("Codex does not name the turn, and this one does not roll back.")
    rollback = {"threadId": result_of(0, "thread.id"), "numTurns": count}
    return NativePlan((fork, NativeCall("thread/rollback", rollback)))
