"""How a start gets its context, by command."""

import pytest

from tests.commands.starts import CLAUDE, CODEX, messages, ref, run, start
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def test_a_provider_that_has_all_goes_on_in_its_own_thread(teller: Teller) -> None:
    """Row 1: nothing is handed over; the answer names the native thread to resume."""
    await teller.recorded("t")
    first = await run(teller, "t", "r1", message="Why?")

    second = await start(teller, "t", runId="r2", message="And now?")

    assert first["base"] == {"__typename": "NoTransfer", "resume": None}
    assert second["base"] == {
        "__typename": "NoTransfer",
        "resume": {"driver": "codex", "nativeId": "codex-t"},
    }
    assert second["deltas"] == []
    assert second["run"] == {
        "runId": "r2",
        "ordinal": 2,
        "status": "starting",
        "model": None,
        "providerInstanceId": "codex",
        "items": {"edges": [{"node": {"kind": "message", "role": "user", "text": "And now?"}}]},
    }


async def test_an_account_that_shares_state_resumes_the_native_thread(teller: Teller) -> None:
    """Row 2: the same driver and continuation key, and a native thread known for certain."""
    first = {"instanceId": "work", "driver": "codex", "continuationKey": "shared"}
    second = {"instanceId": "home", "driver": "codex", "continuationKey": "shared"}
    await teller.recorded("t")
    await run(teller, "t", "r1", first)

    answer = await start(teller, "t", second)

    assert answer["base"] == {
        "__typename": "NoTransfer",
        "resume": {"driver": "codex", "nativeId": "work-t"},
    }


async def test_a_fork_goes_to_its_own_provider_natively(teller: Teller) -> None:
    """Row 3: the plan names the turn; the native ref is known once the start is confirmed."""
    await teller.recorded("source", historyMode="paginated")
    await run(teller, "source", "s1")
    await run(teller, "source", "s2")
    forked = await teller.tell(
        "forkThread", sourceThreadId="source", targetThreadId="fork", at={"runId": "s1"}
    )

    answer = await start(teller, "fork", runId="f1")
    confirmed = await teller.tell(
        "confirmStart", runId="f1", nativeThreadRef=ref("new"), initialWindowId="window"
    )

    transfer_id = forked["transfer"]["transferId"]
    assert answer["base"]["__typename"] == "NativeFork"
    assert answer["base"]["plan"] == {
        "calls": [
            {
                "method": "thread/fork",
                "params": {"threadId": "codex-source", "lastTurnId": "turn-s1"},
            }
        ]
    }
    assert answer["base"]["transfer"] == {
        "transferId": transfer_id,
        "type": "FORK",
        "status": "RESOLVED_NATIVE",
        "targetRunId": "f1",
        "sourcePoint": {"runId": "s1"},
        "basePoint": None,
        "targetProvider": {"instanceId": "codex"},
        "resolution": {"strategy": "NATIVE_FORK", "handoffId": None, "nativeThreadRef": None},
        "error": None,
        "steps": [
            {"status": "PENDING", "runId": None, "reason": None},
            {"status": "RESOLVED_NATIVE", "runId": "f1", "reason": None},
        ],
    }
    assert [transfer["status"] for transfer in confirmed["transfers"]] == ["CONSUMED"]
    assert confirmed["transfers"][0]["resolution"]["nativeThreadRef"] == {"nativeId": "new"}
    assert confirmed["run"] == {"runId": "f1", "status": "running"}


async def test_a_fork_goes_to_another_provider_with_its_whole_history(teller: Teller) -> None:
    """Row 4: what was said up to the fork point, and why it was not forked natively."""
    await teller.recorded("source", historyMode="paginated")
    await run(teller, "source", "s1", message="First?")
    await run(teller, "source", "s2", message="Second?")
    await teller.tell(
        "forkThread", sourceThreadId="source", targetThreadId="fork", at={"runId": "s1"}
    )

    answer = await start(teller, "fork", CLAUDE, runId="f1")

    base = answer["base"]
    assert base["__typename"] == "PortableContext"
    assert messages(base) == [("s1", "First?"), ("s1", "Answer of s1.")]
    assert base["transfer"]["resolution"]["strategy"] == "PORTABLE_CONTEXT"
    assert base["transfer"]["resolution"]["handoffId"] == base["handoff"]["handoffId"]
    assert base["transfer"]["steps"][-1] == {
        "status": "RESOLVED_PORTABLE",
        "runId": "f1",
        "reason": "The source ran with another provider.",
    }
    assert "First?" in base["handoff"]["text"]


