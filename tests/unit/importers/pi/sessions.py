"""Sessions of pi as a test writes them: the lines that pi would have written."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from graph.model import Timestamp

if TYPE_CHECKING:
    from pathlib import Path

START = 40
"""The second at which a session begins, when nothing else is said."""


def at(second: float) -> str:
    """A time as pi writes it."""
    return f"2026-11-30T10:45:{second:06.3f}Z"


def told(second: float) -> Timestamp:
    """The same time as the graph keeps it."""
    return Timestamp(f"2026-11-30T10:45:{second:09.6f}Z")


@dataclass
class Written:
    """A session that is being written, one entry a second."""

    session_id: str
    second: float = START
    parent_session: str | None = None
    leaf: str | None = None
    lines: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def __post_init__(self) -> None:
        header = {
            "type": "session",
            "version": 3,
            "id": self.session_id,
            "timestamp": at(self.second),
            "cwd": "/project",
        }
        if self.parent_session is not None:
            header["parentSession"] = self.parent_session
        self.lines.append(header)

    @property
    def file_name(self) -> str:
        """The name that pi gives to the file."""
        stamp = str(self.lines[0]["timestamp"]).replace(":", "-").replace(".", "-")
        return f"{stamp}_{self.session_id}.jsonl"

    def entry(self, entry_id: str, kind: str, **more: Any) -> Written:  # noqa: ANN401 - any JSON
        """Append an entry below the current leaf."""
        self.second += 1
        self.lines.append(
            {
                "type": kind,
                "id": entry_id,
                "parentId": self.leaf,
                "timestamp": at(self.second),
                **more,
            }
        )
        self.leaf = entry_id
        return self

    def prompt(self, entry_id: str, text: str = "") -> Written:
        """Somebody types something."""
        content = [{"type": "text", "text": text or f"prompt {entry_id}"}]
        return self.entry(entry_id, "message", message={"role": "user", "content": content})

    def answer(self, entry_id: str, text: str = "", **more: Any) -> Written:  # noqa: ANN401 - as above
        """The agent says something."""
        content = [{"type": "text", "text": text or f"answer {entry_id}"}]
        message = {"role": "assistant", "content": content, "model": "m", "stopReason": "stop"}
        return self.entry(entry_id, "message", message={**message, **more})

    def turn(self, name: str) -> Written:
        """A prompt and its answer: ``<name>u`` and ``<name>a``."""
        return self.prompt(f"{name}u").answer(f"{name}a")

    def go_to(self, entry_id: str | None) -> Written:
        """Move to another place in the tree, as pi does it: without a word."""
        self.leaf = entry_id
        return self

    def fork(
        self, session_id: str, *, entries: int | None = None, parent: str | None = None
    ) -> Written:
        """Another session that starts with copies of the first *entries* of this one."""
        made = Written(session_id, self.second + 1, parent or self.file_name)
        copied = self.lines[1:][:entries]
        made.lines.extend(copied)
        made.leaf = copied[-1]["id"] if copied else None
        return made

    def raw(self) -> list[bytes]:
        """The lines as bytes, each with its line break."""
        return [
            json.dumps(line, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
            for line in self.lines
        ]

    def write(self, folder: Path) -> Path:
        """Write the session into a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.file_name
        path.write_bytes(b"".join(self.raw()))
        return path
