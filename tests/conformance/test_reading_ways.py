"""What a store promises about the ways between threads and where they meet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.errors import BadInput, ThreadNotFound
from graph.model import EdgeKind, LineageEdge, RunId, ThreadId
from graph.questions import LineagePath
from tests.conformance.told import (
    SEEN,
    at,
    forked,
    ids,
    names,
    reviewing,
    run,
    spawned,
    tell,
    thread,
)

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio


async def way(store: ThreadGraph, one: str, other: str) -> tuple[list[str], list[str]] | None:
    """The threads and the edges of a path, in short."""
    found = await store.path(ThreadId(one), ThreadId(other))
    if found is None:
        return None
    edges = [f"{edge.kind} {edge.from_thread_id}-{edge.to_thread_id}" for edge in found.edges]
    return names(found.nodes), edges


async def test_a_path_climbs_and_comes_down(store: ThreadGraph) -> None:
    """Edges stand in the order of the path, each told from its origin to the newer thread."""
    await tell(
        store,
        thread("a", runs=(run("a/1", 1, completed_at=at(2)),)),
        spawned("b", by="a", edge={"run_id": RunId("a/1"), "at": at(4)}),
        forked("c", of="a", point="a/1", edge={"at": at(5)}),
        reviewing("d", of="c"),
    )

    found = await store.path(ThreadId("b"), ThreadId("d"))

    assert found == LineagePath(
        nodes=[*(await store.threads_by_id(ids("b"))).values()]
        + [(await store.threads_by_id(ids(name)))[ThreadId(name)] for name in "acd"],
        edges=[
            LineageEdge(
                kind=EdgeKind.SPAWN,
                from_thread_id=ThreadId("a"),
                to_thread_id=ThreadId("b"),
                status="open",
                run_id=RunId("a/1"),
                at=at(4),
                evidence=str(SEEN),
            ),
            LineageEdge(
                kind=EdgeKind.FORK,
                from_thread_id=ThreadId("a"),
                to_thread_id=ThreadId("c"),
                context_only=False,
                run_id=RunId("a/1"),
                at=at(5),
                point_at=at(2),
                evidence=str(SEEN),
            ),
            LineageEdge(
                kind=EdgeKind.PARENT,
                from_thread_id=ThreadId("c"),
                to_thread_id=ThreadId("d"),
                evidence=str(SEEN),
            ),
        ],
    )


async def test_a_path_leads_into_another_tree(store: ThreadGraph) -> None:
    """A thread that was spawned here and forked from there joins two trees, and so do several."""
    await tell(
        store,
        *(thread(name) for name in ("a", "b", "c")),
        forked("a1", of="a"),
        spawned("ab", by="a1", fork=forked("ab", of="b").fork),
        spawned("b1", by="b"),
        reviewing("bc", of="b1", fork=forked("bc", of="c", edge={"context_only": True}).fork),
        spawned("c1", by="c"),
    )

    assert await way(store, "a", "b") == (
        ["a", "a1", "ab", "b"],
        ["FORK a-a1", "SPAWN a1-ab", "FORK b-ab"],
    )
    assert await way(store, "c1", "a") == (
        ["c1", "c", "bc", "b1", "b", "ab", "a1", "a"],
        [
            *("SPAWN c-c1", "FORK c-bc", "PARENT b1-bc", "SPAWN b-b1"),
            *("FORK b-ab", "SPAWN a1-ab", "FORK a-a1"),
        ],
    )


async def test_a_shortcut_through_a_thread_below_is_taken(store: ThreadGraph) -> None:
    """Two relatives can be nearer over a thread that hangs on both than over what both hang on."""
    await tell(
        store,
        thread("root"),
        spawned("a1", by="root"),
        spawned("a2", by="a1"),
        spawned("b1", by="root"),
        spawned("b2", by="b1"),
        spawned("joint", by="a2", fork=forked("joint", of="b2").fork),
    )

    assert await way(store, "a2", "b2") == (
        ["a2", "joint", "b2"],
        ["SPAWN a2-joint", "FORK b2-joint"],
    )


async def test_equally_short_paths_are_decided_by_id(store: ThreadGraph) -> None:
    """Read from the smaller end, the first ids win; the way back is the same way."""
    await tell(
        store,
        thread("m"),
        thread("n"),
        spawned("x", by="m", fork=forked("x", of="n").fork),
        spawned("y", by="n", fork=forked("y", of="m").fork),
    )

    assert await way(store, "x", "y") == (["x", "m", "y"], ["SPAWN m-x", "FORK m-y"])
    assert await way(store, "y", "x") == (["y", "m", "x"], ["FORK m-y", "SPAWN m-x"])


async def test_of_several_edges_between_two_threads_the_one_it_hangs_on_stands(
    store: ThreadGraph,
) -> None:
    """A spawn that copied its parent's context is a fork of it, too."""
    copied = forked("b", of="a", edge={"context_only": True}).fork
    await tell(store, thread("a"), spawned("b", by="a", fork=copied))

    assert await way(store, "b", "a") == (["b", "a"], ["SPAWN a-b"])


