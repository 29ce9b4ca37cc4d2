"""The stores that every promise is tested against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.memory_store import MemoryStore
from tests.neo4j_stores import open_empty

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from graph.store import ThreadGraph

NEO4J_SERVERS = ("neo4j_server", "neo4j_newest_server")


@pytest.fixture(params=["memory", *NEO4J_SERVERS])
async def store(request: pytest.FixtureRequest) -> AsyncGenerator[ThreadGraph]:
    """An empty store: the model, and Neo4j in both releases."""
    if request.param == "memory":
        yield MemoryStore()
        return
    async with open_empty(request.getfixturevalue(request.param)) as opened:
        yield opened
