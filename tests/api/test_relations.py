"""The fields of a thread that lead to other threads."""

from typing import Any

import pytest

from graph.records import Batch
from tests.api.asking import Client, serving
from tests.api.families import spawn, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


async def of_thread(client: Client, thread_id: str, selection: str) -> dict[str, Any]:
    """What a thread answers to a selection."""
    data = await client.data(f'{{ thread(threadId: "{thread_id}") {{ {selection} }} }}')
    return data["thread"]


async def test_a_thread_names_its_root_and_its_parent(client: Client) -> None:
    """The place of a thread, as ids and as threads."""
    deeper = await of_thread(
        client,
        "deeper",
        """rootThreadId parentThreadId relationshipToParent depth agentParentThreadId
           root { threadId parent { threadId } } parent { threadId }""",
    )

    assert deeper == {
        "rootThreadId": "root",
        "parentThreadId": "helper",
        "relationshipToParent": "SUBAGENT",
        "depth": 2,
        "agentParentThreadId": "helper",
        "root": {"threadId": "root", "parent": None},
        "parent": {"threadId": "helper"},
    }


async def test_a_fork_says_where_it_came_from(client: Client) -> None:
    """Source, exact point, time and evidence; a fork source is no agent's parent."""
    fork = await of_thread(
        client,
        "fork",
        """agentParentThreadId relationshipToParent forkedFrom { threadId contextOnly attached at
           evidence thread { title } point { threadId runId checkpointId itemId
           nativeThreadRef { driver } nativeTurnRef { driver nativeId strength } } }""",
    )

    assert fork["forkedFrom"]["point"].pop("nativeThreadRef") is None
    assert fork["forkedFrom"]["point"].pop("nativeTurnRef") is None
    assert fork == {
        "agentParentThreadId": None,
        "relationshipToParent": "FORK",
        "forkedFrom": {
            "threadId": "root",
            "contextOnly": False,
            "attached": False,
            "at": "2026-11-30T12:09:00.000000Z",
            "evidence": "file: session_meta",
            "thread": {"title": "Root"},
            "point": {
                "threadId": "root",
                "runId": "root/turn-2",
                "checkpointId": None,
                "itemId": None,
            },
        },
    }


async def test_what_does_not_apply_is_null(client: Client) -> None:
    """A root is no fork, has no parent and refers to no other history."""
    root = await of_thread(
        client, "root", "parent { threadId } forkedFrom { threadId } historyBase { threadId }"
    )

    assert root == {"parent": None, "forkedFrom": None, "historyBase": None}


async def test_a_placeholder_has_a_place_and_nothing_else(client: Client) -> None:
    """A thread that was only named says that it is not recorded, and invents nothing."""
    unseen = await of_thread(
        client,
        "unseen",
        """recorded title driver status createdAt depth rootThreadId parent { threadId }
           runs { totalCount } descendants { totalCount } selectedCapabilityRoots { id }""",
    )

    assert unseen == {
        "recorded": False,
        "title": None,
        "driver": None,
        "status": None,
        "createdAt": None,
        "depth": 1,
        "rootThreadId": "root",
        "parent": {"threadId": "root"},
        "runs": {"totalCount": 0},
        "descendants": {"totalCount": 0},
        "selectedCapabilityRoots": [],
    }


async def test_ancestors_stand_nearest_first(client: Client) -> None:
    """All threads above, over the asked kinds of edges."""
    deeper = await of_thread(
        client,
        "deeper",
        """ancestors { threadId } spawners: ancestors(kinds: [SPAWN]) { threadId }
           sources: ancestors(kinds: [FORK]) { threadId }
           none: ancestors(kinds: []) { threadId }""",
    )

    assert deeper == {
        "ancestors": [{"threadId": "helper"}, {"threadId": "root"}],
        "spawners": [{"threadId": "helper"}, {"threadId": "root"}],
        "sources": [],
        "none": [],
    }


async def test_descendants_stand_by_depth_and_id(client: Client) -> None:
    """All threads below, each once with its distance."""
    root = await of_thread(
        client,
        "root",
        """descendants { totalCount edges { depth node { threadId } } }
           near: descendants(maxDepth: 1) { totalCount }
           nowhere: descendants(maxDepth: 0) { totalCount edges { depth } }
           open: descendants(kinds: [SPAWN], spawnStatus: "open") {
             edges { node { threadId } } }""",
    )

    assert root == {
        "descendants": {
            "totalCount": 4,
            "edges": [
                {"depth": 1, "node": {"threadId": "fork"}},
                {"depth": 1, "node": {"threadId": "helper"}},
                {"depth": 1, "node": {"threadId": "unseen"}},
                {"depth": 2, "node": {"threadId": "deeper"}},
            ],
        },
        "near": {"totalCount": 3},
        "nowhere": {"totalCount": 0, "edges": []},
        "open": {"edges": [{"node": {"threadId": "helper"}}, {"node": {"threadId": "unseen"}}]},
    }


