"""An import of many small rollouts beside the bare driver: ``python -m bench.importing``.

The yardstick sends the very writes that the import made, the same Cypher with the same UNWIND
batches, through the driver alone: no files, no reads, no rules. Rates are in nodes and edges a
second; the import has to reach at least half of the yardstick's.
"""

from __future__ import annotations

import asyncio
import pickle
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import typer
from neo4j import GraphDatabase, ManagedTransaction
from rich.console import Console

from bench.rollouts import write_home
from cli.graph_connection import local_address
from graph.local_neo4j import LocalNeo4j, ensure_running, lease, stop
from graph.migrations import migrate
from graph.neo4j_store import Neo4jStore, open_neo4j
from graph.runner import Runner, Transaction
from graph.statements import Access, Asked, Result, Row, Statement
from importers.codex.importer import CodexImporter
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts


def main(threads: int = 100_000) -> None:
    """Measure, and print the ratio."""
    console = Console()
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as folder:
        home, writes = Path(folder, "home"), Path(folder, "writes")
        size = write_home(home, threads)
        console.print(f"{threads:,} rollouts, {size / 1e6:.0f} MB")
        with fresh_server() as server, writes.open("wb") as file:
            asyncio.run(_import(server, home, file))
        with fresh_server() as server:
            began = time.perf_counter()
            asyncio.run(_import(server, home))
            ours = time.perf_counter() - began
            written = _count(server)
        with fresh_server() as server:
            asyncio.run(_migrate(server))
            bare = _replay(server, writes)
            replayed = _count(server)
    console.print(f"import      {ours:7.1f} s  {written / ours:9,.0f} nodes and edges/s")
    console.print(f"bare driver {bare:7.1f} s  {replayed / bare:9,.0f} nodes and edges/s")
    console.print(f"ratio of the rates: {(written / ours) / (replayed / bare):.2f} (wanted: 0.5)")


@contextmanager
def fresh_server() -> Generator[LocalNeo4j]:
    """An empty local Neo4j of the benchmark's own, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as folder:
        server = ensure_running(Path(folder), idle_seconds=600)
        try:
            with lease(server):
                yield server
        finally:
            stop(Path(folder))


async def _import(server: LocalNeo4j, home: Path, writes: IO[bytes] | None = None) -> None:
    async with _store(server, writes) as store:
        report = await import_transcripts(
            store, ImportOrder(importers=(CodexImporter(),), selection=Selection(paths=(home,)))
        )
        if report.skipped:
            raise RuntimeError(f"The generated rollouts were not all read: {report.skipped}")


@asynccontextmanager
async def _store(server: LocalNeo4j, writes: IO[bytes] | None) -> AsyncGenerator[Neo4jStore]:
    async with open_neo4j(local_address(server)) as store:
        await migrate(store.runner)
        yield store if writes is None else Neo4jStore(NotingRunner(store.runner, writes))


async def _migrate(server: LocalNeo4j) -> None:
    async with _store(server, None):
        pass


def _count(server: LocalNeo4j) -> int:
    with driver_of(server) as driver:
        nodes = driver.execute_query("MATCH (n) RETURN count(n) AS count").records[0]["count"]
        edges = driver.execute_query("MATCH ()-->() RETURN count(*) AS count").records[0]["count"]
    return nodes + edges


def _replay(server: LocalNeo4j, writes: Path) -> float:
    """The seconds in which the driver alone does all noted transactions."""
    taken = 0.0
    with driver_of(server) as driver, driver.session(database=server.database) as session:
        for statements in _noted(writes):
            began = time.perf_counter()
            session.execute_write(_run_all, statements)
            taken += time.perf_counter() - began
    return taken


def _run_all(transaction: ManagedTransaction, statements: list[tuple[Any, Any]]) -> None:
    for text, values in statements:
        transaction.run(text, values).consume()


def _noted(writes: Path) -> Generator[list[tuple[Any, Any]]]:
    with writes.open("rb") as file:
        while True:
            try:
                yield pickle.load(file)  # noqa: S301 - written by this run
            except EOFError:
                return


def driver_of(server: LocalNeo4j) -> Any:  # noqa: ANN401 - the driver's settings are untyped
    """The driver alone, on the server."""
    return GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - as above
        server.uri, auth=(server.user, server.password)
    )


@dataclass(frozen=True, slots=True)
class NotingTransaction:
    """Runs statements, and notes those that write."""

    inner: Transaction
    noted: list[tuple[str, dict[str, Any]]]

    async def run(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        """The rows of the statement."""
        if statement.access is Access.WRITE:
            self.noted.append((statement.text, statement.values(parameters)))
        return await self.inner.run(statement, parameters)


@dataclass(frozen=True, slots=True)
class NotingRunner:
    """Runs transactions, and keeps what each wrote in a file."""

    inner: Runner
    file: IO[bytes]

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        """The rows of one reading statement."""
        return await self.inner.read(statement, parameters)

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        """The only row of a reading statement."""
        return await self.inner.read_one(statement, parameters)

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        """What *work* makes of several reading statements."""
        return await self.inner.read_together(work, seconds=seconds)

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        """What *work* makes of statements that are committed together."""
        noted: list[tuple[str, dict[str, Any]]] = []

        async def noting(transaction: Transaction) -> Result:
            noted.clear()
            return await work(NotingTransaction(transaction, noted))

        answer = await self.inner.write(noting, seconds=seconds)
        pickle.dump(noted, self.file)
        return answer


if __name__ == "__main__":
    typer.run(main)
