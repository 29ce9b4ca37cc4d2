"""What a store promises about a thread's history: which runs a fork inherits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from graph.model import ThreadId
from graph.questions import HistoryPosition
from tests.conformance.told import at, forked, ids, run, spawned, tell, thread

if TYPE_CHECKING:
    from graph.questions import HistoryRun, Page
    from graph.records import RunRecord, ThreadRecord
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio


def runs(
    thread_id: str, *seconds: int, rolled_back: dict[int, int] | None = None
) -> tuple[RunRecord, ...]:
    """Runs numbered from 1 that began at *seconds*; *rolled_back* says which later were undone."""
    gone = rolled_back or {}
    return tuple(
        run(
            f"{thread_id}/{number}",
            second,
            rolled_back_at=at(gone[number]) if number in gone else None,
        )
        for number, second in enumerate(seconds, start=1)
    )


def told(page: Page[HistoryRun]) -> list[str]:
    """The runs of a page, each with the forks up to its thread."""
    return [f"{row.run.run_id} {row.distance}" for row in page.rows]


async def history(
    store: ThreadGraph, thread_id: str, *, include_rolled_back: bool = False
) -> list[str]:
    """The whole history of a thread; its count has to agree."""
    asked = ids(thread_id)
    pages = await store.history(
        asked, include_rolled_back=include_rolled_back, first=100, after=None
    )
    counts = await store.count_history(asked, include_rolled_back=include_rolled_back)
    assert counts == {thread_id: len(pages[ThreadId(thread_id)].rows)}
    return told(pages[ThreadId(thread_id)])


SOURCE = thread("a", runs=runs("a", 1, 2, 3))

KEPT = "kept_through_run_id"
FORKS: list[tuple[ThreadRecord, list[str]]] = [
    (forked("up-to-its-point", of="a", point="a/2"), ["a/1 1", "a/2 1"]),
    (forked("of-the-whole", of="a", point="a/3"), ["a/1 1", "a/2 1", "a/3 1"]),
    (forked("at-an-unknown-point", of="a"), []),
    (forked("at-a-run-that-is-not-there", of="a", point="a/9"), []),
    (forked("at-a-run-of-another", of="a", point="z/1"), []),
    (forked("of-the-context", of="a", point="a/3", edge={"context_only": True}), []),
    (forked("attached", of="a", point="a/1", edge={"attached": True}), ["a/1 1"]),
    (forked("that-kept-one", of="a", point="a/3", edge={KEPT: "a/1"}), ["a/1 1"]),
    (forked("that-kept-nothing", of="a", point="a/3", edge={KEPT: ""}), []),
    (
        forked("that-kept-what-it-did-not-have", of="a", point="a/2", edge={KEPT: "a/3"}),
        ["a/1 1", "a/2 1"],
    ),
    (spawned("no-fork", by="a"), []),
]


async def test_a_fork_inherits_up_to_its_point(store: ThreadGraph) -> None:
    """Inherited runs come first, then the thread's own."""
    await tell(store, SOURCE, thread("z", runs=runs("z", 1)))
    for fork, _ in FORKS:
        own = runs(fork.thread_id, 5, 6)
        await tell(store, msgspec.structs.replace(fork, runs=own))

    found = {fork.thread_id: await history(store, fork.thread_id) for fork, _ in FORKS}

    assert found == {
        fork.thread_id: [*inherited, f"{fork.thread_id}/1 0", f"{fork.thread_id}/2 0"]
        for fork, inherited in FORKS
    }


async def test_a_fork_of_a_fork_has_the_history_of_both(store: ThreadGraph) -> None:
    """Each ancestor is cut at the point of the fork below it."""
    await tell(
        store,
        SOURCE,
        forked("b", of="a", point="a/2", runs=runs("b", 4, 5)),
        forked("c", of="b", point="b/1", runs=runs("c", 6)),
    )

    assert await history(store, "c") == ["a/1 2", "a/2 2", "b/1 1", "c/1 0"]


async def test_a_point_in_an_ancestor_of_the_source_leaves_the_source_out(
    store: ThreadGraph,
) -> None:
    """The fork goes on from what its source had inherited, as far as the source had it."""
    await tell(
        store,
        SOURCE,
        forked("b", of="a", point="a/2", runs=runs("b", 4)),
        forked("c", of="b", point="a/1", runs=runs("c", 5)),
        forked("d", of="b", point="a/3", runs=runs("d", 6)),
    )

    assert await history(store, "c") == ["a/1 2", "c/1 0"]
    assert await history(store, "d") == ["d/1 0"]


async def test_what_was_rolled_back_by_then_is_not_inherited(store: ThreadGraph) -> None:
    """A later rollback leaves the fork's history as it was; so does including rolled-back runs."""
    await tell(
        store,
        thread("a", runs=runs("a", 1, 2, 3, rolled_back={1: 10, 2: 20, 3: 30})),
        forked("b", of="a", point="a/3", edge={"at": at(20)}),
        forked("c", of="a", point="a/3", edge={"at": at(5)}),
        forked("d", of="a", point="a/3"),
        forked("e", of="a", point="a/2", edge={"at": at(20)}),
    )

    assert await history(store, "b") == ["a/3 1"]
    assert await history(store, "b", include_rolled_back=True) == ["a/3 1"]
    assert await history(store, "c") == ["a/1 1", "a/2 1", "a/3 1"]
    assert await history(store, "d") == []
    assert await history(store, "e") == []


