"""Recording forks: the points that they name by a run, a turn or a rollout."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from graph.model import ThreadId
from graph.records import ThreadRecord
from tests.conformance.told import forked, ids, run, spawned, tell, thread, turned

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio


async def points(store: ThreadGraph, *names: str) -> dict[str, tuple[str, str | None] | None]:
    """The points of forks: thread and run."""
    origins = await store.fork_origins(ids(*names))
    return {
        thread_id: (origin.point.thread_id, origin.point.run_id) if origin.point else None
        for thread_id, origin in origins.items()
    }


def fork_at(thread_id: str, of: str, turn: str, **known: Any) -> ThreadRecord:  # noqa: ANN401 - any field
    """A fork at a turn of the tool."""
    return forked(thread_id, of, edge={"point_native_turn_id": turn}, **known)


async def test_a_point_named_by_its_run_stays(store: ThreadGraph) -> None:
    """Whether the run is there or not."""
    await tell(store, forked("f", "s", "s/9"))

    await tell(store, thread("s", runs=(turned("s", "t1"),)))

    assert await points(store, "f") == {"f": ("s", "s/9")}


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_point_named_by_a_turn_is_the_sources_run(
    store: ThreadGraph, order: Sequence[int]
) -> None:
    """Before the run of any other thread with that turn."""
    records = [
        fork_at("f", "s", "t1"),
        thread("s", runs=(run("s/of-the-source", 1, native_turn_id="t1"),)),
        thread("a", runs=(turned("a", "t1"),)),
    ]

    for place in order:
        await tell(store, records[place])

    assert await points(store, "f") == {"f": ("s", "s/of-the-source")}


@pytest.mark.parametrize("order", list(permutations(range(4))))
async def test_a_point_named_by_an_inherited_turn_is_the_nearest_ancestors_run(
    store: ThreadGraph, order: Sequence[int]
) -> None:
    """Over fork edges, whichever arrive late."""
    records = [
        fork_at("f", "s", "t1"),
        fork_at("s", "r", "t0"),
        fork_at("r", "q", "t0", runs=(run("r/x", 1, native_turn_id="t1"),)),
        thread("q", runs=(run("q/x", 1, native_turn_id="t1"), turned("q", "t0"))),
    ]

    for place in order:
        await tell(store, records[place])

    assert await points(store, "f", "s", "r") == {
        "f": ("r", "r/x"),
        "s": ("q", "q/t0"),
        "r": ("q", "q/t0"),
    }


async def test_a_point_in_no_ancestor_is_whoever_has_the_turn(store: ThreadGraph) -> None:
    """The smallest thread id of all; the run of a source that comes late takes its place."""
    await tell(store, fork_at("f", "s", "t1"), thread("n", runs=(turned("n", "t1"),)))
    await tell(store, thread("m", runs=(turned("m", "t1"),)))
    anywhere = await points(store, "f")

    await tell(store, thread("s", runs=(turned("s", "t1"),)))

    assert anywhere == {"f": ("m", "m/t1")}
    assert await points(store, "f") == {"f": ("s", "s/t1")}


async def test_a_point_whose_run_was_never_recorded_has_the_sources_id(store: ThreadGraph) -> None:
    """``<source>/<turn>``: the source was deleted, or comes late."""
    await tell(store, fork_at("f", "s", "t1"))

    assert await points(store, "f") == {"f": ("s", "s/t1")}


def fork_of_rollout(thread_id: str, of: str, rollout: str, end: int, **known: Any) -> ThreadRecord:  # noqa: ANN401 - any field
    """A fork that goes on from a rollout before an ordinal."""
    return forked(
        thread_id, of, edge={"base_rollout_id": rollout, "base_end_ordinal": end}, **known
    )


ROLLOUT = thread(
    "s",
    runs=(
        run("s/1", 1, rollout_id="r", native_ordinal=2),
        run("s/2", 2, rollout_id="r", native_ordinal=5),
        run("s/3", 3, rollout_id="r", native_ordinal=8),
        run("s/4", 4, rollout_id="another", native_ordinal=4),
    ),
)


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize(
    ("end", "point"), [(2, None), (3, ("s", "s/1")), (8, ("s", "s/2")), (9, ("s", "s/3"))]
)
async def test_a_point_named_by_a_rollout_is_its_newest_run_before_the_bound(
    store: ThreadGraph, end: int, point: tuple[str, str] | None, *, late: bool
) -> None:
    """The bound itself is out; without a run before it, and no fork above, it is not known."""
    records = [fork_of_rollout("f", "s", "r", end), ROLLOUT]

    for record in records if late else reversed(records):
        await tell(store, record)

    assert await points(store, "f") == {"f": point}


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_a_rollout_without_a_run_before_the_bound_has_its_owners_point(
    store: ThreadGraph, order: Sequence[int]
) -> None:
    """A fork of an empty fork began where that one did; the owner can be known by its id alone."""
    records = [
        fork_of_rollout("g", "f", "f", 9),
        fork_of_rollout("f", "s", "r", 6),
        ROLLOUT,
    ]

    for place in order:
        await tell(store, records[place])

    assert await points(store, "f", "g") == {"f": ("s", "s/2"), "g": ("s", "s/2")}


async def test_a_point_settles_over_any_number_of_rollouts(store: ThreadGraph) -> None:
    """The last arrival makes it known for all that hang on one another."""
    await tell(
        store,
        fork_of_rollout("i", "h", "h-reverted", 1),
        fork_of_rollout(
            "h", "g", "g", 1, runs=(run("h/1", 9, rollout_id="h-reverted", native_ordinal=7),)
        ),
        fork_of_rollout("g", "f", "f", 1),
    )
    unknown = await points(store, "g", "h", "i")

    await tell(store, fork_at("f", "s", "t1"), thread("s", runs=(turned("s", "t1"),)))

    assert unknown == {"g": None, "h": None, "i": None}
    assert await points(store, "f", "g", "h", "i") == dict.fromkeys("fghi", ("s", "s/t1"))


async def test_forks_that_name_one_anothers_rollouts_have_no_point(store: ThreadGraph) -> None:
    """The search ends."""
    await tell(store, fork_of_rollout("f", "g", "g", 5), fork_of_rollout("g", "f", "f", 5))

    assert await points(store, "f", "g") == {"f": None, "g": None}


async def test_a_point_in_another_tree_lets_that_tree_grow(store: ThreadGraph) -> None:
    """Whoever watches the fork's tree sees that its point became known."""
    fork = forked(
        "f", "s", edge={"base_rollout_id": "r", "base_end_ordinal": 6, "context_only": True}
    )
    await tell(store, spawned("f", "p", fork=fork.fork))
    before = (await store.threads_by_id(ids("p")))[ThreadId("p")].revision

    await tell(store, ROLLOUT)

    after = (await store.threads_by_id(ids("p")))[ThreadId("p")].revision
    assert await points(store, "f") == {"f": ("s", "s/2")}
    assert after > before
