"""What the tests of the API share."""

from collections.abc import AsyncGenerator
from typing import cast

import pytest

from graph.neo4j_store import Neo4jStore
from graph.store import ThreadGraph
from tests.api import asking
from tests.api.asking import Client, CountingGraph, serving
from tests.api.families import FAMILY
from tests.conftest import Neo4jServer
from tests.memory_store import MemoryStore
from tests.neo4j_stores import open_empty


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run each test that asks the application twice: with compiled selections and without."""
    module = cast("object", metafunc.module)  # pyright: ignore[reportUnknownMemberType] - untyped
    clients = {"client", "neo4j_client"}.intersection(metafunc.fixturenames)
    asks = bool(clients) or hasattr(module, "serving")
    if asks and not hasattr(module, "ASKS_BOTH_WAYS"):
        metafunc.fixturenames.insert(0, "way_of_answering")  # before the applications start
        ways = [pytest.param(True, id="compiled"), pytest.param(False, id="ordinary")]
        metafunc.parametrize("way_of_answering", ways, indirect=True)


@pytest.fixture
def way_of_answering(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether the applications of a test compile selections."""
    monkeypatch.setattr(asking, "COMPILED", request.param)


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


@pytest.fixture
async def neo4j_graph(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty graph in Neo4j."""
    async with open_empty(neo4j_server) as opened:
        yield opened


@pytest.fixture
async def neo4j_client(neo4j_graph: Neo4jStore) -> AsyncGenerator[Client]:
    """A client of an application that answers from that graph."""
    async with serving(neo4j_graph) as client:
        yield client
