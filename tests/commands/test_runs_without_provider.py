"""Runs that are recorded without a provider, in a thread that selects one later."""

import pytest

from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio

CODEX = {"instanceId": "home", "driver": "codex"}


async def test_a_provider_that_is_selected_later_did_not_serve_a_run(teller: Teller) -> None:
    """Neither a fork nor a rollback takes the run for one of it."""
    await teller.recorded("parent")
    await teller.tell("spawnSubagent", parentThreadId="parent", childThreadId="child")
    await teller.completed("child", "c1")
    await teller.tell("recordCheckpoint", threadId="child", runId="c1", checkpointId="c")
    await teller.tell("switchProvider", threadId="child", provider=CODEX)

    forked = await teller.tell("forkThread", sourceThreadId="child", targetThreadId="fork")
    rolled_back = await teller.tell("rollbackThread", threadId="child")

    assert forked["transfer"]["sourcePoint"]["nativeThreadRef"] is None
    assert [run["runId"] for run in rolled_back["runs"]] == ["c1"]
