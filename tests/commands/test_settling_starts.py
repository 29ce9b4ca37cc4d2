"""What becomes of a start: confirmed, or given up."""

import pytest

from tests.commands.starts import CLAUDE, CODEX, ref, run, start
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def forked(teller: Teller) -> None:
    """A fork that waits for its first run."""
    await teller.recorded("source", historyMode="paginated")
    await run(teller, "source", "s1", message="One?")
    await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork")


async def test_a_thread_has_the_provider_that_accepted_its_start(teller: Teller) -> None:
    """A fork has none before; the mode is that of its provider's thread."""
    await forked(teller)
    await start(teller, "fork", runId="f1", model="m-1")
    asked = """{ thread(threadId: "fork") { driver providerInstanceId model historyMode
        contextWindows { number windowId } } }"""

    before = await teller.client.data(asked)
    await teller.tell(
        "confirmStart",
        runId="f1",
        nativeThreadRef=ref("new"),
        historyMode="legacy",
        initialWindowId="w",
    )
    after = await teller.client.data(asked)

    assert before["thread"] == {
        "driver": None,
        "providerInstanceId": None,
        "model": None,
        "historyMode": "paginated",
        "contextWindows": [],
    }
    assert after["thread"] == {
        "driver": "codex",
        "providerInstanceId": "codex",
        "model": "m-1",
        "historyMode": "legacy",
        "contextWindows": [{"number": 0, "windowId": "w"}],
    }


async def test_codex_names_the_first_context_window_of_a_thread(teller: Teller) -> None:
    """Required at the first confirmed start alone; without it nothing changes."""
    await forked(teller)
    await start(teller, "fork", runId="f1")

    code = await teller.client.code(
        'mutation { confirmStart(input: {commandId: "c", runId: "f1"}) { __typename } }'
    )
    confirmed = await teller.tell("confirmStart", "c", runId="f1", initialWindowId="w")

    assert code == "BAD_USER_INPUT"
    assert confirmed["__typename"] == "StartConfirmed"
    assert not confirmed["replayed"]


async def test_a_start_that_may_be_tried_again_leaves_its_transfers_waiting(
    teller: Teller,
) -> None:
    """The handoff stays for whoever looks back; the next start resolves anew."""
    await forked(teller)
    first = await start(teller, "fork", CLAUDE, runId="f1")

    failed = await teller.tell("failStart", runId="f1", reason="The provider is away.")
    second = await start(teller, "fork", CODEX, runId="f2")

    assert failed["run"] == {"runId": "f1", "status": "failed", "error": "The provider is away."}
    [transfer] = failed["transfers"]
    assert transfer["status"] == "PENDING"
    assert transfer["targetRunId"] is None
    assert transfer["resolution"] is None
    assert transfer["targetProvider"] is None
    assert transfer["steps"][-1] == {
        "status": "PENDING",
        "runId": "f1",
        "reason": "The provider is away.",
    }
    assert first["base"]["__typename"] == "PortableContext"
    assert second["base"]["__typename"] == "NativeFork"
    assert second["base"]["transfer"]["transferId"] == transfer["transferId"]


async def test_a_start_that_failed_for_good_fails_its_transfers(teller: Teller) -> None:
    """The next start hands the whole history over: never silently nothing."""
    await forked(teller)
    await start(teller, "fork", runId="f1")

    failed = await teller.tell("failStart", runId="f1", reason="No quota.", retryable=False)
    after = await start(teller, "fork", runId="f2")

    [transfer] = failed["transfers"]
    assert (transfer["status"], transfer["error"]) == ("FAILED", "No quota.")
    assert after["base"]["__typename"] == "PortableContext"
    assert after["base"]["transfer"]["type"] == "PROVIDER_HANDOFF"


async def test_a_handoff_that_waits_is_superseded_by_the_next_start_s_own(
    teller: Teller,
) -> None:
    """Its points would be stale."""
    await teller.recorded("t")
    await run(teller, "t", "r1")
    first = await start(teller, "t", CLAUDE, runId="r2")
    await teller.tell("failStart", runId="r2", reason="Away.")

    second = await start(teller, "t", CLAUDE, runId="r3")
    old = await teller.client.data(
        "query($id: String!) { transfer(transferId: $id) { status steps { status } } }",
        id=first["base"]["transfer"]["transferId"],
    )

    assert second["base"]["transfer"]["status"] == "RESOLVED_PORTABLE"
    assert old["transfer"]["status"] == "SUPERSEDED"
    assert [step["status"] for step in old["transfer"]["steps"]] == [
        "PENDING",
        "RESOLVED_PORTABLE",
        "PENDING",
        "SUPERSEDED",
    ]


async def test_a_merge_back_that_a_newer_one_stands_in_for_does_not_wait_again(
    teller: Teller,
) -> None:
    """While it is resolved a newer one leaves it alone; once its start failed it is superseded."""
    await forked(teller)
    await run(teller, "fork", "f1", CLAUDE)
    older = await teller.tell("mergeBack", forkThreadId="fork")
    await start(teller, "source", runId="s2")
    newer = await teller.tell("mergeBack", forkThreadId="fork")

    failed = await teller.tell("failStart", runId="s2", reason="Away.")

    assert newer["superseded"] is None
    [transfer] = failed["transfers"]
    assert transfer["transferId"] == older["transfer"]["transferId"]
    assert transfer["status"] == "SUPERSEDED"
    assert newer["transfer"]["transferId"] in transfer["steps"][-1]["reason"]


async def test_a_start_is_settled_once(teller: Teller) -> None:
    """A second word, of whichever kind, is refused, as is one for a run that nobody started."""
    await teller.recorded("t")
    await teller.completed("t", "r1")
    await start(teller, "t", runId="r2")
    await teller.tell("confirmStart", runId="r2")

    codes = [
        await teller.refused("confirmStart", runId="r2"),
        await teller.refused("failStart", runId="r2", reason="Late."),
        await teller.refused("confirmStart", runId="r1"),
        await teller.refused("confirmStart", runId="unknown"),
    ]

    assert codes == ["TRANSITION_NOT_ALLOWED"] * 3 + ["RUN_NOT_FOUND"]


async def test_a_repeated_word_on_a_start_is_told_again(teller: Teller) -> None:
    """By its command id."""
    await teller.recorded("t")
    await start(teller, "t", runId="r1")

    first = await teller.tell("confirmStart", "once", runId="r1")
    second = await teller.tell("confirmStart", "once", runId="r1")

    assert (first["replayed"], second["replayed"]) == (False, True)
    assert first["run"] == second["run"] == {"runId": "r1", "status": "running"}


async def test_an_unconfirmed_start_is_listed_until_it_is_settled(teller: Teller) -> None:
    """Nobody is timed out: whoever looks finds it, and anyone may give it up."""
    await teller.recorded("t")
    await start(teller, "t", runId="r1")
    asked = "{ integrity { findings { rule ids } unconfirmedStarts { runId } } }"

    before = await teller.client.data(asked)
    await teller.tell("failStart", runId="r1", reason="The application is gone.")
    after = await teller.client.data(asked)

    assert before["integrity"] == {"findings": [], "unconfirmedStarts": [{"runId": "r1"}]}
    assert after["integrity"] == {"findings": [], "unconfirmedStarts": []}
