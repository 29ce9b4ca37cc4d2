"""On which trees answers rest: while these stand as they stood, the answers are the same."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from graph.errors import ThreadNotFound
from graph.model import LineageEdge, Thread, ThreadId, TransferStatus
from graph.questions import (
    ChildrenQuestion,
    FamilyLevel,
    FamilyQuestion,
    LineageDirection,
    LineageQuestion,
)
from graph.records import Batch
from graph.standings import Standing, TreeNotes
from tests.conformance.histories import Teller, World
from tests.conformance.told import forked, handed, ids, item, run, spawned, tell, thread
from tests.neo4j_stores import EMPTY, open_empty, run_cypher

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator, Mapping

    from graph.neo4j_store import Neo4jStore
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

STEPS = 20
EDGES = set(LineageEdge.__struct_fields__) - {"point_at"}


@pytest.fixture
async def store(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty graph, whose edges are asked without the times of their source points."""
    async with open_empty(neo4j_server) as opened:
        yield opened.selecting({LineageEdge: EDGES})


def family_question(first: int = 50) -> FamilyQuestion:
    """Everything of parents, roots and two levels of children."""
    every = Thread.__struct_fields__
    level = FamilyLevel(children=ChildrenQuestion(first=first), fields=every)
    return FamilyQuestion(fields=every, parent=every, root=every, levels=[level, level])


def questions(thread_id: ThreadId, step: int) -> Iterator[LineageQuestion | FamilyQuestion]:
    """A whole lineage, one that is cut off, and relatives."""
    direction = list(LineageDirection)[step % 2]
    yield LineageQuestion(thread_id=thread_id)
    yield LineageQuestion(thread_id=thread_id, direction=direction, max_nodes=2)
    yield family_question(first=1)


async def asked(store: Neo4jStore, question: LineageQuestion | FamilyQuestion, *of: str) -> Any:  # noqa: ANN401 - either answer
    """The answer to a question, as plain values."""
    try:
        match question:
            case LineageQuestion():
                found = await store.lineage(question)
                answer: Any = [found.nodes, found.edges, found.truncated, found.end, found.version]
            case FamilyQuestion():
                family = await store.family(ids(*of), question)
                answer = [family.threads, family.parents, family.roots, family.levels]
    except ThreadNotFound:
        return "not found"
    return msgspec.to_builtins(answer, enc_hook=list)


async def noted(store: Neo4jStore, question: LineageQuestion | FamilyQuestion, *of: str) -> Noted:
    """The same, with what it rests on."""
    notes = TreeNotes(thorough=True)
    return Noted(await asked(store.noting(notes), question, *of), notes)


@dataclass(frozen=True, slots=True)
class Noted:
    """An answer and what it rests on."""

    answer: Any
    notes: TreeNotes

    def still_stands(self, found: Mapping[ThreadId, Standing]) -> bool:
        """Whether it has to be the answer still."""
        trees = self.notes.trees
        return self.notes.told and bool(trees) and all(found.get(at) == trees[at] for at in trees)


@pytest.mark.parametrize("number", range(2))
async def test_an_answer_stays_as_long_as_its_trees_stand_as_they_stood(
    store: Neo4jStore, number: int
) -> None:
    """Whatever is told: forks, spawns, cycles, moves, late parents, runs, hand-offs, items."""
    world = World(f"s{number}")
    known: dict[str, Noted] = {}
    stayed = 0
    for step in range(STEPS):
        teller = Teller(world, 1_000 * number + step)
        batch = teller.batch([teller.thread_id()])
        await store.record(with_few_links(batch, world, step) if step % 3 else batch)
        found = await store.standings(world.thread_ids)
        for thread_id in world.thread_ids:
            for question in questions(thread_id, step):
                name = f"{thread_id} {question}"
                old, new = known.get(name), await noted(store, question, thread_id)
                if old is not None and old.still_stands(found):
                    stayed += 1
                    assert old.answer == new.answer, name
                known[name] = new

    assert stayed > STEPS, "the history left nothing to compare"


def with_few_links(batch: Batch, world: World, step: int) -> Batch:
    """The same batch with few links, so that there are trees beside each other."""
    threads = tuple(
        msgspec.structs.replace(
            record,
            fork=record.fork if step % 6 == 1 else None,
            child_of=None,
            spawn=record.spawn if step % 6 == 2 else None,
            history_base=None,
        )
        for record in batch.threads
    )
    ends = world.thread_ids
    transfers = tuple(
        msgspec.structs.replace(
            transfer,
            source_thread_id=ends[step % len(ends)],
            target_thread_id=ends[step % len(ends)],
        )
        for transfer in batch.transfers
    )
    return msgspec.structs.replace(batch, threads=threads, spawns=(), transfers=transfers)


