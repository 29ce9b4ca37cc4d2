"""Context transfers over the API."""

from typing import Any

import pytest

from graph.model import TransferStatus, TransferType
from graph.records import Batch
from graph.transfers import Handoff, HandoffId, HandoffKind, Resolution, Strategy, TransferStep
from tests.api.asking import Client, serving
from tests.conformance.told import SEEN, at, forked, handed, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

HANDOFF = Handoff(
    handoff_id=HandoffId("h"),
    transfer_id=handed("merged", "b", "a").transfer_id,
    kind=HandoffKind.DELTA_CONTEXT,
    payload='{"alreadyDelivered":1,"messages":[]}',
    text="nothing",
    tokens=2,
    item_ids=("i",),
    created_at=at(4),
)
TOLD = Batch(
    threads=(thread("a"), forked("b", of="a"), thread("c")),
    transfers=(
        handed("over", "a", "c", created_at=at(1), consumed_at=at(1)),
        handed("itself", "a", "a", created_at=at(2)),
        handed(
            "merged",
            "b",
            "a",
            type=TransferType.MERGE_BACK,
            status=TransferStatus.RESOLVED_PORTABLE,
            created_at=at(3),
            consumed_at=None,
            resolution=Resolution(strategy=Strategy.DELTA_CONTEXT, handoff_id=HANDOFF.handoff_id),
            handoff=HANDOFF,
            steps=(
                TransferStep(status=TransferStatus.PENDING, at=at(3)),
                TransferStep(status=TransferStatus.RESOLVED_PORTABLE, at=at(4), reason="why"),
            ),
        ),
    ),
)


async def told(query: str, **variables: object) -> dict[str, Any]:
    """What is answered over the transfers above."""
    store = MemoryStore()
    await store.record(TOLD)
    async with serving(store) as client:
        return await client.data(query, **variables)


def ids_of(connection: dict[str, Any]) -> list[str]:
    """The ids of a connection's transfers."""
    return [edge["node"]["transferId"] for edge in connection["edges"]]


async def test_a_transfer_is_told_with_all_its_parts() -> None:
    """Its point, resolution, steps and what it carries, whose payload is JSON."""
    data = await told(
        """{ transfer(transferId: "merged") {
          transferId type status sourceThreadId targetThreadId
          sourcePoint { threadId runId } basePoint { threadId } sourceProvider { instanceId }
          targetRunId replaces evidence createdBy createdAt updatedAt consumedAt error
          resolution { strategy nativeThreadRef { driver } handoffId }
          handoff { handoffId kind payload text tokens itemIds omittedItemIds createdAt }
          task resultText outcome steps { status at runId reason }
        } missing: transfer(transferId: "missing") { transferId } }"""
    )

    assert data == {
        "transfer": {
            "transferId": "merged",
            "type": "MERGE_BACK",
            "status": "RESOLVED_PORTABLE",
            "sourceThreadId": "b",
            "targetThreadId": "a",
            "sourcePoint": {"threadId": "b", "runId": None},
            "basePoint": None,
            "sourceProvider": None,
            "targetRunId": None,
            "replaces": None,
            "evidence": str(SEEN),
            "createdBy": "SYSTEM",
            "createdAt": at(3),
            "updatedAt": at(4),
            "consumedAt": None,
            "error": None,
            "resolution": {
                "strategy": "DELTA_CONTEXT",
                "nativeThreadRef": None,
                "handoffId": "h",
            },
            "handoff": {
                "handoffId": "h",
                "kind": "DELTA_CONTEXT",
                "payload": {"alreadyDelivered": 1, "messages": []},
                "text": "nothing",
                "tokens": 2,
                "itemIds": ["i"],
                "omittedItemIds": [],
                "createdAt": at(4),
            },
            "task": None,
            "resultText": None,
            "outcome": None,
            "steps": [
                {"status": "PENDING", "at": at(3), "runId": None, "reason": None},
                {"status": "RESOLVED_PORTABLE", "at": at(4), "runId": None, "reason": "why"},
            ],
        },
        "missing": None,
    }


