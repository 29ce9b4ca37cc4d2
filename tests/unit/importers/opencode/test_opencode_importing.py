"""Importing OpenCode's data: found, copied, read in any order, and left as it is."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from graph.errors import SourceNotFound, SourceNotRecognized
from graph.model import ThreadId
from importers.contract import Content, ReadEnd, ReadOptions
from importers.opencode.importer import DATA_VARIABLE, DATABASE_VARIABLE, OpenCodeImporter
from tests.importing import Imported, import_paths
from tests.prompt_truth import observed
from tests.samples_on_disk import scenarios
from tests.unit.importers.opencode.homes import Home, told, unpack_sample

if TYPE_CHECKING:
    from graph.model import ThreadRecord

pytestmark = pytest.mark.anyio

S = ThreadId("ses_s")


def small() -> Home:
    """A session of two turns."""
    home = Home()
    home.session(S, 0)
    home.turn(S, 1)
    home.turn(S, 2)
    return home


def texts(thread: ThreadRecord) -> list[str | None]:
    """What was said."""
    return [item.text for item in thread.items.items]


WHOLE = ["prompt 1", "answer 1.2", "prompt 2", "answer 2.2"]


async def test_importing_again_gives_the_same_records(tmp_path: Path) -> None:
    """The digest is that of the record, so nothing is written a second time."""
    path = small().write(tmp_path)

    first = await import_paths(OpenCodeImporter(), [path])
    second = await import_paths(OpenCodeImporter(), [path])

    assert first.only == second.only
    assert first.only.digest is not None


@pytest.mark.parametrize("scenario", scenarios("opencode"))
async def test_the_order_of_sessions_does_not_matter(scenario: str, tmp_path: Path) -> None:
    """Children before their parents, forks before their sources."""
    folder = unpack_sample(scenario, tmp_path)
    forwards = await import_paths(OpenCodeImporter(), [folder])

    backwards = await import_paths(OpenCodeImporter(), [folder], backwards=True)

    ids = sorted(forwards.threads)
    assert await observed(backwards.store, ids) == await observed(forwards.store, ids)
    assert backwards.threads == forwards.threads


async def test_a_database_that_is_imported_while_it_grows_ends_up_the_same(
    tmp_path: Path,
) -> None:
    """After each message and each part."""
    home = Home()
    home.session("ses_main", 0)
    home.session("ses_kid", 1.3, parent_id="ses_main")
    prompts = [home.turn("ses_main", 1), home.turn("ses_main", 2)]
    home.turn("ses_kid", 1.4)
    home.fork("ses_fork", "ses_main", 10, before=prompts[1])
    home.turn("ses_fork", 12)
    fresh = await import_paths(OpenCodeImporter(), [home.write(tmp_path / "whole")])

    grown = Imported()
    growing = Home(sessions=home.sessions)
    importer = OpenCodeImporter()
    for message_id, message in sorted(home.messages.items()):
        growing.messages[message_id] = message
        await import_paths(importer, [growing.write(tmp_path)], into=grown)
        for part_id, part in home.parts.items():
            if part[0] == message_id:
                growing.parts[part_id] = part
                await import_paths(importer, [growing.write(tmp_path)], into=grown)

    assert grown.store.facts.runs_of == fresh.store.facts.runs_of
    assert grown.store.facts.items_of == fresh.store.facts.items_of
    assert grown.store.facts.forks == fresh.store.facts.forks
    assert grown.store.facts.spawns == fresh.store.facts.spawns


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


async def test_a_damaged_database_never_stops_the_rest(tmp_path: Path) -> None:
    """It is a counted skip, whether it can't be opened or holds nothing that can be read."""
    good = small().write(tmp_path, name="good.db")
    content = good.read_bytes()
    (tmp_path / "empty.db").write_bytes(content[:4096] + bytes(len(content) - 4096))
    (tmp_path / "short.db").write_bytes(content[:1000])

    imported = await import_paths(OpenCodeImporter(), [tmp_path])

    assert texts(imported.only) == WHOLE
    assert set(imported.reasons) <= {"unreadable-database", "unreadable-table"}
    assert len(imported.reasons) >= 2