async def test_a_path_ends_on_cycles_and_passes_placeholders(store: ThreadGraph) -> None:
    """No way is walked twice, and a thread that was never recorded connects others."""
    await tell(
        store,
        spawned("a", by="c"),
        spawned("b", by="a"),
        spawned("c", by="b"),
        spawned("d", by="unseen"),
        forked("e", of="unseen"),
    )

    assert await way(store, "a", "c") == (["a", "c"], ["SPAWN c-a"])
    assert await way(store, "d", "e") == (
        ["d", "unseen", "e"],
        ["SPAWN unseen-d", "FORK unseen-e"],
    )
    assert await way(store, "a", "e") is None
    assert await way(store, "unseen", "unseen") == (["unseen"], [])


async def test_a_path_follows_edges_as_they_are_now(store: ThreadGraph) -> None:
    """A thread joins two trees from the batch that says so until one that says otherwise."""
    await tell(store, thread("a"), thread("b"), spawned("joint", by="a"))
    before = await way(store, "a", "b")
    await tell(store, forked("joint", of="b"))
    joined = await way(store, "a", "b")
    await tell(store, forked("joint", of="a"))

    assert before is None
    assert joined == (["a", "joint", "b"], ["SPAWN a-joint", "FORK b-joint"])
    assert await way(store, "a", "b") is None


async def test_a_path_of_an_unknown_thread_is_refused(store: ThreadGraph) -> None:
    """The error names the thread that was never seen, whichever end it is."""
    await tell(store, thread("a"))

    for ends in (("a", "nobody"), ("nobody", "a"), ("nobody", "nobody")):
        with pytest.raises(ThreadNotFound) as refused:
            await store.path(ThreadId(ends[0]), ThreadId(ends[1]))
        assert refused.value.thread_id == "nobody"


async def meeting(store: ThreadGraph, *thread_ids: str) -> str | None:
    """The id of the nearest common ancestor."""
    found = await store.nearest_common_ancestor(ids(*thread_ids))
    return None if found is None else found.thread_id


async def test_threads_meet_at_the_nearest_thread_above_all(store: ThreadGraph) -> None:
    """Over forks, spawns and parents alike; a thread is above itself."""
    await tell(
        store,
        thread("root"),
        spawned("a", by="root"),
        forked("a1", of="a"),
        reviewing("a2", of="a1"),
        spawned("b", by="root"),
        thread("alone"),
    )

    assert await meeting(store, "a1") == "a1"
    assert await meeting(store, "a2", "a1") == "a1"
    assert await meeting(store, "a2", "a", "a1", "a2") == "a"
    assert await meeting(store, "a2", "b") == "root"
    assert await meeting(store, "a2", "b", "alone") is None


async def test_of_several_meeting_points_the_nearest_and_first_counts(store: ThreadGraph) -> None:
    """The smallest sum of hops, then the smallest id; also on a cycle."""
    await tell(
        store,
        *(thread(name) for name in ("m", "n")),
        spawned("x", by="n", fork=forked("x", of="m").fork),
        spawned("y", by="n", fork=forked("y", of="m").fork),
        spawned("z", by="y"),
        spawned("c", by="d"),
        spawned("d", by="c"),
    )

    assert await meeting(store, "x", "y") == "m"
    assert await meeting(store, "z", "x") == "m"
    assert await meeting(store, "d", "c") == "c"


async def test_a_meeting_needs_known_threads(store: ThreadGraph) -> None:
    """The first that was never seen is named; a placeholder is known."""
    await tell(store, spawned("a", by="unseen"))

    assert await meeting(store, "unseen", "a") == "unseen"
    with pytest.raises(ThreadNotFound) as refused:
        await meeting(store, "a", "nobody", "none")
    assert refused.value.thread_id == "nobody"
    with pytest.raises(BadInput):
        await meeting(store)
