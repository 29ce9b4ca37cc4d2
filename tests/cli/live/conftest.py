"""An import that follows real programs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.live.following import Follower
from tests.node_programs import brought_program

if TYPE_CHECKING:
    import subprocess

    from tests.conftest import Neo4jServer

AGENTS = Path(__file__).parents[2] / "real_agents"


# Once a session, before a test has a home of its own: npm keeps its downloads in the user's.
@pytest.fixture(scope="session")
def claude_code() -> Path:
    """The real Claude Code."""
    return brought_program(AGENTS / "claude_code", "@anthropic-ai/claude-code-*/claude")


@pytest.fixture(scope="session")
def codex() -> Path:
    """The real Codex."""
    return brought_program(AGENTS / "codex_paginated", "@openai/codex-*/vendor/*/bin/codex")


@pytest.fixture(scope="session")
def opencode() -> Path:
    """The real OpenCode."""
    return brought_program(AGENTS / "opencode", "opencode-*/bin/opencode")


@pytest.fixture
def follower(
    graph_settings: None,  # noqa: ARG001 - where it writes to
    neo4j_server: Neo4jServer,
    start_lineage: Callable[..., subprocess.Popen[str]],
) -> Iterator[Follower]:
    """An import that follows whatever tools there are, from before there is anything."""
    process = start_lineage("import", "--watch")
    yield Follower(process, neo4j_server)
    if process.poll() is None:
        process.kill()
        process.communicate()
