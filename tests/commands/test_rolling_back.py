"""Threads that commands roll back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from graph.model import RunId, TransferId, TransferStatus
from graph.records import Batch, WindowRecord
from resolvers.transfer_steps import record_of, stepped
from tests.commands.telling import Teller
from tests.conformance.told import at, run, tell, thread, turned

if TYPE_CHECKING:
    from graph.neo4j_store import Neo4jStore

pytestmark = pytest.mark.anyio

FIRST, SECOND, THIRD = "r1", "r2", "r3"


async def recorded(teller: Teller, thread_id: str = "t", *run_ids: str, **told: Any) -> None:  # noqa: ANN401 - any input
    """A thread of Codex with legacy history and three completed runs, or those that are named."""
    await teller.recorded(thread_id, **{"historyMode": "legacy", **told})
    for run_id in run_ids or (FIRST, SECOND, THIRD):
        await teller.completed(thread_id, run_id)


async def history(teller: Teller, thread_id: str, *, whole: bool = False) -> list[str]:
    """The runs of a thread's history."""
    data = await teller.client.data(
        """query($id: String!, $whole: Boolean!) { thread(threadId: $id) {
             history(includeRolledBack: $whole) { totalCount edges { node { runId } } } } }""",
        id=thread_id,
        whole=whole,
    )
    found = [edge["node"]["runId"] for edge in data["thread"]["history"]["edges"]]
    assert data["thread"]["history"]["totalCount"] == len(found)
    return found


async def status(teller: Teller, transfer_id: str) -> str:
    """How a transfer stands."""
    document = "query($id: String!) { transfer(transferId: $id) { status } }"
    return (await teller.client.data(document, id=transfer_id))["transfer"]["status"]


async def taken_through(graph: Neo4jStore, transfer_id: str, *, run_id: str, to: str) -> None:
    """Let a run resolve a transfer, and consume it if it is to."""
    found = await graph.transfers_by_id([TransferId(transfer_id)])
    record = record_of(found[TransferId(transfer_id)])
    for status in (TransferStatus.RESOLVED_PORTABLE, TransferStatus(to)):
        if record.status is not status:
            record = stepped(record, status, at(59), run_id=RunId(run_id))
    facts: dict[str, Any] = {"target_run_id": RunId(run_id)}
    if record.status is TransferStatus.CONSUMED:
        facts["consumed_at"] = at(59)
    await graph.record(Batch(transfers=(msgspec.structs.replace(record, **facts),)))


async def test_what_is_behind_the_kept_run_no_longer_counts(teller: Teller) -> None:
    """The runs keep their status and stay to be read; the thread has that of the last kept one."""
    await recorded(teller, "t", FIRST)
    await teller.completed("t", SECOND, status="failed")
    await teller.completed("t", THIRD)

    answer = await teller.tell("rollbackThread", threadId="t", keepThroughRunId=FIRST)
    again = await teller.tell("rollbackThread", threadId="t", keepThroughRunId=FIRST)

    assert answer == {
        "__typename": "ThreadRolledBack",
        "replayed": False,
        "thread": {"threadId": "t", "status": "completed"},
        "runs": [{"runId": SECOND, "status": "failed"}, {"runId": THIRD, "status": "completed"}],
        "transfers": [],
    }
    assert (again["runs"], again["transfers"]) == ([], [])
    assert await history(teller, "t") == [FIRST]
    assert await history(teller, "t", whole=True) == [FIRST, SECOND, THIRD]


