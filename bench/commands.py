"""Commands a second beside the bare writes that they need: ``python -m bench.commands``.

The yardstick writes the same nodes and edges through the same driver, in one statement of one
transaction that takes the same lock: nothing is read, decided or answered. ``in process`` is the
command without HTTP and GraphQL, ``over HTTP`` the service as applications tell it. All are in
turn in the same run, with each client on a thread of its own and with all of them on one.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from itertools import count
from typing import Any

import httpx
import typer
from rich.console import Console
from rich.table import Table

from bench.bare_writes import BareWrites
from bench.importing import fresh_server
from bench.service import running_service
from cli.graph_connection import local_address
from graph.commands import CommandId
from graph.local_neo4j import LocalNeo4j
from graph.migrations import migrate
from graph.model import ThreadId
from graph.neo4j_runner import Neo4jRunner
from graph.neo4j_store import Neo4jStore, open_neo4j
from graph.transfers import Provider
from resolvers.carry_out import Accepted, Command, Refusal
from resolvers.fork_thread import ForkWish, fork_thread
from resolvers.start_context import StartWish, resolve_start_context

CLIENTS = 16
CONNECTIONS = httpx.Limits(max_connections=CLIENTS, keepalive_expiry=1)
"""Idle ones are let go before the service does it, which it may do as they are used again."""

SLICES = 5
EACH_SLICE = 64
"""So many commands are done before it is another one's turn."""

BARE, IN_PROCESS, OVER_HTTP = "bare writes", "in process", "over HTTP"

CODEX = {"instanceId": "codex", "driver": "codex"}
NATIVE = {"driver": "codex", "strength": "STRONG"}

FORK = """mutation($input: ForkThreadInput!) { forkThread(input: $input) {
  __typename ... on ThreadForked { thread { threadId } transfer { transferId status } } } }"""
RECORD = "mutation($input: RecordThreadInput!) { recordThread(input: $input) { __typename } }"
RESOLVE = """mutation($input: ResolveStartContextInput!) { resolveStartContext(input: $input) {
  __typename ... on StartContext { run { runId }
    base { ... on NativeFork { transfer { status } plan { calls { method params } } } } } } }"""
START = "mutation($input: StartRunInput!) { startRun(input: $input) { __typename } }"

Do = Callable[[str, str], Awaitable[None]]
"""Does something once: with which thread, and under which new name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What is timed, and what has to be there before under the same name, which is not."""

    do: Do
    ready: Do | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """How many a second, medians of the slices, with so many clients on so many threads."""

    what: str
    clients: int
    threads: int
    a_second: Mapping[str, float]

    def times(self, way: str) -> float:
        """How many times as long as the bare writes a way takes."""
        return self.a_second[BARE] / self.a_second[way]


def main(slices: int = SLICES, *, as_json: bool = False) -> None:
    """Measure, and print the rates and their ratios."""
    measured = asyncio.run(_measure(slices))
    if as_json:
        typer.echo(json.dumps([asdict(rates) for rates in measured], indent=2))
    else:
        _show(measured, slices)


async def _measure(slices: int) -> list[Rates]:
    with fresh_server() as server, running_service(server) as address:
        async with _ways(server, address) as ways:
            return [
                await _rates(what, ways[what], clients, threads, slices)
                for what in ("fork", "resolve")
                for clients, threads in ((1, 1), (CLIENTS, CLIENTS), (CLIENTS, 1))
            ]


