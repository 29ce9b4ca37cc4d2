"""Claude Code: forks a session up to and with an assistant message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.abilities import Capabilities
from adapters.fork_point import known_id
from adapters.native_plan import NativeCall, NativePlan, PlanRefused

if TYPE_CHECKING:
    from adapters.fork_point import ForkPoint

DRIVER = "claude"

CAPABILITIES = Capabilities(fork=True, fork_at_turn=True, rollback=False)


def plan_fork(point: ForkPoint, capabilities: Capabilities) -> NativePlan | PlanRefused:
    """The call that forks a session of Claude Code, or why there is none."""
    del capabilities
    session_id = known_id(point.native_thread_ref)
    message_id = _last_message_id(point)
    if message_id is not None:
        params = {"sessionId": session_id, "upToMessageId": message_id}
        return NativePlan((NativeCall("forkSession", params),), names_turn=True)
    if any(turn.is_there or turn.is_active for turn in point.later):
        return PlanRefused("The last message of the run is not known, and the session went on.")
    return NativePlan((NativeCall("forkSession", {"sessionId": session_id}),))


def _last_message_id(point: ForkPoint) -> str | None:
    """Files name a run by its prompt: a session that is cut there would lack the answer."""
    answer_id = known_id(point.last_answer_ref)
    if answer_id is None and not point.read_from_files:
        return known_id(point.native_turn_ref)
    return answer_id
