"""Sessions of Claude Code as a test writes them: the lines that the program would have written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graph.model import ThreadId, Timestamp

if TYPE_CHECKING:
    from pathlib import Path

START = 10
PROJECT = "-work"
VERSION = "2.1.332"
NO_MESSAGE = "00000000-0000-0000-0000-000000000000"


def at(second: float) -> str:
    """A time as Claude Code writes it."""
    minute, rest = divmod(second, 60)
    return f"2026-11-30T10:{int(minute):02d}:{rest:06.3f}Z"


def told(second: float) -> Timestamp:
    """The same time as the graph keeps it."""
    minute, rest = divmod(second, 60)
    return Timestamp(f"2026-11-30T10:{int(minute):02d}:{rest:09.6f}Z")


def agent_id(session: str, agent: str) -> ThreadId:
    """The thread id of an agent."""
    return ThreadId(f"claude:{session}:{agent}")


@dataclass
class Written:
    """A session, or an agent of one, that is being written: one link a second."""

    session: str
    second: float = START
    version: str = VERSION
    agent: str | None = None
    leaf: str | None = None
    lines: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def control(self, kind: str, **more: Any) -> Written:  # noqa: ANN401 - any JSON
        """A line that is no link of the chain."""
        self.lines.append({"type": kind, "sessionId": self.session, **more})
        return self

    def begin(self) -> Written:
        """The line with a time that a session begins with."""
        return self.control("queue-operation", operation="enqueue", timestamp=at(self.second))

    def link(self, kind: str, uuid: str, **more: Any) -> Written:  # noqa: ANN401 - as above
        """A link below the current leaf."""
        self.second += 1
        line = {
            "parentUuid": self.leaf,
            "isSidechain": self.agent is not None,
            "type": kind,
            "uuid": uuid,
            "timestamp": at(self.second),
            "sessionId": self.session,
            "version": self.version,
            "cwd": "/work",
        }
        if self.agent is not None:
            line["agentId"] = self.agent
        self.lines.append({**line, **more})
        self.leaf = uuid
        return self

    def user(self, uuid: str, content: Any, **more: Any) -> Written:  # noqa: ANN401 - as above
        """A line in the user's name."""
        return self.link("user", uuid, message={"role": "user", "content": content}, **more)

    def prompt(self, uuid: str, text: str = "") -> Written:
        """Somebody types something."""
        return self.user(uuid, text or f"prompt {uuid}")

    def answer(
        self,
        uuid: str,
        content: str | list[dict[str, Any]] = "",
        *,
        stopped: str | None = "end_turn",
        **message: object,
    ) -> Written:
        """The model says something."""
        blocks = content or f"answer {uuid}"
        if isinstance(blocks, str):
            blocks = [{"type": "text", "text": blocks}]
        said = {
            "role": "assistant",
            "id": f"msg_{uuid}",
            "model": "m",
            "content": blocks,
            "stop_reason": stopped,
        }
        return self.link("assistant", uuid, message={**said, **message})

    def call(self, uuid: str, call: str, name: str, **given: Any) -> Written:  # noqa: ANN401 - as above
        """The model calls a tool."""
        block = {"type": "tool_use", "id": call, "name": name, "input": given}
        return self.answer(uuid, [block], stopped="tool_use")

    def result(self, uuid: str, call: str, content: Any = "done", **more: Any) -> Written:  # noqa: ANN401 - as above
        """What a tool gave back."""
        block = {"type": "tool_result", "tool_use_id": call, "content": content}
        return self.user(uuid, [block], **more)

    def turn(self, name: str) -> Written:
        """A prompt and its answer: ``<name>u`` and ``<name>a``."""
        return self.prompt(f"{name}u").answer(f"{name}a")

    def compaction(self, name: str, **boundary: Any) -> Written:  # noqa: ANN401 - as above
        """What is left of the conversation begins anew: ``<name>b`` and ``<name>s``."""
        goes_on_from, self.leaf = self.leaf, None
        more = {"subtype": "compact_boundary", "logicalParentUuid": goes_on_from, **boundary}
        self.link("system", f"{name}b", **more)
        return self.user(f"{name}s", "This session is being continued", isCompactSummary=True)

    def go_to(self, uuid: str | None) -> Written:
        """Rewind: without a word."""
        self.leaf = uuid
        return self

    def copy(self, session: str, *, until: str | None = None, **stamps: Any) -> Written:  # noqa: ANN401 - as above
        """A session that begins with this one's links, up to one of them.

        *stamps* stand on each copied line.
        """
        copied = Written(session, self.second + 1, self.version)
        for line in self.lines:
            if "uuid" not in line:
                continue
            copied.lines.append({**line, "sessionId": session, **stamps})
            copied.leaf = line["uuid"]
            if line["uuid"] == until:
                break
        return copied

    def fork(self, session: str, *, until: str | None = None) -> Written:
        """What ``--fork-session`` makes: answers name the session that asked for them."""
        fork = self.copy(session, until=until)
        for line in fork.lines:
            if line["type"] == "assistant" and "requestSessionId" not in line:
                line["requestSessionId"] = self.session
        start = Written(session, fork.second).begin()
        fork.lines[:0] = start.lines
        return fork

    def branch(self, session: str) -> Written:
        """What ``/branch`` makes: every copied line names the session and its id there."""
        branch = self.copy(session)
        for line in branch.lines:
            line["forkedFrom"] = {"sessionId": self.session, "messageUuid": line["uuid"]}
        return branch

    def sdk_fork(self, session: str) -> Written:
        """What the SDK makes: every copied line gets a new id."""
        fork = self.branch(session)
        for line in fork.lines:
            line["uuid"] = f"{session}-{line['uuid']}"
            if line["parentUuid"] is not None:
                line["parentUuid"] = f"{session}-{line['parentUuid']}"
        fork.leaf = f"{session}-{fork.leaf}"
        return fork

    def raw(self) -> list[bytes]:
        """The lines as bytes, each with its line break."""
        return [
            json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            for line in self.lines
        ]

    def path(self, folder: Path) -> Path:
        """Where the file stands below a folder of all projects."""
        if self.agent is None:
            return folder / PROJECT / f"{self.session}.jsonl"
        agents = folder / PROJECT / self.session / "subagents"
        return agents / f"agent-{self.agent}.jsonl"

    def write(self, folder: Path, **sidecar: Any) -> Path:  # noqa: ANN401 - as above
        """Write the file, and a sidecar where there is something to put into it."""
        path = self.path(folder)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(self.raw()))
        if sidecar:
            path.with_suffix(".meta.json").write_text(json.dumps(sidecar))
        return path
