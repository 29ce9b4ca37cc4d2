"""Whether the size of the graph is felt: ``python -m bench.size``.

The small query (a thread, its parent, its children) and a subtree of 100 threads are profiled in
a graph of a thousand threads and in one of a million. Their database hits must be the same.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, LiteralString

import typer
from rich.console import Console
from rich.table import Table

from bench.families import family, record_all, thread
from bench.importing import driver_of, fresh_server
from cli.graph_connection import local_address
from graph.local_neo4j import LocalNeo4j
from graph.migrations import migrate
from graph.model import ThreadId
from graph.neo4j_reading_lineage import DOWNWARD
from graph.neo4j_reading_relations import CHILDREN
from graph.neo4j_reading_threads import THREADS_BY_ID
from graph.neo4j_store import open_neo4j

WALKED = ["FORKED_FROM", "SPAWNED_BY", "CHILD_OF"]
COLUMNS = ["threadId", "title", "status", "model", "createdAt", "depth"]

# A million threads are made as their store would have written them, in families of ten.
GROW: LiteralString = """
UNWIND range($first, $last) AS number
MERGE (root:Thread {threadId: 'other-' + toString(number / 10)})
SET root += {recorded: true, deleted: false, archived: false, driver: 'codex', depth: 0,
  rootThreadId: root.threadId, createdAt: $at, updatedAt: $at, recencyAt: $at}
CREATE (child:Thread {threadId: 'other-' + toString(number / 10) + '-' + toString(number)})
SET child += {recorded: true, deleted: false, archived: false, driver: 'codex', depth: 1,
  rootThreadId: root.threadId, createdAt: $at, updatedAt: $at, recencyAt: $at}
CREATE (child)-[made:SPAWNED_BY {childThreadId: child.threadId}]->(root)
SET made += {status: 'open', evidence: 'made'}
"""


def main(small: int = 1_000, large: int = 1_000_000) -> None:
    """Profile in both sizes, and print the hits side by side."""
    with fresh_server() as server:
        asyncio.run(_fill(server))
        _grow(server, 0, small)
        before = _hits(server)
        _grow(server, small, large)
        after = _hits(server)
    table = Table(title="Database hits")
    for heading in ("question", f"{small:,} threads", f"{large:,} threads"):
        table.add_column(heading, justify="left" if heading == "question" else "right")
    for name, hits in before.items():
        table.add_row(name, f"{hits:,}", f"{after[name]:,}")
    Console().print(table)
    if before != after:
        raise SystemExit("The size of the graph is felt.")


async def _fill(server: LocalNeo4j) -> None:
    async with open_neo4j(local_address(server)) as store:
        await migrate(store.runner)
        await record_all(store, family(0))
        await record_all(store, iter([thread(ThreadId("tree"))]))
        tree = (
            thread(ThreadId(f"tree-{number:03}"), spawned_by=ThreadId(_above(number)))
            for number in range(1, 100)
        )
        await record_all(store, tree)


def _above(number: int) -> str:
    tens = number // 10
    return f"tree-{tens:03}" if tens else "tree"


def _grow(server: LocalNeo4j, first: int, last: int) -> None:
    with driver_of(server) as driver:
        for at in range(first, last, 10_000):
            driver.execute_query(
                GROW,
                first=at,
                last=min(at + 10_000, last) - 1,
                at="2026-11-30T12:40:56.335766Z",
                database_=server.database,
            )
        driver.execute_query("CALL db.awaitIndexes(600)", database_=server.database)


def _hits(server: LocalNeo4j) -> Mapping[str, int]:
    middle = "family-0-middle"
    with driver_of(server) as driver:

        def hits(text: LiteralString, **parameters: object) -> int:
            profiled = f"PROFILE {text}"
            summary = driver.execute_query(profiled, parameters, database_=server.database).summary
            return _sum_of(summary.profile)

        children = hits(
            CHILDREN.text,
            thread_ids=[middle],
            types=WALKED,
            status=None,
            after="",
            limit=6,
            columns=COLUMNS,
        )
        one = hits(THREADS_BY_ID.text, thread_ids=[middle, "family-0"], columns=COLUMNS)
        tree = hits(
            DOWNWARD.text,
            thread_id="tree",
            whole_tree=True,
            types=WALKED,
            max_depth=1_000,
            walk_limit=1_001,
            after_depth=-1,
            after_id="",
            limit=1_001,
            columns=COLUMNS,
            edge_columns=["status", "evidence"],
        )
    return {
        "a thread with its parent": one,
        "its 5 children": children,
        "a subtree of 100 threads": tree,
    }


def _sum_of(plan: Mapping[str, Any]) -> int:
    return plan.get("dbHits", 0) + sum(_sum_of(child) for child in plan.get("children", ()))


if __name__ == "__main__":
    typer.run(main)
