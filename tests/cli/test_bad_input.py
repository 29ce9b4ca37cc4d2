"""Bad input: each a clear error or a counted skip, never a stack trace."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Ended, Lineage

FORKS = "codex-0.171.0/forks-paginated"


def said_in_words(ended: Ended) -> bool:
    """Whether a person could read it."""
    return "Traceback" not in ended.err and ended.err.startswith("Error: ")


@pytest.mark.usefixtures("graph_settings")
def test_an_empty_folder_is_told(lineage: Lineage, tmp_path: Path) -> None:
    """There is nothing to import."""
    folder = tmp_path / "empty"
    folder.mkdir()

    ended = lineage("import", folder)

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        f"Error: {folder} holds no transcripts that can be read here. "
        "Known are those of: codex, claude, pi, opencode.\n"
    )


@pytest.mark.usefixtures("graph_settings")
def test_a_missing_path_is_told(lineage: Lineage, tmp_path: Path) -> None:
    """A typing mistake."""
    ended = lineage("import", tmp_path / "missing")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == f"Error: There is no file or folder {tmp_path / 'missing'}.\n"


@pytest.mark.usefixtures("graph_settings")
def test_no_home_at_all_is_told(lineage: Lineage) -> None:
    """Somebody who never used an agent here."""
    ended = lineage("import")

    assert (ended.code, ended.out) == (1, "")
    assert ended.err == (
        "Error: No transcripts of codex, claude, pi, opencode were found on this machine. Name a "
        "folder or file to import.\n"
    )


@pytest.mark.usefixtures("graph_settings")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("letter.txt", b"Dear reader,\n"),
        ("rollout-2026-11-30T10-58-32-01a22c1b-3c70-7923-9903-9ae8952e0f3e.jsonl", b'{"a": 1}\n'),
        ("state_5.sqlite", b"not a database"),
        ("photo.jsonl", b"\x89PNG\r\n\x1a\n\x00\x00"),
    ],
)
def test_a_file_of_another_program_is_told(
    lineage: Lineage, tmp_path: Path, name: str, content: bytes
) -> None:
    """Whatever it is called."""
    path = tmp_path / name
    path.write_bytes(content)

    ended = lineage("import", path)

    assert ended.code == 1
    assert said_in_words(ended)


def first_rollout(home: Path) -> Path:
    """The rollout of a home that the others came from."""
    return min(home.rglob("rollout-*.jsonl"))


def torn(content: bytes) -> bytes:
    """The last line is half written."""
    return content[:-40]


def glued(content: bytes) -> bytes:
    """A line break is missing."""
    lines = content.splitlines(keepends=True)
    return b"".join([*lines[:-2], lines[-2].rstrip(b"\n"), lines[-1]])


def marked(content: bytes) -> bytes:
    """An editor put a byte order mark before it."""
    return b"\xef\xbb\xbf" + content


def garbled(content: bytes) -> bytes:
    """A line in the middle is not UTF-8."""
    lines = content.splitlines(keepends=True)
    return b"".join([*lines[:-1], b'{"type": "\xff\xfe"}\n', lines[-1]])


def enormous(content: bytes) -> bytes:
    """A line of 100 MB."""
    return content + b'{"type":"' + b"x" * 100_000_000 + b'"}\n'


@pytest.mark.usefixtures("graph_settings")
@pytest.mark.parametrize(
    ("damage", "skips"),
    [
        (torn, 1),
        (glued, None),
        (marked, None),
        (garbled, 1),
        (enormous, 1),
    ],
)
def test_a_damaged_transcript_is_read_as_far_as_it_goes(
    lineage: Lineage,
    codex_home: Callable[[str], Path],
    damage: Callable[[bytes], bytes],
    skips: int | None,
) -> None:
    """What can't be read is counted, and all seven threads are there."""
    home = codex_home(FORKS)
    rollout = first_rollout(home)
    rollout.chmod(0o600)
    rollout.write_bytes(damage(rollout.read_bytes()))

    ended = lineage("import", home, "--json")

    report = json.loads(ended.out)
    assert (ended.code, ended.err) == (0, "")
    assert report["threadsWritten"] == 7
    assert skips is None or sum(report["skipped"].values()) == skips


