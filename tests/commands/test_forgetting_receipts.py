"""How long a command is known: as long as its receipt is kept."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from graph.model import Timestamp
from graph.neo4j_store import Neo4jStore
from resolvers.carry_out import Accepted, Command, carry_out
from resolvers.forget_receipts import forget_receipts, keep_forgetting_receipts
from tests.conftest import Neo4jServer
from tests.server.profiling import profiling

pytestmark = pytest.mark.anyio

START = datetime(2026, 1, 1, tzinfo=UTC)


REMOVING_TWO, FINDING_NONE = 40, 5
"""The most that may be read, in database hits."""


def timestamp(at: datetime) -> Timestamp:
    """A time as it is stored."""
    return Timestamp(at.replace(tzinfo=None).isoformat(timespec="microseconds") + "Z")


def after(days: float) -> datetime:
    """A time some days after the first."""
    return START + timedelta(days=days)


async def send(graph: Neo4jStore, command_id: str, day: float) -> bool:
    """Send a command on a day; whether it was known already."""

    async def work(*_: object) -> dict[str, Any]:
        return {}

    command = Command(command_id=command_id, name="test", body={})  # pyright: ignore[reportArgumentType] - a plain id
    came_to = await carry_out(graph, command, work, clock=lambda: after(day))
    assert isinstance(came_to, Accepted)
    return came_to.replayed


async def test_a_command_is_new_again_once_its_receipt_is_too_old(graph: Neo4jStore) -> None:
    """What is younger is still known; of batches it takes as many as there are."""
    for day in range(7):
        await send(graph, f"c{day}", day)

    forgotten = await forget_receipts(graph, days=90, clock=lambda: after(94), batch=2)

    assert forgotten == 4
    assert [await send(graph, f"c{day}", 94) for day in range(7)] == [False] * 4 + [True] * 3
    assert await forget_receipts(graph, days=90, clock=lambda: after(94), batch=2) == 0


async def test_receipts_go_while_the_service_runs(graph: Neo4jStore) -> None:
    """After each pause, by the clock of then; the pauses are what it waits by."""
    for day in range(3):
        await send(graph, f"c{day}", day)
    days = iter((91.0, 92.0))

    class Over(Exception):
        """The test has seen enough."""

    async def pause() -> None:
        nonlocal today
        day = next(days, None)
        if day is None:
            raise Over
        today = day

    today = 0.0
    with pytest.raises(Over):
        await keep_forgetting_receipts(graph, days=90, clock=lambda: after(today), pause=pause)

    left = [await send(graph, f"c{day}", 93) for day in range(3)]
    assert left == [False, False, True]


async def test_what_is_kept_costs_nothing_when_old_receipts_go(
    graph: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """The index gives the oldest alone: a batch costs by what it removes."""
    for day in range(40):
        await send(graph, f"c{day}", day)

    async with profiling(neo4j_server) as runner:
        store = Neo4jStore(runner)
        gone = await store.forget_receipts(timestamp(after(3)), most=2)
        none = await store.forget_receipts(timestamp(START), most=2)

    assert (gone, none) == (2, 0)
    removing, finding = runner.plans
    assert removing.hits <= REMOVING_TWO
    assert finding.hits <= FINDING_NONE
