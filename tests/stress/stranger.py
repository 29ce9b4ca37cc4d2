"""Somebody else who writes to the same database, and takes locks in an order of their own."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import anyio
from neo4j import AsyncGraphDatabase
from neo4j.exceptions import TransientError

from tests.neo4j_stores import run_cypher
from tests.stress.sending import HUNG_SECONDS

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from neo4j import AsyncTransaction

    from tests.conftest import Neo4jServer

OWN = "UNWIND range(1, 100) AS number CREATE (:Stranger)"
LOCK_OWN = "MATCH (s:Stranger) REMOVE s.taken"
THREAD = "MATCH (t:Thread {threadId: $id}) REMOVE t.taken"
RECEIPT = "MERGE (r:Receipt {commandId: $id}) REMOVE r.taken"
BLOCKED = """SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked by'
RETURN count(*)"""


@dataclass(frozen=True, slots=True)
class Stranger:
    """A transaction of somebody else, undone in the end."""

    transaction: AsyncTransaction

    async def lock(self, thread_id: str) -> None:
        """Keep everybody from changing a thread."""
        await (await self.transaction.run(THREAD, id=thread_id)).consume()

    async def loses(self, command_id: str) -> bool:
        """Wait for the receipt of a command; whether the server ends this to break a deadlock."""
        try:
            await (await self.transaction.run(RECEIPT, id=command_id)).consume()
        except TransientError:
            return True
        return False

    async def give_up(self) -> None:
        """Undo all, and let go of what was locked."""
        await self.transaction.close()


@asynccontextmanager
async def stranger(server: Neo4jServer) -> AsyncGenerator[Stranger]:
    """Somebody else, whose transaction the server lets win."""
    await run_cypher(server, OWN)
    async with (
        AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            server.uri, auth=(server.user, server.password)
        ) as driver,
        driver.session(database=server.database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
        await session.begin_transaction() as transaction,
    ):
        # Of those in a deadlock the server ends the one that has the fewest locks.
        await (await transaction.run(LOCK_OWN)).consume()
        yield Stranger(transaction)
    await run_cypher(server, "MATCH (s:Stranger) DELETE s")


async def until_blocked(server: Neo4jServer) -> None:
    """Return once a transaction waits for the lock of another one."""
    with anyio.fail_after(HUNG_SECONDS):
        while await run_cypher(server, BLOCKED) == [[0]]:  # noqa: ASYNC110 - the server tells nobody
            await anyio.sleep(0.05)
