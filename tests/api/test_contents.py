"""The facts of a thread, and the fields that lead to what it holds."""

import pytest

from graph.model import RunKind, ThreadId
from graph.records import Batch, HistoryBaseRecord, ItemsRecord
from tests.api.asking import Client, serving
from tests.api.families import DATABASE, at, item, run, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


async def test_a_thread_tells_its_facts(client: Client) -> None:
    """Every plain field leaves as it was recorded; what is not known is null."""
    data = await client.data(
        """{ thread(threadId: "root") { __typename threadId nativeThreadId recorded title name
             preview driver providerInstanceId model historyMode threadSource source sourceKind
             originator sessionId createdBy cwd gitBranch gitCommit gitRepository cliVersion
             ephemeral memoryMode multiAgentVersion agentNickname agentRole agentPath
             selectedCapabilityRoots { id environmentId path } createdAt updatedAt recencyAt
             archivedAt deletedAt status startedAt endedAt } }"""
    )

    told = data["thread"]
    assert {name: value for name, value in told.items() if value is not None} == {
        "__typename": "Thread",
        "threadId": "root",
        "recorded": True,
        "title": "Root",
        "name": "The first",
        "driver": "codex",
        "providerInstanceId": "codex",
        "sourceKind": "cli",
        "sessionId": "root",
        "selectedCapabilityRoots": [{"id": "tool", "environmentId": "local", "path": "/tools"}],
        "createdAt": "2026-11-30T12:01:00.000000Z",
        "updatedAt": "2026-11-30T12:01:00.000000Z",
        "recencyAt": "2026-11-30T12:01:00.000000Z",
        "status": "completed",
        "startedAt": "2026-11-30T12:01:00.000000Z",
        "endedAt": "2026-11-30T12:03:00.000000Z",
    }


async def test_an_unknown_thread_is_null(client: Client) -> None:
    """Asking for one thread that is not there is no error."""
    assert await client.data('{ thread(threadId: "nobody") { title } }') == {"thread": None}


async def test_runs_stand_by_ordinal(client: Client) -> None:
    """A thread's own runs, each with its facts."""
    data = await client.data(
        """{ thread(threadId: "fork") { runs { totalCount edges { node { runId threadId
             nativeTurnId ordinal kind status rolledBackAt driver providerInstanceId model
             startedAt completedAt usage { inputTokens } parentRunId rootRunId trigger error
        } } } } }"""
    )

    runs = data["thread"]["runs"]
    assert runs["totalCount"] == 2
    assert [edge["node"]["runId"] for edge in runs["edges"]] == ["fork/turn-1", "fork/turn-2"]
    assert runs["edges"][1]["node"] == {
        "runId": "fork/turn-2",
        "threadId": "fork",
        "nativeTurnId": "turn-2",
        "ordinal": 2,
        "kind": "TURN",
        "status": "completed",
        "rolledBackAt": None,
        "driver": "codex",
        "providerInstanceId": "codex",
        "model": None,
        "startedAt": "2026-11-30T12:02:00.000000Z",
        "completedAt": "2026-11-30T12:02:00.000000Z",
        "usage": None,
        "parentRunId": None,
        "rootRunId": None,
        "trigger": None,
        "error": None,
    }


async def test_usage_is_null_only_where_nothing_is_known() -> None:
    """One known number is enough, also zero; the others stay null. Large numbers stay exact."""
    store = MemoryStore()
    runs = (
        run("used", 1, input_tokens=0),
        run("used", 2, input_tokens=2**53 - 1, output_tokens=2**53),
        run("used", 3, kind=RunKind.COMPACTION),
    )
    await store.record(Batch(threads=(thread("used", runs=runs),)))

    async with serving(store) as client:
        data = await client.data(
            """{ thread(threadId: "used") { runs { edges { node { kind usage {
                 inputTokens cachedInputTokens outputTokens reasoningTokens } } } } } }"""
        )

    nothing = {"cachedInputTokens": None, "reasoningTokens": None}
    assert [edge["node"] for edge in data["thread"]["runs"]["edges"]] == [
        {"kind": "TURN", "usage": {"inputTokens": 0, "outputTokens": None, **nothing}},
        {
            "kind": "TURN",
            "usage": {
                "inputTokens": 9007199254740991,
                "outputTokens": "9007199254740992",
                **nothing,
            },
        },
        {"kind": "COMPACTION", "usage": None},
    ]


async def test_rolled_back_runs_are_shown_unless_they_are_not_wanted() -> None:
    """Of runs they are a part by default, of history they are not; null is the default."""
    store = MemoryStore()
    runs = (run("back", 1), run("back", 2, rolled_back_at=at(5)))
    await store.record(Batch(threads=(thread("back", runs=runs),)))

    async with serving(store) as client:
        data = await client.data(
            """{ thread(threadId: "back") {
                 all: runs { totalCount edges { node { runId } } }
                 null: runs(includeRolledBack: null) { totalCount }
                 kept: runs(includeRolledBack: false) { totalCount edges { node { runId } } }
                 history { totalCount } more: history(includeRolledBack: true) { totalCount }
                 default: history(includeRolledBack: null) { totalCount } } }"""
        )

    assert data["thread"] == {
        "all": {
            "totalCount": 2,
            "edges": [{"node": {"runId": "back/turn-1"}}, {"node": {"runId": "back/turn-2"}}],
        },
        "null": {"totalCount": 2},
        "kept": {"totalCount": 1, "edges": [{"node": {"runId": "back/turn-1"}}]},
        "history": {"totalCount": 1},
        "more": {"totalCount": 2},
        "default": {"totalCount": 1},
    }


