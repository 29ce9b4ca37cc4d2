"""Where a thread came from, by the ``source`` that Codex wrote for it.

It is a word or an object; the database keeps the object as JSON text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.model import Actor
from importers.codex.ids import thread_id
from importers.codex.texts import json_object, string

if TYPE_CHECKING:
    from graph.model import ThreadId

_WORDS = {
    "cli": "cli",
    "vscode": "vscode",
    "exec": "exec",
    "mcp": "appServer",
}
_DEFAULT_KIND = "vscode"
_DELEGATES = {"review": "subAgentReview", "compact": "subAgentCompact"}
_JOB_PREFIX = "agent_job:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """A thread's source: its text, the kind that lists filter by, and what an agent's says.

    *delegate* names the task of an agent that was not spawned: ``review``, ``guardian``, the
    name of a job.
    """

    text: str | None
    kind: str
    spawned: bool = False
    parent_thread_id: ThreadId | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    agent_path: str | None = None
    delegate: str | None = None

    @property
    def is_subagent(self) -> bool:
        """Whether an agent of another thread made it."""
        return self.spawned or self.delegate is not None

    @property
    def created_by(self) -> Actor:
        """Who made the thread."""
        if self.spawned:
            return Actor.AGENT
        return Actor.SYSTEM if self.delegate or self.kind == "internal" else Actor.USER


def origin_of(source: object) -> Origin:
    """The origin that a ``source`` tells, of a file or of the database."""
    if source is None:
        return Origin(text=None, kind=_DEFAULT_KIND)
    told = json_object(source)
    if isinstance(source, str) and not told:
        return Origin(text=source, kind=_WORDS.get(source, "unknown"))
    text = msgspec.json.encode(told or source, order="sorted").decode()
    if "subagent" in told:
        return _subagent(text, told["subagent"])
    if "custom" in told:
        return Origin(text=text, kind=f"custom:{told['custom']}")
    if "internal" in told:
        return Origin(text=text, kind="internal")
    return Origin(text=text, kind="unknown")


def _subagent(text: str, task: object) -> Origin:
    if isinstance(task, str):
        kind = _DELEGATES.get(task, "subAgent")
        return Origin(text=text, kind=kind, delegate=task)
    told = json_object(task)
    spawn = json_object(told.get("thread_spawn"))
    if spawn:
        parent = string(spawn.get("parent_thread_id"))
        return Origin(
            text=text,
            kind="subAgentThreadSpawn",
            spawned=True,
            parent_thread_id=thread_id(parent) if parent else None,
            agent_nickname=string(spawn.get("agent_nickname")),
            agent_role=string(spawn.get("agent_role")) or string(spawn.get("agent_type")),
            agent_path=string(spawn.get("agent_path")),
        )
    other = string(told.get("other"))
    if other is not None:
        return Origin(text=text, kind="subAgentOther", delegate=other.removeprefix(_JOB_PREFIX))
    return Origin(text=text, kind="subAgent", delegate="subagent")
