"""Merge-backs that commands make."""

import pytest

from graph.neo4j_store import Neo4jStore
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def forked(teller: Teller) -> None:
    """A source with two runs, forked at its first; the fork has two runs of its own."""
    await teller.recorded("source")
    await teller.completed("source", "s1")
    await teller.completed("source", "s2")
    await teller.tell(
        "forkThread", sourceThreadId="source", targetThreadId="fork", at={"runId": "s1"}
    )
    await teller.completed("fork", "f1")
    await teller.completed("fork", "f2")


async def test_a_merge_back_waits_with_what_it_will_bring(teller: Teller) -> None:
    """From the fork point to the fork's latest stable run; nothing is delivered yet."""
    await forked(teller)
    answer = await teller.tell("mergeBack", forkThreadId="fork")

    edges = await teller.client.data(
        """{ lineage(threadId: "source") { edges { kind fromThreadId toThreadId status
             transferType runId } }
           thread(threadId: "fork") { mergeBackDelta { runs { runId } } } }"""
    )
    answer["transfer"].pop("transferId")
    assert answer["transfer"] == {
        "type": "MERGE_BACK",
        "status": "PENDING",
        "sourceThreadId": "fork",
        "targetThreadId": "source",
        "sourcePoint": {"runId": "f2"},
        "basePoint": {"runId": "s1"},
        "steps": [{"status": "PENDING", "reason": None}],
    }
    assert answer["superseded"] is None
    assert edges["lineage"]["edges"][-1] == {
        "kind": "TRANSFER",
        "fromThreadId": "fork",
        "toThreadId": "source",
        "status": "PENDING",
        "transferType": "MERGE_BACK",
        "runId": "f2",
    }
    assert edges["thread"]["mergeBackDelta"]["runs"] == [{"runId": "f1"}, {"runId": "f2"}]


async def test_a_newer_merge_back_supersedes_one_that_waits(
    teller: Teller, graph: Neo4jStore
) -> None:
    """In the same moment, with the reason in its history."""
    await forked(teller)
    first = await teller.tell("mergeBack", forkThreadId="fork", runId="f1")
    second = await teller.tell("mergeBack", forkThreadId="fork")

    shown = await teller.client.data(
        "query($id: String!) { transfer(transferId: $id) { status steps { status reason } } }",
        id=first["transfer"]["transferId"],
    )
    newer = second["transfer"]["transferId"]
    assert second["superseded"] == {
        "transferId": first["transfer"]["transferId"],
        "status": "SUPERSEDED",
    }
    assert shown["transfer"] == {
        "status": "SUPERSEDED",
        "steps": [
            {"status": "PENDING", "reason": None},
            {
                "status": "SUPERSEDED",
                "reason": f"A newer merge-back of the same fork, {newer}, takes its place.",
            },
        ],
    }
    assert list((await graph.integrity()).findings) == []


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ({"forkThreadId": "?"}, "THREAD_NOT_FOUND"),
        ({"forkThreadId": "source"}, "NOT_A_FORK"),
        ({"forkThreadId": "fork", "intoThreadId": "other"}, "NOT_DIRECT_PARENT"),
        ({"forkThreadId": "fork", "intoThreadId": "?"}, "THREAD_NOT_FOUND"),
        ({"forkThreadId": "fork", "runId": "s1"}, "RUN_NOT_FOUND"),
        ({"forkThreadId": "fork", "runId": "f3"}, "SOURCE_NOT_STABLE"),
        ({"forkThreadId": "young"}, "NO_STABLE_POINT"),
    ],
)
async def test_what_cannot_be_merged_back_is_refused_by_name(
    teller: Teller, told: dict[str, object], code: str
) -> None:
    """Only a fork, only into its own source, only up to what its provider has finished."""
    await forked(teller)
    await teller.recorded("other")
    await teller.tell("startRun", threadId="fork", runId="f3", status="failed")
    await teller.tell("forkThread", sourceThreadId="source", targetThreadId="young")

    assert await teller.refused("mergeBack", **told) == code


async def test_nothing_is_brought_into_an_archived_thread(teller: Teller) -> None:
    """Said before it is looked at whether the thread is the fork's own source."""
    await forked(teller)
    await teller.recorded("other")
    await teller.tell("archiveThread", threadId="source")
    await teller.tell("archiveThread", threadId="other")

    codes = [
        await teller.refused("mergeBack", forkThreadId="fork"),
        await teller.refused("mergeBack", forkThreadId="fork", intoThreadId="other"),
        await teller.refused("mergeBack", forkThreadId="source", intoThreadId="other"),
    ]

    assert codes == ["THREAD_ARCHIVED"] * 3
