"""What a store promises about ancestors, descendants, children and single relations."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from graph.errors import BadInput
from graph.model import EdgeKind, ForkOrigin, HistoryBase, RunId, SourcePoint, SpawnEdge, ThreadId
from graph.questions import (
    WALKED_KINDS,
    ChildrenQuestion,
    DescendantPosition,
    DescendantsQuestion,
    Page,
)
from graph.records import HistoryBaseRecord
from tests.conformance.told import (
    SEEN,
    at,
    based_on,
    forked,
    ids,
    names,
    reviewing,
    run,
    shown,
    spawned,
    tell,
    thread,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from graph.questions import Descendant
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

FORK, SPAWN, PARENT = EdgeKind.FORK, EdgeKind.SPAWN, EdgeKind.PARENT

FAMILY = (
    thread("a"),
    spawned("b", by="a"),
    spawned("c", by="a", status="closed"),
    spawned("d", by="b"),
    spawned("e", by="c"),
    forked("f", of="a"),
    forked("g", of="f"),
    reviewing("h", of="d"),
    spawned("i", by="missing"),
    spawned("missing-too", by="i"),
)
"""``a`` spawned ``b`` and ``c``, which spawned ``d`` and ``e``; ``h`` reviews ``d``; ``g`` is a
fork of ``f``, a fork of ``a``."""

CYCLE = (spawned("x", by="z"), spawned("y", by="x"), spawned("z", by="y"), forked("w", of="y"))
"""``x``, ``y`` and ``z`` spawned each other in a ring, from which ``w`` is a fork."""


Placed = tuple[list[tuple[int, str]], bool, bool]


def placed(page: Page[Descendant]) -> Placed:
    """The depths and ids of a page of descendants, and whether more stand after and before."""
    rows = [(row.depth, str(row.thread.thread_id)) for row in page.rows]
    return rows, page.has_next, page.has_previous


async def below(store: ThreadGraph, thread_id: str, question: DescendantsQuestion) -> Placed:
    """The page of one thread."""
    pages = await store.descendants(ids(thread_id), question)
    return placed(pages[ThreadId(thread_id)])


UP: list[tuple[Collection[EdgeKind], dict[str, list[str]]]] = [
    (WALKED_KINDS, {"h": ["d", "b", "a"], "g": ["f", "a"], "a": [], "nobody": []}),
    ([SPAWN], {"h": [], "d": ["b", "a"], "g": []}),
    ([PARENT, SPAWN], {"h": ["d", "b", "a"], "missing-too": ["i", "missing"]}),
    ([FORK], {"g": ["f", "a"], "d": []}),
    ([], {"h": []}),
]


async def test_ancestors_are_told_nearest_first(store: ThreadGraph) -> None:
    """Over the given kinds, past and up to placeholders; every id that is asked has an answer."""
    await tell(store, *FAMILY)

    for kinds, expected in UP:
        found = await store.ancestors(ids(*expected), kinds)
        assert {name: names(rows) for name, rows in found.items()} == expected, kinds


async def test_an_ancestor_on_several_ways_is_told_once_at_the_shortest(
    store: ThreadGraph,
) -> None:
    """Ancestors of one distance are in the order of their ids."""
    both = spawned("child", by="mid")
    await tell(
        store,
        thread("top"),
        forked("mid", of="top"),
        spawned("other", by="top"),
        based_on(forked("child", of="top", edge={"context_only": True}), "mid"),
    )
    await tell(store, both)

    found = await store.ancestors(ids("child"))

    assert names(found[ThreadId("child")]) == ["mid", "top"]


async def test_walks_end_on_a_cycle_without_the_start(store: ThreadGraph) -> None:
    """Up, down and to the direct children."""
    await tell(store, *CYCLE)

    up = await store.ancestors(ids("x", "w"))
    down = await below(store, "x", DescendantsQuestion())
    count = await store.count_descendants(ids("x"), DescendantsQuestion())

    assert {name: names(rows) for name, rows in up.items()} == {
        "x": ["z", "y"],
        "w": ["y", "x", "z"],
    }
    assert down == ([(1, "y"), (2, "w"), (2, "z")], False, False)
    assert count == {"x": 3}


DOWN: list[tuple[DescendantsQuestion, list[tuple[int, str]]]] = [
    (
        DescendantsQuestion(),
        [(1, "b"), (1, "c"), (1, "f"), (2, "d"), (2, "e"), (2, "g"), (3, "h")],
    ),
    (DescendantsQuestion(kinds=[SPAWN]), [(1, "b"), (1, "c"), (2, "d"), (2, "e")]),
    (DescendantsQuestion(kinds=[SPAWN], spawn_status="open"), [(1, "b"), (2, "d")]),
    (DescendantsQuestion(kinds=[SPAWN], spawn_status="closed"), [(1, "c")]),
    (DescendantsQuestion(kinds=[SPAWN], spawn_status="unheard-of"), []),
    (DescendantsQuestion(kinds=[FORK]), [(1, "f"), (2, "g")]),
    (DescendantsQuestion(kinds=[]), []),
    (DescendantsQuestion(max_depth=1), [(1, "b"), (1, "c"), (1, "f")]),
    (DescendantsQuestion(max_depth=0), []),
    (DescendantsQuestion(kinds=[FORK, SPAWN], max_depth=2, first=2), [(1, "b"), (1, "c")]),
]


async def test_descendants_hang_below_over_the_given_edges(store: ThreadGraph) -> None:
    """By depth, then by id; a status has to hold on every edge of the way."""
    await tell(store, *FAMILY)

    found = [(question, (await below(store, "a", question))[0]) for question, _ in DOWN]

    assert found == DOWN


DOWN_PAGES: list[tuple[int, tuple[int, str] | None, Placed]] = [
    (2, None, ([(1, "b"), (1, "c")], True, False)),
    (7, None, ([(1, "b"), (1, "c"), (1, "f"), (2, "d"), (2, "e"), (2, "g")], False, False)),
    (2, (1, "c"), ([(1, "f"), (2, "d")], True, True)),
    (4, (1, "c"), ([(1, "f"), (2, "d"), (2, "e"), (2, "g")], False, True)),
    (2, (2, "g"), ([], False, True)),
    (1, (1, "a"), ([(1, "b")], True, False)),
    (1, (0, "z"), ([(1, "b")], True, False)),
    (9, (2, "da"), ([(2, "e"), (2, "g")], False, True)),
]


async def test_descendants_come_in_pages(store: ThreadGraph) -> None:
    """What lies deeper than asked for is not counted as more."""
    await tell(store, *FAMILY)

    for first, after, expected in DOWN_PAGES:
        place = None if after is None else DescendantPosition(after[0], ThreadId(after[1]))
        question = DescendantsQuestion(first=first, after=place, max_depth=2)
        assert await below(store, "a", question) == expected, question


async def test_a_depth_is_that_of_the_shortest_way(store: ThreadGraph) -> None:
    """A descendant that hangs below at several depths is told once."""
    await tell(store, thread("a"), spawned("b", by="a"), spawned("c", by="b"))
    await tell(store, forked("c", of="a", edge={"context_only": True}))

    page = await below(store, "a", DescendantsQuestion())
    limited = await below(store, "a", DescendantsQuestion(max_depth=1))

    assert page == ([(1, "b"), (1, "c")], False, False)
    assert limited == page


async def test_several_threads_are_asked_at_once(store: ThreadGraph) -> None:
    """Each id has its own page and count, once, also an id that nothing is known of."""
    await tell(store, *FAMILY)
    asked = ids("a", "b", "nobody", "a", "missing")
    question = DescendantsQuestion(first=1)

    pages = await store.descendants(asked, question)
    counts = await store.count_descendants(asked, question)

    assert {name: placed(page) for name, page in pages.items()} == {
        "a": ([(1, "b")], True, False),
        "b": ([(1, "d")], True, False),
        "nobody": ([], False, False),
        "missing": ([(1, "i")], True, False),
    }
    assert counts == {"a": 7, "b": 2, "nobody": 0, "missing": 2}


async def test_no_threads_asked_are_no_threads_answered(store: ThreadGraph) -> None:
    """An empty question has an empty answer."""
    await tell(store, *FAMILY)

    assert await store.descendants([], DescendantsQuestion()) == {}
    assert await store.children([], ChildrenQuestion()) == {}
    assert await store.ancestors([]) == {}
    assert await store.threads_by_id([]) == {}


async def test_a_chain_of_more_than_a_thousand_threads_is_walked_to_its_ends(
    store: ThreadGraph,
) -> None:
    """Every walk survives any depth; a depth limit means exactly so many hops."""
    chain = [f"t{n:04d}" for n in range(1_201)]
    await tell(
        store,
        thread(chain[0]),
        *(spawned(new, by=old) for old, new in pairwise(chain)),
    )
    deep = DescendantsQuestion(first=2_000, max_depth=2_000)

    up = await store.ancestors(ids(chain[-1]))
    rows, has_next, _ = await below(store, chain[0], deep)
    counts = await store.count_descendants(
        ids(chain[0], chain[1_000]), DescendantsQuestion(max_depth=1_000)
    )

    assert names(up[ThreadId(chain[-1])]) == chain[-2::-1]
    assert rows == list(enumerate(chain))[1:]
    assert not has_next
    assert counts == {chain[0]: 1_000, chain[1_000]: 200}


CHILDREN: list[tuple[ChildrenQuestion, tuple[list[str], bool, bool], int]] = [
    (ChildrenQuestion(), (["b", "c", "f"], False, False), 3),
    (ChildrenQuestion(first=2), (["b", "c"], True, False), 3),
    (ChildrenQuestion(first=2, after=ThreadId("b")), (["c", "f"], False, True), 3),
    (ChildrenQuestion(first=2, after=ThreadId("f")), ([], False, True), 3),
    (ChildrenQuestion(first=2, after=ThreadId("aa")), (["b", "c"], True, False), 3),
    (ChildrenQuestion(kinds=[FORK]), (["f"], False, False), 1),
    (ChildrenQuestion(kinds=[SPAWN], spawn_status="closed"), (["c"], False, False), 1),
    (ChildrenQuestion(kinds=[PARENT]), ([], False, False), 0),
]


async def test_children_hang_directly_below(store: ThreadGraph) -> None:
    """In the order of their ids, over the given edges."""
    await tell(store, *FAMILY)

    for question, expected, count in CHILDREN:
        pages = await store.children(ids("a"), question)
        counts = await store.count_children(ids("a"), question)
        assert {name: shown(page) for name, page in pages.items()} == {"a": expected}, question
        assert counts == {"a": count}, question


async def test_a_child_over_two_edges_is_one_child(store: ThreadGraph) -> None:
    """A spawn that copied its parent's context is a child once."""
    await tell(store, spawned("b", by="a"))
    await tell(store, forked("b", of="a", edge={"context_only": True}))

    pages = await store.children(ids("a", "b"), ChildrenQuestion())
    counts = await store.count_children(ids("a", "b"), ChildrenQuestion())

    assert {name: shown(page) for name, page in pages.items()} == {
        "a": (["b"], False, False),
        "b": ([], False, False),
    }
    assert counts == {"a": 1, "b": 0}


