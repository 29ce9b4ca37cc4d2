"""What is recorded in the graph: threads as importers know them, and what a batch of them did.

The vocabulary is that of ``graph.model``.
"""

from __future__ import annotations

import msgspec

from graph.model import (
    Actor,
    CapabilityRoot,
    CheckpointId,
    Evidence,
    ItemId,
    RunId,
    RunKind,
    SourcePoint,
    ThreadId,
    Timestamp,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.transfers import Handoff, Provider, Resolution, TransferStep


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One own run of a thread, as an importer knows it.

    *rollout_id* and *native_ordinal* say where in the tool's files the run began (Codex's
    paginated history names a fork point by these two). *parent_native_turn_id* and
    *root_native_turn_id* name runs by the tool's own turn id where the owner is not known
    to the importer; the store finds the run, also when it arrives later. *root_run_id* and
    *parent_run_id* are given where the owner is known, and then win. A command that rolled it back
    also says the revision of its thread that this made.
    """

    run_id: RunId
    native_turn_id: str | None = None
    kind: RunKind = RunKind.TURN
    status: str
    rolled_back_at: Timestamp | None = None
    rolled_back_revision: int | None = None
    driver: str | None = None
    provider_instance_id: str | None = None
    model: str | None = None
    started_at: Timestamp
    completed_at: Timestamp | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    parent_run_id: RunId | None = None
    root_run_id: RunId | None = None
    parent_native_turn_id: str | None = None
    root_native_turn_id: str | None = None
    trigger: str | None = None
    error: str | None = None
    rollout_id: str | None = None
    native_ordinal: int | None = None


class ItemRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One item of a thread: a message, a command, a file change.

    *text* holds at most 256 KiB; *text_bytes* is the size before it was cut.
    """

    item_id: ItemId
    position: int
    run_id: RunId | None = None
    kind: str
    role: str | None = None
    text: str | None = None
    text_bytes: int = 0
    truncated: bool = False
    status: str | None = None
    native_item_id: str | None = None
    at: Timestamp | None = None


class ItemsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The items of a thread from one position on.

    Items before *first_position* stay as they are, those after the last given position
    are dropped when *complete*. *settled* counts the items from the start of the thread
    that a growing file can no longer change.
    """

    first_position: int = 0
    items: tuple[ItemRecord, ...] = ()
    settled: int = 0
    complete: bool = True


class WindowRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One context window of a thread; number 0 is the one it began with."""

    number: int
    window_id: str | None = None
    first_window_id: str | None = None
    previous_window_id: str | None = None
    run_id: RunId | None = None
    rolled_back: bool = False


class ForkRecord(msgspec.Struct, frozen=True, kw_only=True):
    """That a thread's history was copied or continued from another's.

    The point is named by *point_run_id*, or by *point_native_turn_id* where only the tool's
    turn id is known (the run then belongs to the source or to an ancestor of it), or by
    *base_rollout_id* and the exclusive *base_end_ordinal*, which the store turns into a run
    as soon as it has the runs of that rollout. *kept_through_run_id* cuts what the fork itself
    reverted of its inherited runs: ``None`` nothing, ``""`` all of them. A command also says the
    checkpoint of the point, the source's revision at that time and the transfer.
    """

    source_thread_id: ThreadId
    point_run_id: RunId | None = None
    point_native_turn_id: str | None = None
    base_rollout_id: str | None = None
    base_end_ordinal: int | None = None
    kept_through_run_id: RunId | None = None
    point_checkpoint_id: CheckpointId | None = None
    source_revision: int | None = None
    context_only: bool = False
    attached: bool = False
    transfer_id: TransferId | None = None
    at: Timestamp | None = None
    evidence: Evidence


class SpawnRecord(msgspec.Struct, frozen=True, kw_only=True):
    """That an agent spawned a child thread. Status words that are not known are kept."""

    child_thread_id: ThreadId
    parent_thread_id: ThreadId
    status: str = "open"
    origin: str = "provider_native"
    run_id: RunId | None = None
    call_id: str | None = None
    transfer_id: TransferId | None = None
    at: Timestamp | None = None
    evidence: Evidence


class SpawnCallRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A spawning call seen in the parent's transcript.

    It makes no edge. It tells an edge that is known otherwise the run and the call it came
    from; the child is named by its id, or by *agent_path* below this parent.
    """

    call_id: str | None = None
    run_id: RunId
    child_thread_id: ThreadId | None = None
    agent_path: str | None = None
    at: Timestamp | None = None


class ParentRecord(msgspec.Struct, frozen=True, kw_only=True):
    """The parent of a review, guardian or job thread: neither a spawn nor a fork."""

    parent_thread_id: ThreadId
    run_id: RunId | None = None
    at: Timestamp | None = None
    evidence: Evidence


class HistoryBaseRecord(msgspec.Struct, frozen=True, kw_only=True):
    """That a thread's history goes on from another's, by reference and not as a copy."""

    thread_id: ThreadId
    end_ordinal: int | None = None
    evidence: Evidence


class ThreadRecord(msgspec.Struct, frozen=True, kw_only=True):
    """All that an importer knows of one thread.

    The fields of the thread itself replace what an earlier import said. Edges that are
    absent here say nothing: they leave what is known from elsewhere. *runs* are the thread's
    own, in order. *session_id* is what the transcript states; without it the store takes the
    top of the agent tree. *unlisted* keeps a thread out of the plain list (an imported
    Codex thread without a preview, an attached fork). *driver* and *provider_instance_id* are
    ``None`` for a thread that has not chosen a provider yet. *digest* is a hash of the whole
    record; a record whose digest the store already has changes nothing.
    """

    thread_id: ThreadId
    native_thread_id: str | None = None
    driver: str | None
    provider_instance_id: str | None
    continuation_key: str | None = None
    title: str | None = None
    name: str | None = None
    preview: str | None = None
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
    selected_capability_roots: tuple[CapabilityRoot, ...] = ()
    source_file: str | None = None
    created_at: Timestamp
    updated_at: Timestamp
    recency_at: Timestamp
    archived: bool = False
    archived_at: Timestamp | None = None
    unlisted: bool = False
    runs: tuple[RunRecord, ...] = ()
    windows: tuple[WindowRecord, ...] = ()
    items: ItemsRecord = ItemsRecord()
    fork: ForkRecord | None = None
    spawn: SpawnRecord | None = None
    child_of: ParentRecord | None = None
    history_base: HistoryBaseRecord | None = None
    spawn_calls: tuple[SpawnCallRecord, ...] = ()
    digest: str | None = None


class TransferRecord(msgspec.Struct, frozen=True, kw_only=True):
    """That context was handed from one thread to another, or to itself.

    The words are those of ``graph.transfers.Transfer``. *steps* are all so far, the last of them
    has *status*; none given means this single one, taken when it was consumed, else made.
    *handoff* is the one that its resolution names. *item_count* is what the transfer carries,
    where that is known; a handoff counts its own items.
    """

    transfer_id: TransferId
    type: TransferType
    status: TransferStatus = TransferStatus.PENDING
    source_thread_id: ThreadId
    target_thread_id: ThreadId
    source_point: SourcePoint
    base_point: SourcePoint | None = None
    source_provider: Provider | None = None
    target_provider: Provider | None = None
    target_run_id: RunId | None = None
    replaces: TransferId | None = None
    evidence: Evidence
    created_by: Actor
    created_at: Timestamp
    consumed_at: Timestamp | None = None
    error: str | None = None
    resolution: Resolution | None = None
    handoff: Handoff | None = None
    item_count: int | None = None
    task: str | None = None
    result_text: str | None = None
    outcome: str | None = None
    steps: tuple[TransferStep, ...] = ()

    @property
    def all_steps(self) -> tuple[TransferStep, ...]:
        """The steps, of which there is always one."""
        at = self.consumed_at or self.created_at
        return self.steps or (TransferStep(status=self.status, at=at, run_id=self.target_run_id),)

    @property
    def carried_items(self) -> int | None:
        """How many items it carries, as far as that is known."""
        if self.item_count is None and self.handoff is not None:
            return len(self.handoff.item_ids)
        return self.item_count


class Batch(msgspec.Struct, frozen=True, kw_only=True):
    """What one transaction records: threads, and what stands between threads of any batch."""

    threads: tuple[ThreadRecord, ...] = ()
    spawns: tuple[SpawnRecord, ...] = ()
    transfers: tuple[TransferRecord, ...] = ()


class Recorded(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch did: how many threads it wrote, left as they were, or had to refuse."""

    written: int = 0
    unchanged: int = 0
    conflicts: tuple[ThreadId, ...] = ()


class ImportState(msgspec.Struct, frozen=True, kw_only=True):
    """What the store remembers of a thread's last import.

    *fingerprint* says how the source stood that the thread was read from, where all of it is
    written and nothing else was recorded of the thread since. *unrecorded* are the threads that
    edges of it lead to and nobody has recorded, by id.
    """

    thread_id: ThreadId
    driver: str | None
    digest: str | None
    item_count: int
    settled_items: int
    fingerprint: str | None = None
    unrecorded: tuple[ThreadId, ...] = ()
