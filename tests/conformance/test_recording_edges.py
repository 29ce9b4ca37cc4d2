"""Recording edges: which of several statements of one edge is kept, and what calls fill in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from graph.model import (
    Evidence,
    ForkOrigin,
    HistoryBase,
    Proof,
    Relationship,
    RunId,
    SpawnEdge,
    ThreadId,
)
from graph.records import Batch, HistoryBaseRecord, ParentRecord, SpawnCallRecord, SpawnRecord
from tests.conformance.told import SEEN, at, forked, ids, reviewing, run, spawned, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

INFERRED = Evidence(Proof.INFERRED, "a guess")
DATABASE = Evidence(Proof.DATABASE, "a table")


def spawn(child: str, parent: str, **known: Any) -> SpawnRecord:  # noqa: ANN401 - any field
    """A spawn, and what is known of it besides both ends."""
    record = SpawnRecord(
        child_thread_id=ThreadId(child), parent_thread_id=ThreadId(parent), evidence=SEEN
    )
    return msgspec.structs.replace(record, **known)


async def spawn_edges_of(store: ThreadGraph, parent: str) -> list[SpawnEdge]:
    """All spawn edges of a thread."""
    pages = await store.spawn_edges(ids(parent), status=None, first=100, after=None)
    return list(pages[ThreadId(parent)].rows)


async def test_a_spawn_edge_is_read_back_whole(store: ThreadGraph) -> None:
    """Also with a status that this version does not know."""
    edge = spawn(
        "c",
        "p",
        status="pondering",
        origin="app_owned",
        run_id=RunId("p/1"),
        call_id="call",
        at=at(1),
    )

    await store.record(Batch(spawns=(edge,)))

    assert await spawn_edges_of(store, "p") == [
        SpawnEdge(
            parent_thread_id=ThreadId("p"),
            child_thread_id=ThreadId("c"),
            status="pondering",
            origin="app_owned",
            run_id=RunId("p/1"),
            call_id="call",
            at=at(1),
            evidence="file: a line of a transcript",
        )
    ]


@pytest.mark.parametrize("proof", [SEEN, DATABASE])
async def test_an_edge_of_at_least_the_same_proof_replaces(
    store: ThreadGraph, proof: Evidence
) -> None:
    """Parent, status and evidence are those of the later one; a child has one spawner."""
    await store.record(Batch(spawns=(spawn("c", "p", status="closed", run_id=RunId("p/1")),)))

    await store.record(Batch(spawns=(spawn("c", "q", evidence=proof),)))

    assert await spawn_edges_of(store, "p") == []
    assert await spawn_edges_of(store, "q") == [
        SpawnEdge(
            parent_thread_id=ThreadId("q"),
            child_thread_id=ThreadId("c"),
            status="open",
            origin="provider_native",
            evidence=str(proof),
        )
    ]


async def test_an_edge_of_a_weaker_proof_is_ignored(store: ThreadGraph) -> None:
    """The thread that it names is known from then on all the same."""
    await store.record(Batch(spawns=(spawn("c", "p", status="closed", evidence=DATABASE),)))
    before = await spawn_edges_of(store, "p")

    await store.record(Batch(spawns=(spawn("c", "q", run_id=RunId("q/1")),)))

    assert await spawn_edges_of(store, "p") == before
    assert await spawn_edges_of(store, "q") == []
    assert set(await store.threads_by_id(ids("q"))) == {"q"}


@pytest.mark.parametrize("turned", [False, True])
async def test_two_spawn_edges_of_one_parent_complete_each_other(
    store: ThreadGraph, *, turned: bool
) -> None:
    """The stronger one keeps what it states, and takes what it lacks, whichever comes first."""
    strong = spawn("c", "p", status="closed", call_id="strong", evidence=DATABASE)
    weak = spawn("c", "p", run_id=RunId("p/1"), call_id="weak", at=at(3))

    for edge in (weak, strong) if turned else (strong, weak):
        await store.record(Batch(spawns=(edge,)))

    assert await spawn_edges_of(store, "p") == [
        SpawnEdge(
            parent_thread_id=ThreadId("p"),
            child_thread_id=ThreadId("c"),
            status="closed",
            origin="provider_native",
            run_id=RunId("p/1"),
            call_id="strong",
            at=at(3),
            evidence="database: a table",
        )
    ]


async def test_the_batchs_spawns_come_after_the_threads_own(store: ThreadGraph) -> None:
    """With the same proof the later statement counts."""
    await store.record(
        Batch(threads=(spawned("c", "p", status="closed"),), spawns=(spawn("c", "p"),))
    )

    [edge] = await spawn_edges_of(store, "p")
    assert edge.status == "open"


async def test_a_record_without_edges_leaves_what_is_known(store: ThreadGraph) -> None:
    """It says nothing about them."""
    await tell(store, spawned("c", "p"), forked("f", "p", "p/1"), reviewing("r", "p"))

    await tell(store, thread("c"), thread("f"), thread("r"))

    found = await store.threads_by_id(ids("c", "f", "r"))
    assert {thread_id: row.parent_thread_id for thread_id, row in found.items()} == {
        "c": "p",
        "f": "p",
        "r": "p",
    }


async def test_other_edges_are_replaced_by_proof_alike(store: ThreadGraph) -> None:
    """A weaker proof replaces no fork, and at least the same one any other edge."""
    first = thread(
        "a",
        fork=forked("a", "f1").fork,
        child_of=reviewing("a", "p1").child_of,
        history_base=HistoryBaseRecord(thread_id=ThreadId("b1"), end_ordinal=1, evidence=SEEN),
    )
    await tell(store, first)

    await tell(
        store,
        thread(
            "a",
            fork=forked("a", "f2", edge={"evidence": INFERRED}).fork,
            child_of=ParentRecord(parent_thread_id=ThreadId("p2"), evidence=SEEN),
            history_base=HistoryBaseRecord(thread_id=ThreadId("b2"), evidence=DATABASE),
        ),
    )

    found = (await store.threads_by_id(ids("a")))[ThreadId("a")]
    origin = (await store.fork_origins(ids("a")))[ThreadId("a")]
    assert (found.parent_thread_id, origin.thread_id) == ("p2", "f1")
    assert await store.history_bases(ids("a")) == {
        "a": HistoryBase(thread_id=ThreadId("b2"), end_ordinal=None)
    }


async def test_a_fork_is_read_back_whole(store: ThreadGraph) -> None:
    """An attached fork names the thread that owns it."""
    await tell(store, forked("f", "s", edge={"attached": True, "at": at(4)}))

    assert await store.fork_origins(ids("f", "s")) == {
        "f": ForkOrigin(
            thread_id=ThreadId("s"),
            point=None,
            context_only=False,
            attached=True,
            at=at(4),
            evidence="file: a line of a transcript",
        )
    }
    found = (await store.threads_by_id(ids("f")))[ThreadId("f")]
    assert found.attached_to_thread_id == "s"


async def test_a_later_fork_takes_the_attachment_away(store: ThreadGraph) -> None:
    """It is a fact of the edge that is kept."""
    await tell(store, forked("f", "s", edge={"attached": True}))

    await tell(store, forked("f", "s"))

    found = (await store.threads_by_id(ids("f")))[ThreadId("f")]
    assert found.attached_to_thread_id is None


async def test_all_edges_of_a_thread_stand_side_by_side(store: ThreadGraph) -> None:
    """None is inferred from another; the parent is the spawner before all others."""
    everything = thread(
        "a",
        spawn=spawn("a", "spawner"),
        child_of=reviewing("a", "reviewed").child_of,
        fork=forked("a", "source").fork,
        history_base=HistoryBaseRecord(thread_id=ThreadId("base"), evidence=SEEN),
    )

    await tell(store, everything)

    found = (await store.threads_by_id(ids("a")))[ThreadId("a")]
    above = await store.ancestors(ids("a"))
    assert (found.parent_thread_id, found.agent_parent_thread_id) == ("spawner", "spawner")
    assert found.relationship_to_parent is Relationship.SUBAGENT
    assert [row.thread_id for row in above[ThreadId("a")]] == ["reviewed", "source", "spawner"]


# ── Spawning calls ──────────────────────────────────────────────────────────────────────


def call(**known: Any) -> SpawnCallRecord:  # noqa: ANN401 - any field of a call
    """A spawning call in run ``p/1``."""
    return msgspec.structs.replace(
        SpawnCallRecord(run_id=RunId("p/1"), call_id="the-call", at=at(7)), **known
    )


CALLS = {
    "by its id": call(child_thread_id=ThreadId("c")),
    "by its path": call(agent_path="/root/c"),
}


@pytest.mark.parametrize("named", CALLS)
@pytest.mark.parametrize("order", ["parent first", "child first", "together"])
async def test_a_call_tells_the_edge_where_it_came_from(
    store: ThreadGraph, named: str, order: str
) -> None:
    """The child is named by its id or by its agent path, and either may be there first."""
    parent = thread("p", spawn_calls=(CALLS[named],))
    child = spawned("c", "p", agent_path="/root/c")
    batches = {
        "parent first": [(parent,), (child,)],
        "child first": [(child,), (parent,)],
        "together": [(child, parent)],
    }[order]

    for records in batches:
        await tell(store, *records)

    [edge] = await spawn_edges_of(store, "p")
    assert (edge.run_id, edge.call_id, edge.at) == ("p/1", "the-call", at(7))


async def test_a_call_fills_in_only_what_the_edge_lacks(store: ThreadGraph) -> None:
    """What an edge states itself is better known."""
    await tell(store, thread("p", spawn_calls=(CALLS["by its id"],)))

    await tell(store, spawned("c", "p", edge={"run_id": RunId("p/2")}))

    [edge] = await spawn_edges_of(store, "p")
    assert (edge.run_id, edge.call_id, edge.at) == ("p/2", "the-call", at(7))


async def test_a_call_makes_no_edge(store: ThreadGraph) -> None:
    """A child that is named by a call alone is not even known."""
    await tell(store, thread("p", spawn_calls=(CALLS["by its id"],)))

    assert await spawn_edges_of(store, "p") == []
    assert await store.threads_by_id(ids("c")) == {}


async def test_a_later_edge_takes_the_place_of_a_call(store: ThreadGraph) -> None:
    """What a call filled in does not stand in the way of what an edge states later."""
    await tell(store, thread("p", spawn_calls=(CALLS["by its id"],)))
    await tell(store, spawned("c", "p", edge={"evidence": DATABASE}))

    await tell(store, spawned("c", "p", edge={"run_id": RunId("p/9")}))

    [edge] = await spawn_edges_of(store, "p")
    assert (edge.run_id, edge.call_id) == ("p/9", "the-call")


async def test_a_call_that_names_the_child_goes_before_one_that_names_its_path(
    store: ThreadGraph,
) -> None:
    """Of several of a kind the first by time counts, one without a time is the last."""
    calls = (
        call(call_id="path", agent_path="/root/c", at=at(0)),
        call(call_id="timeless", child_thread_id=ThreadId("c"), at=None),
        call(call_id="late", child_thread_id=ThreadId("c"), at=at(8)),
        call(call_id="early", child_thread_id=ThreadId("c"), at=at(2)),
        call(call_id="another", child_thread_id=ThreadId("d"), at=at(1)),
    )
    await tell(store, thread("p", spawn_calls=calls[:2]), spawned("c", "p", agent_path="/root/c"))

    await tell(store, thread("p", spawn_calls=calls[2:]))

    [edge] = await spawn_edges_of(store, "p")
    assert (edge.call_id, edge.at) == ("early", at(2))


async def test_calls_are_never_forgotten(store: ThreadGraph) -> None:
    """A later record of the parent without them takes none away; the child may come last."""
    await tell(store, thread("p", spawn_calls=(CALLS["by its path"],)))
    await tell(store, thread("p", runs=(run("p/1", 1),)))
    await tell(store, spawned("c", "p"))

    await tell(store, thread("c", agent_path="/root/c"))

    [edge] = await spawn_edges_of(store, "p")
    assert edge.call_id == "the-call"
