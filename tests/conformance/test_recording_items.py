"""Recording items: whole, in parts, and again after a file grew or was rewritten."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.errors import IdTooLong, ThreadNotFound
from graph.model import Item, ItemId, RunId, ThreadId
from graph.records import Batch, ImportState, ItemRecord, ItemsRecord, Recorded
from tests.conformance.told import at, ids, item, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

A = ThreadId("a")


def items(
    *told: ItemRecord, first: int = 0, complete: bool = True, settled: int = 0
) -> ItemsRecord:
    """The items of a record."""
    return ItemsRecord(items=told, first_position=first, complete=complete, settled=settled)


async def texts(store: ThreadGraph, thread_id: str = "a") -> list[tuple[int, str, str | None]]:
    """Position, id and text of a thread's items, in order."""
    pages = await store.items(ids(thread_id), first=500, after=None)
    rows = pages[ThreadId(thread_id)].rows
    return [(row.position, row.item_id, row.text) for row in rows]


async def state(store: ThreadGraph) -> ImportState:
    """What is remembered of the import of the thread."""
    return (await store.import_states([A]))[A]


async def test_an_item_is_read_back_whole(store: ThreadGraph) -> None:
    """Its native id is kept, and not shown."""
    told = item(
        "a/0",
        0,
        run_id=RunId("a/1"),
        kind="command",
        role="tool",
        text="ls",
        text_bytes=300_000,
        truncated=True,
        status="completed",
        native_item_id="native",
        at=at(1),
    )

    await tell(store, thread("a", items=items(told)))

    pages = await store.items([A], first=1, after=None)
    assert list(pages[A].rows) == [
        Item(
            item_id=ItemId("a/0"),
            thread_id=A,
            position=0,
            kind="command",
            run_id=RunId("a/1"),
            role="tool",
            text="ls",
            text_bytes=300_000,
            truncated=True,
            status="completed",
            at=at(1),
        )
    ]


async def test_a_longer_record_goes_on_where_the_last_one_ended(store: ThreadGraph) -> None:
    """The items before the first position stay as they are."""
    await tell(store, thread("a", items=items(item("a/0", 0, text="x"), item("a/1", 1, text="x"))))

    await tell(
        store,
        thread("a", items=items(item("a/1", 1, text="y"), item("a/2", 2), first=1, settled=2)),
    )

    assert await texts(store) == [(0, "a/0", "x"), (1, "a/1", "y"), (2, "a/2", None)]
    assert await state(store) == ImportState(
        thread_id=A, driver="codex", digest=None, item_count=3, settled_items=2
    )


async def test_a_shorter_complete_record_drops_the_rest(store: ThreadGraph) -> None:
    """The file was rewritten."""
    await tell(store, thread("a", items=items(item("a/0", 0), item("a/1", 1), item("a/2", 2))))

    await tell(store, thread("a", items=items(item("a/9", 0))))

    assert await texts(store) == [(0, "a/9", None)]
    assert (await state(store)).item_count == 1


async def test_a_record_without_items_drops_all(store: ThreadGraph) -> None:
    """It is complete, and there are none."""
    await tell(store, thread("a", items=items(item("a/0", 0), item("a/1", 1))))

    await tell(store, thread("a"))

    assert await texts(store) == []


async def test_an_incomplete_record_leaves_the_rest(store: ThreadGraph) -> None:
    """The rest is still to come."""
    await tell(store, thread("a", items=items(item("a/0", 0), item("a/1", 1))))

    await tell(store, thread("a", items=items(item("a/0", 0, text="new"), complete=False)))

    assert await texts(store) == [(0, "a/0", "new"), (1, "a/1", None)]


async def test_items_may_change_places(store: ThreadGraph) -> None:
    """A line was put in before them: every id is still there once."""
    await tell(store, thread("a", items=items(item("a/x", 0), item("a/y", 1), item("a/z", 2))))

    await tell(
        store,
        thread("a", items=items(item("a/w", 0), item("a/x", 1), item("a/z", 2), item("a/y", 3))),
    )

    assert await texts(store) == [
        (0, "a/w", None),
        (1, "a/x", None),
        (2, "a/z", None),
        (3, "a/y", None),
    ]


async def test_an_import_in_parts_ends_like_one_at_once(store: ThreadGraph) -> None:
    """The first part comes with the thread, the others are appended, then it is finished."""
    await tell(store, thread("a", items=items(item("a/0", 0), complete=False), digest="d"))

    await store.append_items(A, [item("a/1", 1), item("a/2", 2, text="x")])
    await store.append_items(A, [item("a/3", 3)])
    await store.finish_items(A, count=4, settled=3, digest="d")

    assert await texts(store) == [
        (0, "a/0", None),
        (1, "a/1", None),
        (2, "a/2", "x"),
        (3, "a/3", None),
    ]
    assert await state(store) == ImportState(
        thread_id=A, driver="codex", digest="d", item_count=4, settled_items=3
    )
    again = await store.record(Batch(threads=(thread("a", digest="d"),)))
    assert again == Recorded(unchanged=1)


async def test_appended_items_replace_what_stands_at_their_positions(store: ThreadGraph) -> None:
    """Finishing drops what an earlier import had behind them."""
    old = [item(f"a/old-{position}", position) for position in range(5)]
    await tell(store, thread("a", items=items(*old)))

    await store.append_items(A, [item("a/1", 1), item("a/2", 2)])
    between = await texts(store)
    await store.finish_items(A, count=3, settled=0, digest=None)

    assert [row[1] for row in between] == ["a/old-0", "a/1", "a/2", "a/old-3", "a/old-4"]
    assert [row[1] for row in await texts(store)] == ["a/old-0", "a/1", "a/2"]
    assert (await state(store)).item_count == 3


async def test_appending_nothing_changes_nothing(store: ThreadGraph) -> None:
    """There may be no item left."""
    await tell(store, thread("a", items=items(item("a/0", 0))))

    await store.append_items(A, [])

    assert await texts(store) == [(0, "a/0", None)]


async def test_items_of_an_unknown_thread_are_refused(store: ThreadGraph) -> None:
    """Items come after the record of their thread."""
    with pytest.raises(ThreadNotFound):
        await store.append_items(A, [item("a/0", 0)])
    with pytest.raises(ThreadNotFound):
        await store.finish_items(A, count=0, settled=0, digest=None)


async def test_an_appended_items_id_over_512_bytes_is_refused(store: ThreadGraph) -> None:
    """Nothing of the part is written."""
    await tell(store, thread("a"))

    with pytest.raises(IdTooLong):
        await store.append_items(A, [item("a/0", 0), item("x" * 513, 1)])

    assert await texts(store) == []


async def test_each_thread_of_a_batch_has_its_own_items(store: ThreadGraph) -> None:
    """Old and new ones together, some with items and some without."""
    await tell(store, thread("a", items=items(item("a/0", 0))), thread("b"))

    await tell(
        store,
        thread("a", items=items(item("a/1", 1), first=1)),
        thread("b", items=items(item("b/0", 0), item("b/1", 1))),
        thread("c", items=items(item("c/0", 0))),
        thread("d"),
    )

    counts = await store.count_items(ids("a", "b", "c", "d"))
    assert counts == {"a": 2, "b": 2, "c": 1, "d": 0}
    states = await store.import_states(ids("a", "b", "c", "d"))
    assert {name: found.item_count for name, found in states.items()} == counts
