"""When the graph is opened and closed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from api.app import build_app
from graph.errors import StoreAccessDenied, StoreUnavailable
from graph.neo4j_store import open_neo4j
from graph.store import ThreadGraph
from tests.api.asking import serving_app
from tests.conftest import Neo4jServer
from tests.memory_store import MemoryStore
from tests.neo4j_stores import address_of, run_cypher

pytestmark = pytest.mark.anyio


async def test_one_graph_is_opened_for_all_requests() -> None:
    """Before the first request, and it is closed when the service ends."""
    happened: list[str] = []

    @asynccontextmanager
    async def open_graph() -> AsyncGenerator[ThreadGraph]:
        happened.append("opened")
        yield MemoryStore()
        happened.append("closed")

    async with serving_app(build_app(open_graph=open_graph)) as client:
        happened.append("serving")
        for _ in range(3):
            await client.data('{ thread(threadId: "a") { title } }')
        happened.append("served")

    assert happened == ["opened", "serving", "served", "closed"]


async def test_a_service_does_not_start_without_its_graph() -> None:
    """A graph that can't be opened is told at the start, not to the first who asks."""

    @asynccontextmanager
    async def open_graph() -> AsyncGenerator[ThreadGraph]:
        raise StoreUnavailable("down")
        yield MemoryStore()

    with pytest.raises(StoreUnavailable):
        async with serving_app(build_app(open_graph=open_graph)):
            pytest.fail("it started")


async def test_the_driver_is_verified_before_anything_is_served(neo4j_server: Neo4jServer) -> None:
    """A wrong password keeps the service from starting."""
    address = address_of(Neo4jServer(neo4j_server.uri, neo4j_server.user, "wrong", "neo4j"))

    with pytest.raises(StoreAccessDenied):
        async with serving_app(build_app(open_graph=lambda: open_neo4j(address))):
            pytest.fail("it started")


async def test_requests_share_the_driver_and_its_connections(neo4j_server: Neo4jServer) -> None:
    """Requests after one another use the connection that is there, and none is left at the end."""
    address = address_of(neo4j_server)
    connections = (
        "CALL dbms.listConnections() YIELD userAgent WHERE userAgent = 'thread-lineage' "
        "RETURN count(*)"
    )

    async with serving_app(build_app(open_graph=lambda: open_neo4j(address))) as client:
        for _ in range(5):
            await client.data('{ thread(threadId: "a") { title } }')
        (serving,) = await run_cypher(neo4j_server, connections)
    (after,) = await run_cypher(neo4j_server, connections)

    assert (serving, after) == ([1], [0])