async def test_children_are_direct(client: Client) -> None:
    """The threads directly below, by id."""
    root = await of_thread(
        client,
        "root",
        """children { totalCount edges { node { threadId } } }
           forks: children(kinds: [FORK]) { totalCount edges { node { threadId } } }
           closed: children(kinds: [SPAWN], spawnStatus: "closed") { totalCount }""",
    )

    assert root == {
        "children": {
            "totalCount": 3,
            "edges": [{"node": {"threadId": name}} for name in ("fork", "helper", "unseen")],
        },
        "forks": {"totalCount": 1, "edges": [{"node": {"threadId": "fork"}}]},
        "closed": {"totalCount": 0},
    }


async def test_spawn_edges_tell_how_each_child_was_spawned(client: Client) -> None:
    """The direct spawns with status, origin, run, call, time and evidence."""
    helper = await of_thread(
        client,
        "helper",
        """spawnEdges { totalCount edges { node { parentThreadId childThreadId status origin runId
           callId at evidence child { threadId title } } } }
           open: spawnEdges(status: "open") { totalCount edges { cursor } }""",
    )

    assert helper == {
        "spawnEdges": {
            "totalCount": 1,
            "edges": [
                {
                    "node": {
                        "parentThreadId": "helper",
                        "childThreadId": "deeper",
                        "status": "closed",
                        "origin": "provider_native",
                        "runId": "helper/turn-1",
                        "callId": "call-1",
                        "at": "2026-11-30T12:08:00.000000Z",
                        "evidence": "database: thread_spawn_edges",
                        "child": {"threadId": "deeper", "title": "Deeper"},
                    }
                }
            ],
        },
        "open": {"totalCount": 0, "edges": []},
    }


@pytest.mark.parametrize(
    "field", ["descendants(kinds: [%s])", "children(kinds: [%s])", "ancestors(kinds: [%s])"]
)
@pytest.mark.parametrize("kind", ["TRANSFER", "HISTORY_BASE"])
async def test_only_forks_spawns_and_parents_are_walked(
    client: Client, field: str, kind: str
) -> None:
    """Other edges are reported between threads and never followed."""
    selection = "{ threadId }" if field.startswith("ancestors") else "{ totalCount }"

    code = await client.code(f'{{ thread(threadId: "root") {{ {field % kind} {selection} }} }}')

    assert code == "BAD_USER_INPUT"


@pytest.mark.parametrize("kinds", ["", ", kinds: [SPAWN, FORK]", ", kinds: []"])
@pytest.mark.parametrize("field", ["descendants", "children"])
async def test_a_spawn_status_is_of_spawn_edges_alone(
    client: Client, field: str, kinds: str
) -> None:
    """With a status, the kinds must be [SPAWN]: other edges have none."""
    arguments = f'(spawnStatus: "open"{kinds})'

    code = await client.code(
        f'{{ thread(threadId: "root") {{ {field}{arguments} {{ totalCount }} }} }}'
    )

    assert code == "BAD_USER_INPUT"


@pytest.mark.parametrize("size", [1, 2, 7, 40])
@pytest.mark.parametrize(
    ("field", "row"),
    [("descendants", "threadId"), ("children", "threadId"), ("spawnEdges", "childThreadId")],
)
async def test_pages_of_relations_give_the_whole_list(size: int, field: str, row: str) -> None:
    """Pages of any size concatenate to the whole list."""
    store = MemoryStore()
    names = [f"child-{n:02}" for n in range(15)]
    await store.record(
        Batch(
            threads=(thread("top"), *(thread(name) for name in names)),
            spawns=tuple(spawn("top", name) for name in names),
        )
    )
    query = f"""query($first: Int, $after: String) {{ thread(threadId: "top") {{
        {field}(first: $first, after: $after) {{
        pageInfo {{ hasNextPage endCursor }} edges {{ node {{ {row} }} }} }} }} }}"""
    found: list[str] = []

    async with serving(store) as client:
        cursor, more = None, True
        while more:
            page = (await client.data(query, first=size, after=cursor))["thread"][field]
            found += [edge["node"][row] for edge in page["edges"]]
            cursor, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]

    assert found == names


async def test_a_cursor_of_another_thread_is_refused(client: Client) -> None:
    """The children of another thread are another list, and so are those over other edges."""
    data = await client.data(
        '{ thread(threadId: "root") { children(first: 1) { pageInfo { endCursor } } } }'
    )
    cursor = data["thread"]["children"]["pageInfo"]["endCursor"]
    query = """query($id: String!, $c: String, $k: [EdgeKind!])
        { thread(threadId: $id) { children(after: $c, kinds: $k) { totalCount } } }"""

    other_thread = await client.code(query, id="helper", c=cursor)
    other_kinds = await client.code(query, id="root", c=cursor, k=["SPAWN"])
    same = await client.data(query, id="root", c=cursor, k=["PARENT", "SPAWN", "FORK"])

    assert (other_thread, other_kinds) == ("BAD_USER_INPUT", "BAD_USER_INPUT")
    assert same["thread"]["children"]["totalCount"] == 3
