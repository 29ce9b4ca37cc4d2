"""Kept answers and compiled selections beside a route without GraphQL and @neo4j/graphql.

``python -m bench.compiled``: all servers are on the same database and are asked in turn. The
route without GraphQL runs the same statement through the bare driver and writes its columns as
JSON; it and ours are in the same web server. Only ``kept`` is asked what it has answered before;
all others read everything anew each time.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import typer
from rich.console import Console
from rich.table import Table

from bench.connection import Connection, connected
from bench.families import family, record_all, thread, wide
from bench.rival import RIVAL_SMALL, as_ours, rival_levels, rival_lineage, running_rival
from bench.rounds import in_turn
from bench.service import await_ready, free_port
from cli.graph_connection import local_address
from graph.local_neo4j import LocalNeo4j, ensure_running, lease, stop
from graph.migrations import migrate
from graph.model import ThreadId
from graph.neo4j_store import open_neo4j
from graph.records import ThreadRecord
from graph.standings import SETTLED_SECONDS

SLICES = 5
SLICE_SECONDS = 2.0
LEVELS = 7
EACH = 2
COSTS = ("blocked_ms", "reads")

SIX = "threadId title model status createdAt depth"


def _levels(number: int) -> str:
    inner = "threadId title status"
    if number:
        inner += f" children(first: {EACH}) {{ edges {{ node {{ {_levels(number - 1)} }} }} }}"
    return inner


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the comparison, and how many ask it at once when the rate is measured."""

    name: str
    query: str
    rival_query: str
    thread_id: str
    clients: int


LINEAGE = Asked(
    "10,000 threads, 6 fields",
    "query($id: String!) { lineage(threadId: $id, direction: DESCENDANTS, maxNodes: 10000)"
    f" {{ nodes {{ {SIX} }} }} }}",
    rival_lineage(SIX),
    "wide",
    4,
)
SMALL = Asked(
    "a thread, parent, 5 children",
    "query($id: String!) { thread(threadId: $id) { threadId title status"
    " parent { threadId title } children(first: 5) { edges { node { threadId title } } } } }",
    RIVAL_SMALL,
    "family-0-middle",
    16,
)
NESTED = Asked(
    f"{LEVELS} levels of children",
    f"query($id: String!) {{ thread(threadId: $id) {{ {_levels(LEVELS)} }} }}",
    rival_levels(LEVELS, EACH),
    "nested",
    4,
)
OWN, COMPILED, ORDINARY, RIVAL = "own route", "compiled", "ordinary", "@neo4j/graphql"
KEPT = "kept (warm)"
ASKED: Mapping[str, Sequence[Asked]] = {
    OWN: [LINEAGE],
    KEPT: [LINEAGE, NESTED, SMALL],
    COMPILED: [LINEAGE, NESTED, SMALL],
    ORDINARY: [LINEAGE, NESTED, SMALL],
    RIVAL: [LINEAGE, NESTED, SMALL],
}
"""Which server is asked what; another server is another row."""


def main(rounds: int = 20) -> None:
    """Measure, and print what each server takes."""
    asyncio.run(_measure(rounds))


