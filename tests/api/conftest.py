"""What the tests of the API share."""

from collections.abc import AsyncGenerator
from typing import cast

import pytest

from graph.store import ThreadGraph
from tests.api.asking import Client, CountingGraph, serving
from tests.api.families import FAMILY
from tests.memory_store import MemoryStore


@pytest.fixture
async def family() -> MemoryStore:
    """A graph that holds the family."""
    store = MemoryStore()
    await store.record(FAMILY)
    return store


@pytest.fixture
def counting(family: MemoryStore) -> CountingGraph:
    """The family's graph, with its calls counted."""
    return CountingGraph(family)


@pytest.fixture
async def client(counting: CountingGraph) -> AsyncGenerator[Client]:
    """A client of an application that answers from the counted graph."""
    async with serving(cast("ThreadGraph", counting)) as client:
        yield client
