"""What stands beside an agent's file: how it was started, by what call, and by whom."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, cast

import msgspec

from importers.claude_code.context import AgentFacts
from importers.native_ids import is_usable

if TYPE_CHECKING:
    from collections.abc import Mapping

_MOST_BYTES = 1024 * 1024

_decode = msgspec.json.Decoder().decode


@dataclass(slots=True)
class Sidecars:
    """Reads the sidecars of agents, those that did not change only once.

    It forgets everything when it is sent to another process.
    """

    _known: dict[str, tuple[tuple[int, int], AgentFacts]] = field(
        default_factory=dict[str, tuple[tuple[int, int], AgentFacts]]
    )

    def __reduce__(self) -> tuple[type[Sidecars], tuple[()]]:
        return Sidecars, ()

    def facts(self, agent_id: str, path: str) -> AgentFacts:
        """What is known of the agent of a file; its id alone where there is no more."""
        sidecar = Path(path.removesuffix(".jsonl") + ".meta.json")
        try:
            found = sidecar.stat()
            state = (found.st_size, found.st_mtime_ns)
            known = self._known.get(path)
            if known is not None and known[0] == state and known[1].agent_id == agent_id:
                return known[1]
            content = sidecar.read_bytes() if found.st_size <= _MOST_BYTES else b""
        except OSError:
            return AgentFacts(agent_id=agent_id)
        facts = _facts(agent_id, content)
        self._known[path] = (state, facts)
        return facts


def _facts(agent_id: str, content: bytes) -> AgentFacts:
    try:
        told: object = _decode(content)
    except (msgspec.DecodeError, RecursionError):
        return AgentFacts(agent_id=agent_id)
    if not isinstance(told, dict):
        return AgentFacts(agent_id=agent_id)
    fields = cast("dict[str, object]", told)
    parent = _text(fields, "parentAgentId")
    return AgentFacts(
        agent_id=agent_id,
        call_id=_text(fields, "toolUseId"),
        parent_agent_id=parent if is_usable(parent) else None,
        role=_text(fields, "agentType"),
        name=_text(fields, "name"),
        task=_text(fields, "description"),
    )


def _text(fields: Mapping[str, object], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None
