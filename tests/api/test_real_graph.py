"""The API over a real Neo4j: the same answers as over the model."""

from collections.abc import AsyncGenerator
from random import Random
from typing import Any

import pytest

from api.schema import build_schema
from graph.errors import StoreUnavailable
from graph.neo4j_store import Neo4jStore
from graph.records import Batch
from tests.api.asking import Client, serving
from tests.api.families import FAMILY, fork, thread
from tests.api.random_documents import RandomDocument, comparable
from tests.conftest import Neo4jServer
from tests.memory_store import MemoryStore
from tests.neo4j_stores import open_empty

pytestmark = pytest.mark.anyio

EVERYTHING = """
query Everything($id: String!) {
  threads { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    edges { cursor node { id threadId } } }
  agents: threads(filter: {ancestorThreadId: "root"}, orderBy: UPDATED_ASC, last: 1) {
    totalCount pageInfo { hasNextPage hasPreviousPage } edges { node { threadId } } }
  nodes(ids: ["UnVuOnJvb3QvdHVybi0y", "VGhyZWFkOnVuc2Vlbg", "VGhyZWFkOm5vYm9keQ"]) {
    id ... on Run { runId } ... on Thread { recorded } }
  lineage(threadId: $id) { nodes { threadId } truncated { limit }
    edges { id status contextOnly runId at pointAt evidence } }
  above: lineage(threadId: $id, direction: ANCESTORS, maxNodes: 1) { nodes { threadId }
    endCursor truncated { reason limit } }
  path(fromThreadId: "deeper", toThreadId: "fork") { nodes { threadId title }
    edges { id kind status runId at pointAt evidence } }
  mergeBackDelta(forkThreadId: "fork") { forkThreadId intoThreadId base { threadId runId }
    tip { threadId runId } runs { runId } itemCount alreadyDelivered filesChanged
    items { totalCount edges { cursor node { itemId } } } }
  integrity { findings { rule ids message } unconfirmedStarts { runId } }
  nearestCommonAncestor(threadIds: ["deeper", "fork", $id]) { threadId title }
  thread(threadId: $id) {
    id threadId recorded title driver status createdAt updatedAt recencyAt startedAt endedAt depth
    rootThreadId sessionId relationshipToParent selectedCapabilityRoots { id environmentId path }
    root { title } parent { title } ancestors { threadId }
    forkedFrom { threadId contextOnly attached at evidence point { threadId runId } }
    historyBase { threadId }
    descendants { totalCount edges { cursor depth node { threadId } } }
    children { totalCount pageInfo { hasNextPage endCursor } edges { node { threadId } } }
    spawnEdges { totalCount edges { cursor node { status runId callId at evidence
      child { recorded } } } }
    runs { totalCount edges { cursor node { id runId ordinal status startedAt completedAt
      usage { inputTokens } items { totalCount edges { node { itemId } } } } } }
    history(first: 2) { totalCount pageInfo { hasNextPage hasPreviousPage }
      edges { cursor node { threadId ordinal } } }
    items(first: 3) { totalCount edges { cursor node { itemId position text at } } }
    contextWindows { number windowId runId previousWindowId rolledBack }
    checkpoints { totalCount }
    mergeBackDelta { tip { runId } itemCount }
    totals { own { threads runs inputTokens durationMs } spawned { threads runs outputTokens }
      forked { threads runs durationMs } }
  }
}"""


@pytest.fixture
async def store(neo4j_server: Neo4jServer) -> AsyncGenerator[Neo4jStore]:
    """A graph in Neo4j that holds the family."""
    async with open_empty(neo4j_server) as opened:
        await opened.record(FAMILY)
        yield opened


async def answers(client: Client) -> list[dict[str, Any]]:
    """Everything that is told of each thread."""
    return [
        await client.data(EVERYTHING, id=thread_id)
        for thread_id in ("root", "fork", "helper", "deeper", "unseen")
    ]


async def test_a_real_graph_answers_like_the_model(store: Neo4jStore, family: MemoryStore) -> None:
    """Field by field, cursors included."""
    async with serving(store) as client:
        real = await answers(client)
    async with serving(family) as client:
        modelled = await answers(client)

    assert real == modelled


async def test_random_documents_are_answered_as_over_the_model(
    store: Neo4jStore, family: MemoryStore
) -> None:
    """Whatever is selected: only the columns for it leave the graph."""
    written = build_schema().written
    documents = [
        RandomDocument(written, Random(seed)).text()  # noqa: S311 - nothing is secret
        for seed in range(60)
    ]

    async with serving(store) as client:
        real = [
            comparable((await client.post("/graphql", json={"query": text})).content)
            for text in documents
        ]
    async with serving(family) as client:
        modelled = [
            comparable((await client.post("/graphql", json={"query": text})).content)
            for text in documents
        ]

    assert real == modelled


async def test_pages_of_a_real_list_stay_right_while_threads_come(store: Neo4jStore) -> None:
    """A page goes on behind its cursor."""
    query = """query($after: String) { threads(first: 1, after: $after) {
        pageInfo { hasNextPage endCursor } edges { node { threadId } } } }"""

    async with serving(store) as client:
        first = (await client.data(query))["threads"]
        await store.record(Batch(threads=(thread("newest", minute=50, fork=fork("root", 1)),)))
        second = await client.data(query, after=first["pageInfo"]["endCursor"])

    assert first["edges"] == [{"node": {"threadId": "fork"}}]
    assert second["threads"]["edges"] == [{"node": {"threadId": "root"}}]
    assert second["threads"]["pageInfo"]["hasNextPage"] is False


async def test_a_service_whose_neo4j_is_gone_says_so(neo4j_server: Neo4jServer) -> None:
    """UNAVAILABLE, retryable, and not ready; nothing of the address."""
    async with open_empty(neo4j_server) as opened:
        closed = opened

    async with serving(closed) as client:
        answer = await client.ask('{ thread(threadId: "root") { title } }')
        ready = await client.get("/health/ready")

    assert StoreUnavailable.__name__ not in str(answer)
    assert answer["errors"][0]["extensions"]["code"] == "UNAVAILABLE"
    assert answer["errors"][0]["extensions"]["retryable"] is True
    assert ready.status_code == 503