@asynccontextmanager
async def _ways(
    server: LocalNeo4j, address: str
) -> AsyncGenerator[Mapping[str, Mapping[str, Way]]]:
    async with (
        open_neo4j(local_address(server)) as store,
        httpx.AsyncClient(base_url=address, timeout=60, limits=CONNECTIONS) as client,
    ):
        await migrate(store.runner)
        assert isinstance(store.runner, Neo4jRunner)  # noqa: S101 - for the driver of the yardstick
        bare = BareWrites(store.runner.driver, server.database, {}, {})

        async def tell(document: str, **told: Any) -> str:  # noqa: ANN401 - any input
            asked = {"query": document, "variables": {"input": told}}
            answer = (await client.post("/graphql", json=asked)).json()
            if "errors" in answer:
                raise RuntimeError(answer["errors"])
            [outcome] = answer["data"].values()
            return outcome["__typename"]

        async def over_http(source: str, name: str) -> None:
            told = {"commandId": name, "sourceThreadId": source, "targetThreadId": f"fork-{name}"}
            came_to = await tell(FORK, **told)
            if came_to != "ThreadForked":
                raise RuntimeError(came_to)

        async def resolve_over_http(_: str, name: str) -> None:
            told = {"commandId": name, "threadId": f"fork-{name}", "message": "Go on."}
            came_to = await tell(RESOLVE, **told, provider=CODEX)
            if came_to != "StartContext":
                raise RuntimeError(came_to)

        async def ready(source: str, name: str) -> None:
            await _fork(store, source, name, f"fork of {name}")

        for number in range(CLIENTS):
            source = f"source-{number}"
            await _record(tell, source)
            await over_http(source, source)
            await bare.learn_fork(source, f"fork-{source}", source)
            await ready(source, f"first-{source}")
            await resolve_over_http(source, f"first-{source}")
            await bare.learn_start(source, f"first-{source}")
        yield {
            "fork": {
                BARE: Way(do=bare.fork),
                IN_PROCESS: Way(do=lambda source, name: _fork(store, source, name, name)),
                OVER_HTTP: Way(do=over_http),
            },
            "resolve": {
                BARE: Way(do=bare.start, ready=ready),
                IN_PROCESS: Way(do=lambda _, name: _resolve(store, name), ready=ready),
                OVER_HTTP: Way(do=resolve_over_http, ready=ready),
            },
        }


async def _record(tell: Callable[..., Awaitable[str]], thread_id: str) -> None:
    """Record a thread with a completed run."""
    await tell(
        RECORD,
        commandId=f"record {thread_id}",
        threadId=thread_id,
        provider=CODEX,
        historyMode="paginated",
        initialWindowId="window",
    )
    await tell(
        START,
        commandId=f"run {thread_id}",
        threadId=thread_id,
        status="completed",
        nativeThreadRef=NATIVE | {"nativeId": f"native {thread_id}"},
        nativeTurnRef=NATIVE | {"nativeId": f"turn {thread_id}"},
    )


async def _fork(store: Neo4jStore, source: str, name: str, command_id: str) -> None:
    wish = ForkWish(source_thread_id=ThreadId(source), target_thread_id=ThreadId(f"fork-{name}"))
    command = Command(command_id=CommandId(command_id), name="forkThread", body={"name": name})
    _check(await fork_thread(store, command, wish, clock=lambda: datetime.now(UTC)))


async def _resolve(store: Neo4jStore, name: str) -> None:
    provider = Provider(instance_id="codex", driver="codex")
    wish = StartWish(thread_id=ThreadId(f"fork-{name}"), message="Go on.", provider=provider)
    command = Command(command_id=CommandId(name), name="resolveStartContext", body={"name": name})
    _check(await resolve_start_context(store, command, wish, clock=lambda: datetime.now(UTC)))


def _check(outcome: Accepted | Refusal) -> None:
    match outcome:
        case Accepted():
            pass
        case Refusal():
            raise RuntimeError(outcome.message)


NAMES = count()


async def _rates(
    what: str, ways: Mapping[str, Way], clients: int, threads: int, slices: int
) -> Rates:
    """The median rate of each way over slices in turn, the first two of which warm up."""
    taken = [
        {name: await _slice(way, clients, threads) for name, way in ways.items()}
        for _ in range(slices + 2)
    ]
    medians = {name: statistics.median(one[name] for one in taken[2:]) for name in ways}
    return Rates(what=what, clients=clients, threads=threads, a_second=medians)


async def _slice(way: Way, clients: int, threads: int) -> float:
    to_do = [
        [(f"source-{number % threads}", f"n-{next(NAMES)}") for _ in range(EACH_SLICE // clients)]
        for number in range(clients)
    ]

    async def client(do: Do, asked: list[tuple[str, str]]) -> None:
        for source, name in asked:
            await do(source, name)

    if way.ready is not None:
        await asyncio.gather(*(client(way.ready, asked) for asked in to_do))
    began = time.perf_counter()
    await asyncio.gather(*(client(way.do, asked) for asked in to_do))
    return EACH_SLICE // clients * clients / (time.perf_counter() - began)


def _show(measured: list[Rates], slices: int) -> None:
    table = Table(title=f"A second, medians of {slices} slices in turn (times the bare writes)")
    table.add_column("measured")
    for heading in ("clients", "threads", *measured[0].a_second):
        table.add_column(heading, justify="right")
    for rates in measured:
        cells = [f"{rate:,.0f} ({rates.times(way):.1f})" for way, rate in rates.a_second.items()]
        table.add_row(rates.what, str(rates.clients), str(rates.threads), *cells)
    Console().print(table)


if __name__ == "__main__":
    typer.run(main)
