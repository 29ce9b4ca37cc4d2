"""Forks that commands make."""

import pytest

from graph.neo4j_store import Neo4jStore
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def test_a_fork_waits_for_its_first_run(teller: Teller) -> None:
    """A thread, its edge and one pending transfer: no provider, no run, no handoff."""
    await teller.recorded("source", cwd="/work", originator="desktop")
    await teller.completed("source", "r1")
    await teller.completed("source", "r2")
    answer = await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork")

    shown = await teller.client.data(
        """{ thread(threadId: "fork") { driver providerInstanceId cwd originator createdBy
             parentThreadId relationshipToParent sessionId forkedFrom { threadId evidence
             point { runId } } runs { totalCount } history { edges { node { runId } } }
             transfers { edges { node { type status handoff { handoffId } } } } }
           lineage(threadId: "source") { edges { kind transferId fromThreadId toThreadId } } }"""
    )
    transfer = answer["transfer"]
    assert transfer.pop("transferId") == shown["lineage"]["edges"][0].pop("transferId")
    assert transfer == {
        "type": "FORK",
        "status": "PENDING",
        "sourcePoint": {
            "runId": "r2",
            "checkpointId": None,
            "nativeThreadRef": {"nativeId": "native-source"},
            "nativeTurnRef": {"nativeId": "turn-r2", "strength": "STRONG"},
        },
        "steps": [{"status": "PENDING"}],
    }
    assert shown["thread"] == {
        "driver": None,
        "providerInstanceId": None,
        "cwd": "/work",
        "originator": "desktop",
        "createdBy": "USER",
        "parentThreadId": "source",
        "relationshipToParent": "FORK",
        "sessionId": "fork",
        "forkedFrom": {
            "threadId": "source",
            "evidence": "command: forkThread",
            "point": {"runId": "r2"},
        },
        "runs": {"totalCount": 0},
        "history": {"edges": [{"node": {"runId": "r1"}}, {"node": {"runId": "r2"}}]},
        "transfers": {"edges": [{"node": {"type": "FORK", "status": "PENDING", "handoff": None}}]},
    }
    assert shown["lineage"]["edges"] == [
        {"kind": "FORK", "fromThreadId": "source", "toThreadId": "fork"}
    ]


async def test_the_latest_stable_run_skips_what_is_under_way(teller: Teller) -> None:
    """While a run is active only a checkpoint makes an older one stable."""
    await teller.recorded("t")
    await teller.completed("t", "r1")
    await teller.completed("t", "r2")
    await teller.tell("startRun", threadId="t", runId="r3")
    without = await teller.refused("forkThread", sourceThreadId="t")
    await teller.tell("recordCheckpoint", threadId="t", runId="r1", checkpointId="c")
    with_checkpoint = await teller.tell("forkThread", sourceThreadId="t")

    assert without == "NO_STABLE_POINT"
    assert with_checkpoint["transfer"]["sourcePoint"] | {} == {
        "runId": "r1",
        "checkpointId": "c",
        "nativeThreadRef": {"nativeId": "native-t"},
        "nativeTurnRef": {"nativeId": "turn-r1", "strength": "STRONG"},
    }


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("completed", None),
        ("waiting", None),
        ("failed", None),
        ("interrupted", None),
        ("cancelled", None),
        ("preparing", "SOURCE_NOT_STABLE"),
        ("queued", "SOURCE_NOT_STABLE"),
        ("starting", "SOURCE_NOT_STABLE"),
        ("running", "SOURCE_NOT_STABLE"),
    ],
)
async def test_a_chosen_run_is_judged_by_itself(
    teller: Teller, status: str, code: str | None
) -> None:
    """What has ended, whatever the way, can be forked, also while the thread goes on."""
    await teller.recorded("t")
    await teller.tell("startRun", threadId="t", runId="r1", status=status)
    await teller.tell("startRun", threadId="t", runId="r2")

    answer = await teller.tell("forkThread", sourceThreadId="t", at={"runId": "r1"})

    assert answer.get("code") == code


async def test_a_fork_begins_at_a_checkpoint_whatever_its_status(teller: Teller) -> None:
    """Its run is judged, and it is the point's checkpoint."""
    await teller.recorded("t")
    await teller.completed("t", "r1")
    told = {"threadId": "t", "runId": "r1", "checkpointId": "c", "status": "stale"}
    await teller.tell("recordCheckpoint", **told)
    await teller.recorded("other")
    answer = await teller.tell("forkThread", sourceThreadId="t", at={"checkpointId": "c"})
    elsewhere = await teller.refused(
        "forkThread", sourceThreadId="other", at={"checkpointId": "c"}
    )

    assert answer["transfer"]["sourcePoint"]["checkpointId"] == "c"
    assert elsewhere == "CHECKPOINT_NOT_FOUND"


async def test_a_fork_takes_no_id_that_is_taken(teller: Teller) -> None:
    """A placeholder does not take one: what hangs on it goes with the fork."""
    await teller.recorded("t")
    await teller.completed("t", "r1")

    assert await teller.refused("forkThread", sourceThreadId="t", targetThreadId="t") == (
        "THREAD_EXISTS"
    )
    assert await teller.refused("forkThread", sourceThreadId="?") == "THREAD_NOT_FOUND"
    assert await teller.refused("forkThread", sourceThreadId="t", at={"runId": "?"}) == (
        "RUN_NOT_FOUND"
    )


async def test_a_fork_of_a_fork_keeps_the_whole_history(teller: Teller) -> None:
    """Each is cut where it was forked, and only an own run of the source can be the point."""
    await teller.recorded("a")
    await teller.completed("a", "a1")
    await teller.completed("a", "a2")
    await teller.tell("forkThread", sourceThreadId="a", targetThreadId="b", at={"runId": "a1"})
    none_yet = await teller.refused("forkThread", sourceThreadId="b")
    not_own = await teller.refused("forkThread", sourceThreadId="b", at={"runId": "a1"})
    await teller.completed("b", "b1")
    await teller.tell("forkThread", sourceThreadId="b", targetThreadId="c")

    shown = await teller.client.data(
        """{ thread(threadId: "c") { depth rootThreadId history { edges { node {
             runId threadId } } } } }"""
    )
    assert (none_yet, not_own) == ("NO_STABLE_POINT", "RUN_NOT_FOUND")
    assert shown["thread"] == {
        "depth": 2,
        "rootThreadId": "a",
        "history": {
            "edges": [
                {"node": {"runId": "a1", "threadId": "a"}},
                {"node": {"runId": "b1", "threadId": "b"}},
            ]
        },
    }


async def test_commands_leave_a_graph_that_keeps_its_invariants(
    teller: Teller, graph: Neo4jStore
) -> None:
    """What `integrity` recomputes is what the commands wrote."""
    await teller.recorded("t")
    await teller.completed("t", "r1")
    await teller.recorded("child", parent={"threadId": "t", "kind": "SPAWN", "runId": "r1"})
    await teller.recorded("review", parent={"threadId": "t", "kind": "PARENT"})
    await teller.tell(
        "appendItems", threadId="t", runId="r1", items=[{"kind": "message", "text": "a"}] * 3
    )
    await teller.tell("recordCheckpoint", threadId="t", runId="r1")
    await teller.tell("forkThread", sourceThreadId="t", targetThreadId="fork")
    await teller.completed("fork", "f1")

    report = await graph.integrity()

    assert list(report.findings) == []