async def test_a_damaged_table_leaves_the_others_alone(tmp_path: Path) -> None:
    """Without its events a database still has its sessions, messages and parts."""
    home = small()
    for number in range(200):
        home.event(S, number, "session.updated.1", {"info": {"id": S, "title": "x" * 200}})
    path = home.write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'event_type'"
        ).fetchone()
    damaged = bytearray(path.read_bytes())
    damaged[(page - 1) * 4096 : page * 4096] = b"\xff" * 4096
    path.write_bytes(bytes(damaged))

    imported = await import_paths(OpenCodeImporter(), [path])

    assert texts(imported.only) == WHOLE
    assert set(imported.reasons) == {"unreadable-table"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        ("{", "not-json"),
        ("[]", "unknown-shape"),
        (None, "not-json"),
    ],
)
async def test_a_message_that_cannot_be_read_is_counted(
    tmp_path: Path, data: str | None, reason: str
) -> None:
    """The others are read."""
    home = small()
    path = home.write(tmp_path)
    answer = next(m for m, (_, info) in home.messages.items() if info["role"] == "assistant")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE message SET data = ? WHERE id = ?", (data, answer))
        connection.commit()

    imported = await import_paths(OpenCodeImporter(), [path])

    assert texts(imported.only) == ["prompt 1", "prompt 2", "answer 2.2"]
    assert imported.reasons == [reason]


async def test_a_field_of_an_unknown_shape_loses_no_other_field(tmp_path: Path) -> None:
    """What was said is read, whatever became of the costs."""
    home = Home()
    home.session(S, 0)
    home.answer(S, 2, home.prompt(S, 1), tokens={"input": "many", "output": 3}, error="bad")

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    (run,) = imported.only.runs
    assert texts(imported.only) == ["prompt 1", "answer 2"]
    assert (run.status, run.input_tokens, run.output_tokens) == ("completed", 0, 3)
    assert imported.reasons == ["unknown-shape"]


async def test_a_part_of_an_unknown_type_is_counted(tmp_path: Path) -> None:
    """What newer versions write is left out; what is understood is read."""
    home = Home()
    home.session(S, 0)
    prompt = home.prompt(S, 1)
    home.answer(S, 2, prompt, {"type": "hologram"}, {"type": "text", "text": "seen"})

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert texts(imported.only) == ["prompt 1", "seen"]
    assert imported.reasons == ["unknown-part-type"]


