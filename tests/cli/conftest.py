"""Running the command as a user does, on a real Neo4j that holds nothing at first."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest
from neo4j import GraphDatabase

from cli.main import run
from cli.settings import Settings
from tests.neo4j_stores import EMPTY
from tests.samples_on_disk import unpack_home

if TYPE_CHECKING:
    from tests.conftest import Neo4jServer


TOOL_VARIABLES = (
    *("CODEX_HOME", "CLAUDE_CONFIG_DIR", "PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR"),
    *("XDG_DATA_HOME", "OPENCODE_DB"),
)
"""Where the tools are told to keep their transcripts."""


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


class Lineage(Protocol):
    """Runs ``lineage`` with some words."""

    def __call__(self, *words: str | Path) -> Ended:
        """Run it in this process."""
        ...


@pytest.fixture(autouse=True)
def clean_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings and no transcripts of whoever runs the tests."""
    for name in (*Settings.model_fields, *TOOL_VARIABLES):
        monkeypatch.delenv(name.upper(), raising=False)
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(folder)


@pytest.fixture
def graph_settings(neo4j_server: Neo4jServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """The settings of an empty graph, in the environment."""
    monkeypatch.setenv("NEO4J_URI", neo4j_server.uri)
    monkeypatch.setenv("NEO4J_USER", neo4j_server.user)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_server.password)
    monkeypatch.setenv("NEO4J_DATABASE", neo4j_server.database)
    auth = (neo4j_server.user, neo4j_server.password)
    with (
        GraphDatabase.driver(neo4j_server.uri, auth=auth) as driver,  # pyright: ignore[reportUnknownMemberType] - untyped settings
        driver.session(database=neo4j_server.database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
    ):
        session.run(EMPTY).consume()


@pytest.fixture
def lineage(capfd: pytest.CaptureFixture[str]) -> Lineage:
    """The command, in this process."""

    def run_it(*words: str | Path) -> Ended:
        capfd.readouterr()
        with pytest.raises(SystemExit) as ended:
            run([str(word) for word in words])
        said = capfd.readouterr()
        code = ended.value.code
        return Ended(code if isinstance(code, int) else 0, said.out, said.err)

    return run_it


@pytest.fixture
def start_lineage() -> Callable[..., subprocess.Popen[str]]:
    """The command, in a process of its own; its standard error is its output too."""

    def start(*words: str | Path) -> subprocess.Popen[str]:
        return subprocess.Popen(  # noqa: S603 - our own program
            [sys.executable, "-m", "cli.main", *map(str, words)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1"},
        )

    return start


@pytest.fixture
def codex_home(tmp_path: Path) -> Callable[[str], Path]:
    """A sample home of Codex, as it was on disk."""
    return lambda scenario: unpack_home(scenario, tmp_path)
