"""Where threads stand: roots, depths and sessions, whatever arrives first."""

from __future__ import annotations

from itertools import pairwise, permutations
from typing import TYPE_CHECKING

import pytest

from graph.model import Evidence, Proof, Relationship, ThreadId
from graph.records import Batch, SpawnRecord, ThreadRecord
from tests.conformance.told import SEEN, forked, ids, reviewing, spawned, tell, thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

INFERRED = Evidence(Proof.INFERRED, "a guess")

Place = tuple[str, str | None, int]


async def places(store: ThreadGraph, *names: str) -> dict[str, Place]:
    """The root, the parent and the depth of threads."""
    found = await store.threads_by_id(ids(*names))
    return {
        name: (
            found[ThreadId(name)].root_thread_id,
            found[ThreadId(name)].parent_thread_id,
            found[ThreadId(name)].depth,
        )
        for name in names
    }


async def sessions(store: ThreadGraph, *names: str) -> dict[str, str | None]:
    """The sessions of threads."""
    found = await store.threads_by_id(ids(*names))
    return {name: found[ThreadId(name)].session_id for name in names}


# ── Parents ─────────────────────────────────────────────────────────────────────────────


async def test_a_fork_hangs_below_its_source(store: ThreadGraph) -> None:
    """It has no agent parent: that one is never a fork source."""
    await tell(store, thread("s"), forked("f", "s"))

    found = (await store.threads_by_id(ids("f")))[ThreadId("f")]
    assert (found.parent_thread_id, found.agent_parent_thread_id) == ("s", None)
    assert found.relationship_to_parent is Relationship.FORK


async def test_a_review_hangs_below_what_it_reviews(store: ThreadGraph) -> None:
    """As a subagent, before any fork source."""
    both = thread("r", child_of=reviewing("r", "p").child_of, fork=forked("r", "s").fork)

    await tell(store, both)

    found = (await store.threads_by_id(ids("r")))[ThreadId("r")]
    assert (found.parent_thread_id, found.agent_parent_thread_id) == ("p", "p")
    assert found.relationship_to_parent is Relationship.SUBAGENT


async def test_a_fork_of_context_alone_is_no_place(store: ThreadGraph) -> None:
    """The thread only began with a copy of what its source had seen."""
    await tell(store, forked("f", "s", edge={"context_only": True}))

    assert await places(store, "f") == {"f": ("f", None, 0)}


async def test_a_fork_of_a_subagent_keeps_the_outer_root(store: ThreadGraph) -> None:
    """The browsing lineage goes over all kinds of edges to the top."""
    await tell(store, forked("f", "c"), spawned("c", "p"), reviewing("r", "f"))

    assert await places(store, "p", "c", "f", "r") == {
        "p": ("p", None, 0),
        "c": ("p", "p", 1),
        "f": ("p", "c", 2),
        "r": ("p", "f", 3),
    }


@pytest.mark.parametrize("order", list(permutations(range(3))))
async def test_the_order_of_arrival_does_not_count(
    store: ThreadGraph, order: Sequence[int]
) -> None:
    """Parents may be late: all below them move."""
    records = [spawned("b", "a"), forked("c", "b"), reviewing("d", "c")]

    for at in order:
        await tell(store, records[at])

    assert await places(store, "a", "b", "c", "d") == {
        "a": ("a", None, 0),
        "b": ("a", "a", 1),
        "c": ("a", "b", 2),
        "d": ("a", "c", 3),
    }


async def test_a_tree_moves_with_its_root(store: ThreadGraph) -> None:
    """Also below a thread deep in another tree, and what is in between counts."""
    await tell(store, spawned("b", "a"), spawned("c", "b"), spawned("y", "x"), thread("a"))

    await tell(store, spawned("a", "y"))

    assert await places(store, "x", "y", "a", "b", "c") == {
        "x": ("x", None, 0),
        "y": ("x", "x", 1),
        "a": ("x", "y", 2),
        "b": ("x", "a", 3),
        "c": ("x", "b", 4),
    }


async def test_a_thread_that_moves_away_takes_its_own_along(store: ThreadGraph) -> None:
    """The rest of the tree stays."""
    await tell(store, spawned("b", "a"), spawned("c", "b"), spawned("d", "a"))

    await tell(store, spawned("b", "z"))

    assert await places(store, "a", "b", "c", "d") == {
        "a": ("a", None, 0),
        "b": ("z", "z", 1),
        "c": ("z", "b", 2),
        "d": ("a", "a", 1),
    }


async def test_a_better_parent_takes_the_place_of_another_kind(store: ThreadGraph) -> None:
    """A spawn goes before a fork, also when the fork was there first."""
    await tell(store, forked("c", "s"), forked("d", "c"))

    await store.record(
        Batch(
            spawns=(
                SpawnRecord(
                    child_thread_id=ThreadId("c"),
                    parent_thread_id=ThreadId("p"),
                    evidence=INFERRED,
                ),
            )
        )
    )

    assert await places(store, "c", "d") == {"c": ("p", "p", 1), "d": ("p", "c", 2)}


async def test_a_long_chain_that_arrives_backwards_has_the_right_depths(
    store: ThreadGraph,
) -> None:
    """A hundred late parents, each of all that came before."""
    names = [f"t{number:03}" for number in range(100)]
    chain = [spawned(child, parent) for parent, child in pairwise(names)]

    for begin in range(0, len(chain), 9):
        await tell(store, *reversed(list(reversed(chain))[begin : begin + 9]))

    found = await places(store, *names)
    assert [found[name] for name in names] == [
        ("t000", names[depth - 1] if depth else None, depth) for depth in range(100)
    ]


# ── Cycles ──────────────────────────────────────────────────────────────────────────────