async def test_a_fork_of_a_fork_hands_over_the_grandparent(teller: Teller) -> None:
    """A payload carries Thread.history: every ancestor, cut at its fork point."""
    await teller.recorded("a", historyMode="paginated")
    await run(teller, "a", "a1", message="One?")
    await run(teller, "a", "a2", message="Two?")
    await teller.tell("forkThread", sourceThreadId="a", targetThreadId="b", at={"runId": "a1"})
    await run(teller, "b", "b1", message="Three?")
    await run(teller, "b", "b2", message="Four?")
    await teller.tell("forkThread", sourceThreadId="b", targetThreadId="c", at={"runId": "b1"})

    answer = await start(teller, "c", CLAUDE)

    assert [run_id for run_id, _ in messages(answer["base"])] == ["a1", "a1", "b1", "b1"]


async def test_a_provider_that_is_new_gets_all_and_one_that_returns_the_rest(
    teller: Teller,
) -> None:
    """Rows 5 and 6: portable on the first visit, a delta on the way back, with the base point."""
    await teller.recorded("t")
    await run(teller, "t", "r1", message="One?")
    away = await run(teller, "t", "r2", CLAUDE, message="Two?")
    await run(teller, "t", "r3", CLAUDE, message="Three?")

    back = await start(teller, "t", CODEX, runId="r4", message="Four?")

    assert away["base"]["__typename"] == "PortableContext"
    assert messages(away["base"]) == [("r1", "One?"), ("r1", "Answer of r1.")]
    assert away["base"]["transfer"]["type"] == "PROVIDER_HANDOFF"
    assert away["base"]["transfer"]["sourcePoint"] == {"runId": "r1"}
    assert away["base"]["transfer"]["basePoint"] is None
    assert back["base"]["__typename"] == "DeltaContext"
    assert back["base"]["resume"] == {"driver": "codex", "nativeId": "codex-t"}
    assert [run_id for run_id, _ in messages(back["base"])] == ["r2", "r2", "r3", "r3"]
    assert back["base"]["transfer"]["sourcePoint"] == {"runId": "r3"}
    assert back["base"]["transfer"]["basePoint"] == {"runId": "r1"}


async def test_only_the_state_of_the_files_is_handed_over_where_nothing_was_said(
    teller: Teller,
) -> None:
    """Row 7: for a provider that takes checkpoints."""
    await teller.recorded("t")
    await teller.completed("t", "r1")
    await teller.tell(
        "recordCheckpoint", threadId="t", runId="r1", checkpointId="c", files=["a.py"]
    )

    answer = await start(teller, "t", CLAUDE, capabilities={"checkpointHandoff": True})

    base = answer["base"]
    assert base["__typename"] == "CheckpointContext"
    assert base["handoff"]["kind"] == "CHECKPOINT_CONTEXT"
    assert base["handoff"]["payload"]["checkpoint"]["files"] == ["a.py"]
    assert base["transfer"]["resolution"]["strategy"] == "CHECKPOINT_CONTEXT"


async def test_what_can_be_done_in_no_way_is_refused_before_anything_is_written(
    teller: Teller,
) -> None:
    """Row 8: with each capability that alone would have made it possible."""
    await teller.recorded("t")
    await teller.completed("t", "r1")

    answer = await teller.tell(
        "resolveStartContext", threadId="t", provider=CLAUDE, message="Go on."
    )
    after = await teller.client.data(
        '{ thread(threadId: "t") { runs { totalCount } transfers { totalCount } } }'
    )

    assert answer["__typename"] == "Unsupported"
    assert answer["missing"] == ["history"]
    assert after["thread"] == {"runs": {"totalCount": 1}, "transfers": {"totalCount": 0}}


async def test_each_merge_back_that_waits_is_a_delta_of_its_own(teller: Teller) -> None:
    """Oldest first, beside the base; each is consumed when the start is confirmed."""
    await teller.recorded("source")
    await run(teller, "source", "s1", message="One?")
    for name in ("x", "y"):
        await teller.tell("forkThread", sourceThreadId="source", targetThreadId=name)
        await run(teller, name, f"{name}1", CLAUDE, message=f"In {name}?")
        await teller.tell("mergeBack", forkThreadId=name)

    answer = await start(teller, "source", runId="s2")
    confirmed = await teller.tell("confirmStart", runId="s2")
    left = await teller.client.data(
        '{ thread(threadId: "x") { mergeBackDelta { itemCount alreadyDelivered } } }'
    )

    assert answer["base"]["__typename"] == "NoTransfer"
    assert [messages(delta) for delta in answer["deltas"]] == [
        [("x1", "In x?"), ("x1", "Answer of x1.")],
        [("y1", "In y?"), ("y1", "Answer of y1.")],
    ]
    assert [transfer["status"] for transfer in confirmed["transfers"]] == ["CONSUMED"] * 2
    assert left["thread"]["mergeBackDelta"] == {"itemCount": 0, "alreadyDelivered": 2}


