"""How a command gets its graph: the Neo4j that is set, else the local one."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from cli.terminal import REMARKS
from graph.local_neo4j import LocalNeo4j, ensure_running, lease
from graph.migrations import migrate
from graph.neo4j_store import Neo4jAddress, open_neo4j

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from cli.settings import Settings
    from graph.store import ThreadGraph


@asynccontextmanager
async def open_graph(settings: Settings) -> AsyncGenerator[ThreadGraph]:
    """The graph, with its schema up to date; a local Neo4j stays up for as long as it is open."""
    if settings.neo4j_uri is not None:
        async with _open(configured_address(settings, settings.neo4j_uri)) as graph:
            yield graph
        return
    server = await anyio.to_thread.run_sync(start_local, settings, abandon_on_cancel=True)
    with lease(server):
        async with _open(local_address(server)) as graph:
            yield graph


def start_local(settings: Settings) -> LocalNeo4j:
    """The local Neo4j, found or started; says what it waits for where people can see it."""
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=REMARKS,
        transient=True,
        disable=not REMARKS.is_terminal,
    ) as progress:
        task = progress.add_task("Starting the local Neo4j", total=None)

        def show(done: int, total: int) -> None:
            words = "Starting the local Neo4j" if done == total else "Downloading Neo4j, once"
            progress.update(task, description=words, completed=done, total=total)

        return ensure_running(
            settings.lineage_data,
            idle_seconds=settings.lineage_database_idle_seconds,
            port=settings.lineage_database_port or None,
            maven_url=settings.lineage_maven_url,
            on_progress=show,
        )


def configured_address(settings: Settings, uri: str) -> Neo4jAddress:
    """The Neo4j at *uri*, as the settings' user and database."""
    return Neo4jAddress(
        uri=uri,
        user=settings.neo4j_user,
        password=settings.neo4j_password.get_secret_value(),
        database=settings.neo4j_database,
    )


def local_address(server: LocalNeo4j) -> Neo4jAddress:
    """The local Neo4j."""
    return Neo4jAddress(
        uri=server.uri, user=server.user, password=server.password, database=server.database
    )


@asynccontextmanager
async def _open(address: Neo4jAddress) -> AsyncGenerator[ThreadGraph]:
    async with open_neo4j(address) as store:
        await migrate(store.runner)
        yield store