SENSELESS: list[tuple[Collection[EdgeKind], str | None]] = [
    ([EdgeKind.HISTORY_BASE], None),
    ([EdgeKind.TRANSFER, SPAWN], None),
    ([SPAWN, FORK], "open"),
    ([], "open"),
]


async def test_a_walk_without_meaning_is_refused(store: ThreadGraph) -> None:
    """Walks follow FORK, SPAWN and PARENT; a status needs SPAWN alone."""
    for kinds, status in SENSELESS:
        descendants = DescendantsQuestion(kinds=kinds, spawn_status=status)
        children = ChildrenQuestion(kinds=kinds, spawn_status=status)
        with pytest.raises(BadInput):
            await store.descendants(ids("a"), descendants)
        with pytest.raises(BadInput):
            await store.count_descendants(ids("a"), descendants)
        with pytest.raises(BadInput):
            await store.children(ids("a"), children)
        with pytest.raises(BadInput):
            await store.count_children(ids("a"), children)
    with pytest.raises(BadInput):
        await store.ancestors(ids("a"), [EdgeKind.HISTORY_BASE])


def edge_to(child: str, **known: object) -> SpawnEdge:
    """The spawn edge from ``a`` to a child."""
    fields: dict[str, object] = {"status": "open", "origin": "provider_native"}
    return SpawnEdge(
        parent_thread_id=ThreadId("a"),
        child_thread_id=ThreadId(child),
        evidence=str(SEEN),
        **(fields | known),  # type: ignore[arg-type]
    )


