"""The state database: what it adds to the files, and that it is only ever copied."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from graph.errors import SourceNotRecognized
from graph.model import ThreadId, Timestamp
from graph.records import SpawnRecord
from importers.codex.database import database_in, read_database
from tests.samples_on_disk import truth, unpack_home
from tests.unit.importers.codex_home import (
    CodexHome,
    kept_at,
    meta,
    read,
    spawn_source,
    turn,
    uuid,
)

PARENT, THREAD = ThreadId(uuid(0)), ThreadId(uuid(100))
SECONDS = 1785585600


def test_the_database_says_what_was_patched(home: CodexHome) -> None:
    """Titles, names, folders, git and times change there only."""
    home.rollout(THREAD, [meta(THREAD, cwd="/old", git={"branch": "old"}), *turn(uuid(101))])
    home.database(
        {
            "id": THREAD.upper(),
            "title": "a title",
            "name": "a name",
            "preview": "shown",
            "cwd": "/new",
            "git_branch": "new",
            "git_sha": "abc",
            "git_origin_url": "https://example.com/r.git",
            "memory_mode": "disabled",
            "updated_at": SECONDS + 500,
            "recency_at_ms": (SECONDS + 400) * 1000,
            "archived": 1,
            "archived_at": SECONDS + 450,
        }
    )

    thread = home.read().threads[THREAD]

    assert (thread.title, thread.name, thread.preview) == ("a title", "a name", "shown")
    assert (thread.cwd, thread.git_branch, thread.git_commit) == ("/new", "new", "abc")
    assert thread.git_repository == "https://example.com/r.git"
    assert thread.memory_mode == "disabled"
    assert (thread.updated_at, thread.recency_at) == (kept_at(500), kept_at(400))
    assert (thread.archived, thread.archived_at) == (True, kept_at(450))


def test_a_file_that_grew_since_is_newer_than_the_database(home: CodexHome) -> None:
    """The later of the two times counts, so that they only ever go forward."""
    home.rollout(THREAD, [meta(THREAD), *turn(uuid(101))])
    home.database({"id": THREAD, "updated_at": SECONDS, "recency_at": SECONDS})

    thread = home.read().threads[THREAD]

    assert (thread.updated_at, thread.recency_at) == (kept_at(4), kept_at(1))


def test_an_empty_preview_unlists_a_thread(home: CodexHome) -> None:
    """The database's word counts, also the empty one."""
    home.rollout(THREAD, [meta(THREAD), *turn(uuid(101))])
    home.database({"id": THREAD, "preview": ""})

    thread = home.read().threads[THREAD]

    assert (thread.preview, thread.unlisted) == (None, True)


def test_a_row_without_a_file_is_a_thread(home: CodexHome) -> None:
    """With its edge, its source and its times; it has no runs."""
    source = '{"subagent":{"thread_spawn":{"parent_thread_id":"' + PARENT + '","agent_role":"x"}}}'
    home.database(
        {"id": THREAD, "source": source, "created_at": SECONDS, "first_user_message": "do it"},
        edges=[(PARENT, THREAD, "closed")],
    )

    thread = home.read().threads[THREAD]

    assert (thread.source_kind, thread.agent_role) == ("subAgentThreadSpawn", "x")
    assert (thread.preview, thread.unlisted, thread.runs) == ("do it", False, ())
    assert thread.created_at == thread.updated_at == Timestamp(kept_at(0))
    assert thread.spawn is not None
    assert (thread.spawn.parent_thread_id, thread.spawn.status) == (PARENT, "closed")


def test_names_of_the_index_are_names(home: CodexHome) -> None:
    """The latest entry of a thread wins; bad lines are passed over."""
    home.rollout(THREAD, [meta(THREAD)])
    (home.folder / "session_index.jsonl").write_text(
        f'{{"id":"{THREAD}","thread_name":"first"}}\n'
        "broken\n"
        f'{{"id":"{THREAD}","thread_name":"second"}}\n'
    )

    assert home.read().threads[THREAD].name == "second"


