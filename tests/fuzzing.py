"""Real files of all tools with damage done to them, read as an import reads them.

Each trial is that of a number and comes out the same every time: what was found can be tried
again by its number.
"""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from graph.errors import SourceNotRecognized
from importers.claude_code.importer import ClaudeCodeImporter
from importers.codex.importer import CodexImporter
from importers.contract import ReadOptions
from importers.opencode.importer import OpenCodeImporter
from importers.pi.importer import PiImporter
from importers.salvage import salvage
from tests.damage import damaged_file, damaged_line, damaged_pages, strange_line
from tests.importing import Imported, read_sources
from tests.samples_on_disk import scenarios, unpack_home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from graph.records import ThreadRecord
    from importers.contract import Importer

MOST_ID_BYTES = 512
MOST_NUMBER = 2**63

Said: TypeAlias = "Counter[tuple[str, str | None, str | None]]"
"""What was said in conversations: kinds, roles and texts of items, and how often each."""

_ticks = count(1_796_036_390_000_000_000, 1_000_000)


class GoodLineLost(AssertionError):
    """A line that nobody touched was not read any more."""


@dataclass(slots=True)
class LineFile:
    """A real file of lines in its home, damaged in one line or anywhere."""

    importer: Importer
    path: Path
    content: bytes
    without: dict[int, Said] = field(default_factory=dict[int, "Said"])
    intact: Said = field(default_factory=Counter[tuple[str, "str | None", "str | None"]])

    def tried(self, chance: Random) -> None:
        """Damage the file, read it, and put it back as it was.

        Raises ``GoodLineLost``, or whatever comes up.
        """
        lines = self.content.split(b"\n")
        kind = chance.random()
        if kind < 0.25:
            self._read(damaged_file(self.content, chance))
            return
        at = chance.randrange(len(lines) - 1)
        damage = strange_line if kind < 0.5 else damaged_line
        damaged = damage(lines[at], chance)
        said = self._read(_with(lines, at, damaged))
        # The first line says whose file it is; one that is still whole may mean anything.
        if at == 0 or _holds_object(damaged):
            return
        if at not in self.without:
            self.without[at] = self._read(_with(lines, at, b""))
        if not self.intact:
            self.intact = self._read(self.content)
        _check_nothing_lost(said, self.without[at], self.intact)

    def _read(self, content: bytes) -> Said:
        try:
            _write(self.path, content)
            return read_all(self.importer, self.path)
        finally:
            _write(self.path, self.content)


@dataclass(slots=True)
class DatabaseFile:
    """A real database of OpenCode's, damaged in a page or in one row."""

    importer: Importer
    path: Path
    content: bytes
    rows: Sequence[tuple[str, str, str]]
    without: dict[str, Said] = field(default_factory=dict[str, "Said"])

    def tried(self, chance: Random) -> None:
        """Damage the database, read it, and put it back as it was."""
        try:
            if chance.random() < 0.5:
                _write(self.path, damaged_pages(self.content, chance))
                read_all(self.importer, self.path)
                return
            table, row_id, data = chance.choice(self.rows)
            damage = strange_line if chance.random() < 0.4 else damaged_line
            damaged = damage(data.encode(), chance)
            said = self._read_with(table, row_id, damaged)
            if _holds_object(damaged):
                return
            if row_id not in self.without:
                self.without[row_id] = self._read_with(table, row_id, b"")
            _check_nothing_lost(said, self.without[row_id])
        finally:
            _write(self.path, self.content)

    def _read_with(self, table: str, row_id: str, data: bytes) -> Said:
        _write(self.path, self.content)
        with closing(sqlite3.connect(self.path)) as connection:
            connection.execute(
                f"UPDATE {table} SET data = CAST(? AS TEXT) WHERE id = ?",  # noqa: S608 - our own words
                (data, row_id),
            )
            connection.commit()
        _touch(self.path)
        return read_all(self.importer, self.path)


@dataclass(slots=True)
class Fuzzer:
    """Tries files of all tools, each tool as often as its share says; made in an empty folder."""

    folder: Path
    files: dict[str, list[LineFile | DatabaseFile]] = field(init=False)

    def __post_init__(self) -> None:
        self.files = {
            "codex": list(_line_files(self.folder, "codex", CodexImporter, "rollout-*.jsonl")),
            "claude": list(_line_files(self.folder, "claude-code", ClaudeCodeImporter, "*.jsonl")),
            "pi": list(_line_files(self.folder, "pi", PiImporter, "*.jsonl")),
            "opencode": list(_databases(self.folder)),
        }

    def tried(self, number: int) -> None:
        """One trial. Raises what it finds, with a note of the number and the file."""
        chance = Random(number)  # noqa: S311 - the same damage every time
        (tool,) = chance.choices(list(self.files), SHARES)
        file = chance.choice(self.files[tool])
        try:
            file.tried(chance)
        except Exception as error:
            error.add_note(f"trial {number}: {file.path.relative_to(self.folder)}")
            raise


