"""The shapes of the graph: its words, and what is read from it.

One vocabulary: a field here is the Cypher property and the GraphQL field of the same name,
only the case changes. Times are UTC text of one width with microseconds
(``2026-11-30T12:40:56.335766Z``), so that they sort as text and leave as they are.
``None`` always means *not known* or *does not apply*, never a default.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NewType

import msgspec

if TYPE_CHECKING:
    from datetime import datetime

ThreadId = NewType("ThreadId", str)
RunId = NewType("RunId", str)
ItemId = NewType("ItemId", str)
CheckpointId = NewType("CheckpointId", str)
TransferId = NewType("TransferId", str)
Timestamp = NewType("Timestamp", str)


def as_timestamp(moment: datetime) -> Timestamp:
    """A moment in UTC as the graph holds it."""
    return Timestamp(moment.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z")


class EdgeKind(StrEnum):
    """The ways in which two threads can be related."""

    FORK = "FORK"
    SPAWN = "SPAWN"
    PARENT = "PARENT"
    HISTORY_BASE = "HISTORY_BASE"
    TRANSFER = "TRANSFER"


class Relationship(StrEnum):
    """Why a thread hangs below its parent in the browsing lineage."""

    FORK = "FORK"
    SUBAGENT = "SUBAGENT"


class Actor(StrEnum):
    """Who made a thread or a transfer."""

    USER = "USER"
    AGENT = "AGENT"
    SYSTEM = "SYSTEM"


class RunKind(StrEnum):
    """What a run did."""

    TURN = "TURN"
    COMPACTION = "COMPACTION"
    REVIEW = "REVIEW"


class TransferType(StrEnum):
    """Why context is handed from one thread to another."""

    FORK = "FORK"
    PROVIDER_HANDOFF = "PROVIDER_HANDOFF"
    MERGE_BACK = "MERGE_BACK"
    SUBAGENT_SPAWN = "SUBAGENT_SPAWN"
    SUBAGENT_RESULT = "SUBAGENT_RESULT"


class TransferStatus(StrEnum):
    """How far a transfer has come; consumed, failed and superseded are final."""

    PENDING = "PENDING"
    RESOLVED_NATIVE = "RESOLVED_NATIVE"
    RESOLVED_PORTABLE = "RESOLVED_PORTABLE"
    CONSUMED = "CONSUMED"
    FAILED = "FAILED"
    SUPERSEDED = "SUPERSEDED"


class Strength(StrEnum):
    """How far a provider's own id can be relied on to name the same thing later."""

    STRONG = "STRONG"
    WEAK = "WEAK"
    NONE = "NONE"


class Proof(StrEnum):
    """How an edge is known, strongest last: a stronger one is never replaced by a weaker.

    ``INFERRED`` follows from a rule, ``FILE`` stands in a transcript, ``DATABASE`` in the
    tool's own database, ``COMMAND`` was said to this service.
    """

    INFERRED = "inferred"
    FILE = "file"
    DATABASE = "database"
    COMMAND = "command"


PROOF_RANK = {proof: rank for rank, proof in enumerate(Proof)}


class Evidence(msgspec.Struct, frozen=True):
    """How an edge is known, and by which rule: ``database: thread_spawn_edges``."""

    proof: Proof
    rule: str

    def __str__(self) -> str:
        return f"{self.proof}: {self.rule}"


