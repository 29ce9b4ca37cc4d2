"""Fixtures that every test may ask for: one Neo4j a session, and the newest release of it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from graph.local_neo4j import ensure_running, lease, stop
from graph.neo4j_jars import Release

if TYPE_CHECKING:
    from collections.abc import Iterator

IDLE_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """A running Neo4j: where it listens and who may enter."""

    uri: str
    user: str
    password: str
    database: str


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio alone, as the service does."""
    return "asyncio"


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """One empty Neo4j for the session; NEO4J_TEST_URI takes another, which is used as it is."""
    uri = os.environ.get("NEO4J_TEST_URI")
    if uri:
        yield Neo4jServer(
            uri=uri,
            user=os.environ.get("NEO4J_TEST_USER", "neo4j"),
            password=os.environ.get("NEO4J_TEST_PASSWORD", ""),
            database=os.environ.get("NEO4J_TEST_DATABASE", "neo4j"),
        )
        return
    yield from _local(tmp_path_factory, Release.LONG_TERM)


@pytest.fixture(scope="session")
def neo4j_newest_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """One empty Neo4j of the newest release for the whole session, for the store's promises."""
    yield from _local(tmp_path_factory, Release.NEWEST)


def _local(tmp_path_factory: pytest.TempPathFactory, release: Release) -> Iterator[Neo4jServer]:
    data_dir = tmp_path_factory.mktemp(f"neo4j-{release}")
    server = ensure_running(data_dir, idle_seconds=IDLE_SECONDS, release=release)
    try:
        with lease(server):
            yield Neo4jServer(server.uri, server.user, server.password, server.database)
    finally:
        stop(data_dir)
