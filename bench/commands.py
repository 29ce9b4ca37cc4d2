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
from resolvers.carry_out import Accepted, Command, Refusal
from resolvers.fork_thread import ForkWish, fork_thread

CLIENTS = 16
SLICES = 5
EACH_SLICE = 64
"""So many commands are done before it is another one's turn."""

BARE, IN_PROCESS, OVER_HTTP = "bare writes", "in process", "over HTTP"

NATIVE = {"driver": "codex", "strength": "STRONG"}

FORK = """mutation($input: ForkThreadInput!) { forkThread(input: $input) {
  __typename ... on ThreadForked { thread { threadId } transfer { transferId status } } } }"""
RECORD = "mutation($input: RecordThreadInput!) { recordThread(input: $input) { __typename } }"
START = "mutation($input: StartRunInput!) { startRun(input: $input) { __typename } }"

Do = Callable[[str, str], Awaitable[None]]
"""Does something once: with which thread, and under which new name."""


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
        async with _ways_to_fork(server, address) as ways:
            return [
                await _rates("fork", ways, clients, threads, slices)
                for clients, threads in ((1, 1), (CLIENTS, CLIENTS), (CLIENTS, 1))
            ]


@asynccontextmanager
async def _ways_to_fork(server: LocalNeo4j, address: str) -> AsyncGenerator[Mapping[str, Do]]:
    async with (
        open_neo4j(local_address(server)) as store,
        httpx.AsyncClient(
            base_url=address, timeout=60, limits=httpx.Limits(max_connections=CLIENTS)
        ) as client,
    ):
        await migrate(store.runner)
        assert isinstance(store.runner, Neo4jRunner)  # noqa: S101 - for the driver of the yardstick
        bare = BareWrites(store.runner.driver, server.database, {})

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

        for number in range(CLIENTS):
            source = f"source-{number}"
            await _record(tell, source)
            await over_http(source, source)
            await bare.learn_fork(source, f"fork-{source}", source)
        yield {
            BARE: bare.fork,
            IN_PROCESS: lambda source, name: _fork(store, source, name),
            OVER_HTTP: over_http,
        }


async def _record(tell: Callable[..., Awaitable[str]], thread_id: str) -> None:
    """Record a thread with a completed run."""
    provider = {"instanceId": "codex", "driver": "codex"}
    await tell(
        RECORD,
        commandId=f"record {thread_id}",
        threadId=thread_id,
        provider=provider,
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


async def _fork(store: Neo4jStore, source: str, name: str) -> None:
    wish = ForkWish(source_thread_id=ThreadId(source), target_thread_id=ThreadId(f"fork-{name}"))
    command = Command(command_id=CommandId(name), name="forkThread", body={"name": name})
    outcome = await fork_thread(store, command, wish, clock=lambda: datetime.now(UTC))
    match outcome:
        case Accepted():
            pass
        case Refusal():
            raise RuntimeError(outcome.message)


NAMES = count()


async def _rates(
    what: str, ways: Mapping[str, Do], clients: int, threads: int, slices: int
) -> Rates:
    """The median rate of each way over slices in turn, the first two of which warm up."""
    taken = [
        {name: await _slice(do, clients, threads) for name, do in ways.items()}
        for _ in range(slices + 2)
    ]
    medians = {name: statistics.median(one[name] for one in taken[2:]) for name in ways}
    return Rates(what=what, clients=clients, threads=threads, a_second=medians)


async def _slice(do: Do, clients: int, threads: int) -> float:
    async def client(number: int) -> None:
        for _ in range(EACH_SLICE // clients):
            await do(f"source-{number % threads}", f"n-{next(NAMES)}")

    began = time.perf_counter()
    await asyncio.gather(*(client(number) for number in range(clients)))
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
