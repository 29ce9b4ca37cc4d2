"""The list of threads: its filter, its orders, its pages in both directions."""

from typing import Any

import pytest

from graph.records import Batch
from tests.api.asking import Client, CountingGraph, serving
from tests.api.families import thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

PAGE = """
query Page($first: Int, $after: String, $last: Int, $before: String, $orderBy: ThreadOrder) {
  threads(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    edges { cursor node { threadId } }
  }
}"""


async def listed(client: Client, condition: str) -> list[str]:
    """The ids of the threads that meet a condition."""
    data = await client.data(
        f"{{ threads(filter: {condition}) {{ edges {{ node {{ threadId }} }} }} }}"
    )
    return [edge["node"]["threadId"] for edge in data["threads"]["edges"]]


def ids_of(page: dict[str, Any]) -> list[str]:
    """The ids of the threads of a page."""
    return [edge["node"]["threadId"] for edge in page["edges"]]


async def test_a_list_tells_its_rows_their_places_and_its_length(client: Client) -> None:
    """A connection is Relay's: edges with cursors, what is known of the page, and the length."""
    data = await client.data(
        """{ threads { totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
             edges { cursor node { threadId } } } }"""
    )

    connection = data["threads"]
    assert ids_of(connection) == ["fork", "root"]
    assert connection["totalCount"] == 2
    assert connection["pageInfo"] == {
        "hasNextPage": False,
        "hasPreviousPage": False,
        "startCursor": connection["edges"][0]["cursor"],
        "endCursor": connection["edges"][1]["cursor"],
    }


async def test_an_empty_list_has_no_cursors(client: Client) -> None:
    """Nothing is invented where nothing is."""
    data = await client.data(
        """{ threads(filter: {search: "nowhere"}) { totalCount edges { cursor }
             pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }"""
    )

    assert data["threads"] == {
        "totalCount": 0,
        "edges": [],
        "pageInfo": {
            "hasNextPage": False,
            "hasPreviousPage": False,
            "startCursor": None,
            "endCursor": None,
        },
    }


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("{}", ["fork", "root"]),
        ("null", ["fork", "root"]),
        ('{ids: ["root", "helper"]}', ["root"]),
        ("{ids: []}", []),
        ("{rootsOnly: true}", ["root"]),
        ('{rootThreadId: "root", sourceKinds: ["subAgent"]}', ["deeper", "helper"]),
        ('{parentThreadId: "root"}', ["helper"]),
        ('{ancestorThreadId: "root"}', ["deeper", "helper"]),
        ('{drivers: ["codex"]}', ["fork", "root"]),
        ('{drivers: ["pi"]}', []),
        ('{providerInstanceIds: ["codex"]}', ["fork", "root"]),
        ('{sourceKinds: ["subAgent"]}', ["deeper", "helper"]),
        ("{sourceKinds: []}", ["fork", "root"]),
        ("{includeSpawned: true}", ["deeper", "helper", "fork", "root"]),
        ('{includeSpawned: true, search: "Helper"}', ["helper"]),
        ("{includeSpawned: true, sourceKinds: []}", ["fork", "root"]),
        ("{archived: true}", []),
        ("{archived: null}", ["fork", "root"]),
        ('{createdAfter: "2026-11-30T12:02:00Z"}', ["fork"]),
        ('{createdBefore: "2026-11-30T13:02:00+01:00"}', ["root"]),
        ('{updatedAfter: "2026-11-30T12:02:00.000000001Z", updatedBefore: null}', ["fork"]),
        ('{search: "first"}', ["root"]),
        ('{search: "First"}', []),
    ],
)
async def test_the_filter_says_what_is_listed(
    client: Client, condition: str, expected: list[str]
) -> None:
    """Each condition reaches the store; absent and null are no condition."""
    assert await listed(client, condition) == expected


