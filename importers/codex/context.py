"""What is known about a thread besides its own files: what reading it needs to be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.model import ThreadId
    from importers.codex.database import SpawnEdgeRow, ThreadRow


@dataclass(frozen=True, slots=True)
class ThreadFile:
    """One rollout of a thread."""

    path: str
    rollout_id: str
    thread_id: ThreadId
    size: int
    modified_ns: int
    archived: bool
    stamp: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """The facts of one thread that stand in other places of its home.

    *files* are its own; *bases* those that its history goes on from, by reference, to any
    depth; *source_files* those of the thread that it was copied from, *parent_files* those of its
    parent. *current_rollout_id* is the file that the database calls the thread's.
    """

    thread_id: ThreadId
    files: tuple[ThreadFile, ...] = ()
    cwd: str | None = None
    bases: tuple[ThreadFile, ...] = ()
    source_files: tuple[ThreadFile, ...] = ()
    parent_files: tuple[ThreadFile, ...] = ()
    current_rollout_id: str | None = None
    row: ThreadRow | None = None
    edge: SpawnEdgeRow | None = None
    name: str | None = None
    database_path: str | None = None
