"""The real OpenCode, followed while it works."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.live.following import assert_same_as_fresh
from tests.real_agents.model_stand_in import Asked, Reply, model_stand_in
from tests.real_agents.opencode_server import opencode_server

if TYPE_CHECKING:
    from tests.cli.conftest import Lineage
    from tests.cli.live.following import Follower
    from tests.conftest import Neo4jServer

# Downloading the programs may take its time, once.
pytestmark = pytest.mark.timeout(900)


def script(asked: Asked) -> Reply:
    """The second message has an agent look at something."""
    if asked.prompt == "message 2" and not asked.outputs:
        task = {"description": "look", "prompt": "task 1", "subagent_type": "general"}
        return Reply(tool="task", arguments=task)
    return Reply(f"reply to {asked.prompt}")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where OpenCode's server has its folders; where its data is, the follower is told."""
    folder = tmp_path / "opencode"
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    return folder


def test_what_is_followed_of_opencode_is_what_a_fresh_import_gives(
    opencode: Path, home: Path, follower: Follower, lineage: Lineage, neo4j_server: Neo4jServer
) -> None:
    """A session, a task of it, and a fork, each seen as it came."""
    with (
        model_stand_in(script) as address,
        opencode_server(opencode, home, address) as server,
    ):
        session = str(server.call("POST /session", {})["id"])
        server.say(session, "message 1")
        follower.catches_up(threads=1)
        server.say(session, "message 2")
        follower.catches_up(threads=2)
        fork = server.call("POST /session/{id}/fork", {"id": session})["id"]
        server.say(str(fork), "message 3")
        follower.catches_up(threads=3)
    follower.catches_up(threads=3)
    follower.end()

    edges = assert_same_as_fresh(neo4j_server, lineage)
    assert edges == {"FORKED_FROM": 1, "SPAWNED_BY": 1}
