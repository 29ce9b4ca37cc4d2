"""What the service answers, as values. ``None`` means *not known* or *does not apply*.

Names are those of the GraphQL schema, in Python's case. Times are in UTC.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal, TypedDict

EdgeKind = Literal["FORK", "SPAWN", "PARENT", "HISTORY_BASE", "TRANSFER"]
Direction = Literal["ANCESTORS", "DESCENDANTS", "WHOLE_TREE"]
ThreadOrder = Literal[
    "CREATED_DESC", "CREATED_ASC", "UPDATED_DESC", "UPDATED_ASC", "RECENCY_DESC", "RECENCY_ASC"
]


@dataclass(frozen=True, slots=True)
class Thread:
    """A conversation of an agent; *recorded* false: only named by others so far."""

    thread_id: str
    recorded: bool
    root_thread_id: str
    depth: int
    parent_thread_id: str | None
    relationship_to_parent: str | None
    agent_parent_thread_id: str | None
    attached_to_thread_id: str | None
    native_thread_id: str | None
    session_id: str | None
    title: str | None
    name: str | None
    preview: str | None
    driver: str | None
    provider_instance_id: str | None
    model: str | None
    status: str | None
    history_mode: str | None
    thread_source: str | None
    source: str | None
    source_kind: str | None
    originator: str | None
    created_by: str | None
    cwd: str | None
    git_branch: str | None
    git_commit: str | None
    git_repository: str | None
    cli_version: str | None
    ephemeral: bool | None
    memory_mode: str | None
    multi_agent_version: str | None
    agent_nickname: str | None
    agent_role: str | None
    agent_path: str | None
    created_at: datetime | None
    updated_at: datetime | None
    recency_at: datetime | None
    archived_at: datetime | None
    deleted_at: datetime | None
    started_at: datetime | None
    ended_at: datetime | None


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a run used; cached and reasoning tokens are parts of the others."""

    input_tokens: int | None
    cached_input_tokens: int | None
    output_tokens: int | None
    reasoning_tokens: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """A turn of a thread, numbered from 1; a rolled-back one keeps its status."""

    run_id: str
    thread_id: str
    ordinal: int
    kind: str
    status: str
    rolled_back_at: datetime | None
    native_turn_id: str | None
    driver: str | None
    provider_instance_id: str | None
    model: str | None
    started_at: datetime | None
    completed_at: datetime | None
    usage: Usage | None
    parent_run_id: str | None
    root_run_id: str | None
    trigger: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class Item:
    """A message, a command, a file change, … of a thread, numbered from 0."""

    item_id: str
    thread_id: str
    run_id: str | None
    position: int
    kind: str
    role: str | None
    text: str | None
    text_bytes: int
    truncated: bool
    status: str | None
    at: datetime | None


@dataclass(frozen=True, slots=True)
class LineageEdge:
    """One relation between two threads, told from the origin to the newer one."""

    id: str
    kind: str
    from_thread_id: str
    to_thread_id: str
    status: str | None
    context_only: bool | None
    run_id: str | None
    at: datetime | None
    point_at: datetime | None
    transfer_id: str | None
    transfer_type: str | None
    item_count: int | None
    evidence: str


@dataclass(frozen=True, slots=True)
class LineagePath:
    """How two threads are connected: the threads from one to the other, and the edges between."""

    nodes: tuple[Thread, ...]
    edges: tuple[LineageEdge, ...]


@dataclass(frozen=True, slots=True)
class Truncation:
    """That a lineage was cut off, by NODES or by DEPTH, and at which limit."""

    reason: str
    limit: int


@dataclass(frozen=True, slots=True)
class Descendant:
    """A thread below another, and the hops of the shortest path to it."""

    depth: int
    node: Thread


@dataclass(frozen=True, slots=True)
class Totals:
    """Sums over threads, each counted once; rolled-back runs count, inherited ones don't."""

    threads: int
    runs: int
    input_tokens: int
    output_tokens: int
    duration_ms: int


@dataclass(frozen=True, slots=True)
class SubtreeTotals:
    """The sums of a thread alone, of all that it spawned, and of the rest below it."""

    own: Totals
    spawned: Totals
    forked: Totals


class ThreadFilter(TypedDict, total=False):
    """Which threads a list holds; what is absent or ``None`` is no condition."""

    ids: list[str] | None
    roots_only: bool | None
    root_thread_id: str | None
    parent_thread_id: str | None
    ancestor_thread_id: str | None
    attached_to_thread_id: str | None
    drivers: list[str] | None
    provider_instance_ids: list[str] | None
    source_kinds: list[str] | None
    thread_sources: list[str] | None
    cwd: list[str] | None
    git_repository: str | None
    git_branch: str | None
    archived: bool | None
    include_deleted: bool | None
    created_after: datetime | None
    created_before: datetime | None
    updated_after: datetime | None
    updated_before: datetime | None
    search: str | None
