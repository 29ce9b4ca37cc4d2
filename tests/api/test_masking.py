"""Nothing of the inside leaves, on whatever path an answer comes to nothing."""

import gc
import logging
from collections.abc import Iterator
from typing import Any, cast

import httpx
import pytest

from api.errors import MASKED
from api.schema import LineageSchema
from graph.errors import StatementFailed, StoreUnavailable
from graph.store import ThreadGraph
from tests.api.asking import CountingGraph, FailingGraph, serving
from tests.api.every_field import every_field
from tests.memory_store import MemoryStore

pytestmark = [
    pytest.mark.anyio,
    # graphql-core leaves what stands beside a failed field where it is.
    pytest.mark.filterwarnings("ignore:coroutine '(Executor|GraphQLCoreConverter):RuntimeWarning"),
]

INSIDE = (
    "bolt://db.internal:7687 neo4j@db.internal MATCH (t:Thread {threadId: $id})-[:FORKED_FROM]->()"
    ' RETURN t Traceback (most recent call last): File "/srv/neo4j_store.py", line 7'
)
SECRETS = ("bolt", "db.internal", "MATCH", "FORKED_FROM", "$id", "Traceback", ".py", "line 7")

ASKED = frozenset(
    {
        "threads",
        "count_threads",
        "threads_by_id",
        "ancestors",
        "descendants",
        "count_descendants",
        "children",
        "count_children",
        "spawn_edges",
        "count_spawn_edges",
        "fork_origins",
        "history_bases",
        "lineage",
        "runs_by_id",
        "runs",
        "count_runs",
        "history",
        "count_history",
        "items",
        "count_items",
        "items_of_runs",
        "count_items_of_runs",
        "checkpoints",
        "count_checkpoints",
        "context_windows",
    }
)


def assert_masked(response: httpx.Response) -> list[dict[str, Any]]:
    """The errors of an answer that tells nothing of the inside."""
    assert [secret for secret in SECRETS if secret in response.text] == []
    return response.json()["errors"]


@pytest.fixture(autouse=True)
def swept() -> Iterator[None]:
    """What is left beside failed fields is gone before the next test."""
    yield
    gc.collect()


async def test_a_fault_of_any_part_of_the_graph_is_masked(
    family: MemoryStore, caplog: pytest.LogCaptureFixture
) -> None:
    """Every field of the schema is asked with each method of the graph failing by itself."""
    reached: set[str] = set()
    for query in every_field():
        counting = CountingGraph(family)
        async with serving(cast("ThreadGraph", counting)) as client:
            await client.data(query)
        reached |= set(counting.calls)
        for method in counting.calls:
            failing = FailingGraph(StatementFailed(INSIDE), family, method)
            with caplog.at_level(logging.ERROR):
                async with serving(cast("ThreadGraph", failing)) as client:
                    response = await client.post("/graphql", json={"query": query})
            told = [error["extensions"] for error in assert_masked(response)]
            assert {extensions["code"] for extensions in told} == {"INTERNAL"}, method
            (correlation_id,) = {extensions["correlationId"] for extensions in told}
            (logged,) = caplog.records
            assert correlation_id in logged.getMessage()
            caplog.clear()

    assert reached >= ASKED


@pytest.mark.parametrize("media_type", ["application/json", "application/graphql-response+json"])
@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_fault_of_the_execution_itself_is_masked(
    family: MemoryStore, monkeypatch: pytest.MonkeyPatch, media_type: str, method: str
) -> None:
    """Before any field is reached the answer is masked JSON, too, and the status is 500."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError(INSIDE)

    monkeypatch.setattr(LineageSchema, "execute", broken)
    question, headers = {"query": "{ __typename }"}, {"accept": media_type}

    async with serving(family) as client:
        if method == "GET":
            response = await client.get("/graphql", params=question, headers=headers)
        else:
            response = await client.post("/graphql", json=question, headers=headers)

    (error,) = assert_masked(response)
    assert response.status_code == 500
    assert error["message"] == MASKED
    assert error["extensions"]["code"] == "INTERNAL"


async def test_a_service_that_is_not_ready_says_nothing_of_why(family: MemoryStore) -> None:
    """Health checks are asked by others, too."""
    failing = cast("ThreadGraph", FailingGraph(StoreUnavailable(INSIDE), family, "has_threads"))

    async with serving(failing) as client:
        response = await client.get("/health/ready")

    assert (response.status_code, response.json()) == (503, {"status": "unavailable"})
