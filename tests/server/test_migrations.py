"""Migrations of a real graph: all of them once, whoever comes at the same time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
import pytest

from graph.errors import SchemaChanged, SchemaTooNew
from graph.migrations import load_migrations, migrate
from graph.neo4j_store import open_neo4j
from tests.neo4j_stores import EMPTY, address_of, run_cypher

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from graph.neo4j_store import Neo4jStore
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

ALL = len(load_migrations())


@pytest.fixture
async def server(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jServer]:
    """A server whose graph has no schema, and gets it back at the end."""
    await _undo(neo4j_server)
    yield neo4j_server
    await _undo(neo4j_server)
    async with open_neo4j(address_of(neo4j_server), warn=True) as store:
        await migrate(store.runner)


@pytest.fixture
async def store(server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """A store over it. That something is there already is what the server remarks here."""
    async with open_neo4j(address_of(server)) as opened:
        yield opened


async def _undo(server: Neo4jServer) -> None:
    await run_cypher(server, EMPTY)
    await run_cypher(server, "MATCH (n) DETACH DELETE n")
    for [name] in await run_cypher(server, "SHOW CONSTRAINTS YIELD name"):
        await run_cypher(server, f"DROP CONSTRAINT {name}")
    indexes = await run_cypher(
        server, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP' RETURN name"
    )
    for [name] in indexes:
        await run_cypher(server, f"DROP INDEX {name}")


async def _remembered(server: Neo4jServer) -> list[object]:
    rows = await run_cypher(
        server, "MATCH (m:Migration) WHERE m.number > 0 RETURN m.number ORDER BY m.number"
    )
    return [number for [number] in rows]


async def test_an_empty_graph_gets_the_whole_schema(
    server: Neo4jServer, store: Neo4jStore
) -> None:
    """Every constraint and index that a file names is there, and can be used at once."""
    count = await migrate(store.runner)

    found = await run_cypher(
        server,
        "SHOW INDEXES YIELD name, type, state WHERE type <> 'LOOKUP' RETURN name, state "
        "ORDER BY name",
    )
    named = sorted(
        at.statement.text.split()[at.statement.text.split().index("IF") - 1]
        for at in load_migrations()
        if at.changes_schema
    )
    assert count == ALL
    assert found == [[name, "ONLINE"] for name in sorted([*named, "migration_number"])]
    assert await _remembered(server) == list(range(1, ALL + 1))


async def test_a_second_start_finds_nothing_to_do(store: Neo4jStore) -> None:
    """It only looks."""
    await migrate(store.runner)

    assert await migrate(store.runner) == 0


async def test_services_that_start_at_once_migrate_once(
    server: Neo4jServer, store: Neo4jStore
) -> None:
    """The first one applies all; the others wait, and find nothing left."""
    counts: list[int] = []

    async def start() -> None:
        counts.append(await migrate(store.runner))

    async with anyio.create_task_group() as group:
        for _ in range(4):
            group.start_soon(start)

    assert sorted(counts) == [0, 0, 0, ALL]
    assert await _remembered(server) == list(range(1, ALL + 1))


async def test_a_service_that_died_in_between_is_followed_by_one_that_ends_it(
    server: Neo4jServer, store: Neo4jStore
) -> None:
    """What was changed and not remembered is changed again, to no effect."""
    await migrate(store.runner)
    await run_cypher(server, "MATCH (m:Migration) WHERE m.number > 3 DELETE m")

    assert await migrate(store.runner) == ALL - 3
    assert await _remembered(server) == list(range(1, ALL + 1))


async def test_a_graph_of_a_newer_version_is_refused(
    server: Neo4jServer, store: Neo4jStore
) -> None:
    """The error says which version is there and which is known; nothing is changed."""
    await migrate(store.runner)
    await run_cypher(server, "CREATE (:Migration {number: $next, checksum: 'x'})", next=ALL + 1)

    with pytest.raises(SchemaTooNew) as refused:
        await migrate(store.runner)

    assert (refused.value.found, refused.value.known) == (ALL + 1, ALL)


async def test_a_graph_of_an_edited_file_is_refused(
    server: Neo4jServer, store: Neo4jStore
) -> None:
    """The error names the file."""
    await migrate(store.runner)
    await run_cypher(server, "MATCH (m:Migration {number: 2}) SET m.checksum = 'another'")

    with pytest.raises(SchemaChanged) as refused:
        await migrate(store.runner)

    assert refused.value.name == load_migrations()[1].name