@pytest.mark.parametrize("kept", [{}, {"keepThroughRunId": None}])
async def test_without_a_kept_run_nothing_is_kept(teller: Teller, kept: dict[str, None]) -> None:
    """The thread has the status of its last run then, and goes on with the next ordinal."""
    await recorded(teller, "t", FIRST, SECOND)
    answer = await teller.tell("rollbackThread", "c", threadId="t", **kept)
    replayed = await teller.tell("rollbackThread", "c", threadId="t", **kept)
    await teller.completed("t", THIRD)

    shown = await teller.client.data(
        """{ thread(threadId: "t") { runs { edges { node { runId ordinal rolledBackAt } } } } }"""
    )
    runs = [edge["node"] for edge in shown["thread"]["runs"]["edges"]]
    assert replayed == answer | {"replayed": True, "thread": replayed["thread"]}
    assert [told["runId"] for told in answer["runs"]] == [FIRST, SECOND]
    assert answer["thread"]["status"] == "completed"
    assert [(told["ordinal"], told["rolledBackAt"] is None) for told in runs] == [
        (1, False),
        (2, False),
        (3, True),
    ]
    assert await history(teller, "t") == [THIRD]


async def test_a_fork_keeps_what_is_rolled_back_later_and_never_what_was_before(
    teller: Teller,
) -> None:
    """Revisions decide, also below the root of a tree, where the clock stood still."""
    await recorded(teller, "root", "r")
    await teller.tell("forkThread", sourceThreadId="root", targetThreadId="t")
    for run_id in (FIRST, SECOND, THIRD):
        await teller.completed("t", run_id)
    await teller.tell("forkThread", sourceThreadId="t", targetThreadId="before")
    await teller.tell("rollbackThread", threadId="t", keepThroughRunId=FIRST)
    await teller.completed("t", "r4")
    await teller.tell("forkThread", sourceThreadId="t", targetThreadId="after")
    await teller.tell("rollbackThread", threadId="root")
    await teller.tell("rollbackThread", threadId="t")

    assert await history(teller, "before") == ["r", FIRST, SECOND, THIRD]
    assert await history(teller, "after") == ["r", FIRST, "r4"]
    assert await history(teller, "t") == ["r"]
    assert await history(teller, "t", whole=True) == ["r", FIRST, SECOND, THIRD, "r4"]


async def test_a_fork_of_what_was_rolled_back_is_refused(teller: Teller) -> None:
    """Neither as a chosen run nor as the latest stable one."""
    await recorded(teller)
    await teller.tell("rollbackThread", threadId="t", keepThroughRunId=FIRST)

    chosen = await teller.refused("forkThread", sourceThreadId="t", at={"runId": THIRD})
    latest = await teller.tell("forkThread", sourceThreadId="t")

    assert chosen == "SOURCE_NOT_STABLE"
    assert latest["transfer"]["sourcePoint"]["runId"] == FIRST


async def test_a_rollback_is_refused_in_the_ruled_order(teller: Teller) -> None:
    """The thread, the history of the runs in question, the kept run, then what is under way."""
    await recorded(teller, "deleted", "d1")
    await teller.tell("deleteThread", threadId="deleted")
    await recorded(teller, "other", "o1")
    await recorded(teller)
    await teller.tell("rollbackThread", threadId="t", keepThroughRunId=SECOND)
    await teller.recorded("paginated", historyMode="paginated")
    await teller.completed("paginated", "p1")
    await teller.completed("paginated", "p2", status="running")
    await teller.recorded("unread", historyMode="scrolls")

    async def code(thread_id: str, kept: str | None = None) -> str:
        told = {"threadId": thread_id, "keepThroughRunId": kept}
        return await teller.refused("rollbackThread", **told)

    assert await code("nobody") == "THREAD_NOT_FOUND"
    assert await code("deleted", "nothing") == "THREAD_DELETED"
    assert await code("unread", "nothing") == "UNSUPPORTED_HISTORY_MODE"
    assert await code("paginated") == "UNSUPPORTED_HISTORY_MODE"
    assert await code("t", "nothing") == "RUN_NOT_FOUND"
    assert await code("t", "o1") == "RUN_NOT_FOUND"
    assert await code("t", THIRD) == "TRANSITION_NOT_ALLOWED"


