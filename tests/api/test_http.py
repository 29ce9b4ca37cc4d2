"""GraphQL over HTTP: methods, media types, statuses, and what is refused."""

import json
from collections.abc import AsyncGenerator
from typing import cast

import httpx
import pytest

from graph.store import ThreadGraph
from tests.api.asking import Client, FailingGraph, serving
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

JSON = "application/json"
GRAPHQL = "application/graphql-response+json"
TYPENAME = {"query": "{ __typename }"}
BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"


async def post(client: Client, accept: str, body: object = TYPENAME) -> httpx.Response:
    """The response to a POST request that accepts some media types."""
    return await client.post("/graphql", json=body, headers={"accept": accept})


@pytest.mark.parametrize(
    ("accept", "expected"),
    [
        ("", JSON),
        ("*/*", JSON),
        ("application/*", JSON),
        (JSON, JSON),
        (GRAPHQL, GRAPHQL),
        (f"{JSON}, {GRAPHQL}", GRAPHQL),
        (f"{GRAPHQL}; charset=utf-8, {JSON}; charset=utf-8", GRAPHQL),
        (f"{GRAPHQL};q=0.5, {JSON}", JSON),
        (f"{GRAPHQL};q=0.9, {JSON};q=0.1", GRAPHQL),
        (f"{GRAPHQL}, */*", GRAPHQL),
        (f"{GRAPHQL};q=0.2, */*;q=0.7", JSON),
        (f"{JSON};q=0, */*", GRAPHQL),
        (f"TEXT/html, {GRAPHQL.upper()}", GRAPHQL),
        (BROWSER, JSON),
    ],
)
async def test_the_client_chooses_the_media_type(
    client: Client, accept: str, expected: str
) -> None:
    """q-values decide; a named type goes before one that is only covered."""
    response = await post(client, accept)

    assert response.status_code == 200
    assert response.headers["content-type"] == f"{expected}; charset=utf-8"
    assert response.json() == {"data": {"__typename": "Query"}}


@pytest.mark.parametrize(
    "accept", ["image/png", "text/html", f"{JSON};q=0", f"{JSON};q=wrong", "application/graphql"]
)
async def test_a_media_type_that_no_answer_has_is_not_acceptable(
    client: Client, accept: str
) -> None:
    """406, with the error as JSON all the same."""
    response = await post(client, accept)

    assert response.status_code == 406
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize(
    "body",
    [
        {"query": "{"},
        {"query": "{ nothing }"},
        {"query": "query($n: Int!) { threads(first: $n) { totalCount } }"},
        {"query": "{ __typename }", "operationName": "Other"},
        {"query": "query A { __typename } query B { __typename }"},
        {"query": "{ a0: access { canWrite } " * 30 + "}"},
    ],
)
async def test_a_refused_question_is_told_by_status_or_not(
    client: Client, body: dict[str, object]
) -> None:
    """400 without data for the GraphQL media type, 200 for JSON."""
    graphql = await post(client, GRAPHQL, body)
    plain = await post(client, JSON, body)

    assert (graphql.status_code, plain.status_code) == (400, 200)
    assert list(graphql.json()) == ["errors"]
    assert plain.json() == graphql.json()


async def test_a_failed_field_is_an_answer(client: Client) -> None:
    """What was executed is 200 with data, even where that is null."""
    response = await post(client, GRAPHQL, {"query": '{ lineage(threadId: "x") { version } }'})

    assert response.status_code == 200
    assert response.json()["data"] is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"[" + json.dumps(TYPENAME).encode() + b"]",
        b"null",
        b"7",
        b"{}",
        b'{"query": null}',
        b'{"query": ""}',
        b'{"query": 7}',
        b'{"query": ["{ __typename }"]}',
        b'{"query": "{ __typename }", "variables": []}',
        b'{"query": "{ __typename }", "variables": "{}"}',
        b'{"query": "{ __typename }", "operationName": 7}',
        b'{"query": "{ __typename }", "extensions": "x"}',
        b'{"query": "{ __typename \xff}"}',
        b'\xef\xbb\xbf{"query": "{ __typename }"}',
        b'{"query": "\\ud800"}',
        b'{"query": "{ __typename }", "variables": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}",
        b'{"query": "{ __typename }"} {"query": "{ __typename }"}',
        '{"query": "{ __typename }"}'.encode("utf-16"),
    ],
)
@pytest.mark.parametrize("accept", [JSON, GRAPHQL])
async def test_a_body_that_is_no_question_is_refused(
    client: Client, content: bytes, accept: str
) -> None:
    """400 and one plain sentence, whatever it is; lists of questions are not taken either."""
    response = await client.post(
        "/graphql", content=content, headers={"content-type": JSON, "accept": accept}
    )

    assert response.status_code == 400
    assert list(response.json()) == ["errors"]
    assert [error["extensions"] for error in response.json()["errors"]] == [
        {"code": "BAD_USER_INPUT"}
    ]


