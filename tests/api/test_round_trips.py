"""How often the store is asked: by field, never by rows."""

from typing import cast

import pytest

from graph.records import Batch, SpawnRecord
from graph.store import ThreadGraph
from tests.api.asking import CountingGraph, serving
from tests.api.families import fork, spawn, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


async def test_a_hundred_threads_cost_one_call_a_field() -> None:
    """Each selected field costs one round trip, whatever the number of threads."""
    store = MemoryStore()
    names = [f"thread-{n:03}" for n in range(100)]
    await store.record(
        Batch(
            threads=(
                thread("top", turns=1),
                *(thread(name, turns=2, fork=fork("top", 1)) for name in names),
            )
        )
    )
    counting = CountingGraph(store)
    query = """{ threads(first: 100) { totalCount pageInfo { endCursor } edges { node {
        title parent { title } root { title } ancestors { threadId } history { totalCount }
        runs { totalCount pageInfo { endCursor } edges { node { runId items { totalCount } } } }
        children { totalCount edges { node { title } } } descendants { edges { depth } }
        forkedFrom { thread { title } } historyBase { threadId } contextWindows { number }
        spawnEdges { edges { node { child { title } } } } checkpoints { totalCount }
        items { edges { node { text } } } } } } }"""

    async with serving(cast("ThreadGraph", counting)) as client:
        data = await client.data(query)

    assert len(data["threads"]["edges"]) == 100
    assert counting.calls == {
        "threads": 1,
        "count_threads": 1,
        "threads_by_id": 3,  # parent, root and the source of forkedFrom
        "ancestors": 1,
        "count_history": 1,
        "runs": 1,
        "count_runs": 1,
        "count_items_of_runs": 1,
        "children": 1,
        "count_children": 1,
        "descendants": 1,
        "fork_origins": 1,
        "history_bases": 1,
        "context_windows": 1,
        "spawn_edges": 1,
        "count_checkpoints": 1,
        "items": 1,
    }


async def test_uneven_trees_cost_one_call_a_field() -> None:
    """A list of one is worked out in another order than a longer one, and waits for it."""
    store = MemoryStore()
    threads = [thread("top")]
    spawns: list[SpawnRecord] = []
    for n in range(6):
        threads.append(thread(f"child-{n}"))
        spawns.append(spawn("top", f"child-{n}"))
        for m in range(n):
            threads.append(thread(f"child-{n}-{m}"))
            spawns.append(spawn(f"child-{n}", f"child-{n}-{m}"))
            for k in range(m):
                threads.append(thread(f"child-{n}-{m}-{k}", turns=k + 1))
                spawns.append(spawn(f"child-{n}-{m}", f"child-{n}-{m}-{k}"))
    await store.record(Batch(threads=tuple(threads), spawns=tuple(spawns)))
    counting = CountingGraph(store)
    query = """{ thread(threadId: "top") { children(first: 9) { edges { node {
        children(first: 9) { edges { node { parent { parent { title } }
        children(first: 9) { totalCount pageInfo { endCursor } edges { node {
        runs(first: 9) { edges { node { items { totalCount } } } } root { title }
        } } } } } } } } } } }"""

    async with serving(cast("ThreadGraph", counting)) as client:
        await client.data(query)

    assert counting.calls == {
        "family": 2,  # thread and three levels of children; the parents and theirs
        "threads_by_id": 1,  # the roots
        "count_children": 1,
        "runs": 1,
        "count_items_of_runs": 1,
    }


