"""Damaged, unknown and foreign data of OpenCode: counted, and never the end of an import."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from importers.contract import ReadEnd, ReadOptions
from importers.opencode.importer import OpenCodeImporter
from tests.importing import import_paths
from tests.unit.importers.opencode.homes import WHOLE, Home, S, small, texts

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.anyio


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
