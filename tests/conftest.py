"""Fixtures that every test may ask for: one Neo4j a session, and the newest release of it."""

from __future__ import annotations

import os
import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from neo4j import GraphDatabase

from graph.local_neo4j import ensure_running, lease, stop
from graph.neo4j_jars import Release
from tests.neo4j_stores import EMPTY

if TYPE_CHECKING:
    from collections.abc import Iterator

IDLE_SECONDS = 60.0

COUNT_DATA = "MATCH (n) WHERE NOT n:Migration AND NOT n:TurnLock RETURN count(n) AS count"


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """A running Neo4j: where it listens and who may enter."""

    uri: str
    user: str
    password: str
    database: str


def pytest_configure() -> None:
    """Let Ctrl-C reach the commands that tests start, also where the tests run in the background.

    A shell has its background jobs ignore the signal, and whatever they start inherits that.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Run asynchronous tests on asyncio alone, as the service does."""
    return "asyncio"


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    """One empty Neo4j for the session: the one at NEO4J_TEST_URI, else a local one."""
    uri = os.environ.get("NEO4J_TEST_URI")
    if uri:
        server = Neo4jServer(
            uri=uri,
            user=os.environ.get("NEO4J_TEST_USER", "neo4j"),
            password=os.environ.get("NEO4J_TEST_PASSWORD", ""),
            database=os.environ.get("NEO4J_TEST_DATABASE", "neo4j"),
        )
        _refuse_data(server)
        yield server
        _empty(server)
        return
    yield from _local(tmp_path_factory, Release.LONG_TERM)


def _refuse_data(server: Neo4jServer) -> None:
    """The tests empty the database that they use, so that it must not be somebody's."""
    if os.environ.get("NEO4J_TEST_EMPTY") == "yes":
        _empty(server)
    with _driver(server) as driver:
        found = driver.execute_query(COUNT_DATA, database_=server.database).records[0]["count"]
    if found:
        pytest.exit(
            f"The database at NEO4J_TEST_URI holds {found} nodes; the tests would delete them. "
            "Name an empty one, or set NEO4J_TEST_EMPTY=yes if nothing in it is needed.",
            returncode=pytest.ExitCode.USAGE_ERROR,
        )


def _empty(server: Neo4jServer) -> None:
    with _driver(server) as driver, driver.session(database=server.database) as session:
        session.run(EMPTY).consume()


def _driver(server: Neo4jServer) -> Any:  # noqa: ANN401 - the driver's settings are untyped
    return GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - as above
        server.uri, auth=(server.user, server.password)
    )


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