async def test_a_database_of_another_version_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    """Columns and tables are asked for only where they are there."""
    path = small().write(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP TABLE event")
        for column in ("revert", "agent", "model", "time_archived", "version"):
            connection.execute(f"ALTER TABLE session DROP COLUMN {column}")
        connection.execute("ALTER TABLE message DROP COLUMN time_created")
        connection.execute("ALTER TABLE message DROP COLUMN time_updated")
        connection.execute("ALTER TABLE session RENAME TO session_v2")
        connection.execute("ALTER TABLE session_v2 ADD COLUMN fork_session_id TEXT")
        connection.commit()

    imported = await import_paths(OpenCodeImporter(), [path])

    assert texts(imported.only) == WHOLE
    assert imported.skips == []


@pytest.mark.parametrize(
    ("content", "reasons"),
    [
        (b"", ["not-json"]),
        (b"{", ["not-json"]),
        (b"\xef\xbb\xbf", ["not-json"]),
        (b'"x"', ["unknown-shape"]),
    ],
)
async def test_a_file_that_cannot_be_read_is_counted(
    tmp_path: Path, content: bytes, reasons: list[str]
) -> None:
    """One message among many."""
    home = small()
    root = home.write_storage(tmp_path)
    answer = next(m for m, (_, info) in home.messages.items() if info["role"] == "assistant")
    (root / "message" / S / f"{answer}.json").write_bytes(content)

    imported = await import_paths(OpenCodeImporter(), [tmp_path])

    assert texts(imported.only) == ["prompt 1", "prompt 2", "answer 2.2"]
    assert imported.reasons == reasons


async def test_files_of_other_programs_are_passed_over(tmp_path: Path) -> None:
    """Other databases, other JSON, and loops of links."""
    small().write(tmp_path / "opencode")
    with closing(sqlite3.connect(tmp_path / "other.db")) as connection:
        connection.execute("CREATE TABLE session (id TEXT)")
        connection.commit()
    (tmp_path / "no.db").write_text("no database")
    (tmp_path / "some.json").write_text("{}")
    (tmp_path / "opencode" / "loop").symlink_to(tmp_path)

    imported = await import_paths(OpenCodeImporter(), [tmp_path])

    assert texts(imported.only) == WHOLE
    assert imported.reasons == ["foreign-database"]


async def test_a_copy_that_is_gone_when_it_is_read_is_a_skip(tmp_path: Path) -> None:
    """Between the plan and the reading, anything may happen."""
    path = small().write(tmp_path)
    importer = OpenCodeImporter()
    (source,) = importer.plan([path]).sources
    shutil.rmtree(Path(source.context.place.copy).parent)  # type: ignore[attr-defined]

    (end,) = importer.read(source, ReadOptions())

    assert isinstance(end, ReadEnd)
    assert [skip.reason for skip in end.skips] == ["unreadable-session"]


def test_a_path_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    """A typed error, with the path."""
    with pytest.raises(SourceNotFound) as raised:
        OpenCodeImporter().plan([tmp_path / "missing"])

    assert raised.value.path == str(tmp_path / "missing")


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


@pytest.mark.parametrize("scenario", scenarios("opencode"))
def test_sources_and_the_importer_can_be_sent_to_another_process(
    scenario: str, tmp_path: Path
) -> None:
    """Reading is done there, from the copy that was made here."""
    importer = OpenCodeImporter()
    plan = importer.plan([unpack_sample(scenario, tmp_path)])

    sent, sources = pickle.loads(pickle.dumps((importer, plan.sources)))  # noqa: S301 - our own

    assert [list(sent.read(source, ReadOptions())) for source in sources] == [
        list(importer.read(source, ReadOptions())) for source in plan.sources
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


def tool(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """A part of a tool's call."""
    return {"type": "tool", "tool": name, "callID": "c", "state": state}


async def test_items_tell_what_was_said_and_done(tmp_path: Path) -> None:
    """Thoughts, tools with what came out, files that came along, and errors."""
    home = Home()
    home.session(S, 0)
    prompt = home.message(
        S,
        1,
        {"type": "text", "text": "look"},
        {"type": "text", "text": "its content", "synthetic": True},
        {"type": "file", "filename": "a.py", "mime": "text/plain", "url": "file:///a.py"},
        role="user",
    )
    ran = {"status": "completed", "input": {"command": "ls"}, "output": "a\n"}
    home.answer(
        S,
        2,
        prompt,
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm"},
        tool("bash", {**ran, "metadata": {"exit": 0}}),
        tool("edit", {"status": "completed", "input": {"filePath": "/a.py"}, "output": "ok"}),
        tool("read", {"status": "error", "input": {"filePath": "/b"}, "error": "no such file"}),
        tool("todowrite", {"status": "completed", "input": {"todos": [{"content": "x"}]}}),
        tool("grep", {"status": "running", "input": {"pattern": "x"}}),
        {"type": "text", "text": "done"},
        error={"name": "APIError", "data": {"message": "overloaded"}},
    )

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [
        (item.kind, item.role, item.text, item.status) for item in imported.only.items.items
    ] == [
        ("message", "user", "look", None),
        ("file", "user", "a.py", None),
        ("reasoning", "assistant", "hm", None),
        ("command", "tool", "ls\nexit code 0\na\n", "completed"),
        ("file_change", "tool", "/a.py", "completed"),
        ("tool_call", "tool", 'read {"filePath":"/b"}\nno such file', "failed"),
        ("plan", "tool", "[pending] x", "completed"),
        ("tool_call", "tool", 'grep {"pattern":"x"}', None),
        ("message", "assistant", "done", None),
        ("error", "system", "overloaded", None),
    ]


async def test_a_session_has_the_facts_of_its_row(tmp_path: Path) -> None:
    """Title, folder, version, model, agent, archive and times."""
    home = small()
    model = json.dumps({"id": "row-model"})
    home.session("ses_kid", 3, parent_id=S, agent="explore", model=model, time_archived=-1)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    kid, main = imported.threads[ThreadId("ses_kid")], imported.threads[S]
    assert (kid.agent_role, kid.source_kind, kid.model, kid.archived, kid.archived_at) == (
        "explore",
        "subAgentThreadSpawn",
        "row-model",
        True,
        told(103),
    )
    assert (main.title, main.preview, main.model, main.agent_role, main.archived) == (
        S,
        "prompt 1",
        "m",
        None,
        False,
    )
    assert (main.created_at, main.updated_at, main.recency_at) == (told(0), told(100), told(2.7))


async def test_texts_are_kept_as_the_user_chose(tmp_path: Path) -> None:
    """In full, a preview or none; secrets only where they are not to be left out."""
    home = Home()
    home.session(S, 0, title="with AKIA" + "Q" * 16)
    home.prompt(S, 1, "é" * 300)
    path = home.write(tmp_path)

    kept = [
        (await import_paths(OpenCodeImporter(), [path], ReadOptions(content=content))).only
        for content in Content
    ]
    redacted = await import_paths(OpenCodeImporter(), [path], ReadOptions(redact=True))

    items = [thread.items.items[0] for thread in kept]
    assert [(item.text, item.text_bytes, item.truncated) for item in items] == [
        ("é" * 300, 600, False),
        ("é" * 200, 600, True),
        (None, 600, False),
    ]
    assert redacted.only.title == "with [redacted:AWS Access Key]"
