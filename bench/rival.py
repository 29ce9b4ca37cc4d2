"""Our service beside @neo4j/graphql 7.6.3 on the same database: ``python -m bench.rival``.

Both are asked in turn over HTTP, and their answers must be equal. It needs Node.js, which comes
with ``make install``, and npm's registry the first time.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import tempfile
import time
from collections.abc import Awaitable, Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import typer
from rich.console import Console
from rich.table import Table

from bench.families import family, record_all, thread, wide
from bench.reading import LINEAGE, SMALL
from bench.rounds import in_turn
from bench.service import free_port, running_service
from cli.graph_connection import local_address
from graph.local_neo4j import LocalNeo4j, ensure_running, lease, stop
from graph.migrations import migrate
from graph.model import ThreadId
from graph.neo4j_store import open_neo4j
from graph.records import ThreadRecord
from tests.node_programs import installed

FOLDER = Path(__file__).parent / "neo4j_graphql"
READY_SECONDS = 60
SECONDS = 6.0
LEVELS = 7
LEVEL = "threadId title status"
EACH = 2
"""So many children has every thread of the nested question."""


@dataclass(frozen=True, slots=True)
class Asked:
    """The same question to both, about which thread, and how many ask it at once for the rate."""

    name: str
    ours: str
    rival: str
    thread_id: str
    clients: int


def main(rounds: int = 20, levels: int = LEVELS) -> None:
    """Measure, and print what each takes and how many times longer the other."""
    asyncio.run(_measure(rounds, levels))


async def _measure(rounds: int, levels: int) -> None:
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as folder:
        data = Path(folder)
        server = ensure_running(data, idle_seconds=600)
        try:
            with lease(server):
                await _fill(server)
                with running_service(server) as ours, running_rival(server) as rival:
                    for asked in questions(levels):
                        await _compare(asked, ours, rival, rounds)
        finally:
            stop(data)


def questions(levels: int = LEVELS) -> Sequence[Asked]:
    """A whole lineage, levels of children, and a small question."""
    six = "threadId title model status createdAt depth"
    return (
        Asked("10,000 threads, 6 fields each", LINEAGE, rival_lineage(six), "wide", 4),
        Asked(
            f"{levels} levels of children", our_levels(levels), rival_levels(levels), "nested", 4
        ),
        Asked("a thread with parent and 5 children", SMALL, RIVAL_SMALL, "family-0-middle", 16),
    )


async def _compare(asked: Asked, ours: str, rival: str, rounds: int) -> None:
    variables = {"id": asked.thread_id}
    async with httpx.AsyncClient(timeout=120) as client:

        async def ask(address: str, query: str) -> bytes:
            question = {"query": query, "variables": variables}
            return (await client.post(f"{address}/graphql", json=question)).content

        ask_ours, ask_rival = partial(ask, ours, asked.ours), partial(ask, rival, asked.rival)
        if _data(await ask_ours()) != as_ours(_data(await ask_rival())):
            raise RuntimeError(f"The two disagree: {asked.name}")
        medians = await in_turn({"ours": ask_ours, "rival": ask_rival}, rounds=rounds)
        rates = {
            name: await _rate(thing, asked.clients)
            for name, thing in (("ours", ask_ours), ("rival", ask_rival))
        }
    table = Table(title=f"{asked.name}; medians of {rounds} rounds in turn")
    for heading in ("server", "ms", f"a second, {asked.clients} clients"):
        table.add_column(heading, justify="left" if heading == "server" else "right")
    table.add_row("ours", f"{medians['ours']:.1f}", f"{rates['ours']:.1f}")
    table.add_row("@neo4j/graphql", f"{medians['rival']:.1f}", f"{rates['rival']:.1f}")
    table.add_row(
        "times",
        f"{medians['rival'] / medians['ours']:.2f}",
        f"{rates['ours'] / rates['rival']:.2f}",
    )
    Console().print(table)


async def _rate(ask: Callable[[], Awaitable[object]], clients: int) -> float:
    """Answers a second to so many who ask at once."""
    end, answered = time.perf_counter() + SECONDS, 0

    async def client() -> None:
        nonlocal answered
        while time.perf_counter() < end:
            await ask()
            answered += 1

    began = time.perf_counter()
    await asyncio.gather(*(client() for _ in range(clients)))
    return answered / (time.perf_counter() - began)


def _data(answer: bytes) -> dict[str, Any]:
    told: dict[str, Any] = json.loads(answer)
    if "errors" in told:
        raise RuntimeError(told["errors"])
    return told["data"]


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
        below = [f"{parent}-{number}" for parent in above for number in range(EACH)]
        for child in below:
            yield thread(ThreadId(child), spawned_by=ThreadId(child.rpartition("-")[0]))
        above = below


@contextmanager
def running_rival(server: LocalNeo4j) -> Generator[str]:
    """The address of a process of it on *server*, ended afterwards."""
    node, port = installed(FOLDER), free_port()
    environment = os.environ | {
        "NODE_ENV": "production",
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database,
    }
    command = [node, "server.js", str(port)]
    with subprocess.Popen(command, cwd=FOLDER, env=environment) as process:  # noqa: S603 - our own
        try:
            address = f"http://127.0.0.1:{port}"
            _await_answer(address)
            yield address
        finally:
            process.terminate()


def rival_lineage(fields: str) -> str:
    """The question for a thread and all below it."""
    return (
        "query($id: String!) { threads(where: {threadId: {eq: $id}})"
        f" {{ lineage {{ {fields} }} }} }}"
    )


def our_levels(levels: int) -> str:
    """The question for so many levels of children."""
    inner = LEVEL
    for _ in range(levels):
        inner = f"{LEVEL} children(first: {EACH}) {{ edges {{ node {{ {inner} }} }} }}"
    return f"query($id: String!) {{ thread(threadId: $id) {{ {inner} }} }}"


def rival_levels(levels: int) -> str:
    """The same, as it is asked there."""
    inner = LEVEL
    for _ in range(levels):
        inner = f"{LEVEL} children(limit: {EACH}, sort: [{{threadId: ASC}}]) {{ {inner} }}"
    return f"query($id: String!) {{ threads(where: {{threadId: {{eq: $id}}}}) {{ {inner} }} }}"


RIVAL_SMALL = (
    "query($id: String!) { threads(where: {threadId: {eq: $id}}) { threadId title status"
    " parent { threadId title } children(limit: 5, sort: [{threadId: ASC}]) { threadId title } } }"
)


def as_ours(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of its answer in the form that our service gives it."""
    (thread,) = data["threads"]
    if "lineage" in thread:
        return {"lineage": {"nodes": thread["lineage"]}}
    return {"thread": _thread(thread)}


def _thread(thread: Mapping[str, Any]) -> dict[str, Any]:
    told = dict(thread)
    if "parent" in told:
        told["parent"] = next(iter(told["parent"]), None)
    if "children" in told:
        told["children"] = {"edges": [{"node": _thread(child)} for child in told["children"]]}
    return told


def _await_answer(address: str) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            if httpx.post(address, json={"query": "{ __typename }"}).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"@neo4j/graphql did not answer at {address} within {READY_SECONDS} s.")


if __name__ == "__main__":
    typer.run(main)