@pytest.mark.parametrize(
    ("word", "refused"),
    [
        ("preparing", True),
        ("queued", True),
        ("starting", True),
        ("running", True),
        ("waiting", False),
        ("interrupted", False),
        ("cancelled", False),
    ],
)
async def test_a_run_that_is_under_way_has_to_end_first(
    teller: Teller, word: str, *, refused: bool
) -> None:
    """Only if it is among those that would be rolled back."""
    await recorded(teller, "t", FIRST)
    await teller.completed("t", SECOND, status=word)

    kept = await teller.tell("rollbackThread", threadId="t", keepThroughRunId=SECOND)
    behind = await teller.tell("rollbackThread", threadId="t", keepThroughRunId=FIRST)

    assert kept["__typename"] == "ThreadRolledBack"
    assert behind.get("code") == ("TRANSITION_NOT_ALLOWED" if refused else None)


async def test_an_archived_thread_is_rolled_back(teller: Teller) -> None:
    """So is a child that its provider owns: that is observed."""
    await recorded(teller)
    await teller.tell("archiveThread", threadId="t")
    parent = {"threadId": "t", "kind": "SPAWN"}
    await recorded(teller, "child", "c1", parent=parent)

    of_archived = await teller.tell("rollbackThread", threadId="t")
    of_child = await teller.tell("rollbackThread", threadId="child")

    assert (len(of_archived["runs"]), len(of_child["runs"])) == (3, 1)


async def test_the_native_threads_of_the_runs_in_question_decide(
    teller: Teller, graph: Neo4jStore
) -> None:
    """Codex takes turns back in legacy history alone, which its files need not state.

    A run without a native thread needs no mode, nor does one of another tool or one that stays.
    """
    await teller.recorded("unstated")
    await teller.completed("unstated", "u1")
    await teller.completed("unstated", "u2", nativeThreadRef=None, nativeTurnRef=None)
    claude = {"instanceId": "claude", "driver": "claude"}
    ref = {"driver": "claude", "nativeId": "session", "strength": "STRONG"}
    await teller.completed("unstated", "u3", provider=claude, nativeThreadRef=ref)
    imported = (turned("old", "t1", 1), turned("old", "t2", 2))
    known = {"native_thread_id": "old", "runs": imported}
    await tell(graph, thread("old", **known))
    await tell(
        graph,
        thread("new", history_mode="paginated", native_thread_id="new", runs=(run("new/1", 1),)),
    )

    behind = await teller.tell("rollbackThread", threadId="unstated", keepThroughRunId="u1")
    whole = await teller.refused("rollbackThread", threadId="unstated")
    old = await teller.tell("rollbackThread", threadId="old", keepThroughRunId="old/t1")
    new = await teller.refused("rollbackThread", threadId="new")

    assert [told["runId"] for told in behind["runs"]] == ["u2", "u3"]
    assert whole == "UNSUPPORTED_HISTORY_MODE"
    assert [told["runId"] for told in old["runs"]] == ["old/t2"]
    assert new == "UNSUPPORTED_HISTORY_MODE"


async def test_an_import_takes_no_rollback_back(teller: Teller, graph: Neo4jStore) -> None:
    """Its file can know nothing of it; what is new in the file counts."""
    runs = (turned("t", "t1", 1), turned("t", "t2", 2, status="failed"))
    await tell(graph, thread("t", runs=runs))
    await teller.tell("rollbackThread", threadId="t", keepThroughRunId="t/t1")
    await tell(graph, thread("t", runs=runs, digest="again"))
    shown = await teller.client.data('{ thread(threadId: "t") { status } }')
    before = await history(teller, "t")
    await tell(graph, thread("t", runs=(*runs, turned("t", "t3", 3)), digest="more"))

    assert shown == {"thread": {"status": "completed"}}
    assert before == ["t/t1"]
    assert await history(teller, "t") == ["t/t1", "t/t3"]


