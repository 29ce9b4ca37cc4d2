"""The real Codex, followed while it works."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.live.following import assert_same_as_fresh
from tests.real_agents.codex_server import codex_server
from tests.real_agents.model_stand_in import Asked, Reply, model_stand_in

if TYPE_CHECKING:
    from tests.cli.conftest import Lineage
    from tests.cli.live.following import Follower
    from tests.conftest import Neo4jServer

# Downloading the programs may take its time, once.
pytestmark = pytest.mark.timeout(900)

AGENT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def script(asked: Asked) -> Reply:
    """The second message has an agent look at something, and waits for it."""
    if asked.prompt != "message 2" or len(asked.outputs) > 1:
        return Reply(f"reply to {asked.prompt}")
    if not asked.outputs:
        return Reply(tool="spawn_agent", arguments={"message": "task 1"})
    agents = AGENT_ID.findall(asked.outputs[0])
    return Reply(tool="wait_agent", arguments={"targets": agents[:1], "timeout_ms": 20_000})


def test_what_is_followed_of_codex_is_what_a_fresh_import_gives(
    codex: Path, follower: Follower, lineage: Lineage, neo4j_server: Neo4jServer
) -> None:
    """A thread, an agent of it, and a fork, each seen as it came."""
    with (
        model_stand_in(script) as address,
        codex_server(codex, Path.home() / ".codex", address) as server,
    ):
        thread_id = server.start_thread()
        server.say(thread_id, "message 1")
        follower.catches_up(threads=1)
        server.say(thread_id, "message 2")
        follower.catches_up(threads=2)
        fork_id = server.call("thread/fork", {"threadId": thread_id})["thread"]["id"]
        server.say(fork_id, "message 3")
        follower.catches_up(threads=3)
    follower.catches_up(threads=3)
    follower.end()

    edges = assert_same_as_fresh(neo4j_server, lineage)
    assert edges == {"FORKED_FROM": 1, "HISTORY_BASE": 1, "SPAWNED_BY": 1}
