"""Commands that record threads, runs, items and checkpoints."""

from functools import partial
from typing import Any

import anyio
import pytest

from graph.neo4j_store import Neo4jStore
from tests.api.asking import serving
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def test_a_recorded_thread_can_be_read(teller: Teller) -> None:
    """What was said of it is shown, and it hangs where it was said to hang."""
    await teller.recorded("parent", originator="desktop")
    await teller.recorded(
        "child", parent={"threadId": "parent", "callId": "call"}, title="Look around", model="m"
    )

    shown = await teller.client.data(
        """{ thread(threadId: "child") { recorded title model driver providerInstanceId originator
             parentThreadId relationshipToParent rootThreadId sessionId runs { totalCount }
             contextWindows { number windowId } }
           thread2: thread(threadId: "parent") { spawnEdges { edges { node {
             childThreadId status origin callId evidence } } } } }"""
    )

    assert shown == {
        "thread": {
            "recorded": True,
            "title": "Look around",
            "model": "m",
            "driver": "codex",
            "providerInstanceId": "codex",
            "originator": "desktop",
            "parentThreadId": "parent",
            "relationshipToParent": "SUBAGENT",
            "rootThreadId": "parent",
            "sessionId": "parent",
            "runs": {"totalCount": 0},
            "contextWindows": [{"number": 0, "windowId": "window"}],
        },
        "thread2": {
            "spawnEdges": {
                "edges": [
                    {
                        "node": {
                            "childThreadId": "child",
                            "status": "open",
                            "origin": "provider_native",
                            "callId": "call",
                            "evidence": "command: recordThread",
                        }
                    }
                ]
            }
        },
    }


async def test_a_command_sent_again_does_nothing_twice(teller: Teller) -> None:
    """It is answered as before, and says that it was done before."""
    await teller.recorded("t")
    first = await teller.tell("startRun", "c", threadId="t")
    again = await teller.tell("startRun", "c", threadId="t")

    assert again == first | {"replayed": True}
    shown = await teller.client.data('{ thread(threadId: "t") { runs { totalCount } } }')
    assert shown == {"thread": {"runs": {"totalCount": 1}}}


async def test_a_refusal_sent_again_is_the_same_refusal(teller: Teller) -> None:
    """Also when the reason is gone: a command is decided once."""
    first = await teller.tell("startRun", "c", threadId="late")
    await teller.recorded("late")
    again = await teller.tell("startRun", "c", threadId="late")

    assert first["code"] == "THREAD_NOT_FOUND"
    assert again == first


async def test_a_command_id_names_one_command(teller: Teller) -> None:
    """Another body or another mutation under the same id is a conflict, absent is not null."""
    await teller.recorded("t")
    await teller.tell("startRun", "c", threadId="t")

    others = [
        await teller.tell("startRun", "c", threadId="t", model=None),
        await teller.tell("startRun", "c", threadId="u"),
        await teller.tell("appendItems", "c", threadId="t", items=[{"kind": "message"}]),
    ]

    assert [other["code"] for other in others] == ["CONFLICT"] * 3


async def test_the_same_command_at_once_is_done_once(teller: Teller) -> None:
    """Who comes second waits for the first and gets its answer."""
    await teller.recorded("t")
    answers: list[bool] = []

    async def tell() -> None:
        answer = await teller.tell("startRun", "c", threadId="t")
        answers.append(answer["replayed"])

    async with anyio.create_task_group() as tasks:
        for _ in range(8):
            tasks.start_soon(tell)

    assert sorted(answers) == [False] + [True] * 7


async def test_a_thread_id_is_taken_once(teller: Teller) -> None:
    """Of commands at once that want the same id, one gets it; the others are told so."""
    await teller.recorded("source")
    await teller.completed("source", "r1")
    answers: list[str] = []

    async def tell(mutation: str, **told: Any) -> None:  # noqa: ANN401 - any input
        answers.append((await teller.tell(mutation, **told))["__typename"])

    async with anyio.create_task_group() as tasks:
        for number in range(4):
            parent = {"threadId": "source"} if number % 2 else None
            tasks.start_soon(partial(tell, "recordThread", threadId="wanted", parent=parent))
            fork = {"sourceThreadId": "source", "targetThreadId": "wanted"}
            tasks.start_soon(partial(tell, "forkThread", **fork))

    taken = [name for name in answers if name in ("ThreadRecorded", "ThreadForked")]
    assert (len(taken), answers.count("ThreadExists")) == (1, 7)


