"""The ways between threads and where they meet, over the API."""

import pytest

from tests.api.asking import Client, CountingGraph

pytestmark = pytest.mark.anyio


async def test_a_path_leads_from_one_thread_to_another(
    client: Client, counting: CountingGraph
) -> None:
    """Threads and edges in the order of the path, as a lineage tells them, in one question."""
    data = await client.data(
        """{ path(fromThreadId: "deeper", toThreadId: "fork") {
             nodes { threadId title } edges { id kind status } } }"""
    )

    assert data["path"] == {
        "nodes": [
            {"threadId": "deeper", "title": "Deeper"},
            {"threadId": "helper", "title": "Helper"},
            {"threadId": "root", "title": "Root"},
            {"threadId": "fork", "title": "Fork"},
        ],
        "edges": [
            {"id": "SPAWN:helper:deeper", "kind": "SPAWN", "status": "closed"},
            {"id": "SPAWN:root:helper", "kind": "SPAWN", "status": "open"},
            {"id": "FORK:root:fork", "kind": "FORK", "status": None},
        ],
    }
    assert counting.calls == {"path": 1}


async def test_a_path_of_one_thread_has_no_edge(client: Client) -> None:
    """A thread is connected with itself."""
    data = await client.data(
        '{ path(fromThreadId: "fork", toThreadId: "fork") { nodes { threadId } edges { id } } }'
    )

    assert data["path"] == {"nodes": [{"threadId": "fork"}], "edges": []}


async def test_threads_meet_at_an_ancestor(client: Client, counting: CountingGraph) -> None:
    """One thread meets itself; several meet at the nearest above them all."""
    data = await client.data(
        """{ one: nearestCommonAncestor(threadIds: ["fork"]) { threadId }
             two: nearestCommonAncestor(threadIds: ["deeper", "helper"]) { threadId }
             all: nearestCommonAncestor(threadIds: ["deeper", "fork", "deeper"]) { title } }"""
    )

    assert data == {
        "one": {"threadId": "fork"},
        "two": {"threadId": "helper"},
        "all": {"title": "Root"},
    }
    assert counting.calls == {"nearest_common_ancestor": 3}


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ('path(fromThreadId: "root", toThreadId: "nobody") { edges { id } }', "THREAD_NOT_FOUND"),
        ('path(fromThreadId: "nobody", toThreadId: "root") { edges { id } }', "THREAD_NOT_FOUND"),
        ('nearestCommonAncestor(threadIds: ["root", "nobody"]) { title }', "THREAD_NOT_FOUND"),
        ("nearestCommonAncestor(threadIds: []) { title }", "BAD_USER_INPUT"),
    ],
)
async def test_unknown_threads_are_refused(client: Client, field: str, code: str) -> None:
    """An unknown id is never told as not connected; no thread at all is no question."""
    assert await client.code(f"{{ {field} }}") == code


async def test_a_meeting_is_of_at_most_a_hundred_threads(client: Client) -> None:
    """More are refused, also when they are the same."""
    query = "query($ids: [String!]!) { nearestCommonAncestor(threadIds: $ids) { threadId } }"

    data = await client.data(query, ids=["root"] * 100)

    assert data == {"nearestCommonAncestor": {"threadId": "root"}}
    assert await client.code(query, ids=["root"] * 101) == "LIMIT_EXCEEDED"
