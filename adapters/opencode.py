"""OpenCode: forks a session before a message, so the next run says where."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.abilities import Capabilities
from adapters.fork_point import known_id
from adapters.native_plan import NativeCall, NativePlan, PlanRefused

if TYPE_CHECKING:
    from adapters.fork_point import ForkPoint

DRIVER = "opencode"

CAPABILITIES = Capabilities(fork=True, fork_at_turn=True, rollback=False)


def plan_fork(point: ForkPoint, capabilities: Capabilities) -> NativePlan | PlanRefused:
    """The call that forks a session of OpenCode, or why there is none."""
    del capabilities
    session_id = known_id(point.native_thread_ref)
    following = next((turn for turn in point.later if turn.is_there or turn.is_active), None)
    if following is None:
        return NativePlan((_fork({"id": session_id}),))
    message_id = known_id(following.native_turn_ref)
    if message_id is None:
        return PlanRefused("The first message of the next run is not known.")
    return NativePlan((_fork({"id": session_id, "messageID": message_id}),), names_turn=True)


def _fork(params: dict[str, str | None]) -> NativeCall:
    return NativeCall("POST /session/{id}/fork", params)
