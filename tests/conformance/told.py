"""Short words for what the conformance tests tell a store and read from its answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from graph.model import (
    Actor,
    Evidence,
    ItemId,
    Proof,
    RunId,
    SourcePoint,
    ThreadId,
    Timestamp,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.records import (
    Batch,
    ForkRecord,
    HistoryBaseRecord,
    ItemRecord,
    ParentRecord,
    RunRecord,
    SpawnRecord,
    ThreadRecord,
    TransferRecord,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph.model import Thread
    from graph.questions import Page
    from graph.store import ThreadGraph

SEEN = Evidence(Proof.FILE, "a line of a transcript")


def at(second: int) -> Timestamp:
    """A time that grows with *second*."""
    return Timestamp(f"2026-11-30T12:{second // 60:02d}:{second % 60:02d}.000000Z")


def thread(thread_id: str, **known: Any) -> ThreadRecord:  # noqa: ANN401 - any field of a record
    """A thread, and what is known of it besides its id."""
    record = ThreadRecord(
        thread_id=ThreadId(thread_id),
        driver="codex",
        provider_instance_id="codex",
        created_at=at(0),
        updated_at=at(0),
        recency_at=at(0),
    )
    return msgspec.structs.replace(record, **known)


def spawned(
    thread_id: str,
    by: str,
    status: str = "open",
    edge: Mapping[str, Any] | None = None,
    **known: Any,  # noqa: ANN401 - any field of a record
) -> ThreadRecord:
    """A thread that another one spawned; *edge* has further fields of the spawn."""
    spawn = SpawnRecord(
        child_thread_id=ThreadId(thread_id),
        parent_thread_id=ThreadId(by),
        status=status,
        evidence=SEEN,
    )
    return thread(thread_id, spawn=msgspec.structs.replace(spawn, **(edge or {})), **known)


def forked(
    thread_id: str,
    of: str,
    point: str | None = None,
    edge: Mapping[str, Any] | None = None,
    **known: Any,  # noqa: ANN401 - any field of a record
) -> ThreadRecord:
    """A thread that continues a copy of another one's history; *edge* as in ``spawned``."""
    fork = ForkRecord(
        source_thread_id=ThreadId(of),
        point_run_id=None if point is None else RunId(point),
        evidence=SEEN,
    )
    return thread(thread_id, fork=msgspec.structs.replace(fork, **(edge or {})), **known)


def reviewing(thread_id: str, of: str, **known: Any) -> ThreadRecord:  # noqa: ANN401 - as above
    """A review thread below another one."""
    parent = ParentRecord(parent_thread_id=ThreadId(of), evidence=SEEN)
    return thread(thread_id, child_of=parent, **known)


def based_on(record: ThreadRecord, base: str) -> ThreadRecord:
    """The same thread, whose history refers to another one's."""
    return msgspec.structs.replace(
        record, history_base=HistoryBaseRecord(thread_id=ThreadId(base), evidence=SEEN)
    )


def run(run_id: str, second: int, **known: Any) -> RunRecord:  # noqa: ANN401 - any field of a run
    """A completed run that began at *second*."""
    record = RunRecord(run_id=RunId(run_id), status="completed", started_at=at(second))
    return msgspec.structs.replace(record, **known)


def turned(thread_id: str, turn: str, second: int = 1, **known: Any) -> RunRecord:  # noqa: ANN401 - any field of a run
    """The run of a turn of the tool."""
    return run(f"{thread_id}/{turn}", second, native_turn_id=turn, **known)


def handed(transfer_id: str, source: str, target: str, **known: Any) -> TransferRecord:  # noqa: ANN401 - any field of a transfer
    """A hand-off from one thread to another that was seen in a transcript."""
    record = TransferRecord(
        transfer_id=TransferId(transfer_id),
        type=TransferType.PROVIDER_HANDOFF,
        status=TransferStatus.CONSUMED,
        source_thread_id=ThreadId(source),
        target_thread_id=ThreadId(target),
        source_point=SourcePoint(thread_id=ThreadId(source)),
        evidence=SEEN,
        created_by=Actor.SYSTEM,
        created_at=at(0),
        consumed_at=at(0),
    )
    return msgspec.structs.replace(record, **known)


def item(item_id: str, position: int, **known: Any) -> ItemRecord:  # noqa: ANN401 - as above
    """A message of a thread."""
    record = ItemRecord(item_id=ItemId(item_id), position=position, kind="message")
    return msgspec.structs.replace(record, **known)


async def tell(store: ThreadGraph, *records: ThreadRecord) -> None:
    """Record threads, in one batch."""
    await store.record(Batch(threads=records))


def ids(*names: str) -> list[ThreadId]:
    """Thread ids of plain text."""
    return [ThreadId(name) for name in names]


def names(rows: Iterable[Thread]) -> list[str]:
    """The ids of threads, in their order."""
    return [row.thread_id for row in rows]


def shown(page: Page[Thread]) -> tuple[list[str], bool, bool]:
    """The ids of a page's threads, and whether there are rows after and before it."""
    return names(page.rows), page.has_next, page.has_previous
