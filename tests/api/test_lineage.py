"""The lineage of a thread."""

import pytest

from graph.records import Batch
from tests.api.asking import Client, serving
from tests.api.families import spawn, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

LINEAGE = """
query Lineage($threadId: String!, $direction: LineageDirection, $kinds: [EdgeKind!],
              $maxDepth: Int, $maxNodes: Int, $after: String) {
  lineage(threadId: $threadId, direction: $direction, kinds: $kinds, maxDepth: $maxDepth,
          maxNodes: $maxNodes, after: $after) {
    version endCursor truncated { reason limit }
    nodes { threadId } edges { id }
  }
}"""


async def test_a_lineage_is_flat(client: Client) -> None:
    """Nodes by depth and id, edges by kind and ends, told from the origin to the newer one."""
    data = await client.data(
        """{ lineage(threadId: "root") { version truncated { reason } nodes { threadId recorded }
             edges { id kind fromThreadId toThreadId status contextOnly transferId transferType
             itemCount runId at pointAt evidence } } }"""
    )

    nothing = {"transferId": None, "transferType": None, "itemCount": None}
    spawned = {
        **nothing,
        "kind": "SPAWN",
        "contextOnly": None,
        "at": "2026-11-30T12:08:00.000000Z",
        "pointAt": None,
        "evidence": "database: thread_spawn_edges",
    }
    assert data["lineage"]["version"].startswith("root:")
    assert data["lineage"]["truncated"] is None
    assert data["lineage"]["nodes"] == [
        {"threadId": "root", "recorded": True},
        {"threadId": "fork", "recorded": True},
        {"threadId": "helper", "recorded": True},
        {"threadId": "unseen", "recorded": False},
        {"threadId": "deeper", "recorded": True},
    ]
    assert data["lineage"]["edges"] == [
        {
            **nothing,
            "id": "FORK:root:fork",
            "kind": "FORK",
            "fromThreadId": "root",
            "toThreadId": "fork",
            "status": None,
            "contextOnly": False,
            "runId": "root/turn-2",
            "at": "2026-11-30T12:09:00.000000Z",
            "pointAt": "2026-11-30T12:02:00.000000Z",
            "evidence": "file: session_meta",
        },
        {
            **spawned,
            "id": "SPAWN:helper:deeper",
            "fromThreadId": "helper",
            "toThreadId": "deeper",
            "status": "closed",
            "runId": "helper/turn-1",
        },
        {
            **spawned,
            "id": "SPAWN:root:helper",
            "fromThreadId": "root",
            "toThreadId": "helper",
            "status": "open",
            "runId": "root/turn-1",
        },
        {
            **spawned,
            "id": "SPAWN:root:unseen",
            "fromThreadId": "root",
            "toThreadId": "unseen",
            "status": "open",
            "runId": "root/turn-1",
        },
    ]


async def test_a_whole_tree_is_the_same_from_each_thread_of_it(client: Client) -> None:
    """One answer whatever node it is asked from."""
    answers = [
        (await client.data(LINEAGE, threadId=thread_id))["lineage"]
        for thread_id in ("root", "fork", "helper", "deeper", "unseen")
    ]

    assert answers == answers[:1] * 5


@pytest.mark.parametrize(
    ("direction", "expected"),
    [
        ("ANCESTORS", ["helper", "root"]),
        ("DESCENDANTS", ["helper", "deeper"]),
        ("WHOLE_TREE", ["root", "fork", "helper", "unseen", "deeper"]),
        (None, ["root", "fork", "helper", "unseen", "deeper"]),
    ],
)
async def test_a_direction_is_a_part_of_the_tree(
    client: Client, direction: str | None, expected: list[str]
) -> None:
    """Above, below, or all of it; the start is among the nodes. Null is the default."""
    data = await client.data(LINEAGE, threadId="helper", direction=direction)

    assert [node["threadId"] for node in data["lineage"]["nodes"]] == expected


async def test_a_cut_says_why_and_where(client: Client) -> None:
    """Nothing is cut off silently."""
    by_depth = (await client.data(LINEAGE, threadId="root", maxDepth=1))["lineage"]
    by_nodes = (await client.data(LINEAGE, threadId="root", maxNodes=2))["lineage"]

    assert by_depth["truncated"] == {"reason": "DEPTH", "limit": 1}
    assert by_depth["endCursor"] is None
    assert len(by_depth["nodes"]) == 4
    assert by_nodes["truncated"] == {"reason": "NODES", "limit": 2}
    assert by_nodes["nodes"] == [{"threadId": "root"}, {"threadId": "fork"}]


@pytest.mark.parametrize("size", [1, 2, 7, 40])
async def test_pages_of_a_lineage_give_the_whole_tree(size: int) -> None:
    """A tree over the most goes on behind its end, while there is one; an edge is on one page."""
    store = MemoryStore()
    names = [f"child-{n:02}" for n in range(15)]
    spawns = tuple(
        spawn(names[n // 2 - 1] if n > 1 else "top", name) for n, name in enumerate(names)
    )
    await store.record(
        Batch(threads=(thread("top"), *(thread(name) for name in names)), spawns=spawns)
    )
    nodes: list[str] = []
    edges: list[str] = []

    async with serving(store) as client:
        whole = (await client.data(LINEAGE, threadId="top"))["lineage"]
        cursor, more = None, True
        while more:
            data = await client.data(LINEAGE, threadId="top", maxNodes=size, after=cursor)
            page = data["lineage"]
            nodes += [node["threadId"] for node in page["nodes"]]
            edges += [edge["id"] for edge in page["edges"]]
            cursor, more = page["endCursor"], page["endCursor"] is not None

    assert nodes == [node["threadId"] for node in whole["nodes"]]
    assert sorted(edges) == sorted(edge["id"] for edge in whole["edges"])
    assert len(nodes) == 16


async def test_an_unknown_thread_has_no_lineage(client: Client) -> None:
    """There is no graph to answer: an error, unlike thread, which is null."""
    answer = await client.ask(LINEAGE, threadId="nobody")

    assert answer["data"] is None
    assert answer["errors"][0]["message"] == "No thread has the id 'nobody'."
    assert answer["errors"][0]["path"] == ["lineage"]
    assert answer["errors"][0]["extensions"] == {"code": "THREAD_NOT_FOUND"}


async def test_edges_that_are_not_walked_are_refused(client: Client) -> None:
    """History bases and transfers are reported between threads, and no kind to walk by."""
    codes = {
        await client.code(LINEAGE, threadId="root", kinds=[kind])
        for kind in ("HISTORY_BASE", "TRANSFER")
    }

    assert codes == {"BAD_USER_INPUT"}


async def test_a_cursor_of_another_lineage_is_refused(client: Client) -> None:
    """Another thread, direction, depth or kind is another walk; another size is the same."""
    data = await client.data(LINEAGE, threadId="root", maxNodes=1)
    cursor = data["lineage"]["endCursor"]

    codes = [
        await client.code(LINEAGE, **{"threadId": "root", "after": cursor, **other})
        for other in (
            {"threadId": "fork"},
            {"direction": "DESCENDANTS"},
            {"maxDepth": 3},
            {"kinds": ["SPAWN"]},
        )
    ]
    same = await client.data(LINEAGE, threadId="root", after=cursor, maxNodes=100)

    assert codes == ["BAD_USER_INPUT"] * 4
    assert same["lineage"]["nodes"][0] == {"threadId": "fork"}