def test_a_database_of_another_version_is_read_as_far_as_it_goes(home: CodexHome) -> None:
    """Columns and tables are asked for where they are there."""
    home.rollout(THREAD, [meta(THREAD)])
    with closing(sqlite3.connect(home.folder / "state_5.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE threads (id TEXT, title TEXT)")
        connection.execute("INSERT INTO threads VALUES (?, ?)", (THREAD, "only this"))

    found = home.read()

    assert found.threads[THREAD].title == "only this"
    assert found.reasons == []


def test_the_newest_state_database_is_read(home: CodexHome) -> None:
    """Older ones are left behind by upgrades; others of the home are none."""
    home.folder.mkdir()
    for name in ("state_4.sqlite", "state_12.sqlite", "state.sqlite", "logs_2.sqlite"):
        (home.folder / name).touch()

    found = database_in(home.folder)

    assert found is not None
    assert found.name == "state_12.sqlite"


def test_the_write_ahead_log_is_read(tmp_path: Path) -> None:
    """Codex leaves almost everything in it after a clean exit."""
    scenario = "codex-0.171.0/single-legacy"
    home = unpack_home(scenario, tmp_path)
    main = home / "state_5.sqlite"
    assert main.stat().st_size == 4096
    assert main.with_name("state_5.sqlite-wal").stat().st_size > 1_000_000

    threads = read_database(main).threads

    assert list(threads) == [thread["id"] for thread in truth(scenario)["threads"].values()]


def test_a_locked_database_is_read_all_the_same(home: CodexHome) -> None:
    """Codex is at work in it: the copy needs no lock."""
    home.rollout(THREAD, [meta(THREAD)])
    path = home.database({"id": THREAD, "title": "x"})

    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN EXCLUSIVE")
        found = home.read()

    assert found.threads[THREAD].title == "x"
    assert found.reasons == []


@pytest.mark.parametrize(
    "damage", [b"no database at all", b"SQLite format 3\x00" + b"\xff" * 4096]
)
def test_a_broken_database_is_a_skip(home: CodexHome, damage: bytes) -> None:
    """The files are read without it."""
    home.rollout(THREAD, [meta(THREAD)])
    (home.folder / "state_5.sqlite").write_bytes(damage)

    found = home.read()

    assert list(found.threads) == [THREAD]
    assert found.reasons == ["unreadable-database"]


def test_a_broken_database_alone_is_an_error(tmp_path: Path) -> None:
    """There is nothing else to read."""
    (tmp_path / "state_5.sqlite").write_bytes(b"no database at all")

    with pytest.raises(SourceNotRecognized, match="unreadable-database"):
        read(tmp_path / "state_5.sqlite")


def test_rows_that_make_no_sense_are_passed_over(home: CodexHome) -> None:
    """SQLite keeps any type in any column."""
    home.rollout(THREAD, [meta(THREAD)])
    home.database(
        {"id": None},
        {"id": b"\xff\xfe"},
        {"id": THREAD, "title": 5, "created_at": "yesterday", "updated_at_ms": 10**30 % 2**60},
        edges=[(PARENT, THREAD, "open")],
    )

    found = home.read()

    assert list(found.threads) == [THREAD]
    assert found.threads[THREAD].title is None
    assert found.threads[THREAD].spawn is not None


def test_a_database_beside_nothing_gives_its_threads_and_edges(tmp_path: Path) -> None:
    """A copy that somebody sent."""
    path = CodexHome(tmp_path).database(
        {"id": PARENT, "source": "cli", "preview": "x"}, edges=[(PARENT, THREAD, "open")]
    )

    found = read(path)

    assert sorted(found.threads) == [PARENT]
    assert [spawn.child_thread_id for spawn in found.plan.spawns] == [THREAD]


def test_a_database_does_not_invent_a_spawn_of_a_files_parent(home: CodexHome) -> None:
    """A row says nothing against the parent that the file states."""
    home.rollout(THREAD, [meta(THREAD, parent_thread_id=PARENT, source=spawn_source(PARENT))])
    home.database({"id": THREAD, "source": "cli"})

    spawn = home.read().threads[THREAD].spawn

    assert isinstance(spawn, SpawnRecord)
    assert spawn.parent_thread_id == PARENT


def test_a_database_named_beside_its_home_is_the_homes(home: CodexHome, tmp_path: Path) -> None:
    """Codex can keep it in another folder; the configuration may say where."""
    home.rollout(THREAD, [meta(THREAD)])
    other = CodexHome(tmp_path / "databases")
    path = other.database({"id": THREAD, "title": "x"}, edges=[(PARENT, THREAD, "closed")])

    named = home.read(home.folder, path)
    (home.folder / "config.toml").write_text(f'sqlite_home = "{other.folder}"\n')
    configured = home.read()
    (home.folder / "config.toml").write_text("broken = = toml")
    alone = home.read()

    assert [found.threads[THREAD].title for found in (named, configured, alone)] == [
        "x",
        "x",
        None,
    ]
    assert named.reasons == configured.reasons == alone.reasons == []
