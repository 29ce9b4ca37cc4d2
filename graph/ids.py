"""The ids that a batch names: all those that must fit into an index, and what they lock."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from graph.errors import IdTooLong
from graph.store import MAX_ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graph.records import Batch, ItemRecord, SpawnRecord, ThreadRecord, TransferRecord

TURN_LOCKS = 32
"""How many locks on turns there are: the migration ``turn-locks`` makes as many."""

MAX_PLACE_BYTES = 4_096
"""The longest path that a system takes, and a length that every index holds."""

_LONGEST_CHARACTER = 4


def check_ids(batch: Batch) -> None:
    """``IdTooLong`` where an id or another key of the batch can't be put into an index."""
    for name, value in _ids(batch):
        check_id(name, value)
    for record in batch.threads:
        check_id("cwd", record.cwd, MAX_PLACE_BYTES)
        check_id("gitRepository", record.git_repository, MAX_PLACE_BYTES)


def check_id(name: str, value: str | None, limit: int = MAX_ID_BYTES) -> None:
    """``IdTooLong`` where the id called *name* can't be put into an index."""
    if value is None or len(value) * _LONGEST_CHARACTER <= limit:
        return
    size = len(value.encode(errors="replace"))
    if size > limit:
        raise IdTooLong(name, size, limit)


def check_item_ids(items: Iterable[ItemRecord]) -> None:
    """``IdTooLong`` where an id of the items can't be put into an index."""
    for item in items:
        check_id("itemId", item.item_id)
        check_id("runId", item.run_id)


def turn_locks(batch: Iterable[ThreadRecord]) -> list[int]:
    """The numbers of the locks on all turns and rollouts that the threads have or refer to."""
    names: set[str] = set()
    for record in batch:
        for run in record.runs:
            names.update(
                name
                for name in (
                    run.native_turn_id,
                    run.parent_native_turn_id,
                    run.root_native_turn_id,
                    run.rollout_id,
                )
                if name is not None
            )
        if record.fork is not None:
            # The owner of a rollout can be known by its own id alone.
            names.add(record.thread_id)
            names.update(
                name
                for name in (record.fork.point_native_turn_id, record.fork.base_rollout_id)
                if name is not None
            )
    return sorted({crc32(name.encode()) % TURN_LOCKS for name in names})


def _ids(batch: Batch) -> Iterator[tuple[str, str | None]]:
    for record in batch.threads:
        yield "threadId", record.thread_id
        yield "nativeThreadId", record.native_thread_id
        yield "providerInstanceId", record.provider_instance_id
        yield "sessionId", record.session_id
        for run in record.runs:
            yield "runId", run.run_id
            yield "nativeTurnId", run.native_turn_id
            yield "parentNativeTurnId", run.parent_native_turn_id
            yield "rootNativeTurnId", run.root_native_turn_id
            yield "rolloutId", run.rollout_id
        for item in record.items.items:
            yield "itemId", item.item_id
            yield "runId", item.run_id
        if record.fork is not None:
            yield "sourceThreadId", record.fork.source_thread_id
            yield "pointNativeTurnId", record.fork.point_native_turn_id
            yield "baseRolloutId", record.fork.base_rollout_id
        if record.child_of is not None:
            yield "parentThreadId", record.child_of.parent_thread_id
        if record.history_base is not None:
            yield "historyBase", record.history_base.thread_id
        if record.spawn is not None:
            yield from _spawn_ids(record.spawn)
    for spawn in batch.spawns:
        yield from _spawn_ids(spawn)
    for transfer in batch.transfers:
        yield from _transfer_ids(transfer)


def _spawn_ids(spawn: SpawnRecord) -> Iterator[tuple[str, str | None]]:
    yield "childThreadId", spawn.child_thread_id
    yield "parentThreadId", spawn.parent_thread_id


def _transfer_ids(transfer: TransferRecord) -> Iterator[tuple[str, str | None]]:
    yield "transferId", transfer.transfer_id
    yield "sourceThreadId", transfer.source_thread_id
    yield "targetThreadId", transfer.target_thread_id
    yield "targetRunId", transfer.target_run_id
    yield "replaces", transfer.replaces
    for point in (transfer.source_point, transfer.base_point):
        if point is not None:
            yield "threadId", point.thread_id
            yield "runId", point.run_id
            yield "checkpointId", point.checkpoint_id
            yield "itemId", point.item_id
    if transfer.handoff is not None:
        yield "handoffId", transfer.handoff.handoff_id
