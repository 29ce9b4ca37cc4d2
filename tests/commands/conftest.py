"""What the tests of commands share: a service over an empty Neo4j, told by GraphQL."""

from collections.abc import AsyncGenerator

import pytest

from graph.neo4j_store import Neo4jStore
from tests.api.asking import serving
from tests.commands.telling import Teller
from tests.conftest import Neo4jServer
from tests.neo4j_stores import open_empty


@pytest.fixture
async def graph(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty graph."""
    async with open_empty(neo4j_server) as opened:
        yield opened


@pytest.fixture
async def teller(graph: Neo4jStore) -> AsyncGenerator[Teller]:
    """Who sends commands to a service over that graph."""
    async with serving(graph) as client:
        yield Teller(client)
