"""Random histories through a store and through the model: every answer is the same."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from tests.conformance.answers import answers, differences
from tests.conformance.histories import World, groupings, histories
from tests.memory_store import MemoryStore

if TYPE_CHECKING:
    from graph.store import ThreadGraph
    from tests.conformance.histories import Grouping, Step

pytestmark = pytest.mark.anyio

# One store serves all examples: each lives in a world of its own.
worlds = count()
SETTINGS = settings(
    max_examples=20,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@SETTINGS
@given(history=histories)
async def test_any_history_gives_the_answers_of_the_model(
    store: ThreadGraph, history: list[Step]
) -> None:
    """Forks, spawns, late parents, cycles, repeats, rollbacks: all answers after each batch."""
    world = World(f"w{next(worlds)}")
    model = MemoryStore()

    for step in history:
        batch = step.batch(world)
        assert await store.record(batch) == await model.record(batch)

    expected = await answers(model, world.thread_ids, world.run_ids, world.transfer_ids)
    found = await answers(store, world.thread_ids, world.run_ids, world.transfer_ids)
    assert list(differences(found, expected)) == []


@SETTINGS
@given(grouping=groupings)
async def test_the_answers_do_not_depend_on_order_and_grouping(
    store: ThreadGraph, grouping: Grouping
) -> None:
    """The same facts in any order and any batches give what one batch of them gives."""
    world = World(f"w{next(worlds)}")
    together, apart = grouping.batches(world)
    model = MemoryStore()

    await model.record(together)
    for batch in apart:
        await store.record(batch)

    expected = await answers(model, world.thread_ids, world.run_ids, world.transfer_ids)
    found = await answers(store, world.thread_ids, world.run_ids, world.transfer_ids)
    assert list(differences(found, expected)) == []
