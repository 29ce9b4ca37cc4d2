"""Writes Codex homes for tests, line by line, and reads them as an import does."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias

import zstandard

from importers.codex.importer import CodexImporter
from importers.contract import ItemsRead, ReadEnd, ReadOptions, Skip, ThreadRead

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from graph.records import ItemRecord, ThreadRecord
    from importers.contract import Plan

Written: TypeAlias = dict[str, Any]

BEGIN = datetime(2026, 8, 1, 12, tzinfo=UTC)


def uuid(second: int, tail: int = 0) -> str:
    """A time-ordered id made so many seconds after the beginning."""
    milliseconds = int((BEGIN + timedelta(seconds=second)).timestamp() * 1000)
    text = f"{milliseconds:012x}7{tail:03x}8{tail:015x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def at(second: float) -> str:
    """The time so many seconds after the beginning, as Codex writes it."""
    moment = BEGIN + timedelta(seconds=second)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def kept_at(second: float) -> str:
    """The same time as the graph keeps it."""
    return at(second)[:-1] + "000Z"


def meta(thread_id: str, **fields: object) -> Written:
    """A ``session_meta`` line."""
    payload = {"id": thread_id, "timestamp": at(0), "cwd": "/work", "source": "cli", **fields}
    return {"type": "session_meta", "payload": payload}


def event(kind: str, /, **fields: object) -> Written:
    """An ``event_msg`` line."""
    return {"type": "event_msg", "payload": {"type": kind, **fields}}


def started(turn_id: str | None, **fields: object) -> Written:
    """The start of a turn."""
    return event("task_started", turn_id=turn_id, **fields)


def completed(turn_id: str | None, **fields: object) -> Written:
    """The end of a turn."""
    return event("task_complete", turn_id=turn_id, **fields)


def asked(text: str) -> Written:
    """What the user said."""
    return event("user_message", message=text)


def answered(text: str) -> Written:
    """What the assistant said."""
    return event("agent_message", message=text)


def model_item(kind: str, /, **fields: object) -> Written:
    """A ``response_item`` line."""
    return {"type": "response_item", "payload": {"type": kind, **fields}}


def said(role: str, text: str, **fields: object) -> Written:
    """A message as the model saw it."""
    kind = "output_text" if role == "assistant" else "input_text"
    return model_item("message", role=role, content=[{"type": kind, "text": text}], **fields)


def item(kind: str, thread_id: str, turn_id: str, /, **fields: object) -> Written:
    """An ``item_completed`` event."""
    return event(
        "item_completed", thread_id=thread_id, turn_id=turn_id, item={"type": kind, **fields}
    )


def turn(turn_id: str, prompt: str = "question", answer: str = "answer") -> list[Written]:
    """A whole turn."""
    return [started(turn_id), asked(prompt), answered(answer), completed(turn_id)]


def compacted(**fields: object) -> Written:
    """A compaction line."""
    return {"type": "compacted", "payload": {"message": "summary", **fields}}


def spawn_source(parent: str, **fields: object) -> Written:
    """The source of a spawned agent."""
    return {"subagent": {"thread_spawn": {"parent_thread_id": parent, "depth": 1, **fields}}}


def encoded(lines: list[Written], *, begin: float = 0, ordinal: int | None = None) -> bytes:
    """The lines as they stand in a file, a second apart, numbered from *ordinal* on."""
    text = ""
    for number, line in enumerate(lines):
        place = {} if ordinal is None else {"ordinal": ordinal + number}
        text += json.dumps({"timestamp": at(begin + number), **place, **line}) + "\n"
    return text.encode()


@dataclass(slots=True)
class Import:
    """What an import of a home gave."""

    plan: Plan
    threads: dict[str, ThreadRecord] = field(default_factory=dict[str, "ThreadRecord"])
    items: dict[str, list[ItemRecord]] = field(default_factory=dict[str, "list[ItemRecord]"])
    skips: list[Skip] = field(default_factory=list[Skip])
    ends: dict[str, ReadEnd] = field(default_factory=dict[str, ReadEnd])

    @property
    def reasons(self) -> list[str]:
        """The reasons of all skips, in order of the alphabet."""
        return sorted(skip.reason for skip in self.skips)

    def texts(self, thread_id: str) -> list[tuple[str, str | None]]:
        """Kind and text of a thread's items."""
        return [(each.kind, each.text) for each in self.items[thread_id]]


@dataclass(slots=True)
class CodexHome:
    """A home in the making."""

    folder: Path

    def rollout(
        self,
        thread_id: str,
        lines: list[Written] | bytes,
        *,
        rollout_id: str | None = None,
        archived: bool = False,
        packed: bool = False,
    ) -> Path:
        """Write a rollout where Codex would have it."""
        data = encoded(lines) if isinstance(lines, list) else lines
        place = "archived_sessions" if archived else "sessions/2026/08/01"
        owner = thread_id if rollout_id is None else f"{thread_id}_{rollout_id}"
        path = self.folder / place / f"rollout-2026-08-01T12-00-00-{owner}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        if packed:
            path = path.with_name(path.name + ".zst")
            data = zstandard.compress(data)
        path.write_bytes(data)
        return path

    def database(
        self,
        *threads: Mapping[str, object],
        edges: list[tuple[str, str, str]] | None = None,
    ) -> Path:
        """Write a state database with these columns and rows."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / "state_5.sqlite"
        columns = list(dict.fromkeys(["id", *(name for row in threads for name in row)]))
        with closing(sqlite3.connect(path)) as connection, connection:
            connection.execute(f"CREATE TABLE threads ({', '.join(columns)})")
            connection.execute(
                "CREATE TABLE thread_spawn_edges "
                "(parent_thread_id TEXT, child_thread_id TEXT PRIMARY KEY, status TEXT)"
            )
            for row in threads:
                marks = ", ".join("?" for _ in columns)
                connection.execute(
                    f"INSERT INTO threads VALUES ({marks})",  # noqa: S608 - of this test alone
                    [row.get(name) for name in columns],
                )
            connection.executemany("INSERT INTO thread_spawn_edges VALUES (?, ?, ?)", edges or [])
        return path

    def read(self, *paths: Path, options: ReadOptions | None = None) -> Import:
        """Import the home, or only these paths."""
        return read(*(paths or (self.folder,)), options=options)


def read(*paths: Path, options: ReadOptions | None = None) -> Import:
    """Import paths, all sources in the order of the plan."""
    importer = CodexImporter()
    plan = importer.plan(paths)
    found = Import(plan, skips=list(plan.skips))
    for source in plan.sources:
        for part in importer.read(source, options or ReadOptions()):
            match part:
                case ThreadRead(thread=thread):
                    found.threads[source.thread_id] = thread
                    found.items[source.thread_id] = list(thread.items.items)
                case ItemsRead():
                    found.items[source.thread_id].extend(part.items)
                case ReadEnd():
                    found.ends[source.thread_id] = part
                    found.skips.extend(part.skips)
    return found