async def test_a_transfer_is_a_node() -> None:
    """Its id asks for it again."""
    store = MemoryStore()
    await store.record(TOLD)
    async with serving(store) as client:
        node_id = (await client.data('{ transfer(transferId: "over") { id } }'))["transfer"]["id"]
        asked = "query ($id: ID!) { node(id: $id) { __typename ... on Transfer { transferId } } }"
        data = await client.data(asked, id=node_id)

    assert data == {"node": {"__typename": "Transfer", "transferId": "over"}}


async def test_transfers_are_listed_by_their_conditions() -> None:
    """All of them, those of a type, and those of a thread at either end."""
    data = await told(
        """{ all: transfers { totalCount ...T }
          handed: transfers(filter: {type: [PROVIDER_HANDOFF], threadId: "c"}) { ...T }
          late: transfers(filter: {createdAfter: "2026-11-30T12:00:02Z"}) { ...T }
          none: transfers(filter: {status: []}) { totalCount ...T } }
        fragment T on TransferConnection { edges { node { transferId } } }"""
    )

    assert data["all"]["totalCount"] == 3
    assert data["none"]["totalCount"] == 0
    assert {name: ids_of(connection) for name, connection in data.items()} == {
        "all": ["over", "itself", "merged"],
        "handed": ["over"],
        "late": ["itself", "merged"],
        "none": [],
    }


async def test_a_thread_tells_what_went_in_and_out() -> None:
    """Without a direction both, each once; pages go on where they ended."""
    query = """query ($after: String) { thread(threadId: "a") {
      in: transfers(direction: IN) { ...T }
      out: transfers(direction: OUT, status: [CONSUMED]) { totalCount ...T }
      page: transfers(first: 2, after: $after) { pageInfo { hasNextPage endCursor } ...T }
    } }
    fragment T on TransferConnection { edges { node { transferId } } }"""

    first = (await told(query))["thread"]
    second = (await told(query, after=first["page"]["pageInfo"]["endCursor"]))["thread"]

    assert [ids_of(first[name]) for name in ("in", "out", "page")] == [
        ["itself", "merged"],
        ["over", "itself"],
        ["over", "itself"],
    ]
    assert first["out"]["totalCount"] == 2
    assert ids_of(second["page"]) == ["merged"]
    assert (first["page"]["pageInfo"]["hasNextPage"], second["page"]["pageInfo"]) == (
        True,
        {"hasNextPage": False, "endCursor": second["page"]["pageInfo"]["endCursor"]},
    )


async def test_a_lineage_tells_transfers_as_edges() -> None:
    """The thread at the other end of a hand-off from another tree is a node of it."""
    data = await told(
        """{ lineage(threadId: "b") { nodes { threadId } edges {
          id kind fromThreadId toThreadId status transferId transferType itemCount at
        } } }"""
    )

    assert [node["threadId"] for node in data["lineage"]["nodes"]] == ["a", "b", "c"]
    assert [edge["id"] for edge in data["lineage"]["edges"]] == [
        "FORK:a:b",
        "TRANSFER:itself",
        "TRANSFER:over",
        "TRANSFER:merged",
    ]
    assert data["lineage"]["edges"][-1] == {
        "id": "TRANSFER:merged",
        "kind": "TRANSFER",
        "fromThreadId": "b",
        "toThreadId": "a",
        "status": "RESOLVED_PORTABLE",
        "transferId": "merged",
        "transferType": "MERGE_BACK",
        "itemCount": 1,
        "at": at(3),
    }


async def test_a_cursor_of_another_list_of_transfers_is_refused(client: Client) -> None:
    """It names a place among other arguments."""
    asked = """query ($after: String) {
      transfers(filter: {threadId: "a"}, after: $after) { edges { cursor } }
    }"""
    page = await told("{ transfers(first: 1) { pageInfo { endCursor } } }")

    code = await client.code(asked, after=page["transfers"]["pageInfo"]["endCursor"])

    assert code == "BAD_USER_INPUT"