async def test_two_relations_at_once_are_refused(client: Client) -> None:
    """A list is of one relation."""
    code = await client.code(
        '{ threads(filter: {parentThreadId: "a", ancestorThreadId: "b"}) { totalCount } }'
    )

    assert code == "BAD_USER_INPUT"


@pytest.mark.parametrize("size", [1, 2, 7, 100])
@pytest.mark.parametrize("order", ["CREATED_DESC", "CREATED_ASC", "UPDATED_DESC", "RECENCY_ASC"])
async def test_pages_in_both_directions_give_the_same_list(size: int, order: str) -> None:
    """Pages of any size, forward and backward, concatenate to the whole list."""
    store = MemoryStore()
    await store.record(
        Batch(threads=tuple(thread(f"thread-{n:02}", minute=n // 3) for n in range(20)))
    )
    forward: list[str] = []
    backward: list[str] = []

    async with serving(store) as client:
        whole = (await client.data(PAGE, first=100, orderBy=order))["threads"]
        cursor, more = None, True
        while more:
            page = (await client.data(PAGE, first=size, after=cursor, orderBy=order))["threads"]
            forward += ids_of(page)
            cursor, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
        cursor, more = None, True
        while more:
            page = (await client.data(PAGE, last=size, before=cursor, orderBy=order))["threads"]
            backward = ids_of(page) + backward
            cursor, more = page["pageInfo"]["startCursor"], page["pageInfo"]["hasPreviousPage"]

    assert forward == ids_of(whole)
    assert backward == ids_of(whole)
    assert len(set(forward)) == 20


async def test_a_cursor_stays_right_while_threads_come(
    client: Client, family: MemoryStore
) -> None:
    """A page goes on behind its cursor, whatever was recorded before it since."""
    first = (await client.data(PAGE, first=1))["threads"]
    await family.record(Batch(threads=(thread("newest", minute=50),)))

    second = (await client.data(PAGE, first=1, after=first["pageInfo"]["endCursor"]))["threads"]

    assert ids_of(first) + ids_of(second) == ["fork", "root"]


async def test_a_cursor_of_other_arguments_is_refused(client: Client) -> None:
    """A cursor is a place in one list: another filter or order is another list."""
    data = await client.data("{ threads(first: 1) { pageInfo { endCursor } } }")
    cursor = data["threads"]["pageInfo"]["endCursor"]

    other_order = await client.code(PAGE, after=cursor, orderBy="CREATED_ASC")
    other_filter = await client.code(
        "query($c: String) { threads(filter: {rootsOnly: true}, after: $c) { totalCount } }",
        c=cursor,
    )
    garbled = await client.code(PAGE, after="not a cursor")
    cut = await client.code(PAGE, before=cursor[:-2])

    assert {other_order, other_filter, garbled, cut} == {"BAD_USER_INPUT"}


async def test_the_same_arguments_said_in_other_words_keep_the_cursor(client: Client) -> None:
    """Defaults that are written out are the same arguments."""
    data = await client.data("{ threads(first: 1) { pageInfo { endCursor } } }")

    again = await client.data(
        """query($c: String) { threads(orderBy: CREATED_DESC, filter: {archived: false}, after: $c)
           { edges { node { threadId } } } }""",
        c=data["threads"]["pageInfo"]["endCursor"],
    )

    assert ids_of(again["threads"]) == ["root"]


async def test_two_directions_at_once_are_refused(client: Client) -> None:
    """A page is the first or the last of a list."""
    assert await client.code(PAGE, first=1, last=1) == "BAD_USER_INPUT"


async def test_only_what_is_selected_is_asked_of_the_store(
    client: Client, counting: CountingGraph
) -> None:
    """The length costs when it is selected, and the page when it is."""
    await client.data("{ threads { edges { cursor } pageInfo { endCursor } } }")
    page_only = dict(counting.calls)
    counting.calls.clear()
    await client.data("{ threads { totalCount } }")

    assert page_only == {"threads": 1}
    assert counting.calls == {"count_threads": 1}
