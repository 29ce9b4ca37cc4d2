"""The state database of a Codex home, read from a private copy.

Codex keeps most of it in the write-ahead log, and other versions of Codex have other columns:
the log is copied too, and columns are asked for only where they are there. The original is
never opened as a database, so nothing is locked and nothing is written.
"""

from __future__ import annotations

import re
import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.codex.ids import thread_id
from importers.contract import Skip
from importers.timestamps import from_milliseconds, from_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import ThreadId, Timestamp

_NAME = re.compile(r"state(?:_(\d+))?\.sqlite")
_COPY_ATTEMPTS = 3
_TEXT_COLUMNS = (
    "rollout_path",
    "source",
    "history_mode",
    "thread_source",
    "agent_nickname",
    "agent_role",
    "agent_path",
    "model",
    "cwd",
    "cli_version",
    "title",
    "name",
    "preview",
    "first_user_message",
    "git_sha",
    "git_branch",
    "git_origin_url",
    "memory_mode",
    "originator",
    "attached_thread_parent_id",
)
_TIME_COLUMNS = ("created_at", "updated_at", "recency_at", "archived_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRow:
    """What the database says of one thread."""

    thread_id: ThreadId
    rollout_path: str | None = None
    source: str | None = None
    history_mode: str | None = None
    thread_source: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    agent_path: str | None = None
    model: str | None = None
    cwd: str | None = None
    cli_version: str | None = None
    title: str | None = None
    name: str | None = None
    preview: str | None = None
    first_user_message: str | None = None
    git_sha: str | None = None
    git_branch: str | None = None
    git_origin_url: str | None = None
    memory_mode: str | None = None
    originator: str | None = None
    attached_thread_parent_id: str | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    recency_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    archived: bool = False


@dataclass(frozen=True, slots=True)
class SpawnEdgeRow:
    """One spawn edge of the database; a child has one."""

    parent_thread_id: ThreadId
    child_thread_id: ThreadId
    status: str


@dataclass(slots=True)
class StateDatabase:
    """What a home's database says; empty where there is none or it can't be read."""

    threads: dict[ThreadId, ThreadRow] = field(default_factory=dict["ThreadId", ThreadRow])
    edges: dict[ThreadId, SpawnEdgeRow] = field(default_factory=dict["ThreadId", SpawnEdgeRow])
    path: str | None = None
    skips: list[Skip] = field(default_factory=list[Skip])


def database_in(home: Path) -> Path | None:
    """The newest state database of a home: the one with the highest number."""
    try:
        numbered = [
            (int(match[1] or 0), path)
            for path in home.iterdir()
            if (match := _NAME.fullmatch(path.name)) is not None
        ]
    except OSError:
        return None
    return max(numbered)[1] if numbered else None


def is_database(path: Path) -> bool:
    """Whether this is the name of a state database."""
    return _NAME.fullmatch(path.name) is not None


def read_database(path: Path | None) -> StateDatabase:
    """All threads and spawn edges of a database; what can't be read is a skip."""
    state = StateDatabase()
    if path is None:
        return state
    state.path = str(path)
    try:
        with (
            tempfile.TemporaryDirectory(prefix="thread-lineage-") as folder,
            closing(sqlite3.connect(_private_copy(path, Path(folder)))) as connection,
        ):
            connection.row_factory = sqlite3.Row
            connection.text_factory = _lenient_text
            state.threads = {row.thread_id: row for row in _thread_rows(connection)}
            state.edges = {row.child_thread_id: row for row in _edge_rows(connection)}
    except (sqlite3.Error, OSError) as error:
        state.skips.append(Skip(path=str(path), reason="unreadable-database", detail=str(error)))
    return state


def _private_copy(path: Path, folder: Path) -> Path:
    """The database and its log as they were at one moment, in a folder of their own."""
    copy = folder / "state.sqlite"
    log = path.with_name(path.name + "-wal")
    for _ in range(_COPY_ATTEMPTS):
        before = _state_of(path), _state_of(log)
        shutil.copyfile(path, copy)
        copied_log = copy.with_name(copy.name + "-wal")
        copied_log.unlink(missing_ok=True)
        if log.exists():
            shutil.copyfile(log, copied_log)
        if (_state_of(path), _state_of(log)) == before:
            break
    return copy


def _state_of(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return None
    return found.st_size, found.st_mtime_ns


def _lenient_text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {
        row["name"]
        for row in connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
    }


def _thread_rows(connection: sqlite3.Connection) -> Iterator[ThreadRow]:
    there = _columns(connection, "threads")
    if "id" not in there:
        return
    for row in connection.execute("SELECT * FROM threads"):
        found = dict(row)
        if not isinstance(found["id"], str) or not found["id"]:
            continue
        texts = {name: _text(found.get(name)) for name in _TEXT_COLUMNS}
        times = {name: _time(found, name) for name in _TIME_COLUMNS}
        yield ThreadRow(
            thread_id=thread_id(found["id"]),
            archived=bool(found.get("archived")),
            **texts,
            **times,
        )


def _edge_rows(connection: sqlite3.Connection) -> Iterator[SpawnEdgeRow]:
    if not {"parent_thread_id", "child_thread_id"} <= _columns(connection, "thread_spawn_edges"):
        return
    for row in connection.execute("SELECT * FROM thread_spawn_edges"):
        found = dict(row)
        parent, child = _text(found["parent_thread_id"]), _text(found["child_thread_id"])
        if parent and child:
            status = _text(found.get("status")) or "open"
            yield SpawnEdgeRow(thread_id(parent), thread_id(child), status)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _time(row: dict[str, object], name: str) -> Timestamp | None:
    milliseconds, seconds = row.get(f"{name}_ms"), row.get(name)
    if isinstance(milliseconds, int) and milliseconds:
        return from_milliseconds(milliseconds)
    return from_seconds(seconds) if isinstance(seconds, int | float) else None
