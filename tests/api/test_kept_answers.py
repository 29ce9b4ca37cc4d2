"""Answers that the service keeps, over a real Neo4j: the same bytes, and never an old one."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass

import pytest

from graph.model import ThreadId
from graph.neo4j_store import Neo4jStore
from graph.records import Batch
from tests.api.asking import Client, serving
from tests.api.families import FAMILY, item, spawn, thread
from tests.conftest import Neo4jServer
from tests.neo4j_stores import open_empty
from tests.server.counting import CountingRunner

pytestmark = pytest.mark.anyio
ASKS_BOTH_WAYS = True

KEPT_BYTES = 1 << 20

TREE = """
query($id: String!) {
  lineage(threadId: $id) { nodes { threadId title status } edges { id kind evidence } version }
}
"""
RELATIVES = """
query($id: String!) {
  thread(threadId: $id) { title root { title } parent { title }
    children(first: 2) { pageInfo { hasNextPage } edges { cursor node { title
      children { edges { node { title status } } } } } } }
}
"""
ALONE = "query($id: String!) { thread(threadId: $id) { title status } }"
LOOK = "threads/standings"


@dataclass(frozen=True, slots=True)
class Service:
    """A service that keeps answers, its graph, and the statements that it ran."""

    client: Client
    graph: Neo4jStore
    ran: list[str]

    async def asked(self, query: str, times: int = 1) -> bytes:
        """The bytes of the last of some answers about the same thread."""
        answers = [
            await self.client.post("/graphql", json={"query": query, "variables": {"id": "root"}})
            for _ in range(times)
        ]
        return answers[-1].content


@pytest.fixture
async def service(
    neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch
) -> AsyncGenerator[Service]:
    """Trees count as settled at once."""
    monkeypatch.setattr("api.kept_answers.SETTLED_SECONDS", 0)
    async with open_empty(neo4j_server) as graph:
        await graph.record(FAMILY)
        runner = CountingRunner(graph.runner)
        async with serving(Neo4jStore(runner), kept_bytes=KEPT_BYTES) as client:
            yield Service(client, graph, runner.ran)


@pytest.mark.parametrize("query", [TREE, RELATIVES, ALONE])
async def test_a_kept_answer_costs_a_look_and_is_the_same(service: Service, query: str) -> None:
    """One round trip each time, and the same bytes."""
    first, second = await service.asked(query), await service.asked(query)
    service.ran.clear()

    third = await service.asked(query)

    assert b"errors" not in first
    assert (second, third) == (first, first)
    assert service.ran == [LOOK]


@pytest.mark.parametrize("query", [TREE, RELATIVES])
async def test_another_process_may_write(service: Service, query: str) -> None:
    """The graph says each time whether a kept answer is still right."""
    before = await service.asked(query, times=3)

    await service.graph.record(Batch(threads=(thread("a", spawn=spawn("root", "a")),)))

    async with serving(service.graph) as plain:
        fresh = Service(plain, service.graph, [])
        assert await service.asked(query) == await fresh.asked(query) != before


async def test_items_are_not_looked_for_anew(service: Service) -> None:
    """No kept answer shows them."""
    before = await service.asked(TREE, times=3)
    await service.graph.append_items(ThreadId("root"), [item("root", 90)])
    service.ran.clear()

    assert await service.asked(TREE) == before
    assert service.ran == [LOOK]


@pytest.mark.parametrize(
    "query",
    [
        "query($id: String!) { thread(threadId: $id) { title } access { canWrite } }",
        "query($id: String!) { thread(threadId: $id) { runs { totalCount } } }",
        "query($id: String!) { thread(threadId: $id) { children { totalCount } } }",
        "query($id: String!) { thread(threadId: $id) { items { edges { node { text } } } } }",
        "query($id: String!) { lineage(threadId: $id) { edges { id pointAt } } }",
        "query($id: String!) { thread(threadId: $id) { title } threads { totalCount } }",
    ],
)
async def test_what_trees_do_not_answer_for_is_executed_each_time(
    service: Service, query: str
) -> None:
    """Runs, items, counts, times of source points, lists of threads, what depends on who asks."""
    first = await service.asked(query, times=3)
    service.ran.clear()

    assert await service.asked(query) == first
    assert service.ran
    assert LOOK not in service.ran


async def test_an_unknown_thread_may_appear(service: Service) -> None:
    """That it is not there rests on no tree."""
    await service.asked(ALONE.replace("$id)", '"new")').replace("query($id: String!) ", ""), 3)
    await service.graph.record(Batch(threads=(thread("new"),)))

    answer = await service.client.data('{ thread(threadId: "new") { title } }')

    assert answer == {"thread": {"title": "New"}}


async def test_an_address_is_a_question_of_its_own(service: Service) -> None:
    """GET and POST, and other variables, have their own answers."""
    await service.asked(ALONE, times=3)
    given = {"query": ALONE, "variables": '{"id": "helper"}'}

    answers = [await service.client.get("/graphql", params=given) for _ in range(3)]

    assert [answer.json()["data"]["thread"]["title"] for answer in answers] == ["Helper"] * 3
    assert {answer.status_code for answer in answers} == {200}
