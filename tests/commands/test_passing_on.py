"""What one fork brought back goes on with what its receiver brings back; and after a rollback."""

import pytest

from tests.commands.starts import CLAUDE, CODEX, messages, run, start
from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio


async def forked_twice(teller: Teller) -> None:
    """A source, its fork and a fork of that, which was merged back into the fork's run f2."""
    await teller.recorded("source")
    await run(teller, "source", "s1", message="Ask s1.")
    await teller.tell("forkThread", sourceThreadId="source", targetThreadId="fork")
    await run(teller, "fork", "f1", CLAUDE, message="Ask f1.")
    await teller.tell("forkThread", sourceThreadId="fork", targetThreadId="below")
    await run(teller, "below", "b1", CLAUDE, message="Ask b1.")
    await teller.tell("mergeBack", forkThreadId="below")
    await run(teller, "fork", "f2", CLAUDE, message="Ask f2.")


FORK = [("f1", "Ask f1."), ("f1", "Answer of f1.")]
BELOW = [("b1", "Ask b1."), ("b1", "Answer of b1.")]
BEHIND = [("f2", "Ask f2."), ("f2", "Answer of f2.")]

DELTA = """{ thread(threadId: "fork") { mergeBackDelta { itemCount alreadyDelivered
    items { totalCount edges { node { threadId runId text } } } } } }"""


async def test_what_was_merged_into_a_fork_comes_along_when_it_is_merged_back(
    teller: Teller,
) -> None:
    """Before the message of the run that received it, marked with its thread, and once."""
    await forked_twice(teller)
    shown = (await teller.client.data(DELTA))["thread"]["mergeBackDelta"]
    await teller.tell("mergeBack", forkThreadId="fork")
    started = await run(teller, "source", "s2", message="Ask s2.")
    after = (await teller.client.data(DELTA))["thread"]["mergeBackDelta"]
    switched = await start(teller, "source", CLAUDE)

    told = [edge["node"] for edge in shown["items"]["edges"]]
    assert [(node["runId"], node["text"]) for node in told] == [*FORK, *BELOW, *BEHIND]
    assert [node["threadId"] for node in told] == ["fork"] * 2 + ["below"] * 2 + ["fork"] * 2
    assert (shown["itemCount"], shown["items"]["totalCount"]) == (6, 6)
    (delta,) = started["deltas"]
    assert messages(delta) == [*FORK, *BELOW, *BEHIND]
    assert (after["itemCount"], after["alreadyDelivered"]) == (0, 6)
    assert messages(switched["base"]) == [
        *[("s1", "Ask s1."), ("s1", "Answer of s1.")],
        *[*FORK, *BELOW, *BEHIND],
        *[("s2", "Ask s2."), ("s2", "Answer of s2.")],
    ]


async def test_what_a_rolled_back_run_had_received_is_received_again(teller: Teller) -> None:
    """A merge-back, and with all runs the fork itself; what was delivered is no more."""
    await forked_twice(teller)
    rolled = await teller.tell("rollbackThread", threadId="fork", keepThroughRunId="f1")
    shown = (await teller.client.data(DELTA))["thread"]["mergeBackDelta"]
    again = await start(teller, "fork", CLAUDE, runId="f3")
    busy = await teller.refused("rollbackThread", threadId="fork")
    await teller.tell("failStart", runId="f3", reason="no network", retryable=False)
    whole = await teller.tell("rollbackThread", threadId="fork")
    anew = await start(teller, "fork", CODEX)

    (merge_back,) = rolled["transfers"]
    assert (merge_back["type"], merge_back["status"]) == ("MERGE_BACK", "PENDING")
    assert shown["itemCount"] == 2
    (delta,) = again["deltas"]
    assert delta["transfer"]["transferId"] == merge_back["transferId"]
    assert messages(delta) == BELOW
    assert busy == "TRANSITION_NOT_ALLOWED"
    assert [told["runId"] for told in whole["runs"]] == ["f1", "f3"]
    assert [(told["type"], told["status"]) for told in whole["transfers"]] == [("FORK", "PENDING")]
    assert anew["base"]["__typename"] == "NativeFork"