class CapabilityRoot(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A capability that a thread selected: where it stands, never whether it is ready."""

    id: str
    environment_id: str
    path: str


ACTIVE_STATUSES = frozenset({"preparing", "starting", "running"})
"""The words for a run that is under way."""

ENDED_STATUSES = frozenset({"completed", "interrupted", "failed", "cancelled"})
"""The words for a run that nothing changes any more."""

RUN_STATUSES = ACTIVE_STATUSES | ENDED_STATUSES | {"queued", "waiting"}
"""Every word for how a run is."""


# Rows of long lists take their fields by position too: thousands are made from columns at
# once, four times as fast as by name.


class Thread(msgspec.Struct, frozen=True, rename="camel"):
    """A thread as the graph holds it; ``recorded`` false is a placeholder with only its place.

    *status* is that of the last run that was not rolled back, else of the last; *started_at*
    and *ended_at* are those of the first and the last run, *ended_at* ``None`` while one runs.
    *agent_parent_thread_id* is the spawner or the parent of a review, guardian or job, never a
    fork source. *selected_capability_roots* is canonical JSON.
    """

    thread_id: ThreadId
    recorded: bool
    root_thread_id: ThreadId
    depth: int
    native_thread_id: str | None = None
    title: str | None = None
    name: str | None = None
    preview: str | None = None
    driver: str | None = None
    provider_instance_id: str | None = None
    model: str | None = None
    history_mode: str | None = None
    thread_source: str | None = None
    source: str | None = None
    source_kind: str | None = None
    originator: str | None = None
    session_id: str | None = None
    created_by: Actor | None = None
    cwd: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    git_repository: str | None = None
    cli_version: str | None = None
    ephemeral: bool | None = None
    memory_mode: str | None = None
    multi_agent_version: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    agent_path: str | None = None
    selected_capability_roots: str | None = None
    source_file: str | None = None
    created_at: Timestamp | None = None
    updated_at: Timestamp | None = None
    recency_at: Timestamp | None = None
    archived_at: Timestamp | None = None
    deleted_at: Timestamp | None = None
    status: str | None = None
    started_at: Timestamp | None = None
    ended_at: Timestamp | None = None
    parent_thread_id: ThreadId | None = None
    relationship_to_parent: Relationship | None = None
    agent_parent_thread_id: ThreadId | None = None
    attached_to_thread_id: ThreadId | None = None
    run_count: int = 0
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    duration_ms: int = 0
    revision: int = 0


class Run(msgspec.Struct, frozen=True, rename="camel"):
    """One run of a thread, numbered from 1; a rolled-back run keeps its status."""

    run_id: RunId
    thread_id: ThreadId
    ordinal: int
    kind: RunKind
    status: str
    native_turn_id: str | None = None
    rolled_back_at: Timestamp | None = None
    driver: str | None = None
    provider_instance_id: str | None = None
    model: str | None = None
    started_at: Timestamp | None = None
    completed_at: Timestamp | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    parent_run_id: RunId | None = None
    root_run_id: RunId | None = None
    trigger: str | None = None
    error: str | None = None


class Item(msgspec.Struct, frozen=True, rename="camel"):
    """One item of a thread, numbered from 0."""

    item_id: ItemId
    thread_id: ThreadId
    position: int
    kind: str
    run_id: RunId | None = None
    role: str | None = None
    text: str | None = None
    text_bytes: int = 0
    truncated: bool = False
    status: str | None = None
    at: Timestamp | None = None


class ContextWindow(msgspec.Struct, frozen=True, rename="camel"):
    """One context window of a thread."""

    thread_id: ThreadId
    number: int
    window_id: str | None = None
    first_window_id: str | None = None
    previous_window_id: str | None = None
    run_id: RunId | None = None
    rolled_back: bool = False


class NativeRef(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A provider's own id for something, and how far it can be relied on."""

    driver: str
    native_id: str | None = None
    strength: Strength = Strength.NONE
    ordinal: int | None = None


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """A state of the files that a run left behind."""

    checkpoint_id: CheckpointId
    thread_id: ThreadId
    run_id: RunId
    parent_checkpoint_id: CheckpointId | None = None
    status: str
    native_ref: NativeRef | None = None
    files: tuple[str, ...] = ()
    at: Timestamp | None = None


class SourcePoint(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The exact state of a thread that something was made from."""

    thread_id: ThreadId
    run_id: RunId | None = None
    checkpoint_id: CheckpointId | None = None
    item_id: ItemId | None = None
    native_thread_ref: NativeRef | None = None
    native_turn_ref: NativeRef | None = None


class ForkOrigin(msgspec.Struct, frozen=True, kw_only=True):
    """Where a fork came from; *point* is ``None`` where the source point is not known."""

    thread_id: ThreadId
    point: SourcePoint | None = None
    context_only: bool = False
    attached: bool = False
    at: Timestamp | None = None
    evidence: str


class HistoryBase(msgspec.Struct, frozen=True, kw_only=True):
    """The thread whose history is referenced, up to an exclusive ordinal."""

    thread_id: ThreadId
    end_ordinal: int | None = None


class SpawnEdge(msgspec.Struct, frozen=True, rename="camel"):
    """That one thread spawned another."""

    parent_thread_id: ThreadId
    child_thread_id: ThreadId
    status: str
    origin: str
    evidence: str
    run_id: RunId | None = None
    call_id: str | None = None
    at: Timestamp | None = None


class LineageEdge(msgspec.Struct, frozen=True, rename="camel"):
    """One relation between two threads, told from the origin to the newer one."""

    kind: EdgeKind
    from_thread_id: ThreadId
    to_thread_id: ThreadId
    evidence: str
    status: str | None = None
    context_only: bool | None = None
    transfer_id: TransferId | None = None
    transfer_type: TransferType | None = None
    item_count: int | None = None
    run_id: RunId | None = None
    at: Timestamp | None = None
    point_at: Timestamp | None = None

    @property
    def edge_id(self) -> str:
        """A name that stays: kind and both ends, or the transfer."""
        return edge_id_of(self.kind, self.from_thread_id, self.to_thread_id, self.transfer_id)


def edge_id_of(
    kind: EdgeKind, from_thread_id: str, to_thread_id: str, transfer_id: str | None
) -> str:
    """The name of an edge, also where *kind* is only the word."""
    if transfer_id is not None and kind == EdgeKind.TRANSFER:
        return f"TRANSFER:{transfer_id}"
    return f"{kind}:{from_thread_id}:{to_thread_id}"