SHARES = (45, 30, 17, 8)
"""How often each tool's turn comes; a database takes longest."""


def read_all(importer: Importer, path: Path) -> Said:
    """What is said in the conversations of a path; raises where a record can't be right."""
    said: Said = Counter()
    imported = Imported()
    try:
        plan = importer.plan([path])
    except SourceNotRecognized:
        return said
    for thread in read_sources(importer, plan.sources, ReadOptions(), imported):
        _check(thread)
        said.update((item.kind, item.role, item.text) for item in thread.items.items)
    assert len(imported.ends) == len(plan.sources), "a source has no end"
    return said


def _check(thread: ThreadRecord) -> None:
    """What the graph asks of a record, whatever it was made of."""
    items, runs = thread.items.items, thread.runs
    # Raises where a text has halves of characters.
    msgspec.msgpack.encode(thread)
    assert [item.position for item in items] == list(range(len(items))), "items have gaps"
    assert len({item.item_id for item in items}) == len(items), "an item is there twice"
    assert len({run.run_id for run in runs}) == len(runs), "a run is there twice"
    windows = thread.windows
    assert len({window.number for window in windows}) == len(windows), "a window is there twice"
    ids: list[str] = [*(item.item_id for item in items), *(run.run_id for run in runs)]
    ids += [thread.thread_id, *_others(thread)]
    assert all(0 < len(each.encode()) <= MOST_ID_BYTES for each in ids), "an id is too long"
    assert all((thread.created_at, thread.updated_at, thread.recency_at)), "a time is missing"
    numbers = [
        number
        for run in runs
        for number in (run.input_tokens, run.output_tokens, run.cached_input_tokens)
        if number is not None
    ]
    assert all(0 <= number < MOST_NUMBER for number in numbers), "a number is too large"


def _others(thread: ThreadRecord) -> Iterator[str]:
    """The threads that a thread names."""
    if thread.fork is not None:
        yield thread.fork.source_thread_id
    if thread.spawn is not None:
        yield thread.spawn.parent_thread_id
    if thread.child_of is not None:
        yield thread.child_of.parent_thread_id
    if thread.history_base is not None:
        yield thread.history_base.thread_id


def _check_nothing_lost(said: Said, *rightly: Said) -> None:
    """Whether it is at least what would rightly be said: without the line, or with what it was.

    What a damaged line could add to an item may stand behind it.
    """
    losses = [_lost(said, right) for right in rightly]
    if all(losses):
        raise GoodLineLost(str(losses[0][:3]))


def _lost(said: Said, right: Said) -> list[tuple[str, str | None, str | None]]:
    told = said - right
    return [
        (kind, role, text)
        for kind, role, text in right - said
        if not any(
            other == kind and more is not None and more.startswith(text or "")
            for other, _, more in told
        )
    ]


def _holds_object(line: bytes) -> bool:
    """Whether a whole object, which may mean anything, is left of a line, or nothing at all."""
    return not line.strip() or bool(salvage(line, lambda _: True).records)


def _with(lines: list[bytes], at: int, line: bytes) -> bytes:
    return b"\n".join([*lines[:at], line, *lines[at + 1 :]])


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    _touch(path)


def _touch(path: Path) -> None:
    """Give the file a time of its own: clocks may be too slow to tell two states apart."""
    tick = next(_ticks)
    os.utime(path, ns=(tick, tick))


def _line_files(
    folder: Path, tool: str, importer: Callable[[], Importer], pattern: str
) -> Sequence[LineFile]:
    found: list[LineFile] = []
    for scenario in scenarios(tool):
        home, reader = unpack_home(scenario, folder), importer()
        found.extend(
            LineFile(reader, path, path.read_bytes())
            for path in sorted(home.rglob(pattern))
            if path.name != "history.jsonl"
        )
    return found


def _databases(folder: Path) -> Sequence[DatabaseFile]:
    found: list[DatabaseFile] = []
    for scenario in scenarios("opencode"):
        path = unpack_home(scenario, folder) / "opencode.db"
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("PRAGMA journal_mode=DELETE").fetchall()
            rows = [
                (table, row_id, data)
                for table in ("message", "part")
                for row_id, data in connection.execute(f"SELECT id, data FROM {table}")  # noqa: S608 - our own words
            ]
        found.append(DatabaseFile(OpenCodeImporter(), path, path.read_bytes(), rows))
    return found
