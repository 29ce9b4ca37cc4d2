"""Importing OpenCode's data: found, copied, read in any order, and left as it is."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from graph.errors import SourceNotRecognized
from graph.model import ThreadId
from importers.opencode.importer import DATA_VARIABLE, DATABASE_VARIABLE, OpenCodeImporter
from tests.importing import import_paths
from tests.unit.importers.opencode.homes import WHOLE, S, small, texts

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.anyio


async def test_what_stands_only_in_the_log_is_read(tmp_path: Path) -> None:
    """A database in use has most of it there, even its tables."""
    with closing(sqlite3.connect(tmp_path / "opencode.db")) as connection:
        connection.execute("PRAGMA journal_mode=WAL").fetchall()
        connection.execute("PRAGMA wal_autocheckpoint=0").fetchall()
        small().fill(connection)

        imported = await import_paths(OpenCodeImporter(), [tmp_path])

    assert texts(imported.only) == WHOLE


async def test_a_database_that_is_locked_is_read_all_the_same(tmp_path: Path) -> None:
    """It is copied as a file; nobody's lock is asked for."""
    path = small().write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("BEGIN EXCLUSIVE")

        imported = await import_paths(OpenCodeImporter(), [path])

    assert texts(imported.only) == WHOLE


async def test_nothing_is_written_to_the_data(tmp_path: Path) -> None:
    """Neither files nor contents nor times change, and none is added."""
    small().write(tmp_path)
    small().write_storage(tmp_path)

    def state() -> list[tuple[str, int, bytes]]:
        return [
            (str(path), path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(tmp_path.rglob("*"))
            if path.is_file()
        ]

    before = state()
    await import_paths(OpenCodeImporter(), [tmp_path])

    assert state() == before


def test_a_copy_is_made_once_for_as_long_as_nothing_changes(tmp_path: Path) -> None:
    """And an outdated one is removed."""
    home = small()
    path = home.write(tmp_path)
    importer = OpenCodeImporter()

    def copies() -> list[str]:
        return [source.context.place.copy for source in importer.plan([path]).sources]  # type: ignore[attr-defined]

    first, again = copies(), copies()
    home.turn(S, 3)
    home.write(tmp_path)
    grown = copies()

    assert first == again
    assert grown != first
    assert [Path(at).exists() for at in (first[0], grown[0])] == [False, True]


@pytest.mark.parametrize("oldest", [False, True])
async def test_the_older_storage_is_read_in_both_layouts(tmp_path: Path, oldest: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """A file for each session, message and part."""
    root = small().write_storage(tmp_path, oldest=oldest)

    imported = await import_paths(OpenCodeImporter(), [tmp_path])

    thread = imported.only
    assert texts(thread) == WHOLE
    assert (thread.title, thread.cwd, thread.cli_version, thread.source_file) == (
        S,
        "/project",
        "1.18.33",
        str(root),
    )
    assert imported.skips == []


async def test_a_session_in_both_places_is_that_of_the_database(tmp_path: Path) -> None:
    """OpenCode leaves the old files where they are."""
    home = small()
    home.write_storage(tmp_path)
    home.turn(S, 3)
    home.write(tmp_path)

    imported = await import_paths(OpenCodeImporter(), [tmp_path])

    assert len(imported.only.runs) == 3
    assert imported.skips == []


def test_a_folder_of_other_things_is_said_to_hold_no_sessions(tmp_path: Path) -> None:
    """Empty, or full of something else."""
    (tmp_path / "some.json").write_text("{}")

    with pytest.raises(SourceNotRecognized):
        OpenCodeImporter().plan([tmp_path])


def test_data_is_known_by_what_is_in_it(tmp_path: Path) -> None:
    """A database by its tables, whatever it is called; a folder by its files."""
    database = small().write(tmp_path / "a", name="renamed.bin")
    storage = small().write_storage(tmp_path / "b")
    other = tmp_path / "opencode.db"
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE threads (id TEXT)")
        connection.commit()
    empty = tmp_path / "storage" / "session"
    empty.mkdir(parents=True)

    importer = OpenCodeImporter()

    known = [path for path in (database, storage, storage.parent) if importer.recognizes(path)]
    assert known == [database, storage, storage.parent]
    assert [path for path in (other, empty, tmp_path / "gone") if importer.recognizes(path)] == []


def test_data_is_looked_for_where_opencode_keeps_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The usual place, the one that the desktop's rules name, and a database of its own."""
    usual, data, own = tmp_path / "user", tmp_path / "data", tmp_path / "own"
    small().write(usual / ".local" / "share" / "opencode")
    small().write(data / "opencode")
    named = small().write(own, name="mine.db")
    monkeypatch.setenv("HOME", str(usual))
    monkeypatch.delenv(DATA_VARIABLE, raising=False)
    monkeypatch.delenv(DATABASE_VARIABLE, raising=False)

    found = [OpenCodeImporter().default_paths()]
    monkeypatch.setenv(DATA_VARIABLE, str(data))
    found.append(OpenCodeImporter().default_paths())
    monkeypatch.setenv(DATABASE_VARIABLE, str(named))
    found.append(OpenCodeImporter().default_paths())
    monkeypatch.setenv(DATA_VARIABLE, str(tmp_path / "nowhere"))
    found.append(OpenCodeImporter().default_paths())

    assert found == [
        (usual / ".local" / "share" / "opencode",),
        (data / "opencode",),
        (data / "opencode", named),
        (named,),
    ]


def test_a_fingerprint_changes_with_the_session_and_with_nothing_else(tmp_path: Path) -> None:
    """So that a follower can leave the others alone, also when a part is written in place."""
    home = small()
    home.session("ses_other", 50)
    importer = OpenCodeImporter()

    def fingerprints(path: Path) -> dict[ThreadId, int]:
        return {source.thread_id: source.fingerprint for source in importer.plan([path]).sources}

    path = home.write(tmp_path)
    first = fingerprints(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE part SET time_updated = 99")
        connection.commit()
    written = fingerprints(path)
    os.utime(path)
    touched = fingerprints(path)

    assert written[S] != first[S]
    assert written[ThreadId("ses_other")] == first[ThreadId("ses_other")]
    assert touched == written