async def _measure(rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as folder, ExitStack() as stack:
        data = Path(folder)
        server = ensure_running(data, idle_seconds=600, full_compiler=True)
        stack.callback(stop, data)
        stack.enter_context(lease(server))
        await _fill(server)
        addresses = {name: stack.enter_context(_served(name, server)) for name in ASKED}
        for asked in (LINEAGE, NESTED, SMALL):
            servers = [name for name in ASKED if asked in ASKED[name]]
            await _compare(asked, {name: addresses[name] for name in servers}, rounds)


async def _compare(asked: Asked, addresses: Mapping[str, str], rounds: int) -> None:
    for _ in range(3):
        # Asked again, when its tree has settled, a question is answered from what is kept.
        await asyncio.sleep(SETTLED_SECONDS)
        await _ask_once(KEPT, addresses[KEPT], asked)
    answers = {
        name: _data(name, await _ask_once(name, address, asked))
        for name, address in addresses.items()
    }
    if any(answer != answers[COMPILED] for answer in answers.values()):
        raise RuntimeError(f"The servers disagree: {asked.name}")
    medians = await in_turn(
        {name: partial(_ask_once, name, address, asked) for name, address in addresses.items()},
        rounds=rounds,
    )
    costs = {
        name: await _cost(name, address, asked)
        for name, address in addresses.items()
        if name != RIVAL
    }
    rates = await _rates(addresses, asked)
    _show(asked, rounds, medians, rates, costs)


def _data(name: str, answer: bytes) -> Mapping[str, Any]:
    """What a server told, in our form."""
    told = msgspec.json.decode(answer)
    if "errors" in told:
        raise RuntimeError(f"{name}: {told['errors']}")
    return as_ours(told["data"]) if name == RIVAL else told["data"]


async def _ask(name: str, connection: Connection, asked: Asked) -> bytes:
    query = asked.rival_query if name == RIVAL else asked.query
    return await connection.ask("/graphql", {"query": query, "variables": {"id": asked.thread_id}})


async def _ask_once(name: str, address: str, asked: Asked) -> bytes:
    """The answer on a connection of its own: a kept one is closed while others take long."""
    async with connected(address) as connection:
        return await _ask(name, connection, asked)


async def _cost(name: str, address: str, asked: Asked) -> Mapping[str, float]:
    """The longest that ten questions held up the loop, and the round trips of one."""
    async with connected(address) as connection:
        await connection.ask("/cost")
        for _ in range(10):
            await _ask(name, connection, asked)
        told = msgspec.json.decode(await connection.ask("/cost"))
    return {"blocked_ms": told["blocked_ms"], "reads": told["reads"] / 10}


async def _rates(addresses: Mapping[str, str], asked: Asked) -> Mapping[str, float]:
    """The median rate of each server over slices in turn, the first of which warms up."""
    slices = [
        {name: await _rate(name, address, asked) for name, address in addresses.items()}
        for _ in range(SLICES + 1)
    ]
    return {name: statistics.median(one[name] for one in slices[1:]) for name in addresses}


async def _rate(name: str, address: str, asked: Asked) -> float:
    """Answers a second to so many clients at once."""
    end, answered = time.perf_counter() + SLICE_SECONDS, 0

    async def client() -> None:
        nonlocal answered
        async with connected(address) as connection:
            while time.perf_counter() < end:
                await _ask(name, connection, asked)
                answered += 1

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(asked.clients)))
    return answered / (time.perf_counter() - began)


def _show(
    asked: Asked,
    rounds: int,
    medians: Mapping[str, float],
    rates: Mapping[str, float],
    costs: Mapping[str, Mapping[str, float]],
) -> None:
    first = next(iter(medians))
    table = Table(title=f"{asked.name}; medians of {rounds} rounds in turn")
    headings = ("server", "ms", f"times {first}", f"a second, {asked.clients} clients")
    for heading in (*headings, "loop blocked, ms", "round trips"):
        table.add_column(heading, justify="left" if heading == "server" else "right")
    for name, median in medians.items():
        table.add_row(
            name,
            f"{median:.1f}",
            f"{median / medians[first]:.2f}",
            f"{rates[name]:.1f}",
            *(f"{costs[name][cost]:.1f}" if name in costs else "" for cost in COSTS),
        )
    Console().print(table)


async def _fill(server: LocalNeo4j) -> None:
    async with open_neo4j(local_address(server)) as store:
        await migrate(store.runner)
        await record_all(store, wide(9_999))
        await record_all(store, nested())
        await record_all(store, family(0))


def nested() -> Iterator[ThreadRecord]:
    """A thread with two children, which have two each, and so on."""
    yield thread(ThreadId("nested"))
    above = ["nested"]
    for _ in range(LEVELS):
        below = [f"{parent}-{number}" for parent in above for number in range(2)]
        for child in below:
            yield thread(ThreadId(child), spawned_by=ThreadId(child.rpartition("-")[0]))
        above = below


@contextmanager
def _served(name: str, server: LocalNeo4j) -> Generator[str]:
    """The address of a server process, ended afterwards."""
    if name == RIVAL:
        with running_rival(server) as address:
            yield address
        return
    port = free_port()
    environment = os.environ | {
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database,
    }
    command = [sys.executable, "-m", "bench.served", name.split(maxsplit=1)[0], str(port)]
    with subprocess.Popen(command, env=environment) as process:  # noqa: S603 - our own command
        try:
            address = f"http://127.0.0.1:{port}"
            await_ready(address)
            yield address
        finally:
            process.terminate()


if __name__ == "__main__":
    typer.run(main)
