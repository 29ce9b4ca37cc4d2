"""The real Claude Code, followed while it works."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.live.following import assert_same_as_fresh
from tests.real_agents.model_stand_in import Asked, Reply, model_stand_in

if TYPE_CHECKING:
    from tests.cli.conftest import Lineage
    from tests.cli.live.following import Follower
    from tests.conftest import Neo4jServer

# Downloading the programs may take its time, once.
pytestmark = pytest.mark.timeout(900)

SESSION = "3f1d1c80-5f5c-4c5e-9f5b-0f6f3f5f7a01"
SECONDS = 100


def script(asked: Asked) -> Reply:
    """The second message has an agent look at something."""
    if asked.prompt == "message 2" and not asked.outputs:
        task = {"description": "look", "prompt": "task 1", "subagent_type": "general-purpose"}
        return Reply(tool="Agent", arguments=task)
    return Reply(f"reply to {asked.prompt}")


def test_what_is_followed_of_claude_code_is_what_a_fresh_import_gives(
    claude_code: Path,
    follower: Follower,
    lineage: Lineage,
    neo4j_server: Neo4jServer,
    tmp_path: Path,
) -> None:
    """A session, an agent in it, and a fork, each seen as it came."""
    work = tmp_path / "work"
    work.mkdir()
    with model_stand_in(script) as address:

        def say(message: str, *options: str) -> None:
            subprocess.run(  # noqa: S603 - the program that is tested
                [claude_code, "-p", "--system-prompt", "You are a test.", *options, "--", message],
                cwd=work,
                env=_surroundings(address),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=True,
            )

        say("message 1", "--session-id", SESSION)
        follower.catches_up(threads=1)
        say("message 2", "--resume", SESSION)
        follower.catches_up(threads=2)
        say("message 3", "--resume", SESSION, "--fork-session")
        follower.catches_up(threads=3)
    follower.end()

    edges = assert_same_as_fresh(neo4j_server, lineage)
    assert edges == {"FORKED_FROM": 1, "SPAWNED_BY": 1}


def _surroundings(address: str) -> dict[str, str]:
    return os.environ | {
        "ANTHROPIC_BASE_URL": address,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "NO_PROXY": "127.0.0.1",
    }
