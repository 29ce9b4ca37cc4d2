"""The doctor: what works, and what to do about what does not."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Lineage


def findings(lineage: Lineage, *words: str | Path) -> dict[str, tuple[str, str]]:
    """State and words of each finding by its subject."""
    found = json.loads(lineage("doctor", "--json", *words).out)
    return {each["subject"]: (each["state"], each["words"]) for each in found}


@pytest.mark.usefixtures("graph_settings")
def test_a_neo4j_that_works_is_found_well(lineage: Lineage) -> None:
    """It answers and has the schema that this version knows."""
    lineage("import")  # brings the schema up to date, although there is nothing to import
    ended = lineage("doctor")

    assert ended.code == 0
    assert "answers, its schema is up to date" in ended.out


@pytest.mark.usefixtures("graph_settings")
def test_a_wrong_password_is_a_problem_with_its_remedy(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The exit code says that something does not work."""
    monkeypatch.setenv("NEO4J_PASSWORD", "wrong")

    ended = lineage("doctor")

    assert ended.code == 1
    assert "✗ Neo4j" in ended.out
    assert "Check NEO4J_USER and NEO4J_PASSWORD." in ended.out


def test_a_neo4j_that_is_down_is_a_problem(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Within seconds."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")

    assert findings(lineage)["Neo4j"] == (
        "problem",
        "bolt://127.0.0.1:1, database neo4j: The graph database can't be reached.",
    )


def test_a_local_neo4j_that_does_not_run_is_well_and_stays_so(
    lineage: Lineage, tmp_path: Path
) -> None:
    """Nothing is started by looking."""
    found = findings(lineage, "--data", tmp_path / "data")

    assert found["local Neo4j"] == ("ok", "not running; starts when a command needs it")
    assert not (tmp_path / "data").exists()


def test_a_data_folder_that_can_not_be_written_is_a_problem(
    lineage: Lineage, tmp_path: Path
) -> None:
    """A file stands in its place."""
    path = tmp_path / "file"
    path.write_text("")

    assert findings(lineage, "--data", path / "data")["data folder"] == (
        "problem",
        f"{path / 'data'} can't be written",
    )


def test_a_misspelled_setting_is_a_problem(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Nothing else would ever say so."""
    monkeypatch.setenv("LINEAGE_PROT", "9000")

    ended = lineage("doctor", "--data", tmp_path)

    assert ended.code == 1
    assert "LINEAGE_PROT is not a setting" in ended.out


def test_transcripts_are_found_where_their_tool_keeps_them(
    lineage: Lineage,
    codex_home: Callable[[str], Path],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    """By the tool's own variable."""
    home = codex_home("codex-0.171.0/single-paginated")
    monkeypatch.setenv("CODEX_HOME", str(home))

    assert findings(lineage, "--data", tmp_path)["codex transcripts"] == (
        "ok",
        f"found in {home}",
    )


def test_a_port_that_is_taken_is_noted(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It may be the service itself."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        monkeypatch.setenv("LINEAGE_PORT", str(port))

        found = findings(lineage, "--data", tmp_path)

    assert found["address"] == (
        "note",
        f"127.0.0.1 port {port} can't be served on now: Address already in use",
    )
