"""The real OpenCode, followed while it works."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import httpx
import pytest

from tests.cli.live.following import assert_same_as_fresh
from tests.cli.live.model import Asked, Reply, model_that

if TYPE_CHECKING:
    from tests.cli.conftest import Lineage
    from tests.cli.live.following import Follower
    from tests.conftest import Neo4jServer

# Downloading the programs may take its time, once.
pytestmark = pytest.mark.timeout(900)

PLACE = "opencode-linux-x64/bin/opencode"
LISTENS = re.compile(r"http://127\.0\.0\.1:\d+")
MODEL = {"providerID": "mock", "modelID": "mock-model"}
SECONDS = 100


def script(asked: Asked) -> Reply:
    """The second message has an agent look at something."""
    if asked.prompt == "message 2" and not asked.outputs:
        task = {"description": "look", "prompt": "task 1", "subagent_type": "general"}
        return Reply(tool="task", arguments=task)
    return Reply(f"reply to {asked.prompt}")


def test_what_is_followed_of_opencode_is_what_a_fresh_import_gives(
    program: Callable[[str], Path],
    follower: Follower,
    lineage: Lineage,
    neo4j_server: Neo4jServer,
    tmp_path: Path,
) -> None:
    """A session, a task of it, and a fork, each seen as it came."""
    opencode = program(PLACE)
    work = tmp_path / "work"
    work.mkdir()
    with model_that(script) as address:
        _write_settings(address)
        with _serving(opencode, work) as asked:

            def say(session: str, text: str) -> None:
                parts = [{"type": "text", "text": text}]
                asked(f"/session/{session}/message", {"model": MODEL, "parts": parts})

            session = asked("/session", {})
            say(session, "message 1")
            follower.catches_up(threads=1)
            say(session, "message 2")
            follower.catches_up(threads=2)
            fork = asked(f"/session/{session}/fork", {})
            say(fork, "message 3")
            follower.catches_up(threads=3)
        follower.catches_up(threads=3)
    follower.end()

    edges = assert_same_as_fresh(neo4j_server, lineage)
    assert edges == {"FORKED_FROM": 1, "SPAWNED_BY": 1}


def _write_settings(address: str) -> None:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "mock",
        "options": {"baseURL": f"{address}/v1", "apiKey": "none"},
        "models": {"mock-model": {"name": "mock-model", "tool_call": True}},
    }
    folder = Path.home() / ".config" / "opencode"
    folder.mkdir(parents=True)
    settings = {"provider": {"mock": provider}, "model": "mock/mock-model", "share": "disabled"}
    (folder / "opencode.json").write_text(json.dumps(settings))


@contextmanager
def _serving(opencode: Path, work: Path) -> Generator[Callable[[str, object], str]]:
    """OpenCode's server in a folder; asks it for something and gives the id of what it made."""
    process = subprocess.Popen(  # noqa: S603 - the program that is tested
        [opencode, "serve", "--port", "0", "--hostname", "127.0.0.1"],
        cwd=work,
        env=os.environ
        | {
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_DEFAULT_PLUGINS": "1",
            "NO_PROXY": "127.0.0.1",
        },
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        listens = (LISTENS.search(line) for line in process.stdout)
        address = next(found[0] for found in listens if found is not None)
        with httpx.Client(base_url=address, timeout=SECONDS, trust_env=False) as client:

            def asked(path: str, body: object) -> str:
                answer = client.post(path, json=body).raise_for_status().json()
                return str(answer.get("id", ""))

            yield asked
    finally:
        # It does not end by itself at once, nor do those that it started.
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(timeout=SECONDS)
        if process.stdout is not None:
            process.stdout.close()