async def test_null_is_absent_in_a_body(client: Client) -> None:
    """Variables, operation name and extensions may be null; other keys are not looked at."""
    body = {**TYPENAME, "variables": None, "operationName": None, "extensions": None, "more": 1}

    assert (await post(client, JSON, body)).json() == {"data": {"__typename": "Query"}}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/graphql",
        "application/json; charset=latin-1",
        "application/jsonp",
    ],
)
async def test_only_json_bodies_are_read(client: Client, content_type: str | None) -> None:
    """415 for others. A foreign page can't send this type without being asked first."""
    headers = {} if content_type is None else {"content-type": content_type}

    response = await client.post("/graphql", content=json.dumps(TYPENAME), headers=headers)

    assert response.status_code == 415
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


@pytest.mark.parametrize("content_type", ['application/json; charset="UTF-8"', "Application/JSON"])
async def test_json_in_utf_8_is_read(client: Client, content_type: str) -> None:
    """The name of a type has no case, and a charset may be stated."""
    response = await client.post(
        "/graphql", content=json.dumps(TYPENAME), headers={"content-type": content_type}
    )

    assert response.json() == {"data": {"__typename": "Query"}}


async def test_get_asks_questions(client: Client) -> None:
    """A query by GET needs no header; variables are JSON."""
    query = "query A($id: String!) { thread(threadId: $id) { title } } query B { __typename }"

    response = await client.get(
        "/graphql",
        params={"query": query, "variables": '{"id": "root"}', "operationName": "A"},
    )

    assert response.json() == {"data": {"thread": {"title": "Root"}}}
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"query": ""},
        {"query": "{ __typename }", "variables": "{"},
        {"query": "{ __typename }", "variables": "[]"},
        {"query": "{ __typename }", "extensions": "1"},
    ],
)
async def test_a_get_request_without_a_question_is_refused(
    client: Client, params: dict[str, str]
) -> None:
    """400, as for a body."""
    response = await client.get("/graphql", params=params)

    assert response.status_code == 400
    assert response.json()["errors"][0]["extensions"]["code"] == "BAD_USER_INPUT"


async def test_get_changes_nothing(client: Client) -> None:
    """A mutation by GET is not allowed, and POST is the way."""
    response = await client.get("/graphql", params={"query": "mutation { a }"})

    assert response.status_code == 405
    assert response.headers["allow"] == "POST"
    assert response.json()["errors"][0]["message"] == "A mutation is sent by POST."


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
async def test_other_methods_are_not_allowed(client: Client, method: str) -> None:
    """Also no OPTIONS: pages of other origins get no leave to ask."""
    response = await client.request(method, "/graphql", json=TYPENAME)

    assert response.status_code == 405
    assert {"GET", "POST"} <= set(response.headers["allow"].split(", "))
    assert "access-control-allow-origin" not in response.headers


async def test_a_large_body_is_refused_while_it_arrives() -> None:
    """413, counted byte by byte: no length is believed, and none is needed."""
    pieces = 0

    async def endless() -> AsyncGenerator[bytes]:
        nonlocal pieces
        for _ in range(50):
            pieces += 1
            yield b" " * 100

    async with serving(MemoryStore(), max_body_bytes=1_000) as client:
        streamed = await client.post("/graphql", content=endless(), headers={"content-type": JSON})
        exact = await client.post(
            "/graphql",
            content=json.dumps(TYPENAME).ljust(1_000),
            headers={"content-type": JSON},
        )
        over = await client.post(
            "/graphql",
            content=json.dumps(TYPENAME).ljust(1_001),
            headers={"content-type": JSON},
        )

    assert [streamed.status_code, exact.status_code, over.status_code] == [413, 200, 413]
    assert streamed.json()["errors"][0]["extensions"] == {"code": "LIMIT_EXCEEDED"}
    assert pieces == 50


async def test_what_goes_wrong_outside_of_a_field_is_masked() -> None:
    """Also there one sentence and a correlation id, as JSON."""
    failing = cast("ThreadGraph", FailingGraph(RuntimeError("bolt://inside")))

    async with serving(failing) as client:
        response = await client.get("/health/ready")

    assert response.status_code == 500
    assert "bolt" not in response.text
    assert response.json()["errors"][0]["extensions"]["code"] == "INTERNAL"
    assert response.json()["errors"][0]["extensions"]["correlationId"]


async def test_the_root_leads_to_graphql(client: Client) -> None:
    """A visitor finds the page."""
    response = await client.get("/")

    assert response.status_code == 307
    assert response.headers["location"] == "/graphql"


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8484", 200),
        ("127.0.0.1", 200),
        ("[::1]:8484", 200),
        ("evil.example", 400),
        ("localhost.evil.example:8484", 400),
        ("", 400),
    ],
)
async def test_a_service_can_be_asked_by_its_own_names_only(host: str, status: int) -> None:
    """A web page whose name is made to lead to this machine gets nothing."""
    names = ("localhost", "127.0.0.1", "[::1]")

    async with serving(MemoryStore(), allowed_hosts=names) as client:
        response = await client.get(
            "/graphql", params={"query": "{ __typename }"}, headers={"host": host}
        )

    assert response.status_code == status
