"""Rows that carry what was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from msgspec import Struct

from graph.model import (
    Item,
    LineageEdge,
    Run,
    RunId,
    SpawnEdge,
    Thread,
    ThreadId,
    TransferId,
    TransferType,
)
from graph.questions import (
    ChildrenQuestion,
    DescendantsQuestion,
    LineageQuestion,
    ThreadFilter,
    ThreadOrder,
    ThreadsQuestion,
    ThreadTransfersQuestion,
    TransferFilter,
    TransfersQuestion,
)
from graph.records import Batch, ItemsRecord
from graph.transfers import (
    Handoff,
    HandoffId,
    HandoffKind,
    Provider,
    Resolution,
    Strategy,
    Transfer,
)
from tests.conformance.told import at, forked, handed, ids, item, run, spawned, thread

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

OWNERS = ids("top")
OF_TOP = TransfersQuestion(filter=TransferFilter(thread_id=OWNERS[0]))

FIELDS: dict[type[Struct], tuple[str, ...]] = {
    Thread: ("title", "depth"),
    Run: ("status", "kind"),
    Item: ("kind",),
    SpawnEdge: ("status",),
    LineageEdge: ("run_id", "evidence"),
    Transfer: ("source_provider", "resolution", "steps"),
    Handoff: ("tokens",),
}

ALWAYS: dict[type[Struct], tuple[str, ...]] = {
    Thread: ("thread_id",),
    Run: ("run_id", "ordinal"),
    Item: ("position",),
    SpawnEdge: ("child_thread_id",),
    LineageEdge: ("kind", "from_thread_id", "to_thread_id"),
    Transfer: ("transfer_id", "created_at"),
    Handoff: (),
}


CARRIED = Handoff(
    handoff_id=HandoffId("carried"),
    transfer_id=TransferId("merge"),
    kind=HandoffKind.DELTA_CONTEXT,
    payload="{}",
    text="what was done",
    tokens=3,
    created_at=at(9),
)
MERGE = handed(
    "merge",
    "fork",
    "top",
    type=TransferType.MERGE_BACK,
    source_provider=Provider(instance_id="codex", driver="codex"),
    resolution=Resolution(strategy=Strategy.DELTA_CONTEXT, handoff_id=CARRIED.handoff_id),
    handoff=CARRIED,
    task="a task",
)


async def tell(store: ThreadGraph) -> None:
    """A thread with a run, an item, three threads below it and what is to be merged back."""
    await store.record(
        Batch(
            threads=(
                thread(
                    "top",
                    title="The top",
                    runs=(run("top/1", 1),),
                    items=ItemsRecord(items=(item("top/i0", 0, run_id="top/1"),)),
                ),
                spawned("agent", by="top", title="An agent", created_at=at(5), recency_at=at(7)),
                forked(
                    "fork",
                    of="top",
                    point="top/1",
                    title="A fork",
                    runs=(run("fork/1", 2, native_turn_id="t"),),
                    items=ItemsRecord(
                        items=(item("fork/i0", 0, run_id="fork/1", role="user", text="said"),)
                    ),
                ),
                spawned("deep", by="agent", title="Deep"),
            ),
            transfers=(MERGE,),
        )
    )


async def asked(store: ThreadGraph) -> dict[str, list[Any]]:
    """The rows of every list that rows can leave in."""
    lineage = await store.lineage(LineageQuestion(thread_id=ThreadId("top")))
    threads = await store.threads(
        ThreadsQuestion(filter=ThreadFilter(source_kinds=None), order=ThreadOrder.RECENCY_DESC)
    )
    history = await store.history(ids("fork"), include_rolled_back=True, first=9, after=None)
    descendants = await store.descendants(OWNERS, DescendantsQuestion(first=2))
    deltas = await store.merge_back_deltas(ids("fork"))
    deltas_to = await store.merge_back_deltas_to([(ids("fork")[0], RunId("fork/1"))])
    brought = await store.merge_back_items([RunId("fork/1")], first=9, after=None)
    way = await store.path(ids("deep")[0], ids("fork")[0])
    meeting = await store.nearest_common_ancestor(ids("deep", "fork"))
    handed_over = await store.thread_transfers(OWNERS, ThreadTransfersQuestion())
    assert way is not None
    pages = [
        (await store.children(OWNERS, ChildrenQuestion()))[OWNERS[0]],
        (await store.spawn_edges(OWNERS, status=None, first=9, after=None))[OWNERS[0]],
        (await store.runs(OWNERS, include_rolled_back=True, first=9, after=None))[OWNERS[0]],
        (await store.items(OWNERS, first=9, after=None))[OWNERS[0]],
    ]
    return {
        "deltas": [row for delta in deltas.values() for row in delta.runs],
        "deltas to": [row for delta in deltas_to.values() for row in delta.runs],
        "brought back": [row.item for row in brought[RunId("fork/1")].rows],
        "path": list(way.nodes),
        "meeting": [meeting],
        "transfers": list((await store.transfers(TransfersQuestion())).rows),
        "transfers of": list(handed_over[OWNERS[0]].rows),
        "transfers selected": list((await store.transfers(OF_TOP)).rows),
        "transfers by id": list((await store.transfers_by_id([MERGE.transfer_id])).values()),
        "handoffs": list((await store.handoffs([MERGE.transfer_id])).values()),
        "by id": list((await store.threads_by_id(OWNERS)).values()),
        "ancestors": list((await store.ancestors(ids("deep")))[ids("deep")[0]]),
        "nodes": list(lineage.nodes),
        "edges": list(lineage.edges),
        "threads": list(threads.rows),
        "history": [row.run for row in history[ids("fork")[0]].rows],
        "descendants": [row.thread for row in descendants[OWNERS[0]].rows],
        **{str(n): list(page.rows) for n, page in enumerate(pages)},
    }


def shown(rows: Iterable[Any]) -> list[Any]:
    """What was asked for of rows, and what is always there."""
    return [[getattr(row, name) for name in FIELDS[type(row)] + ALWAYS[type(row)]] for row in rows]


async def test_rows_carry_the_chosen_fields(store: ThreadGraph) -> None:
    """Every list is the same in the fields that were asked for, and in what orders it."""
    await tell(store)

    whole = await asked(store)
    chosen = await asked(store.selecting(FIELDS))

    assert all(whole.values())
    assert {name: shown(rows) for name, rows in chosen.items()} == {
        name: shown(rows) for name, rows in whole.items()
    }


async def test_the_time_of_a_list_is_there(store: ThreadGraph) -> None:
    """A page of threads can be gone on from, whatever is asked of its rows."""
    await tell(store)
    narrow = store.selecting({Thread: ()})

    page = await narrow.threads(ThreadsQuestion(order=ThreadOrder.RECENCY_DESC, first=1))

    assert [(row.thread_id, row.recency_at) for row in page.rows] == [("agent", at(7))]


async def test_rows_of_other_types_carry_everything(store: ThreadGraph) -> None:
    """Only the types that are named are narrowed, and only in the view."""
    await tell(store)

    narrow = store.selecting({Thread: ("title",)})

    assert await narrow.runs_by_id(["top/1"]) == await store.runs_by_id(["top/1"])  # pyright: ignore[reportArgumentType] - an id
    (row,) = (await store.selecting({Run: ()}).threads_by_id(OWNERS)).values()
    assert row == (await store.threads_by_id(OWNERS))[OWNERS[0]]


async def test_an_unknown_field_is_refused(store: ThreadGraph) -> None:
    """A misspelt field would else be missing in silence."""
    with pytest.raises(ValueError, match="Thread has no field titel"):
        store.selecting({Thread: ("titel",)})


async def test_a_lineage_without_edges(store: ThreadGraph) -> None:
    """The nodes are those of the lineage with edges."""
    await tell(store)
    whole = await store.lineage(LineageQuestion(thread_id=ThreadId("top")))

    alone = await store.lineage(LineageQuestion(thread_id=ThreadId("top"), edges=False))

    assert (list(alone.nodes), list(alone.edges)) == (list(whole.nodes), [])
    assert (alone.end, alone.version, alone.truncated) == (whole.end, whole.version, None)
