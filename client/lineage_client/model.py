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
TransferType = Literal[
    "FORK", "PROVIDER_HANDOFF", "MERGE_BACK", "SUBAGENT_SPAWN", "SUBAGENT_RESULT"
]
TransferStatus = Literal[
    "PENDING", "RESOLVED_NATIVE", "RESOLVED_PORTABLE", "CONSUMED", "FAILED", "SUPERSEDED"
]
TransferEnd = Literal["IN", "OUT"]


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


@dataclass(frozen=True, slots=True)
class NativeRef:
    """A provider's own id for something, and how far it can be relied on."""

    driver: str
    native_id: str | None
    strength: str
    ordinal: int | None


@dataclass(frozen=True, slots=True)
class SourcePoint:
    """The exact state of a thread that something was made from."""

    thread_id: str
    run_id: str | None
    checkpoint_id: str | None
    item_id: str | None
    native_thread_ref: NativeRef | None
    native_turn_ref: NativeRef | None


@dataclass(frozen=True, slots=True)
class Provider:
    """One configured account of a tool."""

    instance_id: str
    driver: str
    continuation_key: str | None


@dataclass(frozen=True, slots=True)
class Resolution:
    """How a transfer was resolved."""

    strategy: str
    native_thread_ref: NativeRef | None
    handoff_id: str | None


@dataclass(frozen=True, slots=True)
class TransferStep:
    """One step in the life of a transfer."""

    status: str
    at: datetime
    run_id: str | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Transfer:
    """That context was, or is to be, handed from one thread to another or to itself.

    *steps* are in order, and the last of them is *status*.
    """

    transfer_id: str
    type: str
    status: str
    source_thread_id: str
    target_thread_id: str
    source_point: SourcePoint
    base_point: SourcePoint | None
    source_provider: Provider | None
    target_provider: Provider | None
    target_run_id: str | None
    replaces: str | None
    evidence: str
    created_by: str
    created_at: datetime
    updated_at: datetime
    consumed_at: datetime | None
    error: str | None
    resolution: Resolution | None
    task: str | None
    result_text: str | None
    outcome: str | None
    steps: tuple[TransferStep, ...]


@dataclass(frozen=True, slots=True)
class Handoff:
    """The context that a transfer carries; *text* is *payload* as it goes into a prompt."""

    handoff_id: str
    kind: str
    payload: object
    text: str
    tokens: int
    item_ids: tuple[str, ...]
    omitted_item_ids: tuple[str, ...]
    created_at: datetime


@dataclass(frozen=True, slots=True)
class MergeBackDelta:
    """What a fork did since its fork point, for the thread that it was forked from.

    *item_count* items are still to deliver; ``LineageClient.merge_back_items`` has them.
    """

    fork_thread_id: str
    into_thread_id: str
    base: SourcePoint
    tip: SourcePoint
    runs: tuple[Run, ...]
    item_count: int
    already_delivered: int
    files_changed: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IntegrityFinding:
    """One place in which the stored graph breaks a rule, and what to do."""

    rule: str
    ids: tuple[str, ...]
    message: str


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """What is wrong with the stored graph; no *findings*: it is sound."""

    findings: tuple[IntegrityFinding, ...]
    unconfirmed_starts: tuple[Run, ...]


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
    include_spawned: bool | None
    created_after: datetime | None
    created_before: datetime | None
    updated_after: datetime | None
    updated_before: datetime | None
    search: str | None


class TransferFilter(TypedDict, total=False):
    """Which transfers a list holds; what is absent or ``None`` is no condition."""

    ids: list[str] | None
    type: list[TransferType] | None
    status: list[TransferStatus] | None
    source_thread_id: str | None
    target_thread_id: str | None
    thread_id: str | None
    created_after: datetime | None
    created_before: datetime | None
