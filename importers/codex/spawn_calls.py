"""The calls by which a thread spawned others, as its own transcript shows them.

Three sorts of lines tell of one call: the tool call and its answer (which names the child by id,
or in newer versions by its agent path), the activity of a subagent, and the item of the tool
call. They are one call when they share the call id.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from importers.codex.texts import json_object, string

if TYPE_CHECKING:
    from collections.abc import Sequence

    from importers.codex.turn import Turn

Place: TypeAlias = "tuple[int, Turn | None, str | None]"
"""The line, the turn and the written time at which something was said."""


@dataclass(slots=True)
class SpawnCall:
    """One spawning call; a call that failed names no child."""

    line: int
    turn: Turn | None
    at: str | None
    call_id: str | None
    child: str | None = None
    path: str | None = None


@dataclass(slots=True)
class SpawnCalls:
    """Collects the spawning calls of a file."""

    calls: list[SpawnCall] = field(default_factory=list[SpawnCall])
    _by_id: dict[str, SpawnCall] = field(default_factory=dict[str, SpawnCall])

    def called(self, call_id: str | None, place: Place) -> None:
        """The tool call itself."""
        self._call(call_id, place)

    def answered(self, call_id: str | None, output: object) -> None:
        """The answer to a tool call, of whatever tool."""
        call = self._by_id.get(call_id or "")
        if call is not None:
            answer = json_object(output)
            call.child = string(answer.get("agent_id")) or call.child
            call.path = string(answer.get("task_name")) or call.path

    def activity(
        self,
        kind: str | None,
        *,
        call_id: str | None,
        child: str | None,
        path: str | None,
        place: Place,
    ) -> None:
        """What a subagent did; only its start tells of a spawning call."""
        if kind == "started":
            call = self._call(call_id, place)
            call.child = child or call.child
            call.path = path or call.path

    def tool_call(
        self, tool: str | None, *, call_id: str | None, children: Sequence[str], place: Place
    ) -> None:
        """The item of a tool call between agents."""
        if tool == "spawn_agent" and children:
            call = self._call(call_id, place)
            call.child = children[0]

    def _call(self, call_id: str | None, place: Place) -> SpawnCall:
        known = self._by_id.get(call_id or "")
        if known is not None:
            return known
        line, turn, at = place
        call = SpawnCall(line, turn, at, call_id)
        self.calls.append(call)
        if call_id is not None:
            self._by_id[call_id] = call
        return call
