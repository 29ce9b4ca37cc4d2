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

START_WRITTEN: LiteralString = """
MATCH (run:Run {startCommandId: $command})<-[:HAS_RUN]-(thread)
MATCH (item:Item {runId: run.runId})
MATCH (transfer:Transfer {targetRunId: run.runId})
MATCH (receipt:Receipt {commandId: $command})
RETURN properties(run) AS run, properties(item) AS item, properties(thread) AS thread,
  properties(transfer) AS transfer, properties(receipt) AS receipt
"""

START: LiteralString = """
MATCH (root:Thread {threadId: $source})
REMOVE root.taken
WITH root
MATCH (thread:Thread {threadId: $thread.threadId})-[edge:FORKED_FROM]->()
MATCH (transfer:Transfer {transferId: edge.transferId})
CREATE (thread)-[:HAS_RUN]->(run:Run)
CREATE (item:Item)
CREATE (receipt:Receipt)
SET run = $run, item = $item, receipt = $receipt, thread += $thread, transfer += $transfer,
  root.revision = root.revision + 1, root.revisionId = randomUUID()
"""


@dataclass(frozen=True, slots=True)
class BareWrites:
    """Writes what commands wrote on each of some threads, again and again."""

    driver: AsyncDriver
    database: str
    written: dict[str, dict[str, Any]]
    started: dict[str, dict[str, Any]]

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
        await self._write(FORK, parameters)

    async def learn_start(self, source: str, command: str) -> None:
        """Copy what a command has written as the start of a fork of a thread."""
        found = await self.driver.execute_query(
            START_WRITTEN, command=command, database_=self.database
        )
        [record] = found.records
        self.started[source] = record.data()

    async def start(self, source: str, name: str) -> None:
        """Write the start of a fork that is there, under ids made of a name."""
        started = self.started[source]
        fork_id, run_id = f"fork-{name}", f"run-{name}"
        of_fork = {"threadId": fork_id}
        kept = {"transferId", "targetThreadId"}
        transfer = {key: of for key, of in started["transfer"].items() if key not in kept}
        parameters = {
            "source": source,
            "thread": {"runCount": 1, "itemCount": 1, "status": "starting"} | of_fork,
            "run": started["run"] | of_fork | {"runId": run_id, "startCommandId": name},
            "item": started["item"] | of_fork | {"runId": run_id, "itemId": f"item-{name}"},
            "transfer": transfer | {"targetRunId": run_id},
            "receipt": started["receipt"] | {"commandId": name},
        }
        await self._write(START, parameters)

    async def _write(self, statement: LiteralString, parameters: dict[str, Any]) -> None:
        async def write(transaction: AsyncManagedTransaction) -> None:
            await (await transaction.run(statement, parameters)).consume()

        async with self.driver.session(  # pyright: ignore[reportUnknownMemberType] - untyped settings
            database=self.database
        ) as session:
            await session.execute_write(write)