async def test_spawn_edges_say_all_that_is_known_of_a_spawn(store: ThreadGraph) -> None:
    """Those of the thread itself, by child id; a status narrows them."""
    known = {"run_id": RunId("a/1"), "call_id": "call", "at": at(5), "origin": "app_owned"}
    await tell(
        store,
        thread("a"),
        spawned("c", by="a", edge=known),
        spawned("b", by="a", status="closed"),
        spawned("d", by="c"),
        reviewing("r", of="a"),
    )
    c = edge_to("c", **known)
    b = edge_to("b", status="closed")

    every = await store.spawn_edges(ids("a", "b"), status=None, first=5, after=None)
    first = await store.spawn_edges(ids("a"), status=None, first=1, after=None)
    second = await store.spawn_edges(ids("a"), status=None, first=1, after=ThreadId("b"))
    closed = await store.spawn_edges(ids("a"), status="closed", first=5, after=None)

    assert every == {"a": Page([b, c]), "b": Page([])}
    assert first == {"a": Page([b], has_next=True)}
    assert second == {"a": Page([c], has_previous=True)}
    assert closed == {"a": Page([b])}
    assert await store.count_spawn_edges(ids("a", "b"), status=None) == {"a": 2, "b": 0}
    assert await store.count_spawn_edges(ids("a"), status="closed") == {"a": 1}


