"""How Neo4j carries out the questions about sums, ways and meeting points."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph import neo4j_reading_merge_back as merge_backs
from graph import neo4j_reading_totals as totals
from graph import neo4j_reading_ways as ways
from graph.model import RunId, ThreadId
from graph.questions import BroughtPosition
from graph.records import Batch, ItemsRecord
from tests.conformance.told import forked, ids, item, run, thread, turned
from tests.neo4j_stores import count_indexes, open_empty, run_cypher
from tests.server.profiling import ProfilingRunner, profiling
from tests.server.test_plans import FEW, PRUNING, SCANS, TREES, member, tree_of

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from graph.store import ThreadGraph
    from tests.conftest import Neo4jServer
    from tests.server.profiling import Plan, profiling

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def trees(neo4j_server: Neo4jServer) -> AsyncGenerator[ThreadGraph]:
    """Twelve trees of a hundred threads."""
    async with open_empty(neo4j_server) as store:
        for tree in range(TREES):
            await store.record(Batch(threads=tuple(tree_of(tree))))
        await count_indexes(neo4j_server)
        yield store


@pytest.fixture
async def runner(
    neo4j_server: Neo4jServer,
    trees: ThreadGraph,  # noqa: ARG001 - is there while statements run
) -> AsyncGenerator[ProfilingRunner]:
    """Runs statements on those trees and keeps their plans."""
    async with profiling(neo4j_server) as opened:
        yield opened


def check_plan(plan: Plan, most_hits: int) -> None:
    """No scan, walks that prune, and no more hits than that."""
    assert [scan for scan in SCANS if plan.named(scan)] == []
    walks = plan.named("VarLengthExpand")
    assert all(walk.name.startswith(PRUNING) for walk in walks)
    assert plan.hits <= most_hits


async def test_sums_below_walk_each_tree_once(runner: ProfilingRunner) -> None:
    """Both walks begin at the thread and prune breadth first, for all threads in one statement."""
    found = await totals.totals_below(runner, ids(member(3, 0), member(4, 0)))

    (plan,) = runner.plans
    assert [sums.spawned.threads + sums.forked.threads for sums in found.values()] == [99, 99]
    check_plan(plan, 3_300)


async def test_a_path_costs_what_stands_above_its_ends(runner: ProfilingRunner) -> None:
    """It climbs from both ends and from what joins trees; nothing is looked at downwards."""
    found = await ways.path(runner, ThreadId(member(3, 99)), ThreadId(member(3, 50)))

    climb, _ = runner.plans
    assert found is not None
    assert [row.thread_id for row in found.nodes] == [
        member(3, number) for number in (99, 16, 2, 0, 1, 8, 50)
    ]
    check_plan(climb, 300)


async def test_a_meeting_costs_what_stands_above(runner: ProfilingRunner) -> None:
    """Each of the threads climbs to its root."""
    asked = ids(member(3, 99), member(3, 98), member(3, 50))

    found = await ways.nearest_common_ancestor(runner, asked)

    (plan,) = runner.plans
    assert found is not None
    assert found.thread_id == member(3, 0)
    check_plan(plan, 150)


async def test_a_merge_back_reads_the_runs_and_items_of_its_fork(
    runner: ProfilingRunner, trees: ThreadGraph, neo4j_server: Neo4jServer
) -> None:
    """From the indexes of runs and items; a page of items costs what the page holds."""
    runs = tuple(turned("branch", f"t{number}", number) for number in range(1, 200))
    items = tuple(
        item(f"i{n}", n, run_id=RunId(f"branch/t{1 + n // 5}"), role="user", text="said")
        for n in range(900)
    )
    await trees.record(
        Batch(
            threads=(
                thread("trunk", runs=(run("trunk/1", 1),)),
                forked(
                    "branch",
                    of="trunk",
                    point="trunk/1",
                    runs=runs,
                    items=ItemsRecord(items=items),
                ),
            )
        )
    )
    await count_indexes(neo4j_server)
    tips = [RunId("branch/t199")]

    deltas = await merge_backs.deltas(runner, ids("branch"), None, FEW)
    sums = await merge_backs.sums(runner, tips)
    await merge_backs.items(runner, tips, first=50, after=BroughtPosition(600), chosen=FEW)

    for plan, most in zip(runner.plans, (2_000, 7_000, 1_000), strict=True):
        check_plan(plan, most)
    assert len(deltas[ThreadId("branch")].runs) == 199
    assert sums[tips[0]].item_count == 900


async def test_sums_below_leave_out_what_was_deleted(
    runner: ProfilingRunner, neo4j_server: Neo4jServer
) -> None:
    """A deleted thread counts for nothing, and what hangs below it still does."""
    await run_cypher(
        neo4j_server,
        "MATCH (t:Thread {threadId: $id}) SET t.deleted = true, t.deletedAt = t.createdAt",
        id=member(5, 1),
    )

    found = await totals.totals_below(runner, ids(member(5, 0)))

    (sums,) = found.values()
    assert sums.spawned.threads + sums.forked.threads == 98
