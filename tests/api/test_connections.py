"""What holds for every connection, whatever its rows are."""

import msgspec
import pytest
from graphql import parse, print_ast

from graph.records import Batch, ItemsRecord
from tests.api.asking import Answer, Client, CountingGraph, serving
from tests.api.families import item, spawn, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

FIELDS = {
    "threads": "{{ threads{} {} }}",
    "descendants": '{{ thread(threadId: "root") {{ descendants{} {} }} }}',
    "children": '{{ thread(threadId: "root") {{ children{} {} }} }}',
    "spawn_edges": '{{ thread(threadId: "root") {{ spawnEdges{} {} }} }}',
    "runs": '{{ thread(threadId: "root") {{ runs{} {} }} }}',
    "history": '{{ thread(threadId: "root") {{ history{} {} }} }}',
    "items": '{{ thread(threadId: "root") {{ items{} {} }} }}',
    "checkpoints": '{{ thread(threadId: "root") {{ checkpoints{} {} }} }}',
    "items_of_runs": ('{{ node(id: "UnVuOnJvb3QvdHVybi0x") {{ ... on Run {{ items{} {} }} }} }}'),
}
"""The questions for a connection by the method of the graph that answers its pages."""

PAGE = "{ edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }"


def asked(method: str, selection: str, arguments: str = "") -> str:
    """A question for one connection."""
    return print_ast(parse(FIELDS[method].format(arguments, selection)))


def connection_in(data: Answer) -> Answer:
    """The connection in the data of an answer."""
    found = data
    while "edges" not in found and "totalCount" not in found:
        (found,) = found.values()
    return found


@pytest.mark.parametrize("method", FIELDS)
async def test_the_length_of_a_list_costs_only_when_it_is_selected(
    client: Client, counting: CountingGraph, method: str
) -> None:
    """Without totalCount nothing is counted, and without a page none is fetched."""
    await client.data(asked(method, PAGE))
    for_page = set(counting.calls)
    counting.calls.clear()
    await client.data(asked(method, "{ totalCount }"))
    for_length = set(counting.calls)

    assert not [name for name in for_page if name.startswith("count_")]
    assert [name for name in for_length if name.startswith("count_")] == [f"count_{method}"]
    assert method not in for_length


@pytest.mark.parametrize("method", sorted(FIELDS.keys() - {"checkpoints"}))
async def test_a_cursor_of_any_other_list_is_refused(client: Client, method: str) -> None:
    """Each connection takes its own cursors and none of another's."""
    cursors = {
        name: connection_in(await client.data(asked(name, PAGE, "(first: 1)")))["pageInfo"][
            "endCursor"
        ]
        for name in FIELDS.keys() - {"checkpoints"}
    }
    own = cursors.pop(method)

    await client.data(asked(method, PAGE, f'(after: "{own}")'))
    codes = [
        await client.code(asked(method, PAGE, f'(after: "{other}")')) for other in cursors.values()
    ]

    assert codes == ["BAD_USER_INPUT"] * 7


async def test_a_page_goes_on_behind_a_row_that_has_left() -> None:
    """A cursor is a sort key and an id, not a count: rows may come and go on both its sides."""
    threads = [thread(f"thread-{number}", minute=number) for number in range(9)]
    store = MemoryStore()
    await store.record(Batch(threads=tuple(threads)))
    query = """query($after: String) { threads(first: 3, after: $after, orderBy: CREATED_ASC) {
        pageInfo { endCursor } edges { node { threadId } } } }"""

    async with serving(store) as client:
        first = (await client.data(query))["threads"]
        gone = [msgspec.structs.replace(threads[number], archived=True) for number in (0, 2, 4)]
        await store.record(Batch(threads=(*gone, thread("thread-1b", minute=1))))
        second = (await client.data(query, after=first["pageInfo"]["endCursor"]))["threads"]

    seen = [edge["node"]["threadId"] for page in (first, second) for edge in page["edges"]]
    assert seen == [
        *("thread-0", "thread-1", "thread-2"),
        *("thread-3", "thread-5", "thread-6"),
    ]


async def test_pages_of_contents_stay_right_while_rows_come_and_go() -> None:
    """Items that are dropped and children that are spawned meanwhile move no other row."""
    items = tuple(item("top", position) for position in range(6))
    children = tuple(thread(f"child-{number}") for number in range(1, 5))
    spawns = tuple(spawn("top", child.thread_id) for child in children)
    store = MemoryStore()
    await store.record(
        Batch(threads=(thread("top", items=ItemsRecord(items=items)), *children), spawns=spawns)
    )
    query = """query($items: String, $children: String) { thread(threadId: "top") {
        items(first: 4, after: $items) { pageInfo { endCursor } edges { node { position } } }
        children(first: 2, after: $children) { pageInfo { endCursor }
          edges { node { threadId } } } } }"""

    async with serving(store) as client:
        first = (await client.data(query))["thread"]
        await store.finish_items(children[0].thread_id, count=0, settled=0, digest=None)
        await store.finish_items(thread("top").thread_id, count=5, settled=5, digest=None)
        await store.record(
            Batch(
                threads=(thread("child-0"), thread("child-25")),
                spawns=(spawn("top", "child-0"), spawn("top", "child-25")),
            )
        )
        second = await client.data(
            query,
            items=first["items"]["pageInfo"]["endCursor"],
            children=first["children"]["pageInfo"]["endCursor"],
        )

    assert [edge["node"]["position"] for edge in second["thread"]["items"]["edges"]] == [4]
    assert [edge["node"]["threadId"] for edge in second["thread"]["children"]["edges"]] == [
        "child-25",
        "child-3",
    ]
