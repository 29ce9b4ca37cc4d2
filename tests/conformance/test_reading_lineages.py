"""What a store promises about lineages: nodes, the edges between them, limits and pages."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from graph.errors import BadInput, ThreadNotFound
from graph.model import EdgeKind, LineageEdge, RunId, ThreadId
from graph.questions import (
    DescendantPosition,
    LineageDirection,
    LineageQuestion,
    Truncation,
    TruncationReason,
)
from tests.conformance.told import (
    SEEN,
    at,
    based_on,
    forked,
    names,
    reviewing,
    run,
    spawned,
    tell,
    thread,
)

if TYPE_CHECKING:
    from graph.questions import LineageGraph
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

ANCESTORS = LineageDirection.ANCESTORS
DESCENDANTS = LineageDirection.DESCENDANTS
WHOLE_TREE = LineageDirection.WHOLE_TREE

TREE = (
    thread("a", runs=(run("a/1", 1, completed_at=at(2)), run("a/2", 3))),
    spawned("b", by="a", edge={"run_id": RunId("a/2"), "at": at(4)}),
    spawned("c", by="b", status="closed"),
    forked("d", of="a", point="a/1", edge={"at": at(5)}),
    reviewing("e", of="b"),
    based_on(forked("f", of="d"), "b"),
)
"""``a`` spawned ``b``, which spawned ``c`` and is reviewed by ``e``; ``d`` is a fork of ``a`` and
``f`` a fork of ``d`` whose history refers to ``b``."""


def asked(thread_id: str, direction: LineageDirection = WHOLE_TREE) -> LineageQuestion:
    """The whole of a lineage."""
    return LineageQuestion(thread_id=ThreadId(thread_id), direction=direction)


def edge(kind: EdgeKind, origin: str, newer: str, **known: object) -> LineageEdge:
    """An edge as it is told, from the origin to the newer thread."""
    return LineageEdge(
        kind=kind,
        from_thread_id=ThreadId(origin),
        to_thread_id=ThreadId(newer),
        evidence=str(SEEN),
        **known,  # type: ignore[arg-type]
    )


def pairs(graph: LineageGraph) -> list[str]:
    """The edges in short: kind and both ends."""
    return [f"{told.kind} {told.from_thread_id}-{told.to_thread_id}" for told in graph.edges]


async def test_a_whole_tree_has_its_threads_and_all_edges_between_them(
    store: ThreadGraph,
) -> None:
    """Threads by depth and id, edges by kind and ends, each with what is known of it."""
    await tell(store, *TREE)

    graph = await store.lineage(asked("a"))

    assert names(graph.nodes) == ["a", "b", "d", "c", "e", "f"]
    assert list(graph.edges) == [
        edge(
            EdgeKind.FORK,
            "a",
            "d",
            context_only=False,
            run_id=RunId("a/1"),
            at=at(5),
            point_at=at(2),
        ),
        edge(EdgeKind.FORK, "d", "f", context_only=False),
        edge(EdgeKind.HISTORY_BASE, "b", "f"),
        edge(EdgeKind.PARENT, "b", "e"),
        edge(EdgeKind.SPAWN, "a", "b", status="open", run_id=RunId("a/2"), at=at(4)),
        edge(EdgeKind.SPAWN, "b", "c", status="closed"),
    ]
    assert graph.truncated is None
    assert graph.end == DescendantPosition(2, ThreadId("f"))
    assert graph.version.startswith("a:")


async def test_nodes_are_whole_threads(store: ThreadGraph) -> None:
    """A node is what is read of the thread by its id."""
    await tell(store, *TREE)

    graph = await store.lineage(asked("a"))
    threads = await store.threads_by_id([node.thread_id for node in graph.nodes])

    assert {node.thread_id: node for node in graph.nodes} == threads


async def test_a_whole_tree_is_the_same_from_each_of_its_threads(store: ThreadGraph) -> None:
    """Wherever in the tree it is asked, nodes, edges and version are those of the root."""
    await tell(store, *TREE)

    from_each = [await store.lineage(asked(thread_id)) for thread_id in "abcdef"]

    assert from_each == [from_each[0]] * 6


PARTS: list[tuple[LineageQuestion, list[str], list[str]]] = [
    (
        asked("b", DESCENDANTS),
        ["b", "c", "e"],
        ["PARENT b-e", "SPAWN b-c"],
    ),
    (asked("f", DESCENDANTS), ["f"], []),
    (asked("e", ANCESTORS), ["e", "b", "a"], ["PARENT b-e", "SPAWN a-b"]),
    (asked("f", ANCESTORS), ["f", "d", "a"], ["FORK a-d", "FORK d-f"]),
    (asked("a", ANCESTORS), ["a"], []),
    (
        replace(asked("e"), kinds=[EdgeKind.SPAWN]),
        ["a", "b", "c"],
        ["SPAWN a-b", "SPAWN b-c"],
    ),
    (
        replace(asked("c"), kinds=[EdgeKind.FORK]),
        ["a", "d", "f"],
        ["FORK a-d", "FORK d-f"],
    ),
    (replace(asked("e", ANCESTORS), kinds=[EdgeKind.SPAWN]), ["e"], []),
    (replace(asked("c"), kinds=[]), ["a"], []),
]


async def test_a_lineage_follows_a_direction_over_the_given_kinds(store: ThreadGraph) -> None:
    """An edge needs both ends in the answer, and its kind among those asked for."""
    await tell(store, *TREE)

    for question, nodes, edges in PARTS:
        graph = await store.lineage(question)
        assert (names(graph.nodes), pairs(graph), graph.truncated) == (nodes, edges, None), (
            question
        )


NODES, DEPTH = TruncationReason.NODES, TruncationReason.DEPTH


CUTS: list[tuple[int, int, tuple[list[str], int, Truncation | None]]] = [
    (6, 2, (["a", "b", "d", "c", "e", "f"], 6, None)),
    (5, 2, (["a", "b", "d", "c", "e"], 4, Truncation(NODES, 5))),
    (2, 1_000, (["a", "b"], 1, Truncation(NODES, 2))),
    (1, 1_000, (["a"], 0, Truncation(NODES, 1))),
    (6, 1, (["a", "b", "d"], 2, Truncation(DEPTH, 1))),
    (3, 1, (["a", "b", "d"], 2, Truncation(DEPTH, 1))),
    (2, 1, (["a", "b"], 1, Truncation(NODES, 2))),
    (6, 0, (["a"], 0, Truncation(DEPTH, 0))),
]


async def test_a_lineage_that_is_cut_off_says_why(store: ThreadGraph) -> None:
    """By nodes, also where the depth would cut, too; else by depth; the front is kept."""
    await tell(store, *TREE)

    for max_nodes, max_depth, expected in CUTS:
        question = replace(asked("c"), max_nodes=max_nodes, max_depth=max_depth)
        graph = await store.lineage(question)
        assert (names(graph.nodes), len(graph.edges), graph.truncated) == expected, question


async def test_pages_of_a_lineage_are_its_parts(store: ThreadGraph) -> None:
    """Each node and each edge stands on one page, an edge on that of the later of its ends."""
    await tell(
        store,
        *TREE,
        # A reference from an earlier thread to one that comes later in the order.
        based_on(spawned("g", by="a"), "f"),
        spawned("h", by="f"),
        forked("h2", of="h"),
    )

    for question in (asked("a"), asked("a", DESCENDANTS), asked("h2", ANCESTORS)):
        whole = await store.lineage(question)
        for max_nodes in (1, 2, 4):
            pages = await pages_of(store, replace(question, max_nodes=max_nodes))
            assert [name for page in pages for name in names(page.nodes)] == names(whole.nodes)
            assert sorted_edges(*pages) == sorted_edges(whole)
            for page in pages:
                assert page.edges == [
                    told for told in whole.edges if later_end(told, whole) in names(page.nodes)
                ]


async def pages_of(store: ThreadGraph, question: LineageQuestion) -> list[LineageGraph]:
    """All pages of a lineage, each from where the one before it ended."""
    pages = [await store.lineage(question)]
    while pages[-1].truncated is not None:
        pages.append(await store.lineage(replace(question, after=pages[-1].end)))
    return pages


def later_end(told: LineageEdge, whole: LineageGraph) -> str:
    """The end of an edge that comes later in the order of a lineage."""
    ends = (told.from_thread_id, told.to_thread_id)
    return [name for name in names(whole.nodes) if name in ends][-1]


def sorted_edges(*graphs: LineageGraph) -> list[LineageEdge]:
    """The edges of all the graphs, in one order."""
    return sorted((told for graph in graphs for told in graph.edges), key=lambda e: e.edge_id)


async def test_nothing_stands_behind_the_last_node(store: ThreadGraph) -> None:
    """The page after the last has no node, no edge and no end, and is not cut off."""
    await tell(store, *TREE)
    last = DescendantPosition(2, ThreadId("f"))

    graph = await store.lineage(replace(asked("a"), after=last))

    assert (list(graph.nodes), list(graph.edges), graph.truncated, graph.end) == (
        [],
        [],
        None,
        None,
    )


async def test_a_cycle_is_told_once_from_its_smallest_id(store: ThreadGraph) -> None:
    """Every thread of the ring once, and all edges of the ring."""
    await tell(store, spawned("x", by="z"), spawned("y", by="x"), spawned("z", by="y"))

    whole = await store.lineage(asked("z"))
    up = await store.lineage(asked("z", ANCESTORS))

    assert names(whole.nodes) == ["x", "y", "z"]
    assert pairs(whole) == ["SPAWN x-y", "SPAWN y-z", "SPAWN z-x"]
    assert whole.version.startswith("x:")
    assert names(up.nodes) == ["z", "y", "x"]
    assert sorted(pairs(up)) == sorted(pairs(whole))


async def test_a_deep_chain_is_told_to_its_end(store: ThreadGraph) -> None:
    """A thousand hops are told; what lies deeper is cut off by depth."""
    chain = [f"t{n:04d}" for n in range(1_102)]
    await tell(
        store,
        thread(chain[0]),
        *(forked(new, of=old) for old, new in pairwise(chain)),
    )

    down = await store.lineage(replace(asked(chain[1_101]), max_nodes=10_000))
    up = await store.lineage(replace(asked(chain[1_101], ANCESTORS), max_nodes=10_000))

    assert names(down.nodes) == chain[:1_001]
    assert len(down.edges) == 1_000
    assert down.truncated == Truncation(DEPTH, 1_000)
    assert names(up.nodes) == chain[:100:-1]
    assert up.truncated == Truncation(DEPTH, 1_000)


async def test_a_placeholder_has_a_lineage(store: ThreadGraph) -> None:
    """A thread that only edges name is a node like any other."""
    await tell(store, spawned("b", by="missing"), forked("c", of="missing"))

    graph = await store.lineage(asked("missing"))

    assert [(node.thread_id, node.recorded) for node in graph.nodes] == [
        ("missing", False),
        ("b", True),
        ("c", True),
    ]
    assert pairs(graph) == ["FORK missing-c", "SPAWN missing-b"]


async def test_a_context_only_fork_is_an_edge_besides_the_spawn(store: ThreadGraph) -> None:
    """A spawn that copied its parent's context stands below its spawner, with both edges."""
    await tell(store, thread("a"), spawned("b", by="a"))
    await tell(store, forked("b", of="a", edge={"context_only": True}))

    graph = await store.lineage(asked("b"))

    assert list(graph.edges) == [
        edge(EdgeKind.FORK, "a", "b", context_only=True),
        edge(EdgeKind.SPAWN, "a", "b", status="open"),
    ]


async def test_an_unknown_thread_has_no_lineage(store: ThreadGraph) -> None:
    """``ThreadNotFound``, with the id."""
    for direction in LineageDirection:
        with pytest.raises(ThreadNotFound) as caught:
            await store.lineage(asked("nobody", direction))
        assert caught.value.thread_id == "nobody"


async def test_a_lineage_over_edges_that_are_no_walk_is_refused(store: ThreadGraph) -> None:
    """HISTORY_BASE and TRANSFER edges are told, and are no kinds to walk by."""
    await tell(store, *TREE)

    for kinds in ([EdgeKind.HISTORY_BASE], [EdgeKind.TRANSFER], list(EdgeKind)):
        with pytest.raises(BadInput):
            await store.lineage(replace(asked("a"), kinds=kinds))


async def test_a_version_stays_until_its_tree_changes(store: ThreadGraph) -> None:
    """Reading changes nothing, nor does a change of another tree."""
    await tell(store, *TREE, thread("other"))
    before = (await store.lineage(asked("a"))).version

    await tell(store, thread("other", title="changed"))
    between = (await store.lineage(asked("f"))).version
    await tell(store, spawned("new", by="c"))
    after = (await store.lineage(asked("f"))).version

    assert before == between
    assert after != before
