"""What commands cost: by what they do, not by how much a thread holds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from graph.commands import CommandId
from graph.model import ThreadId
from graph.neo4j_store import Neo4jStore
from graph.records import Batch, ItemsRecord
from resolvers.carry_out import Accepted, Command
from resolvers.fork_thread import ForkWish, fork_thread
from tests.conformance.told import item, thread, turned
from tests.neo4j_stores import count_indexes, open_empty
from tests.server.profiling import profiling

if TYPE_CHECKING:
    from tests.conftest import Neo4jServer
    from tests.server.profiling import ProfilingRunner

pytestmark = pytest.mark.anyio

ITEMS = 5_000


async def fork(runner: ProfilingRunner, source: str) -> tuple[list[str], int]:
    """The statements of a fork, and what they read together, in database hits."""
    before = len(runner.plans)
    wish = ForkWish(source_thread_id=ThreadId(source))
    command = Command(command_id=CommandId(f"fork {source}"), name="forkThread", body={})
    outcome = await fork_thread(
        Neo4jStore(runner), command, wish, clock=lambda: datetime(2026, 1, 1, tzinfo=UTC)
    )
    assert isinstance(outcome, Accepted), outcome
    plans = runner.plans[before:]
    return [plan.statement for plan in plans], sum(plan.hits for plan in plans)


async def test_a_fork_costs_the_same_however_much_its_source_holds(
    neo4j_server: Neo4jServer,
) -> None:
    """The same statements, and no more database hits for thousands of items than for none."""
    items = tuple(item(f"full/{n}", n, text="x") for n in range(ITEMS))
    async with open_empty(neo4j_server) as store, profiling(neo4j_server) as runner:
        for name, held in (("empty", ()), ("full", items)):
            record = thread(name, runs=(turned(name, "t", 1),), items=ItemsRecord(items=held))
            await store.record(Batch(threads=(record,)))
        await count_indexes(neo4j_server)
        of_empty = await fork(runner, "empty")
        of_full = await fork(runner, "full")

    assert of_full == of_empty
