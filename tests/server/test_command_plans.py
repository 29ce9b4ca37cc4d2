"""What commands cost: by what they do, not by how much a thread holds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from graph.commands import CommandId
from graph.model import RunId, ThreadId
from graph.neo4j_store import Neo4jStore
from graph.records import Batch, ItemsRecord
from graph.transfers import Provider
from resolvers.carry_out import Accepted, Command
from resolvers.fork_thread import ForkWish, fork_thread
from resolvers.start_context import StartWish, resolve_start_context
from tests.conformance.told import item, thread, turned
from tests.neo4j_stores import count_indexes, open_empty, run_cypher
from tests.server.profiling import profiling

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Mapping

    from resolvers.carry_out import Refusal
    from tests.conftest import Neo4jServer
    from tests.server.profiling import ProfilingRunner

pytestmark = pytest.mark.anyio

ITEMS = 100_000

# As importing would, but in one go.
FILL = """UNWIND range(1, $last) AS number
CREATE (:Item {itemId: 'full/' + number, threadId: 'full', runId: 'full/t', position: number,
  kind: 'message', role: 'user', text: 'x', textBytes: 1, truncated: false})"""
COUNT = "MATCH (t:Thread {threadId: 'full'}) SET t.itemCount = $last + 1"

Cost = tuple[list[str], int]
"""The statements of a command, and what they read together, in database hits."""


@pytest.fixture
async def runner(neo4j_server: Neo4jServer) -> AsyncGenerator[ProfilingRunner]:
    """A graph with three threads of one run each: ``empty``, ``short`` with one item, ``full``."""
    async with open_empty(neo4j_server) as store, profiling(neo4j_server) as profiled:
        for name in ("empty", "short", "full"):
            said = item(f"{name}/0", 0, run_id=RunId(f"{name}/t"), role="user", text="x")
            record = thread(
                name,
                native_thread_id=f"native-{name}",
                history_mode="legacy",
                runs=(turned(name, "t", 1),),
                items=ItemsRecord(items=() if name == "empty" else (said,)),
            )
            await store.record(Batch(threads=(record,)))
        await run_cypher(neo4j_server, FILL, last=ITEMS - 1)
        await run_cypher(neo4j_server, COUNT, last=ITEMS - 1)
        await count_indexes(neo4j_server)
        yield profiled


async def fork(runner: ProfilingRunner, source: str) -> Cost:
    """What a fork costs."""
    wish = ForkWish(
        source_thread_id=ThreadId(source), target_thread_id=ThreadId(f"fork of {source}")
    )
    command = Command(command_id=CommandId(f"fork {source}"), name="forkThread", body={})
    cost, _ = await cost_of(runner, fork_thread(Neo4jStore(runner), command, wish, clock=clock))
    return cost


async def start(runner: ProfilingRunner, source: str) -> tuple[Cost, Mapping[str, Any]]:
    """What the first start of such a fork costs, and what it is based on."""
    wish = StartWish(
        thread_id=ThreadId(f"fork of {source}"),
        message="Go on.",
        provider=Provider(instance_id="codex", driver="codex"),
    )
    command = Command(command_id=CommandId(f"start {source}"), name="resolveStartContext", body={})
    resolved = resolve_start_context(Neo4jStore(runner), command, wish, clock=clock)
    cost, outcome = await cost_of(runner, resolved)
    return cost, outcome.made


async def cost_of(
    runner: ProfilingRunner, outcome: Awaitable[Accepted | Refusal]
) -> tuple[Cost, Accepted]:
    """What a command costs, and that it was done."""
    before = len(runner.plans)
    came_to = await outcome
    assert isinstance(came_to, Accepted), came_to
    plans = runner.plans[before:]
    return ([plan.statement for plan in plans], sum(plan.hits for plan in plans)), came_to


def clock() -> datetime:
    """Always the same time."""
    return datetime(2026, 1, 1, tzinfo=UTC)


async def test_a_fork_and_its_native_start_cost_the_same_however_much_its_source_holds(
    runner: ProfilingRunner,
) -> None:
    """No statement and no database hit more for 100,000 items than for none, or for one.

    The provider has the history: nobody reads it to begin.
    """
    forks = [await fork(runner, source) for source in ("empty", "short", "full")]
    of_short, short = await start(runner, "short")
    of_full, full = await start(runner, "full")

    assert forks == [forks[0]] * 3
    assert of_full == of_short
    assert [made["base"]["kind"] for made in (short, full)] == ["NATIVE_FORK"] * 2
