"""Threads that agents spawn, over commands."""

from typing import Any

import anyio
import pytest

from graph.neo4j_store import Neo4jStore
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def spawned(teller: Teller, **told: object) -> None:
    """A parent with one run, and a child that it spawned there."""
    await teller.recorded("parent", originator="desktop")
    await teller.completed("parent", "p1")
    spawn: dict[str, Any] = {"parentThreadId": "parent", "parentRunId": "p1", **told}
    answer = await teller.tell("spawnSubagent", childThreadId="child", **spawn)
    assert answer["__typename"] == "SubagentSpawned", answer


async def test_a_spawned_thread_has_its_task(teller: Teller) -> None:
    """It inherits who began it, no history, and the transfer is done when it is made."""
    await teller.recorded("parent", originator="desktop")
    await teller.completed("parent", "p1")
    claude = {"instanceId": "claude", "driver": "claude"}
    answer = await teller.tell(
        "spawnSubagent",
        parentThreadId="parent",
        parentRunId="p1",
        childThreadId="child",
        task="Look around",
        callId="call",
        provider=claude,
    )

    shown = await teller.client.data(
        """{ lineage(threadId: "parent") { edges { kind transferId } }
           thread(threadId: "child") { createdBy history { totalCount } sessionId } }"""
    )
    assert answer == {
        "__typename": "SubagentSpawned",
        "replayed": False,
        "child": {"threadId": "child", "originator": "desktop", "driver": "claude"},
        "edge": {
            "parentThreadId": "parent",
            "childThreadId": "child",
            "status": "open",
            "origin": "app_owned",
            "runId": "p1",
            "callId": "call",
        },
        "transfer": {
            "type": "SUBAGENT_SPAWN",
            "status": "CONSUMED",
            "task": "Look around",
            "sourceThreadId": "parent",
            "targetThreadId": "child",
            "steps": [{"status": "CONSUMED"}],
        },
    }
    assert shown["lineage"]["edges"][0]["transferId"] is not None
    assert shown["thread"] == {
        "createdBy": "AGENT",
        "history": {"totalCount": 0},
        "sessionId": "parent",
    }


async def test_the_result_is_the_newest_answer(teller: Teller, graph: Neo4jStore) -> None:
    """It goes back to the parent, and leaves the edge as it is."""
    await spawned(teller)
    await teller.completed("child", "c1")
    items = [
        {"kind": "message", "role": "assistant", "text": "First"},
        {"kind": "message", "role": "assistant", "text": "Last"},
        {"kind": "message", "role": "user", "text": "Thanks"},
    ]
    await teller.tell("appendItems", threadId="child", runId="c1", items=items)
    answer = await teller.tell("completeSubagent", childThreadId="child", outcome="completed")

    shown = await teller.client.data(
        """{ lineage(threadId: "parent") { edges { kind fromThreadId toThreadId status } } }"""
    )
    answer["transfer"].pop("transferId")
    assert answer["transfer"] == {
        "type": "SUBAGENT_RESULT",
        "status": "CONSUMED",
        "resultText": "Last",
        "outcome": "completed",
        "sourcePoint": {"runId": "c1"},
    }
    assert shown["lineage"]["edges"] == [
        {"kind": "SPAWN", "fromThreadId": "parent", "toThreadId": "child", "status": "open"},
        {
            "kind": "TRANSFER",
            "fromThreadId": "child",
            "toThreadId": "parent",
            "status": "CONSUMED",
        },
    ]
    assert list((await graph.integrity()).findings) == []


async def test_there_is_one_result_whatever_is_reported_later(teller: Teller) -> None:
    """Also of reports at once: the first counts, the others are told it again."""
    await spawned(teller)
    answers: list[tuple[bool, str]] = []

    async def report(number: int) -> None:
        told = {"childThreadId": "child", "outcome": "failed", "error": f"failure {number}"}
        answer = await teller.tell("completeSubagent", **told)
        answers.append((answer["replayed"], answer["transfer"]["resultText"]))

    async with anyio.create_task_group() as tasks:
        for number in range(6):
            tasks.start_soon(report, number)

    assert sorted(replayed for replayed, _ in answers) == [False] + [True] * 5
    assert len({text for _, text in answers}) == 1


@pytest.mark.parametrize(
    ("outcome", "text"),
    [
        ("completed", "The subagent completed its task without an answer."),
        ("failed", "The subagent failed without an answer."),
        ("cancelled", "The subagent was cancelled before it answered."),
    ],
)
async def test_a_child_that_said_nothing_is_told_in_a_sentence(
    teller: Teller, outcome: str, text: str
) -> None:
    """A result is never empty."""
    await spawned(teller)
    answer = await teller.tell("completeSubagent", childThreadId="child", outcome=outcome)

    assert answer["transfer"]["resultText"] == text


async def test_an_edge_takes_any_word_for_how_it_stands(teller: Teller) -> None:
    """And keeps all else that is known of it."""
    await spawned(teller, callId="call")
    answer = await teller.tell("setSpawnEdgeStatus", childThreadId="child", status="parked")

    assert answer["edge"] == {
        "childThreadId": "child",
        "status": "parked",
        "origin": "app_owned",
        "runId": "p1",
        "callId": "call",
    }


async def test_who_was_never_spawned_has_no_result_and_no_edge(teller: Teller) -> None:
    """It is refused, whatever else the thread is."""
    await teller.recorded("t")
    told = {"childThreadId": "t"}

    assert await teller.refused("completeSubagent", outcome="completed", **told) == (
        "TRANSITION_NOT_ALLOWED"
    )
    assert await teller.refused("setSpawnEdgeStatus", status="open", **told) == (
        "TRANSITION_NOT_ALLOWED"
    )


async def test_the_providers_own_child_is_only_observed(teller: Teller) -> None:
    """Nothing chooses its provider or brings anything back into it; it can be forked."""
    await spawned(teller, origin="provider_native")
    await teller.completed("child", "c1")
    await teller.tell("forkThread", sourceThreadId="child", targetThreadId="fork")
    await teller.completed("fork", "f1")
    provider = {"instanceId": "claude", "driver": "claude"}

    assert await teller.refused("switchProvider", threadId="child", provider=provider) == (
        "READ_ONLY_SUBAGENT"
    )
    assert await teller.refused("mergeBack", forkThreadId="fork") == "READ_ONLY_SUBAGENT"


async def test_a_provider_is_chosen_for_the_next_run(teller: Teller) -> None:
    """No transfer is made yet."""
    await teller.recorded("t")
    provider = {"instanceId": "work", "driver": "claude"}
    answer = await teller.tell("switchProvider", threadId="t", provider=provider, model="m")

    shown = await teller.client.data('{ thread(threadId: "t") { transfers { totalCount } } }')
    assert answer["thread"] == {"driver": "claude", "providerInstanceId": "work", "model": "m"}
    assert shown["thread"]["transfers"]["totalCount"] == 0
