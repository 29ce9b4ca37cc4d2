"""Homes of tools that come into being bit by bit, as a follower sees them."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TORN_LINES = 4
"""Every so manieth line is also seen while it is only half written."""

LINES_SUFFIX = ".jsonl"


def grow_by_lines(whole: Path, copy: Path, *, newest_first: bool) -> Iterator[None]:
    """The files of a home one after the other, those of lines line by line."""
    for path in sorted(whole.rglob("*"), reverse=newest_first):
        target = copy / path.relative_to(whole)
        if not path.is_file():
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix != LINES_SUFFIX:
            shutil.copy(path, target)
            yield
            continue
        content = b""
        for number, line in enumerate(path.read_bytes().splitlines(keepends=True)):
            if number % TORN_LINES == 0:
                target.write_bytes(content + line[: len(line) // 2])
                yield
            content += line
            target.write_bytes(content)
            yield


def grow_by_files(whole: Path, copy: Path, *, newest_first: bool) -> Iterator[None]:
    """The files of a home one after the other, each at once."""
    for path in sorted(whole.rglob("*"), reverse=newest_first):
        if path.is_file():
            target = copy / path.relative_to(whole)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
            yield


def grow_as_written(whole: Path, copy: Path, *, newest_first: bool) -> Iterator[None]:
    """Line by line as the tool writes them; *newest_first* as something else brings them: whole.

    For tools whose forks can't be told from a source that is only half there.
    """
    grow = grow_by_files if newest_first else grow_by_lines
    yield from grow(whole, copy, newest_first=newest_first)


def grow_by_rows(whole: Path, copy: Path, *, newest_first: bool) -> Iterator[None]:
    """The rows of a home's one database, table by table, in the order in which they were made.

    The program writes no others: *newest_first* adds the last rows one by one, the first at once.
    """
    (original,) = whole.glob("*.db")
    copy.mkdir(exist_ok=True)
    path = copy / original.name
    shutil.copy(original, path)
    tables = ("session", "message", "part", "event")
    with closing(sqlite3.connect(path)) as connection:
        known = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
        rows = [
            (table, row)
            for table in tables
            if table in known
            for row in connection.execute(f"SELECT * FROM {table} ORDER BY id").fetchall()  # noqa: S608 - our own words
        ]
        connection.execute("PRAGMA foreign_keys=OFF")
        for table in tables:
            if table in known:
                connection.execute(f"DELETE FROM {table}")  # noqa: S608 - as above
        connection.commit()
        quick = len(rows) // 2
        for number, (table, row) in enumerate(rows):
            marks = ", ".join("?" * len(row))
            connection.execute(f"INSERT INTO {table} VALUES ({marks})", row)  # noqa: S608 - as above
            connection.commit()
            if (number >= quick) == newest_first and table != "event":
                yield
        yield
