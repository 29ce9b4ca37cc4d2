"""What stands in the graph itself: the nodes, edges and properties that anyone may query."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import Evidence, Proof, ThreadId
from graph.records import HistoryBaseRecord, ItemsRecord, SpawnCallRecord, WindowRecord
from tests.conformance.told import at, forked, item, reviewing, run, spawned, tell, thread
from tests.neo4j_stores import open_empty, run_cypher

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from graph.neo4j_store import Neo4jStore
    from tests.conftest import Neo4jServer

pytestmark = pytest.mark.anyio


@pytest.fixture
async def store(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """An empty store."""
    async with open_empty(neo4j_server) as opened:
        yield opened


EVERYTHING = thread(
    "a",
    native_thread_id="native-a",
    history_mode="paginated",
    name="a name",
    preview="a preview",
    archived=True,
    runs=(run("a/1", 1, native_turn_id="1"),),
    windows=(WindowRecord(number=0),),
    items=ItemsRecord(items=(item("a/i", 0),)),
    spawn=spawned("a", "p").spawn,
    fork=forked("a", "s", edge={"point_native_turn_id": "t", "at": at(3)}).fork,
    child_of=reviewing("a", "r").child_of,
    history_base=HistoryBaseRecord(
        thread_id=ThreadId("b"), end_ordinal=7, evidence=Evidence(Proof.INFERRED, "a rule")
    ),
)


async def test_every_edge_points_from_the_newer_to_its_origin(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """Owned things hang on their owner; recording again doubles nothing."""
    await tell(store, EVERYTHING)
    await tell(store, EVERYTHING)

    edges = await run_cypher(
        neo4j_server,
        "MATCH (x)-[e]->(y) RETURN labels(x)[0], type(e), labels(y)[0], "
        "coalesce(y.runId, y.windowKey, y.providerThreadKey, y.threadId) AS id ORDER BY id",
    )
    assert edges == [
        ["Thread", "HAS_WINDOW", "ContextWindow", "a/0"],
        ["Thread", "HAS_RUN", "Run", "a/1"],
        ["Thread", "HISTORY_BASE", "Thread", "b"],
        ["Thread", "BACKED_BY", "ProviderThread", "codex:native-a"],
        ["Thread", "SPAWNED_BY", "Thread", "p"],
        ["Thread", "CHILD_OF", "Thread", "r"],
        ["Thread", "FORKED_FROM", "Thread", "s"],
    ]


async def test_an_edge_says_what_was_told_and_how_it_is_known(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """The words of the evidence, and its rank for comparing."""
    call = SpawnCallRecord(
        run_id=run("p/1", 1).run_id, call_id="call", child_thread_id=ThreadId("a")
    )
    await tell(store, EVERYTHING, thread("p", spawn_calls=(call,)))

    rows = await run_cypher(neo4j_server, "MATCH ()-[e]->(:Thread) RETURN type(e), properties(e)")

    seen = {"evidence": "file: a line of a transcript", "proofRank": 1}
    assert {str(kind): properties for kind, properties in rows} == {
        "SPAWNED_BY": {
            "childThreadId": "a",
            "status": "open",
            "origin": "provider_native",
            "runId": "p/1",
            "callId": "call",
            **seen,
        },
        "FORKED_FROM": {
            "pointNativeTurnId": "t",
            "pointRunId": "s/t",
            "contextOnly": False,
            "attached": False,
            "at": at(3),
            **seen,
        },
        "CHILD_OF": seen,
        "HISTORY_BASE": {"endOrdinal": 7, "evidence": "inferred: a rule", "proofRank": 0},
    }


async def test_a_thread_has_what_the_indexes_need(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """Booleans and one text to search; a placeholder has none of them, and is in no list."""
    await tell(store, EVERYTHING)

    rows = await run_cypher(
        neo4j_server,
        "MATCH (t:Thread) WHERE t.threadId IN ['a', 'p'] "
        "RETURN t.deleted, t.archived, t.unlisted, t.searchText, t.itemCount ORDER BY t.threadId",
    )

    assert rows == [[False, True, False, "a name\na preview", 1], [None] * 5]


async def test_a_thread_of_a_provider_says_whose_it_is(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """Its key is the provider's account and the id there."""
    await tell(store, EVERYTHING)

    [[found]] = await run_cypher(neo4j_server, "MATCH (p:ProviderThread) RETURN properties(p)")

    assert found == {
        "providerThreadKey": "codex:native-a",
        "driver": "codex",
        "providerInstanceId": "codex",
        "nativeThreadId": "native-a",
        "historyMode": "paginated",
    }


async def test_a_thread_that_is_imported_for_another_account_leaves_the_first(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """One thread of a provider backs it at a time."""
    await tell(store, EVERYTHING)

    await tell(store, thread("a", native_thread_id="native-a", provider_instance_id="work"))

    rows = await run_cypher(
        neo4j_server, "MATCH (:Thread)-[:BACKED_BY]->(p) RETURN p.providerThreadKey"
    )
    assert rows == [["work:native-a"]]


async def test_a_deleted_thread_stays_deleted_when_it_is_imported_again(
    store: Neo4jStore, neo4j_server: Neo4jServer
) -> None:
    """An import knows nothing of it."""
    await tell(store, EVERYTHING)
    await run_cypher(
        neo4j_server,
        "MATCH (t:Thread {threadId: 'a'}) SET t.deleted = true, t.deletedAt = $at",
        at=at(9),
    )

    await tell(store, EVERYTHING)

    rows = await run_cypher(
        neo4j_server, "MATCH (t:Thread {threadId: 'a'}) RETURN t.deleted, t.deletedAt"
    )
    assert rows == [[True, at(9)]]
