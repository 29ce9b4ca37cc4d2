"""Random questions about random worlds: a store answers what the model answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from graph.errors import ThreadNotFound
from tests.conformance.answers import differences, plain
from tests.conformance.histories import Teller, World
from tests.conformance.questions import Asker
from tests.memory_store import MemoryStore

if TYPE_CHECKING:
    from graph.questions import LineageQuestion
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

WORLD = World("w")
ROUNDS = 15


@pytest.mark.parametrize("number", range(4))
async def test_any_question_is_answered_as_by_the_model(store: ThreadGraph, number: int) -> None:
    """Any filter, order, direction, bound and page size, over whatever was told."""
    model = MemoryStore()
    for batch in (
        Teller(WORLD, number).batch(WORLD.thread_ids[:4]),
        Teller(WORLD, number + 1_000).batch(WORLD.thread_ids[2:5]),
    ):
        await model.record(batch)
        await store.record(batch)

    for question in range(ROUNDS):
        found = await ask(store, Asker(WORLD, question))
        expected = await ask(model, Asker(WORLD, question))
        assert list(differences(found, expected)) == [], f"question {question}"


async def ask(store: ThreadGraph, asker: Asker) -> list[Any]:
    """What a store answers to one question of each sort."""
    ids, run_ids = WORLD.thread_ids, WORLD.run_ids
    listing, lineage = asker.threads(), asker.lineage(asker.thread_id())
    below, children = asker.descendants(), asker.children()
    status, child = asker.maybe("open", 0.5), asker.maybe(asker.thread_id(), 0.5)
    rolled_back = asker.dice.random() < 0.5
    part: dict[str, Any] = {
        "first": asker.first(),
        "after": asker.maybe(asker.dice.randrange(4), 0.5),
    }
    place = asker.history_place()
    family = await store.family(ids, asker.family())
    transfers, of_threads = asker.transfers(), asker.thread_transfers()
    return plain(
        [
            [family.threads, family.parents, family.roots, family.levels],
            await store.threads(listing),
            await store.count_threads(listing.filter),
            await store.ancestors(ids, children.kinds),
            await store.descendants(ids, below),
            await store.count_descendants(ids, below),
            await store.children(ids, children),
            await store.count_children(ids, children),
            await store.spawn_edges(ids, status=status, first=below.first, after=child),
            await store.count_spawn_edges(ids, status=status),
            await _lineage(store, lineage),
            await store.runs(ids, include_rolled_back=rolled_back, **part),
            await store.count_runs(ids, include_rolled_back=rolled_back),
            await store.history(
                ids, include_rolled_back=rolled_back, first=below.first, after=place
            ),
            await store.count_history(ids, include_rolled_back=rolled_back),
            await store.items(ids, **part),
            await store.items_of_runs(run_ids, **part),
            await store.count_items_of_runs(run_ids),
            await store.transfers(transfers),
            await store.count_transfers(transfers.filter),
            await store.thread_transfers(ids, of_threads),
            await store.count_thread_transfers(ids, of_threads),
        ]
    )


async def _lineage(store: ThreadGraph, question: LineageQuestion) -> list[Any]:
    try:
        answer = await store.lineage(question)
    except ThreadNotFound as error:
        return ["not found", error.thread_id]
    nodes = [msgspec.structs.replace(node, revision=0) for node in answer.nodes]
    root = answer.version.rpartition(":")[0]
    return [nodes, answer.edges, answer.truncated, answer.end, root]