async def test_runs_at_once_are_numbered_in_a_row(teller: Teller) -> None:
    """No number is given twice, and none is left out."""
    await teller.recorded("t")

    async with anyio.create_task_group() as tasks:
        for number in range(8):
            tasks.start_soon(
                lambda number=number: teller.tell("startRun", threadId="t", runId=f"r{number}")
            )

    shown = await teller.client.data(
        '{ thread(threadId: "t") { status runs { edges { node { ordinal } } } } }'
    )
    ordinals = [edge["node"]["ordinal"] for edge in shown["thread"]["runs"]["edges"]]
    assert ordinals == [1, 2, 3, 4, 5, 6, 7, 8]


async def test_runs_are_numbered_as_they_are_told(teller: Teller, graph: Neo4jStore) -> None:
    """Whatever time they say they began at: nothing is wrong with a graph that was told late."""
    await teller.recorded("t")
    await teller.completed("t", "told first", startedAt="2026-01-02T00:00:00Z")
    await teller.completed("t", "told late", startedAt="2026-01-01T00:00:00Z")

    shown = await teller.client.data(
        '{ thread(threadId: "t") { runs { edges { node { runId ordinal } } } } }'
    )
    assert [edge["node"] for edge in shown["thread"]["runs"]["edges"]] == [
        {"runId": "told first", "ordinal": 1},
        {"runId": "told late", "ordinal": 2},
    ]
    assert list((await graph.integrity()).findings) == []


async def test_a_run_goes_on_until_it_ends(teller: Teller) -> None:
    """Its thread's status and sums follow; an ended run keeps its status."""
    await teller.recorded("t")
    await teller.tell("startRun", threadId="t", runId="r", startedAt="2026-01-01T00:00:00Z")
    await teller.tell("updateRun", runId="r", usage={"inputTokens": 7})
    ended = await teller.tell(
        "updateRun",
        runId="r",
        status="failed",
        error="no network",
        usage={"outputTokens": "5"},
        completedAt="2026-01-01T00:00:02Z",
    )

    shown = await teller.client.data(
        """{ thread(threadId: "t") { status endedAt totals { own {
             runs inputTokens outputTokens durationMs } } } }"""
    )
    assert ended["run"] == {
        "runId": "r",
        "status": "failed",
        "completedAt": "2026-01-01T00:00:02.000000Z",
        "error": "no network",
    }
    assert shown["thread"] == {
        "status": "failed",
        "endedAt": "2026-01-01T00:00:02.000000Z",
        "totals": {
            "own": {"runs": 1, "inputTokens": 7, "outputTokens": 5, "durationMs": 2000},
        },
    }
    assert await teller.refused("updateRun", runId="r", status="running") == (
        "TRANSITION_NOT_ALLOWED"
    )


async def test_items_go_behind_the_last(teller: Teller) -> None:
    """All or none: an id that is taken keeps all of them out."""
    await teller.recorded("t")
    first = await teller.tell(
        "appendItems",
        threadId="t",
        items=[{"itemId": "a", "kind": "message", "role": "user", "text": "Hello"}],
    )
    refused = await teller.refused(
        "appendItems", threadId="t", items=[{"kind": "plan"}, {"itemId": "a", "kind": "plan"}]
    )
    second = await teller.tell(
        "appendItems", threadId="t", items=[{"kind": "plan"}, {"kind": "error"}]
    )

    shown = await teller.client.data(
        """{ thread(threadId: "t") { items { totalCount edges { node {
             position kind role text textBytes } } } } }"""
    )
    assert (first["firstPosition"], first["lastPosition"]) == (0, 0)
    assert refused == "CONFLICT"
    assert (second["firstPosition"], second["lastPosition"]) == (1, 2)
    assert shown["thread"]["items"]["totalCount"] == 3
    assert shown["thread"]["items"]["edges"][0]["node"] == {
        "position": 0,
        "kind": "message",
        "role": "user",
        "text": "Hello",
        "textBytes": 5,
    }


