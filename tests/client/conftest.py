"""A service over a real Neo4j for the client to ask."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import anyio
import pytest
from msgspec import structs

from graph.model import Actor, SourcePoint, ThreadId, TransferId, TransferStatus, TransferType
from graph.records import Batch, ItemsRecord, TransferRecord
from graph.transfers import Handoff, HandoffId, HandoffKind, Resolution, Strategy
from lineage_client import LineageClient
from tests.api.families import DATABASE, FAMILY, at, fork, item, spawn, thread
from tests.api.listening import listening
from tests.neo4j_stores import open_empty

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Neo4jServer

LARGE = 240
"""More threads than a page of the list holds."""


def large_family() -> Batch:
    """``large`` with many agents, each with an agent of its own, and many items."""
    names = [f"agent-{number:03}" for number in range(LARGE // 2)]
    items = ItemsRecord(
        items=tuple(structs.replace(item("large", n), at=None) for n in range(501))
    )
    return Batch(
        threads=(
            thread("large", minute=10, turns=3, items=items),
            *(thread(name, minute=11, turns=1) for name in names),
            *(thread(f"{name}-own", minute=12) for name in names),
        ),
        spawns=(
            *(spawn("large", name) for name in names),
            *(spawn(name, f"{name}-own", status="closed") for name in names),
        ),
    )


BRANCHES = Batch(
    threads=(
        thread("trunk", turns=1, source_kind="other"),
        thread(
            "branch",
            turns=2,
            source_kind="other",
            fork=fork("trunk", 1),
            items=ItemsRecord(items=tuple(item("branch", n, turn=1 + n // 2) for n in range(4))),
        ),
    ),
    transfers=(
        TransferRecord(
            transfer_id=TransferId("merge"),
            type=TransferType.MERGE_BACK,
            source_thread_id=ThreadId("branch"),
            target_thread_id=ThreadId("trunk"),
            source_point=SourcePoint(thread_id=ThreadId("branch")),
            evidence=DATABASE,
            created_by=Actor.USER,
            created_at=at(1),
        ),
        TransferRecord(
            transfer_id=TransferId("switch"),
            type=TransferType.PROVIDER_HANDOFF,
            status=TransferStatus.CONSUMED,
            source_thread_id=ThreadId("trunk"),
            target_thread_id=ThreadId("trunk"),
            source_point=SourcePoint(thread_id=ThreadId("trunk")),
            evidence=DATABASE,
            created_by=Actor.SYSTEM,
            created_at=at(2),
            consumed_at=at(3),
            resolution=Resolution(
                strategy=Strategy.PORTABLE_CONTEXT, handoff_id=HandoffId("carried")
            ),
            handoff=Handoff(
                handoff_id=HandoffId("carried"),
                transfer_id=TransferId("switch"),
                kind=HandoffKind.PORTABLE_CONTEXT,
                payload='{"messages":[]}',
                text="nothing yet",
                tokens=3,
                item_ids=("i",),
                created_at=at(2),
            ),
        ),
    ),
)
"""A fork that could be merged back, what is about to be, and a change of the account."""


@pytest.fixture(scope="module")
def address(neo4j_server: Neo4jServer) -> Iterator[str]:
    """The address of a service whose Neo4j holds three families."""
    started, ending = threading.Event(), threading.Event()
    addresses: list[str] = []

    async def serve() -> None:
        async with open_empty(neo4j_server) as store:
            await store.record(FAMILY)
            await store.record(large_family())
            await store.record(BRANCHES)
            async with listening(store) as listened:
                addresses.append(listened)
                started.set()
                await anyio.to_thread.run_sync(ending.wait)

    server = threading.Thread(target=anyio.run, args=(serve,))
    server.start()
    try:
        assert started.wait(60)
        yield addresses[0]
    finally:
        ending.set()
        server.join()


@pytest.fixture
def client(address: str) -> Iterator[LineageClient]:
    """A client that reads a lineage in small pages."""
    with LineageClient(address, nodes_a_page=50) as opened:
        yield opened