async def test_a_history_is_inherited_and_own(client: Client) -> None:
    """The inherited runs come first, and each run names its thread."""
    data = await client.data(
        """{ thread(threadId: "fork") { history { totalCount edges { node { threadId ordinal } }
        } } }"""
    )

    assert data["thread"]["history"] == {
        "totalCount": 4,
        "edges": [
            {"node": {"threadId": "root", "ordinal": 1}},
            {"node": {"threadId": "root", "ordinal": 2}},
            {"node": {"threadId": "fork", "ordinal": 1}},
            {"node": {"threadId": "fork", "ordinal": 2}},
        ],
    }


async def test_items_are_of_a_thread_and_of_each_run(client: Client) -> None:
    """Items stand by position, below the thread and below the run that they belong to."""
    data = await client.data(
        """{ thread(threadId: "root") {
             items(first: 1) { totalCount edges { node { itemId threadId runId position kind role
               text textBytes truncated status at } } }
             runs { edges { node { items { totalCount edges { node { position } } } } } } } }"""
    )

    assert data["thread"] == {
        "items": {
            "totalCount": 5,
            "edges": [
                {
                    "node": {
                        "itemId": "root/item-0",
                        "threadId": "root",
                        "runId": "root/turn-1",
                        "position": 0,
                        "kind": "message",
                        "role": "user",
                        "text": "text 0",
                        "textBytes": 6,
                        "truncated": False,
                        "status": None,
                        "at": "2026-11-30T12:00:00.000000Z",
                    }
                }
            ],
        },
        "runs": {
            "edges": [
                {"node": {"items": {"totalCount": len(at_), "edges": at_}}}
                for at_ in (
                    [{"node": {"position": 0}}, {"node": {"position": 1}}],
                    [{"node": {"position": 2}}, {"node": {"position": 3}}],
                    [{"node": {"position": 4}}],
                )
            ]
        },
    }


async def test_windows_checkpoints_and_bases_are_told(client: Client, family: MemoryStore) -> None:
    """Context windows by number, the referenced history, and no checkpoint where none is."""
    base = HistoryBaseRecord(thread_id=ThreadId("root"), end_ordinal=7, evidence=DATABASE)
    await family.record(Batch(threads=(thread("based", history_base=base),)))

    data = await client.data(
        """{ thread(threadId: "root") { contextWindows { windowId number runId firstWindowId
             previousWindowId rolledBack } checkpoints { totalCount edges { node { files } } } }
             based: thread(threadId: "based") { historyBase { threadId endOrdinal } } }"""
    )

    nothing = {"firstWindowId": None, "rolledBack": False}
    assert data == {
        "thread": {
            "contextWindows": [
                {
                    "windowId": "window-0",
                    "number": 0,
                    "runId": None,
                    "previousWindowId": None,
                    **nothing,
                },
                {
                    "windowId": None,
                    "number": 1,
                    "runId": "root/turn-2",
                    "previousWindowId": "window-0",
                    **nothing,
                },
            ],
            "checkpoints": {"totalCount": 0, "edges": []},
        },
        "based": {"historyBase": {"threadId": "root", "endOrdinal": 7}},
    }


@pytest.mark.parametrize("size", [1, 2, 7, 40])
@pytest.mark.parametrize(
    ("field", "row"), [("runs", "runId"), ("history", "runId"), ("items", "itemId")]
)
async def test_pages_of_contents_give_the_whole_list(size: int, field: str, row: str) -> None:
    """Pages of any size concatenate to the whole list."""
    store = MemoryStore()
    items = ItemsRecord(items=tuple(item("long", position) for position in range(15)))
    await store.record(Batch(threads=(thread("long", turns=15, items=items),)))
    query = f"""query($first: Int, $after: String) {{ thread(threadId: "long") {{
        {field}(first: $first, after: $after) {{
        pageInfo {{ hasNextPage endCursor }} edges {{ node {{ {row} }} }} }} }} }}"""
    found: list[str] = []

    async with serving(store) as client:
        whole = (await client.data(query, first=500))["thread"][field]
        cursor, more = None, True
        while more:
            page = (await client.data(query, first=size, after=cursor))["thread"][field]
            found += [edge["node"][row] for edge in page["edges"]]
            cursor, more = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]

    assert len(found) == 15
    assert found == [edge["node"][row] for edge in whole["edges"]]


async def test_a_cursor_belongs_to_one_field(client: Client) -> None:
    """A place among the runs is no place among the items, nor with other arguments."""
    data = await client.data(
        '{ thread(threadId: "root") { runs(first: 1) { pageInfo { endCursor } } } }'
    )
    cursor = data["thread"]["runs"]["pageInfo"]["endCursor"]
    asked = 'query($c: String) { thread(threadId: "root") { %s { totalCount } } }'

    codes = [
        await client.code(asked % field, c=cursor)
        for field in (
            "items(after: $c)",
            "history(after: $c)",
            "checkpoints(after: $c)",
            "runs(after: $c, includeRolledBack: false)",
        )
    ]

    assert codes == ["BAD_USER_INPUT"] * 4