@pytest.mark.parametrize(
    ("top", "asked"),
    [
        ("threads(first: 100) { edges { node { %s } } }", "threads"),
        ('lineage(threadId: "top", maxNodes: 90) { nodes { %s } }', "lineage"),
    ],
)
async def test_relatives_below_a_list_cost_one_call_a_level(top: str, asked: str) -> None:
    """Also children of children of children, and their parents and roots."""
    store = MemoryStore()
    names = [f"agent-{n}" for n in range(40)]
    above = {name: "top" if n < 9 else names[(n - 9) // 3] for n, name in enumerate(names)}
    await store.record(
        Batch(
            threads=(thread("top"), *map(thread, names)),
            spawns=tuple(spawn(parent, child) for child, parent in above.items()),
        )
    )
    counting = CountingGraph(store)
    level = "threadId parent { title } root { title } children(first: 5) { edges { node { %s } } }"
    below = level.replace("%s", level.replace("%s", level.replace("%s", "title")))

    async with serving(cast("ThreadGraph", counting)) as client:
        await client.data("{ " + top.replace("%s", below) + " }")

    assert counting.calls == {asked: 1, "threads_by_id": 6, "children": 3}


async def test_the_same_field_under_two_names_costs_two_calls() -> None:
    """Two names can have two sets of arguments."""
    store = MemoryStore()
    await store.record(Batch(threads=(thread("one", turns=3), thread("two", turns=3))))
    counting = CountingGraph(store)
    query = """{ threads { edges { node { a: runs(first: 1) { edges { node { ordinal } } }
        b: runs(first: 2) { edges { node { ordinal } } } } } } }"""

    async with serving(cast("ThreadGraph", counting)) as client:
        data = await client.data(query)

    assert counting.calls == {"threads": 1, "runs": 2}
    node = data["threads"]["edges"][0]["node"]
    assert (len(node["a"]["edges"]), len(node["b"]["edges"])) == (1, 2)


async def test_a_lineage_costs_one_call() -> None:
    """Nodes, edges and the version come from one statement."""
    store = MemoryStore()
    await store.record(
        Batch(threads=(thread("top"), thread("child")), spawns=(spawn("top", "child"),))
    )
    counting = CountingGraph(store)

    async with serving(cast("ThreadGraph", counting)) as client:
        await client.data(
            '{ lineage(threadId: "top") { version nodes { title status } edges { id } } }'
        )

    assert counting.calls == {"lineage": 1}


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        (
            """{ thread(threadId: "child-0") { title parent { title } root { title }
            children(first: 5) { pageInfo { hasNextPage } edges { cursor node { title } } } } }""",
            "family",
        ),
        (
            '{ thread(threadId: "top") { title '
            + "children(first: 3) { edges { node { title " * 7
            + "} } } " * 7
            + "} }",
            "family",
        ),
        ('{ lineage(threadId: "top") { nodes { title model status } } }', "lineage"),
        ("{ threads(first: 5) { edges { node { title status } } } }", "threads"),
        ('{ thread(threadId: "top") { title } }', "threads_by_id"),
        ('{ node(id: "VGhyZWFkOnRvcA") { ... on Thread { parent { title } } } }', "family"),
    ],
)
async def test_what_is_asked_most_is_one_statement(query: str, asked: str) -> None:
    """A thread with its nearest relatives, nested children, a tree, a page of the list."""
    store = MemoryStore()
    names = [f"child-{n}" for n in range(9)]
    above = dict(zip(names, ["top", *names], strict=False))
    await store.record(
        Batch(
            threads=(thread("top"), *map(thread, names)),
            spawns=tuple(spawn(parent, child) for child, parent in above.items()),
        )
    )
    counting = CountingGraph(store)

    async with serving(cast("ThreadGraph", counting)) as client:
        await client.data(query)

    assert counting.calls == {asked: 1}


async def test_two_requests_share_nothing() -> None:
    """What one request has asked is never the answer to the next."""
    store = MemoryStore()
    await store.record(Batch(threads=(thread("top", title="Before"),)))
    counting = CountingGraph(store)
    query = '{ thread(threadId: "top") { title } }'

    async with serving(cast("ThreadGraph", counting)) as client:
        before = await client.data(query)
        await store.record(Batch(threads=(thread("top", title="After"),)))
        after = await client.data(query)

    assert (before, after) == ({"thread": {"title": "Before"}}, {"thread": {"title": "After"}})
    assert counting.calls == {"threads_by_id": 2}
