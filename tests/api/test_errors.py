"""What a client is told when something goes wrong."""

import logging
from typing import Any, cast

import pytest

from graph.errors import (
    LocalNeo4jError,
    StatementFailed,
    StoreAccessDenied,
    StoreDatabaseMissing,
    StoreTimeout,
    StoreUnavailable,
)
from graph.model import Thread, ThreadId
from graph.store import ThreadGraph
from tests.api.asking import Client, FailingGraph, serving
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

INSIDE = "bolt://db.internal:7687 MATCH (t:Thread) RETURN t"

QUERIES = [
    '{ thread(threadId: "a") { title } }',
    '{ lineage(threadId: "a") { version } }',
    "{ threads { totalCount } }",
    "{ threads { edges { cursor } } }",
    "{ threads { pageInfo { endCursor } } }",
    '{ node(id: "VGhyZWFkOnJvb3Q") { id } }',
    '{ nodes(ids: ["VGhyZWFkOnJvb3Q", "UnVuOnI"]) { id } }',
]


async def failed(error: Exception, query: str) -> dict[str, Any]:
    """The one error of an answer from a graph that fails."""
    async with serving(cast("ThreadGraph", FailingGraph(error))) as client:
        answer = await client.ask(query)
    assert len(answer["errors"]) == 1, answer
    return answer["errors"][0]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(
    ("error", "code", "retryable"),
    [
        (StoreUnavailable(INSIDE), "UNAVAILABLE", True),
        (StoreTimeout(INSIDE), "TIMEOUT", True),
        (StatementFailed(INSIDE), "INTERNAL", None),
        (StoreAccessDenied(INSIDE), "INTERNAL", None),
        (StoreDatabaseMissing(INSIDE), "INTERNAL", None),
        (LocalNeo4jError(INSIDE), "INTERNAL", None),
        (RuntimeError(INSIDE), "INTERNAL", None),
        (KeyError(INSIDE), "INTERNAL", None),
    ],
)
async def test_faults_of_ours_are_masked(
    query: str,
    error: Exception,
    code: str,
    retryable: bool | None,  # noqa: FBT001 - a case of the table
    caplog: pytest.LogCaptureFixture,
) -> None:
    """One sentence, a code and an id that the log has beside the cause; nothing of the inside."""
    with caplog.at_level(logging.ERROR):
        told = await failed(error, query)

    assert told["extensions"]["code"] == code
    assert told["extensions"].get("retryable") == retryable
    assert "bolt" not in str(told)
    assert "MATCH" not in str(told)
    correlation_id = told["extensions"]["correlationId"]
    logged = [record for record in caplog.records if correlation_id in record.getMessage()]
    assert len(logged) == 1
    assert logged[0].exc_info is not None
    assert logged[0].exc_info[1] is error


async def test_errors_of_the_question_are_not_masked_and_not_logged(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    """What the client can mend is told in words, and is no news for the log."""
    answer = await client.ask('{ lineage(threadId: "nobody", maxDepth: 1001) { version } }')

    assert answer["errors"][0]["message"] == "maxDepth is 1001; the most is 1000."
    assert answer["errors"][0]["extensions"] == {"code": "LIMIT_EXCEEDED"}
    assert not caplog.records


async def test_a_value_that_can_not_leave_is_masked(
    client: Client, family: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Null where the schema has none is a fault of ours, and says so without the inside."""

    async def broken(thread_ids: list[ThreadId]) -> dict[ThreadId, Thread]:
        shape = {"thread_id": ThreadId("x"), "recorded": True, "root_thread_id": ThreadId("x")}
        return {
            thread_id: Thread(**{**shape, "depth": 2**40})  # pyright: ignore[reportArgumentType] - it is meant to be wrong
            for thread_id in thread_ids
        }

    monkeypatch.setattr(family, "threads_by_id", broken)

    too_large = await client.code('{ thread(threadId: "x") { depth } }')
    monkeypatch.setattr(family, "threads_by_id", MemoryStore().threads_by_id)
    missing = await client.ask("{ threads { edges { node { root { title } } } } }")

    assert too_large == "INTERNAL"
    assert missing["data"] is None
    assert {error["extensions"]["code"] for error in missing["errors"]} == {"INTERNAL"}
    assert "Thread.root" not in str(missing["errors"])


async def test_one_cause_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    """A store that fails under many fields fills no log."""
    query = '{ a: thread(threadId: "a") { title } b: thread(threadId: "b") { title } }'
    failing = cast("ThreadGraph", FailingGraph(StoreUnavailable(INSIDE)))

    with caplog.at_level(logging.ERROR):
        async with serving(failing) as client:
            answer = await client.ask(query)

    ids = {error["extensions"]["correlationId"] for error in answer["errors"]}
    assert len(answer["errors"]) == 2
    assert len(ids) == 1
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("query", "variables", "code"),
    [
        ("{", {}, "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("{ threads { edges } }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("subscription { a }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ("mutation { a }", {}, "GRAPHQL_VALIDATION_FAILED"),
        ('{ threads(filter: {createdAfter: "today"}) { totalCount } }', {}, "BAD_USER_INPUT"),
        (
            "query($t: DateTime) { threads(filter: {createdAfter: $t}) { totalCount } }",
            {"t": "today"},
            "BAD_USER_INPUT",
        ),
        ("query($n: Int!) { threads(first: $n) { totalCount } }", {}, "BAD_USER_INPUT"),
        ("query($n: Int) { threads(first: $n) { totalCount } }", {"n": "1"}, "BAD_USER_INPUT"),
        ("query($n: Int) { threads(first: $n) { totalCount } }", {"n": 2**31}, "BAD_USER_INPUT"),
        ("query A { __typename } query B { __typename }", {}, "BAD_USER_INPUT"),
        ("fragment F on Query { __typename }", {}, "BAD_USER_INPUT"),
    ],
)
async def test_a_wrong_question_has_its_code(
    client: Client, query: str, variables: dict[str, object], code: str
) -> None:
    """What does not parse, validate or fit the schema is told apart, and has no data."""
    answer = await client.ask(query, **variables)

    assert {error["extensions"]["code"] for error in answer["errors"]} == {code}
    assert "data" not in answer


async def test_a_failed_field_leaves_the_others(client: Client) -> None:
    """An error stands beside the rest of the answer, with its path."""
    answer = await client.ask('{ node(id: "?") { id } access { canWrite } }')

    assert answer == {
        "data": {"node": None, "access": {"canWrite": False}},
        "errors": [
            {
                "message": "'?' is no id of this service.",
                "locations": [{"line": 1, "column": 3}],
                "path": ["node"],
                "extensions": {"code": "BAD_USER_INPUT"},
            }
        ],
    }