async def test_a_rollback_by_a_command_is_told_by_revisions(store: ThreadGraph) -> None:
    """Clocks can differ; where the edge or the rollback states no revision, the time decides."""
    gone = [
        run("a/1", 1, rolled_back_at=at(10), rolled_back_revision=5),
        run("a/2", 2, rolled_back_at=at(30), rolled_back_revision=3),
        run("a/3", 3, rolled_back_at=at(10)),
        run("a/4", 4, rolled_back_at=at(30)),
        run("a/5", 5),
    ]
    await tell(
        store,
        thread("a", runs=tuple(gone)),
        forked("b", of="a", point="a/5", edge={"at": at(20), "source_revision": 4}),
        forked("c", of="a", point="a/5", edge={"at": at(20), "source_revision": 2}),
        forked("d", of="a", point="a/5", edge={"at": at(20)}),
        forked("e", of="a", point="a/1", edge={"at": at(20), "source_revision": 5}),
    )

    assert await history(store, "b") == ["a/1 1", "a/4 1", "a/5 1"]
    assert await history(store, "c") == ["a/1 1", "a/2 1", "a/4 1", "a/5 1"]
    assert await history(store, "d") == ["a/2 1", "a/4 1", "a/5 1"]
    assert await history(store, "e") == []


async def test_a_grandchild_keeps_what_its_source_had_inherited(store: ThreadGraph) -> None:
    """A rollback between two forks changes nothing of what the first of them took over."""
    await tell(
        store,
        thread("a", runs=runs("a", 1, 2, rolled_back={2: 15})),
        forked("b", of="a", point="a/2", edge={"at": at(10)}, runs=runs("b", 11)),
        forked("c", of="b", point="b/1", edge={"at": at(20)}),
        forked("d", of="b", point="a/2", edge={"at": at(20)}),
    )

    assert await history(store, "c") == ["a/1 2", "a/2 2", "b/1 1"]
    assert await history(store, "d") == ["a/1 2", "a/2 2"]


async def test_own_runs_that_were_rolled_back_are_told_where_asked(store: ThreadGraph) -> None:
    """Only the thread's own."""
    await tell(
        store,
        thread("a", runs=runs("a", 1, 2, rolled_back={1: 3})),
        forked(
            "b",
            of="a",
            point="a/2",
            edge={"at": at(4)},
            runs=runs("b", 5, 6, rolled_back={1: 7}),
        ),
    )

    assert await history(store, "b") == ["a/2 1", "b/2 0"]
    assert await history(store, "b", include_rolled_back=True) == ["a/2 1", "b/1 0", "b/2 0"]


async def test_what_a_fork_reverted_stays_out_of_the_forks_below_it(store: ThreadGraph) -> None:
    """A fork that kept a part of what it inherited hands on that part."""
    await tell(
        store,
        SOURCE,
        forked("b", of="a", point="a/3", edge={"kept_through_run_id": "a/2"}, runs=runs("b", 4)),
        forked("c", of="b", point="b/1"),
        forked("d", of="b", point="a/3"),
        forked("e", of="c", point="b/1", edge={"kept_through_run_id": "a/1"}),
    )

    assert await history(store, "c") == ["a/1 2", "a/2 2", "b/1 1"]
    assert await history(store, "d") == []
    assert await history(store, "e") == ["a/1 3"]


async def test_a_cycle_of_forks_ends(store: ThreadGraph) -> None:
    """A thread inherits nothing from itself."""
    await tell(
        store,
        forked("a", of="c", point="c/1", runs=runs("a", 1)),
        forked("b", of="a", point="a/1", runs=runs("b", 2)),
        forked("c", of="b", point="b/1", runs=runs("c", 3)),
        forked("d", of="a", point="a/1", runs=runs("d", 4)),
    )

    assert await history(store, "a") == ["b/1 2", "c/1 1", "a/1 0"]
    assert await history(store, "d") == ["b/1 3", "c/1 2", "a/1 1", "d/1 0"]


async def test_a_placeholder_between_forks_hands_on_nothing(store: ThreadGraph) -> None:
    """Nothing is known of what it held."""
    await tell(store, forked("b", of="missing", point="missing/1", runs=runs("b", 1)))

    assert await history(store, "b") == ["b/1 0"]
    assert await history(store, "missing") == []


PAGES: list[tuple[int, HistoryPosition | None, tuple[list[str], bool, bool]]] = [
    (2, None, (["a/1 2", "a/2 2"], True, False)),
    (9, None, (["a/1 2", "a/2 2", "b/1 1", "c/1 0", "c/2 0"], False, False)),
    (2, HistoryPosition(2, 1), (["a/2 2", "b/1 1"], True, True)),
    (2, HistoryPosition(2, 2), (["b/1 1", "c/1 0"], True, True)),
    (2, HistoryPosition(1, 1), (["c/1 0", "c/2 0"], False, True)),
    (2, HistoryPosition(0, 2), ([], False, True)),
    (1, HistoryPosition(2, 0), (["a/1 2"], True, False)),
    (1, HistoryPosition(3, 5), (["a/1 2"], True, False)),
]


async def test_a_history_comes_in_pages(store: ThreadGraph) -> None:
    """A page goes on across the borders of threads; each thread that is asked has its own."""
    await tell(
        store,
        SOURCE,
        forked("b", of="a", point="a/2", runs=runs("b", 4, 5)),
        forked("c", of="b", point="b/1", runs=runs("c", 6, 7)),
    )

    for first, after, expected in PAGES:
        pages = await store.history(
            ids("c", "nobody"), include_rolled_back=False, first=first, after=after
        )
        assert {
            name: (told(page), page.has_next, page.has_previous) for name, page in pages.items()
        } == {"c": expected, "nobody": ([], False, False)}
