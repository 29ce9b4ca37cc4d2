"""Reads over HTTP beside the bare driver: ``python -m bench.reading``.

The yardstick runs the same Cypher through the driver alone and takes one record of columns:
no GraphQL, no HTTP, no rows. Both are asked in turn on the same database, and must agree.
"""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import typer
from neo4j import READ_ACCESS, AsyncGraphDatabase

from bench.families import chain, family, record_all, wide
from bench.rounds import Compared, in_turn, show
from bench.service import running_service
from cli.graph_connection import local_address
from graph.local_neo4j import LocalNeo4j, ensure_running, lease, stop
from graph.migrations import migrate
from graph.neo4j_reading_lineage import DOWNWARD
from graph.neo4j_reading_relations import ANCESTORS, CHILDREN
from graph.neo4j_reading_threads import THREADS_BY_ID
from graph.neo4j_store import open_neo4j

SIX = ["threadId", "title", "model", "status", "createdAt", "depth"]
WALKED = ["FORKED_FROM", "SPAWNED_BY", "CHILD_OF"]
WIDE = 9_999
DEPTH = 1_000

LINEAGE = (
    "query($id: String!) { lineage(threadId: $id, direction: DESCENDANTS, maxNodes: 10000)"
    " { nodes { threadId title model status createdAt depth } } }"
)
ANCESTRY = (
    "query($id: String!) { thread(threadId: $id)"
    " { ancestors { threadId title model status createdAt depth } } }"
)
SMALL = (
    "query($id: String!) { thread(threadId: $id) { threadId title status"
    " parent { threadId title } children(first: 5) { edges { node { threadId title } } } } }"
)

Ask = Callable[[], Awaitable[Any]]


def main(rounds: int = 20) -> None:
    """Measure, and print the ratios."""
    asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as folder:
        data = Path(folder)
        server = ensure_running(data, idle_seconds=600, full_compiler=True)
        try:
            with lease(server):
                await _fill(server)
                async with _askers(server) as askers:
                    medians = await in_turn(askers, rounds=rounds)
        finally:
            stop(data)
    names = {
        "lineage": f"{WIDE:,} descendants, 6 fields each",
        "chain": f"ancestors of a chain of {DEPTH:,}",
        "small": "a thread with parent and 5 children",
    }
    show(
        f"Reading over HTTP, medians of {rounds} rounds; yardstick: bare driver, same Cypher",
        [Compared(name, medians[key], medians[f"{key} (driver)"]) for key, name in names.items()],
    )


async def _fill(server: LocalNeo4j) -> None:
    async with open_neo4j(local_address(server)) as store:
        await migrate(store.runner)
        await record_all(store, wide(WIDE))
        await record_all(store, chain(DEPTH))
        await record_all(store, family(0))


@asynccontextmanager
async def _askers(server: LocalNeo4j) -> AsyncGenerator[Mapping[str, Ask]]:
    driver = AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
        server.uri, auth=(server.user, server.password)
    )
    with running_service(server) as address:
        async with driver, httpx.AsyncClient(base_url=address, timeout=60) as client:

            async def over_http(query: str, thread_id: str) -> Any:  # noqa: ANN401 - JSON
                answer = await client.post(
                    "/graphql", json={"query": query, "variables": {"id": thread_id}}
                )
                body = answer.json()
                if "errors" in body:
                    raise RuntimeError(body["errors"])
                return body["data"]

            async def bare(text: Any, **parameters: object) -> Any:  # noqa: ANN401 - columns
                async with driver.session(  # pyright: ignore[reportUnknownMemberType] - as above
                    database=server.database, default_access_mode=READ_ACCESS
                ) as session:
                    result = await session.run(text, parameters)
                    record = await result.single(strict=True)
                    return record["columns"]

            last = f"chain-{DEPTH:06}"
            middle = "family-0-middle"

            async def bare_small() -> None:
                await bare(THREADS_BY_ID.text, thread_ids=[middle], columns=SIX)
                await bare(THREADS_BY_ID.text, thread_ids=["family-0"], columns=SIX)
                await bare(
                    CHILDREN.text,
                    thread_ids=[middle],
                    types=WALKED,
                    status=None,
                    after="",
                    limit=6,
                    columns=SIX,
                )

            yield {
                "lineage": lambda: over_http(LINEAGE, "wide"),
                "lineage (driver)": lambda: bare(
                    DOWNWARD.text,
                    thread_id="wide",
                    whole_tree=False,
                    types=WALKED,
                    max_depth=1_000,
                    walk_limit=10_001,
                    after_depth=-1,
                    after_id="",
                    limit=10_001,
                    columns=SIX,
                    with_edges=False,
                    with_points=False,
                    edge_columns=[],
                ),
                "chain": lambda: over_http(ANCESTRY, last),
                "chain (driver)": lambda: bare(
                    ANCESTORS.text, thread_ids=[last], types=WALKED, columns=SIX
                ),
                "small": lambda: over_http(SMALL, middle),
                "small (driver)": bare_small,
            }


if __name__ == "__main__":
    typer.run(main)
