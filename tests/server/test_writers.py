"""Several writers at once, which only a real server can answer."""

from __future__ import annotations

from itertools import count
from random import Random
from typing import TYPE_CHECKING

import anyio
import pytest

from graph.model import Evidence, Proof, RunId, ThreadId
from graph.records import Batch, ForkRecord, ParentRecord, Recorded, SpawnRecord, ThreadRecord
from tests.conformance.answers import answers, differences
from tests.conformance.histories import Grouping, Teller, World
from tests.conformance.told import SEEN, run, spawned, thread
from tests.memory_store import MemoryStore
from tests.neo4j_stores import open_empty, run_cypher

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterable

    from graph.neo4j_store import Neo4jStore
    from graph.store import ThreadGraph
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

worlds = count()


@pytest.fixture
async def store(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty store."""
    async with open_empty(neo4j_server) as opened:
        yield opened


async def write_at_once(store: ThreadGraph, writers: Iterable[Iterable[Batch]]) -> None:
    """Let several writers record their batches at the same time."""

    async def write(batches: Iterable[Batch]) -> None:
        for batch in batches:
            await store.record(batch)

    async with anyio.create_task_group() as group:
        for batches in writers:
            group.start_soon(write, batches)


async def test_facts_that_several_writers_tell_at_once_give_one_answer(
    store: Neo4jStore,
) -> None:
    """Each writer tells some threads of one world: nothing is overlooked, no deadlock escapes."""
    dice = Random(7)  # noqa: S311 - a test's dice
    for _ in range(5):
        world = World(f"w{next(worlds)}")
        places = dice.sample(range(6), 6)
        facts = tuple((place, dice.randrange(2**32)) for place in places)
        together, apart = Grouping(facts, frozenset(range(1, 6))).batches(world)
        model = MemoryStore()
        await model.record(together)

        await write_at_once(store, [[batch] for batch in apart])

        expected = await answers(model, world.thread_ids, world.run_ids)
        found = await answers(store, world.thread_ids, world.run_ids)
        assert list(differences(found, expected)) == []


async def test_a_child_that_is_attached_while_its_tree_moves_gets_the_new_root(
    store: Neo4jStore,
) -> None:
    """The race that a tree's lock is for: a late parent above, a new child below."""
    for turn in range(20):
        top, root, leaf, late = (f"{name}-{turn}" for name in ("top", "root", "leaf", "late"))
        await store.record(Batch(threads=(thread(top), thread(root), spawned(leaf, root))))

        await write_at_once(
            store,
            [
                [Batch(threads=(spawned(root, top),))],
                [Batch(threads=(spawned(late, leaf),))],
            ],
        )

        [found] = (await store.threads_by_id([ThreadId(late)])).values()
        assert (found.root_thread_id, found.depth, found.session_id) == (top, 3, top)


async def test_trees_stand_right_after_any_storm_of_moves(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """Roots, depths and sessions are what the model makes of the edges that are left."""
    world = World(f"w{next(worlds)}")

    await write_at_once(store, [_moves(world, writer) for writer in range(5)])

    model = MemoryStore()
    await model.record(await _edges_left(neo4j_server, world))
    expected = await model.threads_by_id(world.thread_ids)
    found = await store.threads_by_id(world.thread_ids)
    assert {
        thread_id: (row.root_thread_id, row.depth, row.parent_thread_id, row.session_id)
        for thread_id, row in found.items()
    } == {
        thread_id: (row.root_thread_id, row.depth, row.parent_thread_id, row.session_id)
        for thread_id, row in expected.items()
    }


async def test_a_placeholder_that_many_need_at_once_is_made_once(store: Neo4jStore) -> None:
    """Whoever comes second finds it."""
    children = [f"child-{number}" for number in range(10)]

    await write_at_once(
        store, [[Batch(threads=(spawned(child, "nobody"),))] for child in children]
    )

    found = await store.threads_by_id([ThreadId(child) for child in children])
    assert {row.root_thread_id for row in found.values()} == {"nobody"}


async def test_a_thread_that_two_drivers_claim_at_once_is_one_drivers(store: Neo4jStore) -> None:
    """The other one is told of the conflict."""
    recorded: list[Recorded] = []

    async def claim(driver: str) -> None:
        recorded.append(await store.record(Batch(threads=(thread("a", driver=driver),))))

    async with anyio.create_task_group() as group:
        for driver in ("codex", "pi", "claude"):
            group.start_soon(claim, driver)

    assert sorted((answer.written, len(answer.conflicts)) for answer in recorded) == [
        (0, 1),
        (0, 1),
        (1, 0),
    ]


async def test_a_turn_and_who_names_it_find_each_other_when_told_at_once(
    store: Neo4jStore,
) -> None:
    """They share no tree: only the lock on the turn lets one see the other."""
    for turn in range(20):
        naming = run(f"c{turn}/x", 1, parent_native_turn_id=f"turn-{turn}")
        named = run(f"p{turn}/x", 1, native_turn_id=f"turn-{turn}")

        await write_at_once(
            store,
            [
                [Batch(threads=(thread(f"c{turn}", runs=(naming,)),))],
                [Batch(threads=(thread(f"p{turn}", runs=(named,)),))],
            ],
        )

        [found] = (await store.runs_by_id([RunId(f"c{turn}/x")])).values()
        assert found.parent_run_id == f"p{turn}/x"


def _moves(world: World, writer: int) -> Iterable[Batch]:
    """Batches in which threads get one parent after the other, also below themselves."""
    teller = Teller(world, writer)
    for _ in range(5):
        child = teller.thread_id()
        origin = teller.thread_id()
        match teller.dice.randrange(3):
            case 0:
                yield Batch(
                    spawns=(
                        SpawnRecord(child_thread_id=child, parent_thread_id=origin, evidence=SEEN),
                    )
                )
            case 1:
                fork = ForkRecord(source_thread_id=origin, evidence=SEEN)
                yield Batch(threads=(thread(child, fork=fork),))
            case _:
                parent = ParentRecord(parent_thread_id=origin, evidence=SEEN)
                yield Batch(threads=(thread(child, child_of=parent),))


async def _edges_left(server: Neo4jServer, world: World) -> Batch:
    """One batch that tells the edges which are in the graph."""
    rows = await run_cypher(
        server,
        "MATCH (c:Thread)-[e:SPAWNED_BY|FORKED_FROM|CHILD_OF]->(o:Thread) "
        "WHERE c.threadId IN $ids RETURN c.threadId, type(e), o.threadId",
        ids=world.thread_ids,
    )
    recorded = await run_cypher(
        server,
        "MATCH (t:Thread) WHERE t.threadId IN $ids AND t.recorded RETURN t.threadId",
        ids=world.thread_ids,
    )
    known = Evidence(Proof.COMMAND, "the graph")
    origins = {(str(child), str(kind)): ThreadId(str(origin)) for child, kind, origin in rows}

    def told(thread_id: ThreadId) -> ThreadRecord:
        fork = origins.get((thread_id, "FORKED_FROM"))
        parent = origins.get((thread_id, "CHILD_OF"))
        return thread(
            thread_id,
            fork=ForkRecord(source_thread_id=fork, evidence=known) if fork else None,
            child_of=ParentRecord(parent_thread_id=parent, evidence=known) if parent else None,
        )

    return Batch(
        threads=tuple(told(ThreadId(str(thread_id))) for [thread_id] in recorded),
        spawns=tuple(
            SpawnRecord(child_thread_id=ThreadId(child), parent_thread_id=origin, evidence=known)
            for (child, kind), origin in origins.items()
            if kind == "SPAWNED_BY"
        ),
    )