async def test_the_windows_of_rolled_back_runs_are_dropped(
    teller: Teller, graph: Neo4jStore
) -> None:
    """All but the one that the thread began with."""
    runs = (turned("t", "t1", 1), turned("t", "t2", 2), turned("t", "t3", 3))
    windows = tuple(
        WindowRecord(number=number, window_id=f"w{number}", run_id=RunId(f"t/t{number + 1}"))
        for number in range(3)
    )
    await tell(graph, thread("t", runs=runs, windows=windows))
    await teller.tell("rollbackThread", threadId="t", keepThroughRunId="t/t2")
    first = await graph.context_windows([thread("t").thread_id])
    await teller.tell("rollbackThread", threadId="t")
    then = await graph.context_windows([thread("t").thread_id])

    assert [window.rolled_back for window in first[thread("t").thread_id]] == [False, False, True]
    assert [window.rolled_back for window in then[thread("t").thread_id]] == [False, True, True]


async def forked(teller: Teller) -> None:
    """A source with two runs, forked at its first; the fork has two runs of its own."""
    await recorded(teller, "source", "s1", "s2")
    at_first = {"runId": "s1"}
    await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork", at=at_first)
    await teller.completed("fork", "f1")
    await teller.completed("fork", "f2")


async def merged_back(teller: Teller, run_id: str) -> str:
    """A merge-back of the fork up to a run."""
    answer = await teller.tell("mergeBack", forkThreadId="fork", runId=run_id)
    return answer["transfer"]["transferId"]


async def test_a_merge_back_that_waits_for_what_is_rolled_back_is_superseded(
    teller: Teller,
) -> None:
    """With the reason; one that brings what stays still waits."""
    await forked(teller)
    earlier = await merged_back(teller, "f1")
    kept = await teller.tell("rollbackThread", threadId="fork", keepThroughRunId="f1")
    waits = await status(teller, earlier)
    gone = await teller.tell("rollbackThread", threadId="fork")

    assert kept["transfers"] == []
    assert waits == "PENDING"
    assert gone["transfers"] == [
        {
            "transferId": earlier,
            "type": "MERGE_BACK",
            "status": "SUPERSEDED",
            "targetRunId": None,
            "replaces": None,
            "createdBy": "USER",
            "sourceThreadId": "fork",
            "sourcePoint": {"runId": "f1"},
            "basePoint": {"runId": "s1"},
            "steps": [
                {"status": "PENDING", "reason": None},
                {"status": "SUPERSEDED", "reason": "Its source run f1 was rolled back."},
            ],
        }
    ]


async def test_a_merge_back_that_is_resolved_is_left_alone(
    teller: Teller, graph: Neo4jStore
) -> None:
    """Its start decides what becomes of it."""
    await forked(teller)
    resolved = await merged_back(teller, "f2")
    await teller.completed("source", "s3")
    await taken_through(graph, resolved, run_id="s3", to="RESOLVED_PORTABLE")

    answer = await teller.tell("rollbackThread", threadId="fork")

    assert answer["transfers"] == []
    assert await status(teller, resolved) == "RESOLVED_PORTABLE"


async def test_a_fork_whose_first_run_is_rolled_back_waits_again(
    teller: Teller, graph: Neo4jStore
) -> None:
    """A new transfer for the same point; the old one stays as it ended, and so on."""
    await recorded(teller, "source", "s1")
    made = await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork")
    old = made["transfer"]["transferId"]
    await teller.completed("fork", "f1", provider={"instanceId": "c", "driver": "claude"})
    await taken_through(graph, old, run_id="f1", to="CONSUMED")
    await teller.tell("rollbackThread", threadId="source")

    answer = await teller.tell("rollbackThread", threadId="fork")

    (new,) = answer["transfers"]
    assert new.pop("transferId") != old
    assert new == {
        "type": "FORK",
        "status": "PENDING",
        "targetRunId": None,
        "replaces": old,
        "createdBy": "SYSTEM",
        "sourceThreadId": "source",
        "sourcePoint": {"runId": "s1"},
        "basePoint": None,
        "steps": [
            {"status": "PENDING", "reason": "Run f1, which had received it, was rolled back."}
        ],
    }
    assert await status(teller, old) == "CONSUMED"
    assert await history(teller, "fork") == ["s1"]