async def test_items_leave_an_answer_as_it_is(store: Neo4jStore) -> None:
    """No lineage shows them."""
    await tell(store, thread("a"), spawned("b", "a"))
    before = await noted(store, LineageQuestion(thread_id=ThreadId("a")))

    await store.append_items(ThreadId("b"), [item("i", 0)])

    assert before.still_stands(await store.standings(ids("a")))


@pytest.mark.parametrize(
    "record",
    [
        spawned("b", "a", title="new"),
        spawned("b", "a", runs=(run("r", 1),)),
        spawned("c", "b"),
        forked("c", "b"),
        forked("y", "b", edge={"context_only": True}, spawn=spawned("y", "x").spawn),
        thread("y", child_of=spawned("y", "x").spawn and None, fork=forked("y", "a").fork),
    ],
)
async def test_what_changes_a_tree_gives_it_another_standing(
    store: Neo4jStore,
    record: Any,  # noqa: ANN401 - a record
) -> None:
    """Its own threads, their runs, what is hung below them, also if it stays in another tree."""
    await tell(store, thread("a"), spawned("b", "a"), thread("x"))
    before = await noted(store, LineageQuestion(thread_id=ThreadId("a")))

    await tell(store, record)

    assert before.notes.told
    assert not before.still_stands(await store.standings(ids("a")))


async def test_a_hand_off_gives_both_trees_another_standing(store: Neo4jStore) -> None:
    """And what it goes through afterwards, too."""
    await tell(store, thread("a"), thread("x"))
    before = await store.standings(ids("a", "x"))

    await store.record(Batch(transfers=(handed("t", "a", "x"),)))
    between = await store.standings(ids("a", "x"))
    changed = handed("t", "a", "x", status=TransferStatus.FAILED)
    await store.record(Batch(transfers=(changed,)))
    after = await store.standings(ids("a", "x"))

    for name in ids("a", "x"):
        assert len({before[name], between[name], after[name]}) == 3


async def test_answers_of_several_trees_are_not_told_to_rest_on_one(store: Neo4jStore) -> None:
    """The other tree may change without this one."""
    await tell(store, thread("a"), thread("x"), spawned("y", "x"))
    await tell(store, forked("y", "a", edge={"context_only": True}, spawn=spawned("y", "x").spawn))

    lineage = await noted(store, LineageQuestion(thread_id=ThreadId("a")))
    family = await noted(store, family_question(), "a")

    assert (lineage.notes.told, family.notes.told) == (False, False)


async def test_what_rests_on_more_than_trees_is_not_told(store: Neo4jStore) -> None:
    """Times of source points, a later page, a cut by depth, an unknown id, any other question."""
    await tell(store, thread("a"), spawned("b", "a"), spawned("c", "b"))
    whole = LineageQuestion(thread_id=ThreadId("a"))
    page = await store.lineage(replace(whole, max_nodes=1))
    with_points = store.selecting({})

    answers = [
        await noted(store, replace(whole, after=page.end)),
        await noted(store, replace(whole, max_depth=1)),
        await noted(with_points, whole),
        await noted(store, family_question(), "a", "unknown"),
    ]
    notes = TreeNotes(thorough=True)
    await store.noting(notes).ancestors(ids("a"))

    assert [answer.notes.told for answer in answers] == [False] * 4
    assert not notes.told


async def test_a_graph_that_was_emptied_stands_in_another_way(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """The numbers of its revisions begin anew."""
    await tell(store, thread("a"))
    before = await store.standings(ids("a"))
    await run_cypher(neo4j_server, EMPTY)

    await tell(store, thread("a"))

    after = await store.standings(ids("a"))
    assert after[ThreadId("a")].revision == before[ThreadId("a")].revision
    assert after != before


async def test_trees_of_an_earlier_release_do_not_tell_how_they_stand(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """Until they are written to: then they have an id."""
    await tell(store, thread("a"))
    await run_cypher(neo4j_server, "MATCH (t:Thread) REMOVE t.revisionId")

    before = await noted(store, LineageQuestion(thread_id=ThreadId("a")))
    unknown = await store.standings(ids("a"))
    await tell(store, thread("a", title="new"))

    assert (before.notes.told, unknown) == (False, {})
    assert len(await store.standings(ids("a"))) == 1


async def test_a_thread_by_id_rests_on_its_tree(store: Neo4jStore) -> None:
    """With the same answer as without notes."""
    await tell(store, thread("a"), spawned("b", "a"))
    notes = TreeNotes(thorough=True)

    found = await store.noting(notes).threads_by_id(ids("b"))

    assert found == await store.threads_by_id(ids("b"))
    assert (notes.told, list(notes.trees)) == (True, ids("a"))
