"""What a fork could bring back, over the API."""

from typing import cast

import pytest

from graph.model import Actor, ItemId, RunId, SourcePoint, ThreadId, TransferId, TransferType
from graph.records import Batch, ItemRecord, ItemsRecord, TransferRecord
from graph.store import ThreadGraph
from tests.api.asking import Client, CountingGraph, serving
from tests.api.families import DATABASE, at, fork, item, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


@pytest.fixture
async def branches() -> CountingGraph:
    """``top`` with two forks that went on; the first one changed a file."""
    changed = ItemRecord(
        item_id=ItemId("one/changed"),
        position=3,
        run_id=RunId("one/turn-2"),
        kind="file_change",
        role="tool",
        text="b.py\na.py",
    )
    items = (item("one", 0), item("one", 1), item("one", 2, turn=2), changed)
    store = MemoryStore()
    await store.record(
        Batch(
            threads=(
                thread("top", turns=2),
                thread("one", turns=2, fork=fork("top", 1), items=ItemsRecord(items=items)),
                thread("two", turns=1, fork=fork("top", 2)),
            )
        )
    )
    return CountingGraph(store)


async def test_a_delta_tells_points_runs_items_and_files(branches: CountingGraph) -> None:
    """All of it at once, from the fork point to the tip."""
    async with serving(cast("ThreadGraph", branches)) as client:
        data = await client.data(
            """{ mergeBackDelta(forkThreadId: "one") { forkThreadId intoThreadId
                 base { threadId runId } tip { threadId runId } runs { runId }
                 items(first: 3) { totalCount pageInfo { hasNextPage endCursor }
                   edges { node { itemId } } }
                 itemCount alreadyDelivered filesChanged } }"""
        )
        cursor = data["mergeBackDelta"]["items"]["pageInfo"].pop("endCursor")
        more = await client.data(
            """query($after: String) { mergeBackDelta(forkThreadId: "one") {
                 items(after: $after) { edges { node { itemId } } } } }""",
            after=cursor,
        )

    assert data["mergeBackDelta"] == {
        "forkThreadId": "one",
        "intoThreadId": "top",
        "base": {"threadId": "top", "runId": "top/turn-1"},
        "tip": {"threadId": "one", "runId": "one/turn-2"},
        "runs": [{"runId": "one/turn-1"}, {"runId": "one/turn-2"}],
        "items": {
            "totalCount": 4,
            "pageInfo": {"hasNextPage": True},
            "edges": [{"node": {"itemId": f"one/item-{number}"}} for number in range(3)],
        },
        "itemCount": 4,
        "alreadyDelivered": 0,
        "filesChanged": ["a.py", "b.py"],
    }
    assert [edge["node"]["itemId"] for edge in more["mergeBackDelta"]["items"]["edges"]] == [
        "one/changed"
    ]


async def test_a_delta_ends_with_the_run_that_is_named(branches: CountingGraph) -> None:
    """A run that can't be the tip gives no delta; a cursor is good for its own tip alone."""
    query = """query($run: String, $after: String) {
        mergeBackDelta(forkThreadId: "one", runId: $run) { itemCount
          items(first: 1, after: $after) { pageInfo { endCursor } } } }"""
    async with serving(cast("ThreadGraph", branches)) as client:
        first = await client.data(query, run="one/turn-1")
        other = await client.data(query, run="top/turn-1")
        cursor = first["mergeBackDelta"]["items"]["pageInfo"]["endCursor"]
        code = await client.code(query, run="one/turn-2", after=cursor)

    assert first["mergeBackDelta"]["itemCount"] == 2
    assert other == {"mergeBackDelta": None}
    assert code == "BAD_USER_INPUT"