async def test_a_second_merge_back_brings_what_the_first_did_not(teller: Teller) -> None:
    """Items are told once; the handoff says how many were delivered before."""
    await teller.recorded("source")
    await run(teller, "source", "s1")
    await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork")
    await run(teller, "fork", "f1", CLAUDE, message="One?")
    await teller.tell("mergeBack", forkThreadId="fork")
    await run(teller, "source", "s2")
    await run(teller, "fork", "f2", CLAUDE, message="Two?")
    await teller.tell("mergeBack", forkThreadId="fork")

    answer = await start(teller, "source")

    [delta] = answer["deltas"]
    assert [run_id for run_id, _ in messages(delta)] == ["f2", "f2"]
    assert delta["handoff"]["payload"]["alreadyDelivered"] == 2


async def test_a_provider_without_deltas_can_t_have_a_merge_back(teller: Teller) -> None:
    """The whole start is refused, and the merge-back waits on."""
    await teller.recorded("source")
    await run(teller, "source", "s1")
    await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork")
    await run(teller, "fork", "f1", CLAUDE)
    await teller.tell("mergeBack", forkThreadId="fork")

    answer = await teller.tell(
        "resolveStartContext",
        threadId="source",
        message="Go on.",
        capabilities={"deltaHandoff": False},
    )

    assert answer["__typename"] == "Unsupported"
    assert answer["missing"] == ["deltaHandoff"]


async def test_a_budget_leaves_whole_items_out_and_names_them(teller: Teller) -> None:
    """The ids of what was left out stand beside the payload, never in its text."""
    await teller.recorded("t")
    await run(teller, "t", "r1", message="long " * 1000)
    await run(teller, "t", "r2", message="Short?")

    answer = await start(teller, "t", CLAUDE, budgetTokens=1024)

    handoff = answer["base"]["handoff"]
    assert [text for _, text in messages(answer["base"])] == [
        "Answer of r1.",
        "Short?",
        "Answer of r2.",
    ]
    assert len(handoff["omittedItemIds"]) == 1
    assert handoff["tokens"] <= 1024


@pytest.mark.parametrize("budget", [1023, 64_001])
async def test_a_budget_out_of_range_is_an_error(teller: Teller, budget: int) -> None:
    """1,024 to 64,000 tokens."""
    await teller.recorded("t")

    code = await teller.client.code(
        """mutation($budget: Int!) { resolveStartContext(input: {
            commandId: "c", threadId: "t", message: "m", budgetTokens: $budget
        }) { __typename } }""",
        budget=budget,
    )

    assert code == "BAD_USER_INPUT"


async def test_a_start_is_told_again_in_the_same_words(teller: Teller) -> None:
    """By its command id, also after its handoff was set aside."""
    await teller.recorded("t")
    await run(teller, "t", "r1")
    told = {"threadId": "t", "provider": CLAUDE, "message": "Go on.", "runId": "r2"}

    first = await teller.tell("resolveStartContext", "again", **told)
    await teller.tell("failStart", runId="r2", reason="The provider is away.")
    second = await teller.tell("resolveStartContext", "again", **told)

    assert not first["replayed"]
    assert second["replayed"]
    assert second["base"]["handoff"] == first["base"]["handoff"]
    assert second["base"]["transfer"]["status"] == "PENDING"


async def test_one_start_is_under_way_at_a_time(teller: Teller) -> None:
    """Until it is confirmed or given up; a run that goes on is in nobody's way."""
    await teller.recorded("t")
    await start(teller, "t", runId="r1")

    again = await teller.tell("resolveStartContext", threadId="t", message="Now!")
    await teller.tell("confirmStart", runId="r1")
    after = await teller.tell("resolveStartContext", threadId="t", message="Now!")

    assert (again["code"], again["runId"]) == ("START_IN_PROGRESS", "r1")
    assert after["__typename"] == "StartContext"


async def test_what_can_t_be_started_is_refused_by_name(teller: Teller) -> None:
    """In the order of the rules: the thread, its state, the new id."""
    await teller.recorded("t")
    await teller.completed("t", "taken")
    await teller.recorded("archived")
    await teller.tell("archiveThread", threadId="archived")
    await teller.recorded("deleted")
    await teller.tell("deleteThread", threadId="deleted")
    await teller.recorded("odd", historyMode="sideways")
    await teller.tell(
        "spawnSubagent", parentThreadId="t", childThreadId="child", origin="provider_native"
    )

    codes = {
        thread_id: await teller.refused(
            "resolveStartContext", threadId=thread_id, provider=CODEX, message="m", runId="taken"
        )
        for thread_id in ("unknown", "archived", "deleted", "child", "odd", "t")
    }

    assert codes == {
        "unknown": "THREAD_NOT_FOUND",
        "archived": "THREAD_ARCHIVED",
        "deleted": "THREAD_DELETED",
        "child": "READ_ONLY_SUBAGENT",
        "odd": "UNSUPPORTED_HISTORY_MODE",
        "t": "CONFLICT",
    }
