"""What the stress tests share: two services on one graph that is empty at first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from neo4j import GraphDatabase

from tests.neo4j_stores import EMPTY
from tests.stress.sending import sending
from tests.stress.service_processes import service_processes

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Iterator

    from tests.conftest import Neo4jServer
    from tests.stress.sending import Sender
    from tests.stress.service_processes import ServiceProcess


@pytest.fixture(scope="module")
def services(
    neo4j_server: Neo4jServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[ServiceProcess]]:
    """Two service processes; neither complains of anything until the end."""
    auth = (neo4j_server.user, neo4j_server.password)
    with (
        GraphDatabase.driver(neo4j_server.uri, auth=auth) as driver,  # pyright: ignore[reportUnknownMemberType] - untyped settings
        driver.session(database=neo4j_server.database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
    ):
        session.run(EMPTY).consume()
    folder = tmp_path_factory.mktemp("services")
    with service_processes(neo4j_server, folder, number=2) as running:
        yield running
        said = [service.said for service in running]
    assert [words for words in said if "Traceback" in words] == []


@pytest.fixture
async def sender(services: list[ServiceProcess]) -> AsyncGenerator[Sender]:
    """Who sends commands to both."""
    async with sending([service.address for service in services]) as opened:
        yield opened