async def consumed_twice(teller: Teller, graph: Neo4jStore) -> tuple[str, str]:
    """Two merge-backs of a fork, each consumed by a run of its source."""
    await forked(teller)
    first = await merged_back(teller, "f1")
    await teller.completed("source", "s3")
    await taken_through(graph, first, run_id="s3", to="CONSUMED")
    second = await merged_back(teller, "f2")
    await teller.completed("source", "s4")
    await taken_through(graph, second, run_id="s4", to="CONSUMED")
    return first, second


async def test_of_several_merge_backs_the_newest_waits_again(
    teller: Teller, graph: Neo4jStore
) -> None:
    """It brings what the others brought, as none of it is delivered any more."""
    _, second = await consumed_twice(teller, graph)

    answer = await teller.tell("rollbackThread", threadId="source", keepThroughRunId="s2")

    (new,) = answer["transfers"]
    assert (new["type"], new["status"]) == ("MERGE_BACK", "PENDING")
    assert (new["replaces"], new["sourcePoint"], new["basePoint"]) == (
        second,
        {"runId": "f2"},
        {"runId": "s1"},
    )


async def test_no_merge_back_waits_again_where_another_one_waits(
    teller: Teller, graph: Neo4jStore
) -> None:
    """That one brings all of it."""
    await consumed_twice(teller, graph)
    await teller.completed("fork", "f3")
    newer = await merged_back(teller, "f3")

    answer = await teller.tell("rollbackThread", threadId="source", keepThroughRunId="s2")

    assert answer["transfers"] == []
    assert await status(teller, newer) == "PENDING"


async def test_no_merge_back_waits_again_whose_source_run_was_rolled_back(
    teller: Teller, graph: Neo4jStore
) -> None:
    """There is nothing left to bring; nor is an older one taken for it."""
    await consumed_twice(teller, graph)
    await teller.tell("rollbackThread", threadId="fork", keepThroughRunId="f1")

    answer = await teller.tell("rollbackThread", threadId="source", keepThroughRunId="s2")

    assert answer["transfers"] == []


async def test_a_child_all_of_whose_runs_were_rolled_back_was_cancelled(teller: Teller) -> None:
    """Whatever is reported; of one that has a run left the report counts."""
    await recorded(teller, "parent", "p1")
    for child in ("gone", "left"):
        await teller.tell("spawnSubagent", parentThreadId="parent", childThreadId=child)
        for number in (1, 2):
            run_id = await teller.completed(child, f"{child}-{number}")
            said = [{"kind": "message", "role": "assistant", "text": run_id}]
            await teller.tell("appendItems", threadId=child, runId=run_id, items=said)
    answers: list[dict[str, Any]] = []
    for child, kept in (("gone", None), ("left", "left-1")):
        await teller.tell("rollbackThread", threadId=child, keepThroughRunId=kept)
        answers.append(
            await teller.tell("completeSubagent", childThreadId=child, outcome="completed")
        )

    told = [
        (answer["transfer"]["outcome"], answer["transfer"]["resultText"]) for answer in answers
    ]
    assert told == [
        ("cancelled", "The subagent was cancelled before it answered."),
        ("completed", "left-1"),
    ]


async def test_a_rollback_leaves_a_graph_that_keeps_its_invariants(
    teller: Teller, graph: Neo4jStore
) -> None:
    """What `integrity` recomputes is what the command wrote, and the tree is another one."""
    document = '{ lineage(threadId: "fork") { version } }'
    await consumed_twice(teller, graph)
    await merged_back(teller, "f2")
    before = await teller.client.data(document)

    await teller.tell("rollbackThread", threadId="source", keepThroughRunId="s1")
    await teller.tell("rollbackThread", threadId="fork")

    assert await teller.client.data(document) != before
    assert list((await graph.integrity()).findings) == []
