"""One of the servers that ``bench.compiled`` compares: ``python -m bench.served WAY PORT``.

``kept``, ``compiled`` and ``ordinary`` are the service; ``own`` is a route without GraphQL that
fetches, writes and sends the same. Each also tells at ``/cost`` what the last requests did to it.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, replace

import anyio
import msgspec
import typer
from neo4j import READ_ACCESS, AsyncGraphDatabase
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from api.app import build_app
from cli.listening import listen
from cli.web_server import run_server
from graph.neo4j_reading_lineage import DOWNWARD, Downward
from graph.neo4j_runner import Neo4jAddress
from graph.neo4j_store import Neo4jStore, open_neo4j
from graph.runner import Runner, Transaction
from graph.statements import Asked, Result, Row, Statement

BEAT_SECONDS = 0.001
KEPT_BYTES = 64 << 20

SIX = ["threadId", "title", "model", "status", "createdAt", "depth"]
WALKED = ["FORKED_FROM", "SPAWNED_BY", "CHILD_OF"]

EVERYTHING_BELOW = Downward(
    thread_id="",
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
    transfer_columns=[],
)


class Node(msgspec.Struct, gc=False, rename="camel"):
    """A thread as the own route sends it."""

    thread_id: str
    title: str | None
    model: str | None
    status: str | None
    created_at: str | None
    depth: int


@dataclass(slots=True)
class Cost:
    """What requests cost since it was last asked: the longest wait for the loop, and reads."""

    blocked_ms: float = 0.0
    reads: int = 0

    async def beat(self) -> None:
        """Notice when the loop comes late."""
        while True:
            due = time.perf_counter() + BEAT_SECONDS
            await asyncio.sleep(BEAT_SECONDS)
            self.blocked_ms = max(self.blocked_ms, (time.perf_counter() - due) * 1_000)

    async def tell(self, _: Request) -> Response:
        """What it was, and begin again."""
        told = msgspec.json.encode({"blocked_ms": self.blocked_ms, "reads": self.reads})
        self.blocked_ms, self.reads = 0.0, 0
        return Response(told)


@dataclass(frozen=True, slots=True)
class CountingRunner:
    """Runs statements, and counts the round trips of those that read."""

    inner: Runner
    cost: Cost

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        """The rows of one reading statement."""
        self.cost.reads += 1
        return await self.inner.read(statement, parameters)

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        """The only row of a reading statement."""
        self.cost.reads += 1
        return await self.inner.read_one(statement, parameters)

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        """What *work* makes of several reading statements."""
        self.cost.reads += 1
        return await self.inner.read_together(work, seconds=seconds)

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        """What *work* makes of statements that are committed together."""
        return await self.inner.write(work, seconds=seconds)


def main(way: str, port: int) -> None:
    """Serve one *way* of answering on a port of this machine, until it is ended."""
    anyio.run(_serve, way, port, backend_options={"use_uvloop": True})


async def _serve(way: str, port: int) -> None:
    cost = Cost()
    environment = os.environ
    address = Neo4jAddress(
        uri=environment["NEO4J_URI"],
        user=environment["NEO4J_USER"],
        password=environment["NEO4J_PASSWORD"],
        database=environment["NEO4J_DATABASE"],
    )
    async with open_neo4j(address) as store, anyio.create_task_group() as tasks:
        graph = Neo4jStore(CountingRunner(store.runner, cost))
        app = own_route(address) if way == "own" else service(graph, way)
        app.router.routes.append(Route("/cost", cost.tell))
        tasks.start_soon(cost.beat)
        with listen("127.0.0.1", port) as listening:
            await run_server(app, listening)
        tasks.cancel_scope.cancel()


def service(graph: Neo4jStore, way: str) -> Starlette:
    """The service: with answers that are kept, with compiled selections alone, or with neither."""
    return build_app(
        open_graph=lambda: nullcontext(graph),
        compiled=way != "ordinary",
        kept_bytes=KEPT_BYTES if way == "kept" else 0,
    )


def own_route(address: Neo4jAddress) -> Starlette:
    """The lineage without GraphQL and without the store: the same statement, JSON of columns."""
    driver = AsyncGraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
        address.uri, auth=(address.user, address.password)
    )

    async def answer(request: Request) -> Response:
        asked = msgspec.json.decode(await request.body())
        async with driver.session(  # pyright: ignore[reportUnknownMemberType] - as above
            database=address.database, default_access_mode=READ_ACCESS
        ) as session:
            below = replace(EVERYTHING_BELOW, thread_id=asked["variables"]["id"])
            result = await session.run(DOWNWARD.text, DOWNWARD.values(below))
            columns = (await result.single(strict=True))["columns"]
        nodes = list(map(Node, *columns))
        body = msgspec.json.encode({"data": {"lineage": {"nodes": nodes}}})
        return Response(body, media_type="application/json")

    async def ready(_: Request) -> Response:
        return Response("{}")

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        async with driver:
            yield

    return Starlette(
        routes=[
            Route("/graphql", answer, methods=["POST"]),
            Route("/health/ready", ready),
        ],
        lifespan=lifespan,
    )


if __name__ == "__main__":
    typer.run(main)
