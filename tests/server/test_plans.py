"""How Neo4j carries the reading statements out: from an index or along edges, never by a scan."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from graph import neo4j_reading_contents as contents
from graph import neo4j_reading_families as families
from graph import neo4j_reading_history as histories
from graph import neo4j_reading_lineage as lineages
from graph import neo4j_reading_relations as relations
from graph import neo4j_reading_threads as threads
from graph.columns import ChosenFields
from graph.model import (
    ContextWindow,
    EdgeKind,
    Item,
    LineageEdge,
    Run,
    RunId,
    SpawnEdge,
    Thread,
    ThreadId,
)
from graph.questions import (
    ChildrenQuestion,
    DescendantPosition,
    DescendantsQuestion,
    FamilyLevel,
    FamilyQuestion,
    HistoryPosition,
    LineageDirection,
    LineageQuestion,
    ThreadFilter,
    ThreadOrder,
    ThreadPosition,
    ThreadsQuestion,
)
from graph.records import Batch, ItemsRecord, ThreadRecord
from tests.conformance.told import at, forked, ids, item, run, spawned, thread
from tests.neo4j_stores import count_indexes, open_empty
from tests.server.profiling import ProfilingRunner, profiling

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable

    from graph.runner import Runner
    from graph.store import ThreadGraph
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

TREE = 100
TREES = 12
LONG = ThreadId("long")

SCANS = (
    "AllNodesScan",
    "NodeByLabelScan",
    "UnionNodeByLabelsScan",
    "NodeIndexScan",
    "DirectedRelationshipTypeScan",
    "UndirectedRelationshipTypeScan",
    "DirectedAllRelationshipsScan",
    "CartesianProduct",
)
PRUNING = "VarLengthExpand(Pruning,BFS"


def member(tree: int, number: int) -> str:
    """The id of a thread of a tree; number 0 is its root."""
    return f"t{tree:03d}-{number:02d}"


def tree_of(tree: int) -> list[ThreadRecord]:
    """A hundred threads, each with six children as far as they go, spawned or forked."""
    records: list[ThreadRecord] = []
    for number in range(TREE):
        name, parent = member(tree, number), member(tree, (number - 1) // 6)
        facts: dict[str, Any] = {
            "cwd": f"/project/{tree}",
            "git_repository": f"repository {tree}",
            "title": f"task {name}",
            "created_at": at(tree * TREE + number),
            "updated_at": at(tree * TREE + number),
            "recency_at": at(tree * TREE + number),
            "runs": (run(f"{name}/1", tree * TREE + number),),
        }
        if number == 0:
            records.append(thread(name, **facts))
        elif number % 3:
            records.append(spawned(name, by=parent, **facts))
        else:
            records.append(forked(name, of=parent, point=f"{parent}/1", **facts))
    return records


@pytest.fixture(scope="module")
async def graph(neo4j_server: Neo4jServer) -> AsyncGenerator[ThreadGraph]:
    """Twelve trees of a hundred threads, and a thread with many runs and items."""
    async with open_empty(neo4j_server) as store:
        for tree in range(TREES):
            await store.record(Batch(threads=tuple(tree_of(tree))))
        runs = tuple(run(f"long/{n}", n) for n in range(600))
        items = tuple(item(f"long/i{n}", n, run_id=RunId(f"long/{n // 5}")) for n in range(3_000))
        await store.record(
            Batch(threads=(thread(LONG, runs=runs, items=ItemsRecord(items=items)),))
        )
        await count_indexes(neo4j_server)
        yield store


@pytest.fixture
async def runner(
    neo4j_server: Neo4jServer,
    graph: ThreadGraph,  # noqa: ARG001 - is there while statements run
) -> AsyncGenerator[ProfilingRunner]:
    """Runs statements on that graph and keeps their plans."""
    async with profiling(neo4j_server) as opened:
        yield opened


@dataclass(frozen=True, slots=True)
class Reading:
    """A question, and what its statements may read in all."""

    name: str
    ask: Callable[[Runner], Awaitable[object]]
    hits: int
    walks: bool = False


MIDDLE = ids(member(3, 1))
RUN = [RunId("long/7")]

FEW = ChosenFields(
    {
        Thread: ("title", "model", "status", "created_at", "depth"),
        Run: ("status", "started_at"),
        Item: ("kind", "text"),
        SpawnEdge: ("status",),
        LineageEdge: ("status", "at"),
        ContextWindow: ("number",),
    }
)
"""What a list usually shows of its rows: the rest of their properties is not read."""

READINGS = [
    Reading("threads by id", lambda r: threads.threads_by_id(r, MIDDLE, FEW), 10),
    Reading(
        "ids by their beginning", lambda r: threads.thread_ids_starting_with(r, "t0", first=3), 5
    ),
    *(
        Reading(
            f"a page in the order {order}",
            lambda r, order=order: threads.threads(
                r,
                ThreadsQuestion(
                    order=order,
                    first=50,
                    after=ThreadPosition(at(620), ThreadId(member(6, 20))),
                ),
                FEW,
            ),
            550,
        )
        for order in ThreadOrder
    ),
    *(
        Reading(
            f"the few threads by {name}",
            lambda r, asked=asked: threads.threads(
                r, ThreadsQuestion(filter=asked, order=ThreadOrder.UPDATED_ASC, first=10), FEW
            ),
            most,
            walks=name == "ancestor",
        )
        for name, asked, most in [
            ("id", ThreadFilter(ids=MIDDLE), 25),
            ("tree", ThreadFilter(root_thread_id=ThreadId(member(3, 0))), 1_050),
            ("folder", ThreadFilter(cwd=["/project/3"]), 1_050),
            ("repository", ThreadFilter(git_repository="repository 3"), 1_050),
            ("text", ThreadFilter(search="task t003-1"), 200),
            ("parent", ThreadFilter(parent_thread_id=ThreadId(member(3, 0))), 70),
            ("ancestor", ThreadFilter(ancestor_thread_id=ThreadId(member(3, 0))), 560),
            ("source", ThreadFilter(attached_to_thread_id=ThreadId(member(3, 0))), 20),
        ]
    ),
    Reading(
        "the number of threads of a folder",
        lambda r: threads.count_threads(r, ThreadFilter(cwd=["/project/3"])),
        850,
    ),
    Reading("the number of threads", lambda r: threads.count_threads(r, ThreadFilter()), 4_200),
    Reading(
        "ancestors",
        lambda r: relations.ancestors(r, ids(member(3, 99)), chosen=FEW),
        55,
        walks=True,
    ),
    Reading(
        "a page of descendants",
        lambda r: relations.descendants(
            r,
            ids(member(3, 0)),
            DescendantsQuestion(first=10, after=DescendantPosition(1, ThreadId(member(3, 4)))),
            FEW,
        ),
        270,
        walks=True,
    ),
    Reading(
        "the number of descendants",
        lambda r: relations.count_descendants(r, ids(member(3, 0)), DescendantsQuestion()),
        600,
        walks=True,
    ),
    Reading(
        "a page of children",
        lambda r: relations.children(
            r, MIDDLE, ChildrenQuestion(first=3, after=ThreadId(member(3, 8))), FEW
        ),
        65,
    ),
    Reading(
        "a thread with its parent and five children",
        lambda r: families.family(
            r,
            MIDDLE,
            FamilyQuestion(
                fields=("title", "status"),
                parent=("title",),
                levels=[FamilyLevel(children=ChildrenQuestion(first=5), fields=("title",))],
            ),
        ),
        50,
    ),
    Reading(
        "eight levels of children",
        lambda r: families.family(
            r,
            ids(member(3, 0)),
            FamilyQuestion(
                fields=("title",),
                root=("title",),
                levels=[FamilyLevel(children=ChildrenQuestion(first=50), fields=("title",))] * 8,
            ),
        ),
        1_000,
    ),
    Reading(
        "the number of children",
        lambda r: relations.count_children(r, MIDDLE, ChildrenQuestion(kinds=[EdgeKind.SPAWN])),
        30,
    ),
    Reading(
        "a page of spawn edges",
        lambda r: relations.spawn_edges(r, MIDDLE, status="open", first=3, after=None, chosen=FEW),
        45,
    ),
    Reading(
        "the number of spawn edges",
        lambda r: relations.count_spawn_edges(r, MIDDLE, status=None),
        20,
    ),
    Reading("fork origins", lambda r: relations.fork_origins(r, ids(member(3, 3))), 30),
    Reading("history bases", lambda r: relations.history_bases(r, MIDDLE), 15),
    *(
        Reading(
            f"a lineage in the direction {direction}",
            lambda r, direction=direction: lineages.lineage(
                r, LineageQuestion(thread_id=ThreadId(member(3, 99)), direction=direction), FEW
            ),
            most,
            walks=True,
        )
        for direction, most in [
            (LineageDirection.WHOLE_TREE, 2_400),
            (LineageDirection.DESCENDANTS, 30),
            (LineageDirection.ANCESTORS, 120),
        ]
    ),
    Reading(
        "the threads of a lineage alone",
        lambda r: lineages.lineage(
            r, LineageQuestion(thread_id=ThreadId(member(3, 99)), edges=False), FEW
        ),
        1_500,
        walks=True,
    ),
    Reading(
        "a later page of a lineage",
        lambda r: lineages.lineage(
            r,
            LineageQuestion(
                thread_id=ThreadId(member(3, 0)),
                max_nodes=10,
                after=DescendantPosition(2, ThreadId(member(3, 20))),
            ),
            FEW,
        ),
        850,
        walks=True,
    ),
    Reading("runs by id", lambda r: contents.runs_by_id(r, RUN, FEW), 8),
    Reading(
        "a page of runs",
        lambda r: contents.runs(
            r, [LONG], include_rolled_back=False, first=50, after=300, chosen=FEW
        ),
        350,
    ),
    Reading(
        "the number of runs",
        lambda r: contents.count_runs(r, [LONG], include_rolled_back=True),
        620,
    ),
    Reading(
        "a page of a history",
        lambda r: histories.history(
            r,
            [LONG],
            include_rolled_back=False,
            first=50,
            after=HistoryPosition(0, 300),
            chosen=FEW,
        ),
        350,
        walks=True,
    ),
    Reading(
        "the length of a history",
        lambda r: histories.count_history(r, [LONG], include_rolled_back=False),
        1_300,
        walks=True,
    ),
    Reading(
        "a page of items",
        lambda r: contents.items(r, [LONG], first=50, after=1_500, chosen=FEW),
        230,
    ),
    Reading("the number of items", lambda r: contents.count_items(r, [LONG]), 3_010),
    Reading(
        "a page of a run's items",
        lambda r: contents.items_of_runs(r, RUN, first=2, after=35, chosen=FEW),
        22,
    ),
    Reading("the number of a run's items", lambda r: contents.count_items_of_runs(r, RUN), 10),
    Reading(
        "a page of checkpoints",
        lambda r: contents.checkpoints(r, [LONG], first=50, after=None),
        10,
    ),
    Reading("the number of checkpoints", lambda r: contents.count_checkpoints(r, [LONG]), 10),
    Reading("context windows", lambda r: contents.context_windows(r, [LONG], FEW), 10),
]


@pytest.mark.parametrize("reading", [pytest.param(r, id=r.name) for r in READINGS])
async def test_a_reading_begins_at_an_index_and_stays_in_its_budget(
    runner: ProfilingRunner, reading: Reading
) -> None:
    """No statement scans the graph, and none reads more than its answer needs."""
    await reading.ask(runner)

    scanned = [plan.statement for plan in runner.plans if any(plan.named(s) for s in SCANS)]
    walks = [step for plan in runner.plans for step in plan.named("VarLengthExpand")]
    assert scanned == []
    assert all(step.name.startswith(PRUNING) for step in walks)
    assert any(step.rows for step in walks) == reading.walks
    assert sum(plan.hits for plan in runner.plans) <= reading.hits


@pytest.mark.parametrize("order", list(ThreadOrder))
@pytest.mark.parametrize("include_deleted", [False, True])
async def test_a_page_of_threads_takes_its_order_from_an_index(
    runner: ProfilingRunner, order: ThreadOrder, *, include_deleted: bool
) -> None:
    """It looks at the rows of the page and one more; nothing else is read to be sorted."""
    asked = ThreadFilter(include_deleted=include_deleted)

    await threads.threads(runner, ThreadsQuestion(filter=asked, order=order, first=50))

    (plan,) = runner.plans
    assert [operator.rows for operator in plan.named("NodeIndexSeek")] == [51]
    assert all(operator.rows <= 51 for operator in plan.operators)


@pytest.mark.parametrize(
    "asked",
    [
        ThreadFilter(cwd=["/project/7"]),
        ThreadFilter(git_repository="repository 7"),
        ThreadFilter(root_thread_id=ThreadId(member(7, 0))),
        ThreadFilter(search="task t007-"),
    ],
)
async def test_a_condition_that_selects_too_many_is_tested_along_the_index_of_a_time(
    runner: ProfilingRunner, monkeypatch: pytest.MonkeyPatch, asked: ThreadFilter
) -> None:
    """The page is the same; only as many threads are looked at in vain as would be sorted."""
    question = ThreadsQuestion(
        filter=asked, first=10, after=ThreadPosition(at(790), ThreadId(member(7, 90)))
    )
    sorted_page = await threads.threads(runner, question)
    monkeypatch.setattr(threads, "MOST_SELECTED", 50)
    runner.plans.clear()

    walked_page = await threads.threads(runner, question)

    assert walked_page == sorted_page
    assert [row.thread_id for row in walked_page.rows] == [
        member(7, number) for number in range(89, 79, -1)
    ]
    assert [plan.statement for plan in runner.plans] == [
        "threads/selected",
        "threads/created_descending",
        "threads/created_descending",
    ]


async def test_what_is_not_asked_of_a_row_is_not_read(runner: ProfilingRunner) -> None:
    """Each field that is asked for costs a hit a row, and the others none."""
    for fields in [("title",), ("title", "model"), Thread.__struct_fields__]:
        await threads.threads_by_id(runner, MIDDLE, ChosenFields({Thread: fields}))

    hits = [plan.hits for plan in runner.plans]
    assert hits[1] - hits[0] == 1
    assert hits[2] - hits[0] == len(Thread.__struct_fields__) - 2


async def test_a_walk_stops_behind_the_level_in_which_its_page_ends(
    runner: ProfilingRunner,
) -> None:
    """The first page of a wide tree does not walk the rest of it."""
    await relations.descendants(runner, ids(member(5, 0)), DescendantsQuestion(first=5))

    (plan,) = runner.plans
    (walk,) = plan.named(PRUNING)
    # Six threads on the first level, and one of the next that shows that the level has ended.
    assert walk.rows <= 7


async def test_a_page_of_contents_is_a_seek(runner: ProfilingRunner) -> None:
    """Far into a long thread a page costs what the first one costs."""
    await contents.items(runner, [LONG], first=50, after=None)
    await contents.items(runner, [LONG], first=50, after=2_000)
    await contents.runs(runner, [LONG], include_rolled_back=True, first=50, after=None)
    await contents.runs(runner, [LONG], include_rolled_back=True, first=50, after=500)

    looked_at = [
        max(step.rows for step in plan.operators if "IndexSeek" in step.name)
        for plan in runner.plans
    ]
    assert looked_at == [51, 51, 51, 51]


async def test_the_memory_of_a_lineage_grows_with_its_page_alone(
    runner: ProfilingRunner, graph: ThreadGraph
) -> None:
    """A thousand threads of one tree need a few kilobytes each, on the first page and later."""
    children = [spawned(f"wide-{number:03d}", by="wide") for number in range(999)]
    await graph.record(Batch(threads=(thread("wide"), *children)))
    question = LineageQuestion(thread_id=ThreadId("wide"))

    whole = await lineages.lineage(runner, question)
    later = await lineages.lineage(
        runner, replace(question, after=DescendantPosition(1, ThreadId("wide-099")))
    )

    assert (len(whole.nodes), len(later.nodes)) == (1_000, 899)
    assert [plan.memory < 4_000_000 for plan in runner.plans] == [True, True]


async def test_answers_about_a_tree_cost_the_same_in_a_larger_graph(
    runner: ProfilingRunner, graph: ThreadGraph
) -> None:
    """A tree of a hundred threads, and a thread with its parent and children."""

    async def costs() -> list[int]:
        runner.plans.clear()
        await lineages.lineage(runner, LineageQuestion(thread_id=ThreadId(member(4, 50))))
        await threads.threads_by_id(runner, ids(member(4, 1), member(4, 0)))
        await relations.children(runner, ids(member(4, 1)), ChildrenQuestion(first=5))
        await threads.threads(runner, ThreadsQuestion(first=25))
        return [plan.hits for plan in runner.plans]

    before = await costs()
    for tree in range(TREES, 2 * TREES):
        await graph.record(Batch(threads=tuple(tree_of(tree))))
    after = await costs()

    assert after == before