async def test_a_fork_says_where_it_came_from(store: ThreadGraph) -> None:
    """The point is the run's own thread and id, unknown where no run is known."""
    await tell(
        store,
        thread("a", runs=(run("a/1", 1),)),
        forked("b", of="a", point="a/1", runs=(run("b/1", 2),)),
        forked("c", of="b", point="a/1", edge={"at": at(9), "attached": True}),
        forked("d", of="b", point="b/9"),
        forked("e", of="b", edge={"context_only": True}),
    )

    found = await store.fork_origins(ids("a", "b", "c", "d", "e", "nobody"))

    def origin(source: str, point: tuple[str, str] | None, **known: object) -> ForkOrigin:
        return ForkOrigin(
            thread_id=ThreadId(source),
            point=None
            if point is None
            else SourcePoint(thread_id=ThreadId(point[0]), run_id=RunId(point[1])),
            evidence=str(SEEN),
            **known,  # type: ignore[arg-type]
        )

    assert found == {
        "b": origin("a", ("a", "a/1")),
        "c": origin("b", ("a", "a/1"), at=at(9), attached=True),
        "d": origin("b", ("b", "b/9")),
        "e": origin("b", None, context_only=True),
    }


async def test_a_history_base_is_told_with_its_end(store: ThreadGraph) -> None:
    """Threads without one are absent."""
    reference = HistoryBaseRecord(thread_id=ThreadId("a"), end_ordinal=7, evidence=SEEN)
    await tell(store, thread("a"), thread("b", history_base=reference))

    found = await store.history_bases(ids("a", "b", "nobody"))

    assert found == {"b": HistoryBase(thread_id=ThreadId("a"), end_ordinal=7)}
