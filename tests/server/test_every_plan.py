"""How Neo4j carries out every statement on one small graph, and what each may cost there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import RunId, ThreadId, TransferId, TransferStatus, TransferType
from graph.neo4j_store import Neo4jStore
from graph.questions import BroughtPosition
from graph.records import Batch, ItemsRecord, SpawnCallRecord, WindowRecord
from graph.transfers import Handoff, HandoffId, HandoffKind, Resolution, Strategy
from tests.conformance.told import (
    at,
    based_on,
    forked,
    handed,
    ids,
    item,
    reviewing,
    run,
    spawned,
    thread,
    turned,
)
from tests.neo4j_stores import count_indexes, open_empty
from tests.server.profiling import profiling
from tests.server.statement_budgets import BUDGETS
from tests.server.test_plans import FEW, LONG, READINGS, SCANS, member, tree_of
from tests.server.test_transfer_plans import READINGS as TRANSFER_READINGS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from tests.conftest import Neo4jServer
    from tests.server.profiling import Plan, ProfilingRunner

pytestmark = pytest.mark.anyio

CARRIED = Handoff(
    handoff_id=HandoffId("carried"),
    transfer_id=TransferId("merge"),
    kind=HandoffKind.DELTA_CONTEXT,
    payload="{}",
    text="",
    tokens=0,
    item_ids=("b/i0",),
    created_at=at(9),
)
MERGE = handed(
    "merge",
    "b",
    "a",
    type=TransferType.MERGE_BACK,
    status=TransferStatus.CONSUMED,
    consumed_at=at(9),
    resolution=Resolution(strategy=Strategy.DELTA_CONTEXT, handoff_id=CARRIED.handoff_id),
    handoff=CARRIED,
)


def told(version: str) -> Batch:
    """Threads with edges of all kinds, runs that name each other, items, windows and hand-offs."""
    items = tuple(
        item(f"b/i{n}", n, run_id=RunId("b/t1"), role="user", text="x") for n in range(9)
    )
    return Batch(
        threads=(
            thread(
                "a",
                digest=version,
                runs=(
                    turned("a", "t1", 1, rollout_id="a", native_ordinal=1),
                    turned("a", "t2", 2),
                ),
                windows=(WindowRecord(number=0),),
                spawn_calls=(
                    SpawnCallRecord(run_id=RunId("a/t1"), child_thread_id=ThreadId("c")),
                ),
            ),
            forked(
                "b",
                of="a",
                edge={"point_native_turn_id": "t1"},
                digest=version,
                runs=(turned("b", "t1", 3, parent_native_turn_id="t2"),),
                items=ItemsRecord(items=items),
            ),
            spawned("c", by="a" if version == "1" else "b", digest=version),
            reviewing("d", of="c", digest=version),
            based_on(thread("e", digest=version, runs=(turned("e", "t1", 1),)), "a"),
            forked("f", of="a", edge={"base_rollout_id": "a", "base_end_ordinal": 2}),
            thread(LONG, runs=tuple(run(f"{LONG}/{n}", n) for n in range(9))),
        ),
        transfers=(
            MERGE,
            handed("over", "a", "e", created_at=at(int(version))),
            handed("h7", "from-7", "to-7", created_at=at(7)),
        ),
    )


async def tell(store: Neo4jStore) -> None:
    """Record, change what was recorded, and write items in every way."""
    await store.record(told("1"))
    await store.record(told("2"))
    await store.append_items(ThreadId("e"), [item("e/i0", 0, run_id=RunId("e/t1"))])
    await store.finish_items(ThreadId("e"), count=1, settled=0, digest="2")
    await store.remember_sources({ThreadId("e"): "as it stands"})
    await store.import_states(ids("a", "e"))
    await store.record(Batch(threads=(spawned("late", by="late-parent"), forked("g", of="late"))))
    await store.record(Batch(threads=(spawned("late-parent", by="a"),)))
    call = SpawnCallRecord(run_id=RunId("x/t1"), child_thread_id=ThreadId("y"), call_id="call")
    await store.record(Batch(threads=(spawned("y", by="x", native_thread_id="y"),)))
    caller = thread("x", digest="3", runs=(turned("x", "t1", 5),), spawn_calls=(call,))
    await store.record(Batch(threads=(caller,)))


async def ask(runner: ProfilingRunner) -> None:
    """Every question, some of them on parts that others do not reach."""
    for reading in (*READINGS, *TRANSFER_READINGS):
        await reading.ask(runner)
    store = Neo4jStore(runner, FEW)
    b, tip = ids("b"), [RunId("b/t1")]
    await store.has_threads()
    await store.standings(ids("a", member(1, 0)))
    await store.history(b, include_rolled_back=True, first=9, after=None)
    await store.count_history(b, include_rolled_back=True)
    await store.totals_below(ids(member(1, 0), "a"))
    await store.path(ThreadId(member(1, 50)), ThreadId(member(1, 99)))
    await store.nearest_common_ancestor(ids(member(1, 50), member(1, 99)))
    await store.merge_back_deltas(b)
    await store.merge_back_sums(tip)
    await store.merge_back_items(tip, first=5, after=BroughtPosition(2))


@pytest.fixture(scope="module")
async def plans(neo4j_server: Neo4jServer) -> AsyncGenerator[Sequence[Plan]]:
    """The plan of everything that was run to fill a small graph and to ask about it."""
    async with open_empty(neo4j_server) as store, profiling(neo4j_server) as runner:
        for tree in range(4):
            await store.record(Batch(threads=tuple(tree_of(tree))))
        await count_indexes(neo4j_server)
        await tell(Neo4jStore(runner))
        await count_indexes(neo4j_server)
        await ask(runner)
        yield runner.plans


async def test_every_statement_is_within_its_budget(plans: Sequence[Plan]) -> None:
    """Each has been run, and reads no more than is pinned."""
    most: dict[str, int] = {}
    for plan in plans:
        most[plan.statement] = max(plan.hits, most.get(plan.statement, 0))

    assert sorted(BUDGETS.keys() - most.keys()) == []
    over = {name: hits for name, hits in most.items() if hits > BUDGETS.get(name, hits)}
    assert over == {}


async def test_no_question_scans_the_graph(plans: Sequence[Plan]) -> None:
    """Each begins at an index or goes along edges; only whether there is anything looks at one."""
    scanning = {
        plan.statement
        for plan in plans
        if not plan.statement.startswith("record/") and any(map(plan.named, SCANS))
    }

    assert scanning == {"threads/any_recorded"}
