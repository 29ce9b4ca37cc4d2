"""How Neo4j carries out what reads transfers, and what they add to the cost of a lineage."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph import neo4j_reading_lineage as lineages
from graph import neo4j_reading_transfers as transfers
from graph.model import ThreadId, TransferId, TransferStatus
from graph.questions import (
    LineageQuestion,
    ThreadTransfersQuestion,
    TransferFilter,
    TransferPosition,
    TransfersQuestion,
)
from graph.records import Batch
from graph.transfers import HandoffId
from tests.conformance.told import at, handed, ids, spawned, thread
from tests.neo4j_stores import count_indexes, open_empty, run_cypher
from tests.server.profiling import ProfilingRunner, profiling
from tests.server.test_plans import SCANS, Reading

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from graph.store import ThreadGraph
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio

CHILDREN = 100


@pytest.fixture(scope="module")
async def graph(neo4j_server: Neo4jServer) -> AsyncGenerator[ThreadGraph]:
    """A thousand hand-offs from thread to thread, and a tree without any."""
    async with open_empty(neo4j_server) as store:
        children = (spawned(f"child-{n}", by="top") for n in range(CHILDREN))
        await store.record(Batch(threads=(thread("top"), *children)))
        hand_offs = (
            handed(f"h{n}", f"from-{n}", f"to-{n}", created_at=at(n)) for n in range(1_000)
        )
        await store.record(Batch(transfers=tuple(hand_offs)))
        await count_indexes(neo4j_server)
        yield store


@pytest.fixture
async def runner(
    neo4j_server: Neo4jServer,
    graph: ThreadGraph,  # noqa: ARG001 - is there while statements run
) -> AsyncGenerator[ProfilingRunner]:
    """Runs statements on that graph and keeps their plans."""
    async with profiling(neo4j_server) as opened:
        yield opened


READINGS = [
    Reading("transfers by id", lambda r: transfers.transfers_by_id(r, [TransferId("h7")]), 50),
    Reading("handoffs", lambda r: transfers.handoffs(r, [TransferId("h7")]), 20),
    Reading("handoffs by id", lambda r: transfers.handoffs_by_id(r, [HandoffId("h7")]), 20),
    Reading(
        "a page of all transfers",
        lambda r: transfers.transfers(
            r,
            TransfersQuestion(
                filter=TransferFilter(statuses=[TransferStatus.CONSUMED]),
                first=10,
                after=TransferPosition(at(500), TransferId("h500")),
            ),
        ),
        400,
    ),
    *(
        Reading(
            f"the transfers by {name}",
            lambda r, asked=asked: transfers.transfers(r, TransfersQuestion(filter=asked)),
            most,
        )
        for name, asked, most in [
            ("id", TransferFilter(ids=[TransferId("h7")]), 80),
            ("source", TransferFilter(source_thread_id=ThreadId("from-7")), 80),
            ("target", TransferFilter(target_thread_id=ThreadId("to-7")), 80),
            ("either end", TransferFilter(thread_id=ThreadId("to-7")), 80),
        ]
    ),
    Reading(
        "the number of transfers of a status",
        lambda r: transfers.count_transfers(r, TransferFilter(statuses=[TransferStatus.PENDING])),
        10,
    ),
    Reading(
        "the number of transfers of a thread",
        lambda r: transfers.count_transfers(r, TransferFilter(thread_id=ThreadId("to-7"))),
        40,
    ),
    Reading(
        "a page of a thread's transfers",
        lambda r: transfers.thread_transfers(r, ids("to-7"), ThreadTransfersQuestion()),
        80,
    ),
    Reading(
        "the number of a thread's transfers",
        lambda r: transfers.count_thread_transfers(r, ids("to-7"), ThreadTransfersQuestion()),
        20,
    ),
    Reading(
        "a lineage with a hand-off",
        lambda r: lineages.lineage(r, LineageQuestion(thread_id=ThreadId("to-7"))),
        300,
    ),
]


@pytest.mark.parametrize("reading", [pytest.param(r, id=r.name) for r in READINGS])
async def test_a_reading_of_transfers_begins_at_an_index_and_stays_in_its_budget(
    runner: ProfilingRunner, reading: Reading
) -> None:
    """No statement scans the graph, and none reads more than its answer needs."""
    await reading.ask(runner)

    assert [scan for plan in runner.plans for scan in SCANS if plan.named(scan)] == []
    assert sum(plan.hits for plan in runner.plans) <= reading.hits


async def test_a_lineage_without_hand_offs_costs_what_its_walk_costs(
    neo4j_server: Neo4jServer, runner: ProfilingRunner
) -> None:
    """A look at each thread where the graph holds transfers, and none where it holds none."""
    question = LineageQuestion(thread_id=ThreadId("top"))
    await lineages.lineage(runner, question)
    await run_cypher(neo4j_server, "MATCH (x:Transfer) SET x:Hidden REMOVE x:Transfer")
    await lineages.lineage(runner, question)
    await run_cypher(neo4j_server, "MATCH (x:Hidden) SET x:Transfer REMOVE x:Hidden")

    with_transfers, without = (plan.hits for plan in runner.plans)
    # Twice: for what brings other threads in, and for the edges.
    assert with_transfers - without <= 2 * CHILDREN + 2
