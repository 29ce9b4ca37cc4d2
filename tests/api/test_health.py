"""Whether the service runs, and whether it can answer."""

from typing import cast

import anyio
import pytest

from api import health
from graph.errors import StoreUnavailable
from graph.store import ThreadGraph
from tests.api.asking import Client, FailingGraph, serving
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


class SleepingGraph(MemoryStore):
    """A graph that never answers."""

    async def has_threads(self) -> bool:
        """Wait for ever."""
        await anyio.sleep_forever()
        return False


async def test_a_service_that_answers_is_live_and_ready(client: Client) -> None:
    """Live says nothing of the graph, ready asks it."""
    live, ready = await client.get("/health/live"), await client.get("/health/ready")

    assert (live.status_code, live.json()) == (200, {"status": "live"})
    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})


async def test_a_service_without_its_graph_is_live_and_not_ready() -> None:
    """Nothing of the cause is told."""
    failing = FailingGraph(StoreUnavailable("bolt://inside"))

    async with serving(cast("ThreadGraph", failing)) as client:
        live, ready = await client.get("/health/live"), await client.get("/health/ready")

    assert live.status_code == 200
    assert (ready.status_code, ready.json()) == (503, {"status": "unavailable"})


async def test_a_graph_that_hangs_is_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question has a time limit of its own."""
    monkeypatch.setattr(health, "READY_WITHIN_SECONDS", 0.01)

    async with serving(SleepingGraph()) as client:
        ready = await client.get("/health/ready")

    assert ready.status_code == 503
