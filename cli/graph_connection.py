"""How a command gets its graph: the Neo4j that is set, else the local one."""

from __future__ import annotations

import sys
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING, TypeVar

import anyio

from cli.start_progress import start_progress
from graph.errors import StoreUnavailable
from graph.local_neo4j import LocalNeo4j, ensure_running, lease
from graph.migrations import migrate
from graph.neo4j_runner import Neo4jAddress
from graph.neo4j_store import open_neo4j

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Generator

    from cli.settings import Settings
    from graph.store import ThreadGraph

Answer = TypeVar("Answer")


def with_graph(settings: Settings, work: Callable[[ThreadGraph], Awaitable[Answer]]) -> Answer:
    """What *work* gives on the graph, whose schema is up to date.

    A local Neo4j is found or started first, and stays up at least until the work is done.
    """
    with neo4j_of(settings) as address:
        uvloop = sys.platform != "win32"
        return anyio.run(_work, address, work, backend_options={"use_uvloop": uvloop})


@contextmanager
def neo4j_of(settings: Settings) -> Generator[Neo4jAddress]:
    """The Neo4j that the settings mean; a local one is started, and kept up meanwhile."""
    if settings.neo4j_uri is not None:
        yield configured_address(settings, settings.neo4j_uri)
        return
    server = start_local(settings)
    with lease(server):
        yield local_address(server)


def start_local(settings: Settings) -> LocalNeo4j:
    """The local Neo4j, found or started; people see what they wait for."""
    with start_progress() as on_progress:
        return ensure_running(
            settings.lineage_data,
            idle_seconds=settings.lineage_database_idle_seconds,
            port=settings.lineage_database_port or None,
            full_compiler=settings.lineage_database_full_compiler,
            maven_url=settings.lineage_maven_url,
            on_progress=on_progress,
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


async def _work(address: Neo4jAddress, work: Callable[[ThreadGraph], Awaitable[Answer]]) -> Answer:
    async with AsyncExitStack() as stack:
        try:
            store = await stack.enter_async_context(open_neo4j(address))
        except StoreUnavailable as error:
            message = f"No Neo4j answers at {address.uri}."
            raise StoreUnavailable(message) from error
        await migrate(store.runner)
        return await work(store)
