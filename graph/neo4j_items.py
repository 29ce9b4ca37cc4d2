"""Writing the items of threads into Neo4j."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.errors import ThreadNotFound
from graph.ids import check_item_ids
from graph.properties import item_properties
from graph.record_statements import (
    COUNT_ITEMS,
    DROP_ITEMS,
    FINISH_ITEMS,
    HOLD_ITEMS,
    ITEMS,
    FinishItems,
    ItemCounts,
    ItemDrops,
    ItemRows,
    ThreadsNamed,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.model import ThreadId
    from graph.properties import Properties
    from graph.records import ItemRecord, ThreadRecord
    from graph.runner import Runner, Transaction

LAST = 2**63 - 1
"""A position behind every other."""


async def append_items(runner: Runner, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
    """Write items at their positions: see ``ThreadGraph.append_items``."""
    check_item_ids(items)
    given = single(items)

    async def append(transaction: Transaction) -> None:
        await _hold(transaction, thread_id)
        if given:
            drops = ItemDrops([_drop(thread_id, given, last=given[-1].position)])
            await transaction.run(DROP_ITEMS, drops)
            await _create(transaction, {thread_id: given})
            await _count(transaction, {thread_id: given})

    await runner.write(append)


async def finish_items(
    runner: Runner, thread_id: ThreadId, *, count: int, settled: int, digest: str | None
) -> None:
    """Drop the items from a position on: see ``ThreadGraph.finish_items``."""

    async def finish(transaction: Transaction) -> None:
        await _hold(transaction, thread_id)
        drop: Properties = {"threadId": thread_id, "first": count, "last": LAST, "itemIds": []}
        await transaction.run(DROP_ITEMS, ItemDrops([drop]))
        await transaction.run(FINISH_ITEMS, FinishItems(thread_id, settled, digest))

    await runner.write(finish)


async def write_items(
    transaction: Transaction,
    records: Sequence[ThreadRecord],
    had_items: Collection[ThreadId],
) -> None:
    """Write the items of records; only threads in *had_items* can have any of before."""
    drops: list[Properties] = []
    created: dict[ThreadId, Sequence[ItemRecord]] = {}
    for record in records:
        told = record.items
        given = single(told.items)
        if given:
            created[record.thread_id] = given
        if record.thread_id in had_items and (given or told.complete):
            end = told.first_position + len(told.items) - 1
            drop = _drop(record.thread_id, given, last=LAST if told.complete else end)
            drops.append(drop | {"first": min(told.first_position, drop["first"])})
    if drops:
        held = ThreadsNamed(sorted(drop["threadId"] for drop in drops))
        await transaction.run(HOLD_ITEMS, held)
        await transaction.run(DROP_ITEMS, ItemDrops(drops))
    if created:
        await _create(transaction, created)
    # A thread that is new here was written with its number of items.
    counted = {thread_id: created[thread_id] for thread_id in created if thread_id in had_items}
    if counted:
        await _count(transaction, counted)


async def add_items(
    transaction: Transaction, thread_id: ThreadId, items: Sequence[ItemRecord]
) -> None:
    """Write items that are new, at positions where nothing stands."""
    await transaction.run(HOLD_ITEMS, ThreadsNamed([thread_id]))
    await _create(transaction, {thread_id: items})
    await _count(transaction, {thread_id: items})


def single(items: Sequence[ItemRecord]) -> list[ItemRecord]:
    """The items by position: the last one told of each, and the first one with each id."""
    by_position = {item.position: item for item in items}
    by_id: dict[str, ItemRecord] = {}
    for _, item in sorted(by_position.items()):
        by_id.setdefault(item.item_id, item)
    return list(by_id.values())


async def _hold(transaction: Transaction, thread_id: ThreadId) -> None:
    [found] = await transaction.run(HOLD_ITEMS, ThreadsNamed([thread_id]))
    if not found.thread_ids:
        raise ThreadNotFound(thread_id)


def _drop(thread_id: ThreadId, given: Sequence[ItemRecord], *, last: int) -> Properties:
    return {
        "threadId": thread_id,
        "first": given[0].position if given else LAST,
        "last": last,
        "itemIds": [item.item_id for item in given],
    }


async def _create(
    transaction: Transaction, created: Mapping[ThreadId, Sequence[ItemRecord]]
) -> None:
    rows = [
        item_properties(thread_id, item) for thread_id, items in created.items() for item in items
    ]
    await transaction.run(ITEMS, ItemRows(rows))


async def _count(
    transaction: Transaction, created: Mapping[ThreadId, Sequence[ItemRecord]]
) -> None:
    counts: list[Properties] = [
        {"threadId": thread_id, "count": len(items)} for thread_id, items in created.items()
    ]
    await transaction.run(COUNT_ITEMS, ItemCounts(counts))
