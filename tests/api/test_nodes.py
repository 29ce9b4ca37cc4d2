"""Opaque ids: what they name, and what they refuse."""

from base64 import urlsafe_b64encode

import pytest

from tests.api.asking import Client, CountingGraph

pytestmark = pytest.mark.anyio

NODES = """query($ids: [ID!]!) { nodes(ids: $ids) { __typename id
    ... on Thread { threadId } ... on Run { runId ordinal } } }"""


def opaque(text: str) -> str:
    """An id that holds *text*."""
    return urlsafe_b64encode(text.encode()).rstrip(b"=").decode()


async def test_an_id_leads_back_to_what_told_it(client: Client) -> None:
    """Threads, placeholders and runs can be asked for by their opaque id."""
    data = await client.data(
        """{ thread(threadId: "root") { id runs(first: 1) { edges { node { id } } } }
             unseen: thread(threadId: "unseen") { id } }"""
    )
    ids = [
        data["thread"]["id"],
        data["thread"]["runs"]["edges"][0]["node"]["id"],
        data["unseen"]["id"],
    ]

    nodes = (await client.data(NODES, ids=ids))["nodes"]

    assert nodes == [
        {"__typename": "Thread", "id": ids[0], "threadId": "root"},
        {"__typename": "Run", "id": ids[1], "runId": "root/turn-1", "ordinal": 1},
        {"__typename": "Thread", "id": ids[2], "threadId": "unseen"},
    ]


async def test_ids_stay_the_same(client: Client) -> None:
    """The id of a thread never changes: bookmarks keep working."""
    data = await client.data('{ thread(threadId: "root") { id } }')

    assert data == {"thread": {"id": "VGhyZWFkOnJvb3Q"}}


async def test_nodes_keep_order_and_length(client: Client, counting: CountingGraph) -> None:
    """Null for each miss, the same for a repeated id, and one statement a type."""
    ids = [
        opaque(text)
        for text in (
            "Run:root/turn-2",
            "Thread:nobody",
            "Thread:fork",
            "Run:nothing",
            "Thread:fork",
            "Transfer:t-1",
            "Run:root/turn-1",
            "Thread:root/turn-1",
        )
    ]

    nodes = (await client.data(NODES, ids=ids))["nodes"]

    fork = {"__typename": "Thread", "id": ids[2], "threadId": "fork"}
    assert nodes == [
        {"__typename": "Run", "id": ids[0], "runId": "root/turn-2", "ordinal": 2},
        None,
        fork,
        None,
        fork,
        None,
        {"__typename": "Run", "id": ids[6], "runId": "root/turn-1", "ordinal": 1},
        None,
    ]
    assert counting.calls == {"threads_by_id": 1, "runs_by_id": 1, "transfers_by_id": 1}


async def test_no_ids_cost_nothing(client: Client, counting: CountingGraph) -> None:
    """An empty list answers an empty list."""
    assert await client.data(NODES, ids=[]) == {"nodes": []}
    assert counting.calls == {}


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "root",
        "!!!",
        "VGhyZWFkOnJvb3Q=",
        "VGhyZWFkOnJvb3Q\n",
        "ключ",
        opaque("no type"),
        opaque("Thread:"),
        opaque(":root"),
        urlsafe_b64encode(b"Thread:\xff").rstrip(b"=").decode(),
    ],
)
async def test_garbage_is_refused(client: Client, garbage: str) -> None:
    """What this service can't have made is a fault of the question."""
    one = await client.code("query($id: ID!) { node(id: $id) { id } }", id=garbage)
    many = await client.code(NODES, ids=[opaque("Thread:root"), garbage])

    assert (one, many) == ("BAD_USER_INPUT", "BAD_USER_INPUT")


async def test_a_hundred_ids_are_the_most(client: Client) -> None:
    """More ids are refused, never cut off."""
    most = await client.data(NODES, ids=[opaque("Thread:root")] * 100)
    over = await client.code(NODES, ids=[opaque("Thread:root")] * 101)

    assert len(most["nodes"]) == 100
    assert over == "LIMIT_EXCEEDED"