async def test_deltas_of_many_threads_cost_one_round_trip_a_field(
    branches: CountingGraph,
) -> None:
    """Deltas, sums and items of all forks of a list together; null for no fork."""
    async with serving(cast("ThreadGraph", branches)) as client:
        data = await client.data(
            """{ threads(orderBy: CREATED_ASC) { edges { node { threadId mergeBackDelta {
                 tip { runId } itemCount filesChanged items { edges { node { text } } }
               } } } } }"""
        )

    deltas = {
        edge["node"]["threadId"]: edge["node"]["mergeBackDelta"]
        for edge in data["threads"]["edges"]
    }
    assert deltas["top"] is None
    assert deltas["two"] == {
        "tip": {"runId": "two/turn-1"},
        "itemCount": 0,
        "filesChanged": [],
        "items": {"edges": []},
    }
    assert branches.calls == {
        "threads": 1,
        "merge_back_deltas": 1,
        "merge_back_sums": 1,
        "merge_back_items": 1,
    }


def merge(name: str, run_id: str | None, **known: object) -> TransferRecord:
    """What is to be merged back up to a run of ``one`` or of ``two``."""
    source = ThreadId((run_id or "one/").partition("/")[0])
    facts: dict[str, object] = {
        "type": TransferType.MERGE_BACK,
        "source_thread_id": source,
        "target_thread_id": ThreadId("top"),
        "source_point": SourcePoint(
            thread_id=source, run_id=None if run_id is None else RunId(run_id)
        ),
        **known,
    }
    return TransferRecord(
        transfer_id=TransferId(name),
        evidence=DATABASE,
        created_by=Actor.USER,
        created_at=at(7),
        **facts,  # pyright: ignore[reportArgumentType] - the facts are named by the test
    )


async def test_a_merge_back_tells_what_it_brings(branches: CountingGraph) -> None:
    """One round trip a field for all of them; null for other transfers and without a run."""
    transfers = (
        merge("a", "one/turn-1"),
        merge("b", "one/turn-2"),
        merge("c", "two/turn-1"),
        merge("d", None),
        merge("e", "one/turn-9"),
        merge("f", "one/turn-1", type=TransferType.PROVIDER_HANDOFF),
    )
    await cast("ThreadGraph", branches).record(Batch(transfers=transfers))
    branches.calls.clear()
    async with serving(cast("ThreadGraph", branches)) as client:
        data = await client.data(
            """{ transfers { edges { node { transferId delta {
                 forkThreadId intoThreadId base { runId } tip { runId } runs { ordinal }
                 itemCount alreadyDelivered filesChanged
                 items(first: 1) { edges { node { text } } }
               } } } } }"""
        )

    deltas = {
        edge["node"]["transferId"]: edge["node"]["delta"] for edge in data["transfers"]["edges"]
    }
    assert deltas["a"] == {
        "forkThreadId": "one",
        "intoThreadId": "top",
        "base": {"runId": "top/turn-1"},
        "tip": {"runId": "one/turn-1"},
        "runs": [{"ordinal": 1}],
        "itemCount": 2,
        "alreadyDelivered": 0,
        "filesChanged": [],
        "items": {"edges": [{"node": {"text": "text 0"}}]},
    }
    assert (deltas["b"]["itemCount"], deltas["b"]["filesChanged"]) == (4, ["a.py", "b.py"])
    assert deltas["c"]["runs"] == [{"ordinal": 1}]
    assert [deltas[name] for name in "def"] == [None, None, None]
    assert branches.calls == {
        "transfers": 1,
        "merge_back_deltas_to": 1,
        "merge_back_sums": 1,
        "merge_back_items": 1,
    }


async def test_a_delta_of_an_unknown_thread_is_refused(client: Client) -> None:
    """A thread that is no fork has none; one that was never seen is an error."""
    data = await client.data('{ mergeBackDelta(forkThreadId: "helper") { itemCount } }')

    assert data == {"mergeBackDelta": None}
    assert (
        await client.code('{ mergeBackDelta(forkThreadId: "nobody") { itemCount } }')
        == "THREAD_NOT_FOUND"
    )
