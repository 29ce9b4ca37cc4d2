"""`lineage database`: what it prints, and with which exit code."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from cli.main import run
from cli.settings import Settings
from tests.server.processes import is_alive

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

Command = tuple[int, str, str]


@pytest.fixture
def database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Command]:
    """Runs `lineage database` on one folder; gives exit code, output and remarks."""
    for name in Settings.model_fields:
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setenv("LINEAGE_DATA", str(tmp_path))
    monkeypatch.chdir(tmp_path)

    def run_command(*words: str) -> Command:
        with pytest.raises(SystemExit) as ended:
            run(["database", *words])
        code = ended.value.code
        assert isinstance(code, int)
        out, err = capsys.readouterr()
        return code, out, err

    return run_command


def test_a_started_database_is_shown_until_it_is_stopped(
    database: Callable[..., Command], tmp_path: Path
) -> None:
    """All that is needed to reach it is printed, but the password itself never."""
    started = database("start", "--idle", "60")
    shown = database("status", "--json")
    facts = json.loads(shown[1])
    stopped = database("stop")
    gone = database("status")

    password_file = tmp_path / "neo4j" / "password"
    assert started[0] == 0
    assert facts["running"] is True
    assert (facts["user"], facts["idleSeconds"], facts["leases"]) == ("neo4j", 60.0, 0)
    assert facts["passwordFile"] == str(password_file)
    for fact in (facts["uri"], facts["passwordFile"], facts["dataFolder"], facts["version"]):
        assert fact in started[1]
    assert password_file.read_text() not in started[1] + started[2] + shown[1]
    assert stopped[0] == 0
    assert stopped[1].startswith("Stopped after ")
    assert not is_alive(facts["pid"])
    assert gone == (1, f"No local Neo4j runs for {tmp_path}.\n", "")


def test_stopping_what_does_not_run_is_no_error(
    database: Callable[..., Command], tmp_path: Path
) -> None:
    """It says so, and the state is the wished one."""
    assert database("stop") == (0, f"No local Neo4j runs for {tmp_path}.\n", "")


def test_an_error_is_words_and_an_exit_code(
    database: Callable[..., Command], tmp_path: Path
) -> None:
    """No stack trace reaches a user."""
    taken = tmp_path / "file"
    taken.touch()

    code, out, err = database("start", "--data", os.fspath(taken / "data"))

    assert (code, out) == (1, "")
    assert err.startswith(f"Error: The data folder {taken}/data can't be used: Not a directory.")
    assert "Traceback" not in err
