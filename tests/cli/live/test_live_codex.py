"""The real Codex, followed while it works."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.live.codex_server import codex_server
from tests.cli.live.following import assert_same_as_fresh
from tests.cli.live.model import Asked, Reply, model_that

if TYPE_CHECKING:
    from tests.cli.conftest import Lineage
    from tests.cli.live.following import Follower
    from tests.conftest import Neo4jServer

# Downloading the programs may take its time, once.
pytestmark = pytest.mark.timeout(900)

PLACE = "@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex"
AGENT_ID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
SETTINGS = """
model = "mock-model"
model_provider = "mock"
approval_policy = "never"
sandbox_mode = "danger-full-access"
model_instructions_file = "{instructions}"
[model_providers.mock]
name = "mock"
base_url = "{address}/v1"
wire_api = "responses"
env_key = "MOCK_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[analytics]
enabled = false
[skills]
include_instructions = false
[features]
plugins = false
apps = false
"""


def script(asked: Asked) -> Reply:
    """The second message has an agent look at something, and waits for it."""
    if asked.prompt != "message 2" or len(asked.outputs) > 1:
        return Reply(f"reply to {asked.prompt}")
    if not asked.outputs:
        return Reply(tool="spawn_agent", arguments={"message": "task 1"})
    agents = AGENT_ID.findall(asked.outputs[0])
    return Reply(tool="wait_agent", arguments={"targets": agents[:1], "timeout_ms": 20_000})


def test_what_is_followed_of_codex_is_what_a_fresh_import_gives(
    program: Callable[[str], Path],
    follower: Follower,
    lineage: Lineage,
    neo4j_server: Neo4jServer,
    tmp_path: Path,
) -> None:
    """A thread, an agent of it, and a fork, each seen as it came."""
    codex = program(PLACE)
    home, work = Path.home() / ".codex", tmp_path / "work"
    for folder in (home, work):
        folder.mkdir()
    (home / "instructions.md").write_text("You are a test.\n")
    with model_that(script) as address:
        settings = SETTINGS.format(address=address, instructions=home / "instructions.md")
        (home / "config.toml").write_text(settings)
        with codex_server(codex, work) as server:
            thread_id = server.ask("thread/start", cwd=str(work))["thread"]["id"]
            server.turn(thread_id, "message 1")
            follower.catches_up(threads=1)
            server.turn(thread_id, "message 2")
            follower.catches_up(threads=2)
            fork_id = server.ask("thread/fork", threadId=thread_id)["thread"]["id"]
            server.turn(fork_id, "message 3")
            follower.catches_up(threads=3)
        follower.catches_up(threads=3)
    follower.end()

    edges = assert_same_as_fresh(neo4j_server, lineage)
    assert edges == {"FORKED_FROM": 1, "HISTORY_BASE": 1, "SPAWNED_BY": 1}