@pytest.mark.usefixtures("graph_settings")
def test_a_database_that_somebody_has_locked_is_read_all_the_same(
    lineage: Lineage, codex_home: Callable[[str], Path]
) -> None:
    """Codex may be running; what it has is copied, not opened."""
    home = codex_home(FORKS)
    database = next(home.glob("state_*.sqlite"))
    database.chmod(0o600)
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")

    ended = lineage("import", home, "--json")

    holder.close()
    assert (ended.code, ended.err) == (0, "")
    assert json.loads(ended.out)["threadsWritten"] == 7


@pytest.mark.usefixtures("graph_settings")
def test_a_broken_database_is_a_skip(lineage: Lineage, codex_home: Callable[[str], Path]) -> None:
    """The transcripts still tell most of it."""
    home = codex_home(FORKS)
    database = next(home.glob("state_*.sqlite"))
    database.chmod(0o600)
    database.write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)

    report = json.loads(lineage("import", home, "--json").out)

    assert report["threadsWritten"] == 7
    assert sum(report["skipped"].values()) == 1


def test_a_neo4j_that_is_down_is_told(
    lineage: Lineage, codex_home: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the address, within seconds."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")

    ended = lineage("import", codex_home(FORKS))

    assert (ended.code, ended.out, ended.err) == (
        1,
        "",
        ("Error: No Neo4j answers at bolt://127.0.0.1:1.\nCheck that it runs, and NEO4J_URI.\n"),
    )


@pytest.mark.usefixtures("graph_settings")
@pytest.mark.parametrize("command", [("tree", "x"), ("show", "x"), ("serve", "--port", "0")])
def test_a_wrong_password_is_told(
    lineage: Lineage,
    monkeypatch: pytest.MonkeyPatch,
    command: tuple[str, ...],
) -> None:
    """By every command."""
    monkeypatch.setenv("NEO4J_PASSWORD", "wrong")

    ended = lineage(*command)

    assert (ended.code, ended.out) == (1, "")
    assert said_in_words(ended)


@pytest.mark.usefixtures("graph_settings")
def test_a_database_that_the_server_does_not_have_is_told(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name."""
    monkeypatch.setenv("NEO4J_DATABASE", "elsewhere")

    ended = lineage("tree", "x")

    assert (ended.code, ended.err) == (
        1,
        "Error: The Neo4j server has no database named 'elsewhere'.\nCheck NEO4J_DATABASE.\n",
    )


def test_a_wrong_setting_is_told_before_anything_happens(
    lineage: Lineage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line."""
    monkeypatch.setenv("LINEAGE_PORT", "abc")

    ended = lineage("serve")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        "Error: LINEAGE_PORT is 'abc': input should be a valid integer, unable to parse string "
        "as an integer.\n"
    )


def test_serving_where_others_can_reach_it_is_refused(lineage: Lineage) -> None:
    """Until there are users and passwords."""
    ended = lineage("serve", "--host", "0.0.0.0")  # noqa: S104 - the address that is refused

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(
        "Error: Serving on 0.0.0.0 would let everybody who can reach it read and change every "
        "conversation"
    )
    assert "--insecure" in ended.err


def test_a_data_folder_that_can_not_be_written_is_told(lineage: Lineage, tmp_path: Path) -> None:
    """A file stands where the folder should be."""
    path = tmp_path / "file"
    path.write_text("")

    ended = lineage("tree", "x", "--data", path)

    assert ended.code == 1
    assert said_in_words(ended)


@pytest.mark.usefixtures("graph_settings")
def test_a_debugged_error_shows_where_it_came_from(
    lineage: Lineage,
    tmp_path: Path,
) -> None:
    """For whoever mends it; nobody else sees a trace."""
    with pytest.raises(Exception, match="There is no file or folder"):
        lineage("--debug", "import", tmp_path / "missing")


@pytest.mark.usefixtures("graph_settings")
def test_what_the_home_holds_is_never_changed(
    lineage: Lineage, codex_home: Callable[[str], Path], tmp_path: Path
) -> None:
    """Not one file, not one byte."""
    home = codex_home(FORKS)
    before = tmp_path / "before"
    shutil.copytree(home, before)

    lineage("import", home)

    files = sorted(path.relative_to(home) for path in home.rglob("*"))
    assert files == sorted(path.relative_to(before) for path in before.rglob("*"))
    assert all(
        (home / path).read_bytes() == (before / path).read_bytes()
        for path in files
        if (home / path).is_file()
    )