CYCLE = [spawned("b", "c"), spawned("a", "b"), forked("c", "a"), spawned("d", "c")]


@pytest.mark.parametrize("order", list(permutations(range(4))))
async def test_the_root_of_a_cycle_is_its_smallest_id(
    store: ThreadGraph, order: Sequence[int]
) -> None:
    """It stands at depth 0 and keeps its parent; the others, and what hangs on them, follow."""
    for at in order:
        await tell(store, CYCLE[at])

    assert await places(store, "a", "b", "c", "d") == {
        "a": ("a", "b", 0),
        "c": ("a", "a", 1),
        "b": ("a", "c", 2),
        "d": ("a", "c", 2),
    }


async def test_a_cycle_that_is_broken_is_a_tree_again(store: ThreadGraph) -> None:
    """The thread that got another parent takes all others along."""
    await tell(store, *CYCLE)

    await tell(store, spawned("b", "z"))

    assert await places(store, "a", "b", "c", "d") == {
        "b": ("z", "z", 1),
        "a": ("z", "b", 2),
        "c": ("z", "a", 3),
        "d": ("z", "c", 4),
    }


async def test_a_smaller_id_below_a_cycle_is_not_its_root(store: ThreadGraph) -> None:
    """Only the threads of the cycle itself can be."""
    await tell(store, spawned("m", "n"), spawned("n", "m"), spawned("a", "n"))

    assert await places(store, "a", "m", "n") == {
        "m": ("m", "n", 0),
        "n": ("m", "m", 1),
        "a": ("m", "n", 2),
    }


# ── Sessions ────────────────────────────────────────────────────────────────────────────


async def test_a_session_is_that_of_the_top_of_the_agent_tree(store: ThreadGraph) -> None:
    """A user's fork begins its own; children of a fork are in the fork's."""
    await tell(
        store,
        thread("p"),
        spawned("c", "p"),
        reviewing("r", "c"),
        forked("f", "c"),
        spawned("g", "f"),
    )

    assert await sessions(store, "p", "c", "r", "f", "g") == {
        "p": "p",
        "c": "p",
        "r": "p",
        "f": "f",
        "g": "f",
    }


async def test_a_stated_session_is_kept_and_inherited(store: ThreadGraph) -> None:
    """What a transcript states wins, for the thread and for all agents below it."""
    await tell(store, spawned("c", "p", session_id="stated"), spawned("d", "c"))

    await tell(store, thread("p"))

    assert await sessions(store, "p", "c", "d") == {"p": "p", "c": "stated", "d": "stated"}


async def test_a_session_follows_a_late_top(store: ThreadGraph) -> None:
    """Also over a placeholder, which shows none itself."""
    await tell(store, spawned("d", "c"), spawned("c", "b"))
    await tell(store, spawned("b", "a"), thread("a", session_id="stated"))

    assert await sessions(store, "a", "b", "c", "d") == dict.fromkeys("abcd", "stated")


async def test_a_session_that_is_no_longer_stated_is_worked_out_again(store: ThreadGraph) -> None:
    """The later record replaces the thread's fields."""
    await tell(store, spawned("c", "p", session_id="stated"), spawned("d", "c"))

    await tell(store, thread("c"))

    assert await sessions(store, "c", "d") == {"c": "p", "d": "p"}


async def test_the_session_of_a_cycle_is_its_smallest_id(store: ThreadGraph) -> None:
    """Unless one of its threads states another, which those that hang on it have, too."""
    await tell(store, spawned("a", "b"), spawned("b", "a"), spawned("c", "b"))
    await tell(
        store, spawned("m", "n", session_id="stated"), spawned("n", "m"), reviewing("o", "n")
    )

    assert await sessions(store, "a", "b", "c", "m", "n", "o") == {
        "a": "a",
        "b": "a",
        "c": "a",
        "m": "stated",
        "n": "stated",
        "o": "stated",
    }


# ── Revisions ───────────────────────────────────────────────────────────────────────────


async def revisions(store: ThreadGraph, *names: str) -> dict[str, int]:
    """The revisions of threads."""
    found = await store.threads_by_id(ids(*names))
    return {name: found[ThreadId(name)].revision for name in names}


@pytest.mark.parametrize(
    "record", [thread("c", title="new"), spawned("d", "c"), forked("x", "a", edge={"at": None})]
)
async def test_a_revision_grows_with_what_changes_a_tree(
    store: ThreadGraph, record: ThreadRecord
) -> None:
    """Of the tree's root; other trees keep theirs."""
    await tell(store, spawned("c", "a"), spawned("z", "y"))
    before = await revisions(store, "a", "y")

    await tell(store, record)

    after = await revisions(store, "a", "y")
    assert after["a"] > before["a"]
    assert after["y"] == before["y"]


async def test_both_trees_of_a_move_grow(store: ThreadGraph) -> None:
    """The one that is left, and the one that is joined."""
    await tell(store, spawned("c", "a"), spawned("z", "y"))
    before = await revisions(store, "a", "y")

    await store.record(
        Batch(
            spawns=(
                SpawnRecord(
                    child_thread_id=ThreadId("c"), parent_thread_id=ThreadId("y"), evidence=SEEN
                ),
            )
        )
    )

    after = await revisions(store, "a", "y")
    assert after["a"] > before["a"]
    assert after["y"] > before["y"]


async def test_an_edge_from_another_tree_grows_both(store: ThreadGraph) -> None:
    """The tree that it comes from shows the thread now, though it stays in its own."""
    await tell(store, spawned("c", "a"), thread("y"))
    before = await revisions(store, "a", "y")

    await tell(store, forked("c", "y", edge={"context_only": True}, spawn=spawned("c", "a").spawn))

    after = await revisions(store, "a", "y")
    assert after["a"] > before["a"]
    assert after["y"] > before["y"]
