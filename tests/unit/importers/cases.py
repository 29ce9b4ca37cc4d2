"""The homes that the suite of all importers tries each importer with.

A new importer gets the whole suite by its cases here: homes that its tool wrote, or that a test
writes as it would.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from importers.claude_code.importer import ClaudeCodeImporter
from importers.codex.importer import CodexImporter
from importers.opencode.importer import OpenCodeImporter
from importers.pi.importer import PiImporter
from tests.diary_importer import DiaryImporter
from tests.samples_on_disk import scenarios, unpack_home
from tests.unit.importers.growing import (
    grow_as_written,
    grow_by_lines,
    grow_by_rows,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from importers.contract import Importer


class Grow(Protocol):
    """Lets a home come into being at another place, and waits after each bit of it."""

    def __call__(self, whole: Path, copy: Path, *, newest_first: bool) -> Iterator[None]:
        """The bits of *whole*, written below *copy*."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A home of one tool's.

    *write* puts it below a folder and gives what a user would name. *lines* are the files of it
    that the tool writes line by line, and *units* those that can be named alone. *newer* adds
    what no version so far writes; it gives the reasons by which that is counted.
    """

    name: str
    importer: Callable[[], Importer]
    write: Callable[[Path], Path]
    newer: Callable[[Path], set[str]]
    grow: Grow = grow_by_lines
    lines: str | None = "*.jsonl"
    units: str = "*.jsonl"

    def line_files(self, home: Path) -> list[Path]:
        """The files that hold lines."""
        return [] if self.lines is None else sorted(home.rglob(self.lines))

    def unit_files(self, home: Path) -> list[Path]:
        """The files that hold a conversation each, or several."""
        return sorted(home.rglob(self.units))


def newer_line(
    home: Path, *, pattern: str, line: Callable[[Mapping[str, Any]], object], reason: str
) -> set[str]:
    """A line of an unknown kind at the end of each file, and an unknown field in every line.

    *line* makes it from the last line that is there.
    """
    for path in home.rglob(pattern):
        lines = [json.loads(raw) for raw in path.read_bytes().split(b"\n") if raw]
        changed = [*({**each, "novelty": {"a": [1]}} for each in lines), line(lines[-1])]
        texts = (json.dumps(each, ensure_ascii=False, separators=(",", ":")) for each in changed)
        path.write_text("".join(f"{text}\n" for text in texts), "utf-8")
    return {reason}


def newer_codex_line(last: Mapping[str, Any]) -> object:
    """A line of Codex's."""
    return {"timestamp": last["timestamp"], "type": "novelty", "payload": {}}


def newer_claude_line(last: Mapping[str, Any]) -> object:
    """A line of Claude Code's that is no link."""
    return {"type": "novelty", "sessionId": last.get("sessionId")}


def newer_pi_entry(last: Mapping[str, Any]) -> object:
    """An entry of pi's below the last one."""
    return {
        "type": "novelty",
        "id": f"n-{last['id']}",
        "parentId": last["id"],
        "timestamp": last["timestamp"],
    }


def newer_diary_line(_last: Mapping[str, Any]) -> object:
    """A line of Diary's."""
    return {"kind": "novelty", "id": "n"}


def newer_row(home: Path) -> set[str]:
    """A column, a table and a part of an unknown kind."""
    (path,) = home.glob("*.db")
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE novelty (id TEXT)")
        connection.execute("ALTER TABLE message ADD COLUMN novelty TEXT")
        connection.execute(
            "INSERT INTO part SELECT id || '0', message_id, session_id, time_created, "
            "time_updated, ? FROM part LIMIT 1",
            ['{"type":"novelty"}'],
        )
    return {"unknown-part-type"}


def _inside(scenario: str, inner: str, folder: Path) -> Path:
    home = unpack_home(scenario, folder)
    return home / inner if inner else home


CODEX = tuple(
    Case(
        name=scenario,
        importer=CodexImporter,
        write=partial(unpack_home, scenario),
        newer=partial(
            newer_line,
            pattern="rollout-*.jsonl",
            line=newer_codex_line,
            reason="unknown-line",
        ),
        lines="rollout-*.jsonl",
        units="rollout-*.jsonl*",
    )
    for scenario in scenarios("codex")
)

CLAUDE_CODE = tuple(
    Case(
        name=scenario,
        importer=ClaudeCodeImporter,
        write=partial(_inside, scenario, "projects"),
        newer=partial(
            newer_line,
            pattern="*.jsonl",
            line=newer_claude_line,
            reason="unknown-line-type",
        ),
    )
    for scenario in scenarios("claude-code")
)

PI = tuple(
    Case(
        name=scenario,
        importer=PiImporter,
        write=partial(_inside, scenario, "sessions"),
        newer=partial(
            newer_line,
            pattern="*.jsonl",
            line=newer_pi_entry,
            reason="unknown-entry-type",
        ),
        grow=grow_as_written,
    )
    for scenario in scenarios("pi")
)

OPENCODE = tuple(
    Case(
        name=scenario,
        importer=OpenCodeImporter,
        write=partial(unpack_home, scenario),
        newer=newer_row,
        grow=grow_by_rows,
        lines=None,
        units="*.db",
    )
    for scenario in scenarios("opencode")
)


def write_diaries(folder: Path) -> Path:
    """Diaries of a user, one that goes on from another, and one that an agent began."""
    home = folder / "diary"
    home.mkdir(parents=True)
    plan = {"kind": "diary", "id": "plan", "at": "2026-11-30T12:00:00Z", "cwd": "/shop"}
    build = {**plan, "id": "build", "continues": {"diary": "plan", "prompt": "p1"}}
    check = {**plan, "id": "check", "asked_by": "build"}
    for number, first in enumerate((plan, build, check)):
        lines = [first]
        for turn in range(1, 4):
            at = f"2026-11-30T12:{number}{turn}:00Z"
            asked = {"kind": "said", "id": f"p{turn}", "at": at, "by": "user", "text": f"do {at}"}
            told = {**asked, "id": f"a{turn}", "by": "agent", "text": f"done {at}"}
            lines += [asked, told]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (home / f"{first['id']}.jsonl").write_text(text)
    return home


EXAMPLE = Case(
    name="diary",
    importer=DiaryImporter,
    write=write_diaries,
    newer=partial(newer_line, pattern="*.jsonl", line=newer_diary_line, reason="unknown-line"),
)
"""That of docs/importers.md."""

CASES = (*CODEX, *CLAUDE_CODE, *PI, *OPENCODE, EXAMPLE)

FEW = (*CODEX[::5], *CLAUDE_CODE, *PI, *OPENCODE, EXAMPLE)
"""For rules that don't depend on what was said: of Codex's homes, which are many, some."""

GROWING = (
    *CODEX[::5],
    *CLAUDE_CODE,
    *PI,
    # What was taken back in the other one is no longer in the rows that could be seen to come.
    *(case for case in OPENCODE if not case.name.endswith("rewinds")),
    EXAMPLE,
)
"""Homes small enough to be imported after each bit of them; of Codex's, which are many, some."""
