"""Stores over the test session's Neo4j, emptied before each use."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

from neo4j import AsyncGraphDatabase

from graph.migrations import migrate
from graph.neo4j_runner import Neo4jAddress
from graph.neo4j_store import Neo4jStore, open_neo4j

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

EMPTY = """
MATCH (n) WHERE NOT n:Migration AND NOT n:TurnLock
CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS
"""


class Server(Protocol):
    """Where a Neo4j listens and who may enter."""

    @property
    def uri(self) -> str: ...

    @property
    def user(self) -> str: ...

    @property
    def password(self) -> str: ...

    @property
    def database(self) -> str: ...


def address_of(server: Server) -> Neo4jAddress:
    """The server as the store takes it."""
    return Neo4jAddress(
        uri=server.uri, user=server.user, password=server.password, database=server.database
    )


async def run_cypher(server: Server, text: str, **parameters: object) -> list[list[object]]:
    """The rows of a statement that a test needs and the product does not have."""
    async with (
        AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            server.uri, auth=(server.user, server.password)
        ) as driver,
        driver.session(database=server.database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
    ):
        result = await session.run(text, parameters)  # pyright: ignore[reportArgumentType] - tests may build a text
        return await result.values()


async def count_indexes(server: Server) -> None:
    """Have plans follow what the graph holds now; the server else counts in the background."""
    await run_cypher(server, "CALL db.prepareForReplanning(120)")


@asynccontextmanager
async def open_empty(server: Server) -> AsyncGenerator[Neo4jStore]:
    """A migrated store without a thread; a remark of the server on a statement fails the test."""
    async with open_neo4j(address_of(server), warn=True) as store:
        await migrate(store.runner)
        await run_cypher(server, EMPTY)
        yield store