async def test_a_checkpoint_gets_a_newer_status(teller: Teller) -> None:
    """The same id of the same run is updated; of another run it is a conflict."""
    await teller.recorded("t")
    await teller.completed("t", "r1")
    await teller.completed("t", "r2")
    at = {"threadId": "t", "checkpointId": "c"}
    await teller.tell("recordCheckpoint", runId="r1", status="missing", **at)
    answer = await teller.tell("recordCheckpoint", runId="r1", files=["a.py"], **at)

    shown = await teller.client.data(
        '{ thread(threadId: "t") { checkpoints { edges { node { checkpointId runId files } } } } }'
    )
    assert answer["checkpoint"] == {"checkpointId": "c", "status": "ready"}
    assert shown["thread"]["checkpoints"]["edges"] == [
        {"node": {"checkpointId": "c", "runId": "r1", "files": ["a.py"]}}
    ]
    assert await teller.refused("recordCheckpoint", runId="r2", **at) == "CONFLICT"


@pytest.mark.parametrize(
    ("mutation", "told", "code"),
    [
        ("recordThread", {"threadId": "t"}, "THREAD_EXISTS"),
        ("recordThread", {"threadId": "new", "parent": {"threadId": "?"}}, "THREAD_NOT_FOUND"),
        ("startRun", {"threadId": "t", "runId": "r"}, "CONFLICT"),
        ("startRun", {"threadId": "?"}, "THREAD_NOT_FOUND"),
        ("updateRun", {"runId": "?"}, "RUN_NOT_FOUND"),
        ("appendItems", {"threadId": "?", "items": [{"kind": "plan"}]}, "THREAD_NOT_FOUND"),
        (
            "appendItems",
            {"threadId": "t", "runId": "?", "items": [{"kind": "plan"}]},
            "RUN_NOT_FOUND",
        ),
        ("recordCheckpoint", {"threadId": "t", "runId": "?"}, "RUN_NOT_FOUND"),
    ],
)
async def test_what_a_rule_forbids_is_refused_by_name(
    teller: Teller, mutation: str, told: dict[str, object], code: str
) -> None:
    """A client can branch on the code, and nothing is written."""
    await teller.recorded("t")
    await teller.completed("t", "r")
    before = await teller.client.data('{ lineage(threadId: "t") { version nodes { threadId } } }')

    assert await teller.refused(mutation, **told) == code

    after = await teller.client.data('{ lineage(threadId: "t") { version nodes { threadId } } }')
    assert after == before


@pytest.mark.parametrize(
    ("mutation", "told"),
    [
        ("startRun", 'threadId: "t", status: "sleeping"'),
        ("updateRun", 'runId: "r", status: "done"'),
        ("appendItems", 'threadId: "t", items: []'),
        ("appendItems", 'threadId: "t", items: [{itemId: "", kind: "plan"}]'),
        ("recordThread", 'threadId: ""'),
        ("recordThread", 'threadId: "new", provider: {instanceId: "c", driver: "codex"}'),
        ("recordThread", 'threadId: "new", parent: {threadId: "t", kind: FORK}'),
        ("forkThread", 'sourceThreadId: "t", at: {latestStable: false}'),
    ],
)
async def test_words_that_cannot_be_right_are_errors(
    teller: Teller, mutation: str, told: str
) -> None:
    """They are no answer of a rule, and keep no receipt."""
    await teller.recorded("t")
    question = f'mutation {{ {mutation}(input: {{commandId: "c", {told}}}) {{ __typename }} }}'

    assert await teller.client.code(question) == "BAD_USER_INPUT"
    assert (await teller.tell("startRun", "c", threadId="t"))["__typename"] == "RunRecorded"


async def test_a_service_that_only_reads_forbids_commands(graph: Neo4jStore) -> None:
    """It says so before, and answers questions."""
    async with serving(graph, read_only=True) as client:
        may = await client.data("{ access { canWrite } }")
        code = await client.code(
            'mutation { recordThread(input: {commandId: "c", threadId: "t"}) { __typename } }'
        )

    assert may == {"access": {"canWrite": False}}
    assert code == "FORBIDDEN"
