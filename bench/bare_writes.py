"""What a command writes, written by plain Cypher alone: no rule, no receipt looked up, no answer.

What is to be written is copied from the graph, where the command wrote it once; each later write
has ids of its own. It takes the same lock, and is one transaction of one statement.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, LiteralString

from neo4j import AsyncDriver, AsyncManagedTransaction

FORK_WRITTEN: LiteralString = """
MATCH (fork:Thread {threadId: $fork})-[edge:FORKED_FROM]->(source)
MATCH (transfer:Transfer {transferId: edge.transferId})-[:SOURCE_POINT]->(run)
MATCH (receipt:Receipt {commandId: $command})
RETURN properties(fork) AS fork, properties(edge) AS edge, properties(transfer) AS transfer,
  properties(receipt) AS receipt
"""

FORK: LiteralString = """
MATCH (root:Thread {threadId: $source})
REMOVE root.taken
WITH root
MATCH (run:Run {runId: $transfer.sourceRunId})
CREATE (fork:Thread)-[edge:FORKED_FROM]->(root)
CREATE (root)<-[:TRANSFERS_FROM]-(transfer:Transfer)-[:TRANSFERS_TO]->(fork)
CREATE (transfer)-[:SOURCE_POINT]->(run)
CREATE (receipt:Receipt)
SET fork = $fork, edge = $edge, transfer = $transfer, receipt = $receipt,
  root.hasTransfers = true, root.revision = root.revision + 1, root.revisionId = randomUUID()
"""


@dataclass(frozen=True, slots=True)
class BareWrites:
    """Writes what a fork of each of some threads wrote, again and again."""

    driver: AsyncDriver
    database: str
    written: dict[str, dict[str, Any]]

    async def learn_fork(self, source: str, fork: str, command: str) -> None:
        """Copy what a command has written as a fork of a thread."""
        found = await self.driver.execute_query(
            FORK_WRITTEN, fork=fork, command=command, database_=self.database
        )
        [record] = found.records
        self.written[source] = record.data()

    async def fork(self, source: str, name: str) -> None:
        """Write a fork of a thread, its transfer and the receipt, under ids made of a name."""
        written = self.written[source]
        parameters = {
            "source": source,
            "fork": written["fork"] | {"threadId": name},
            "edge": written["edge"] | {"childThreadId": name, "transferId": f"transfer-{name}"},
            "transfer": written["transfer"]
            | {"transferId": f"transfer-{name}", "targetThreadId": name},
            "receipt": written["receipt"] | {"commandId": f"command-{name}"},
        }

        async def write(transaction: AsyncManagedTransaction) -> None:
            await (await transaction.run(FORK, parameters)).consume()

        async with self.driver.session(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            database=self.database
        ) as session:
            await session.execute_write(write)
