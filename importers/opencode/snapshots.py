"""Private copies of databases: what is read is never the tool's own file.

Most of a database that is in use stands in its write-ahead log, so the log is copied, too, and
merged into the copy. A copy is kept for as long as the original does not change, for many
sessions are read from it, some of them in other processes.
"""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import weakref
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

_ATTEMPTS = 5
_HEADER = b"SQLite format 3\0"
_LOG_HEADER_BYTES = 32
_COMPANIONS = ("-wal", "-journal")

UNREADABLE = (sqlite3.Error, OSError, UnicodeDecodeError)
"""What may happen to a database that is damaged; Python can't always decode what SQLite says."""

State: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A copy of a database as it was at one moment; *state* changes with the original."""

    original: str
    path: str
    state: State
    size: int


class _Folder:
    """A folder of its own for a copy, gone when nobody holds this any more."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix="thread-lineage-"))
        self.remove = weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


@dataclass(slots=True)
class Snapshots:
    """Makes copies, and removes them when they are outdated or nobody holds this any more.

    It holds none when it is sent to another process.
    """

    _kept: dict[str, tuple[Snapshot, _Folder]] = field(
        default_factory=dict[str, tuple[Snapshot, _Folder]]
    )

    def __reduce__(self) -> tuple[type[Snapshots], tuple[()]]:
        return Snapshots, ()

    def take(self, path: Path) -> Snapshot:
        """A copy of the database as it is now.

        Raises one of ``UNREADABLE`` where it can't be copied or is none.
        """
        original = str(path)
        kept = self._kept.get(original)
        if kept is not None and kept[0].state == _state(path) and Path(kept[0].path).exists():
            return kept[0]
        folder = _Folder()
        try:
            snapshot = _copied(path, folder.path)
        except BaseException:
            folder.remove()
            raise
        if kept is not None:
            kept[1].remove()
        self._kept[original] = (snapshot, folder)
        return snapshot


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database, by how it begins."""
    try:
        with path.open("rb") as file:
            return file.read(len(_HEADER)) == _HEADER
    except OSError:
        return False


def connect(path: str) -> sqlite3.Connection:
    """A connection that only reads a copy: nothing is created beside it, nothing locked."""
    address = f"{Path(path).absolute().as_uri()}?mode=ro&immutable=1"
    connection = sqlite3.connect(address, uri=True)
    connection.text_factory = _lenient_text
    return connection


def _lenient_text(value: bytes) -> str:
    return value.decode("utf-8", "replace")


def _copied(path: Path, folder: Path) -> Snapshot:
    copy = folder / "copy.db"
    state = _state(path)
    for _ in range(_ATTEMPTS):
        _copy_all(path, copy)
        after = _state(path)
        # A log that only grew meanwhile does no harm: what is incomplete in it is passed over.
        if _base(after) == _base(state):
            break
        state = after
    with closing(sqlite3.connect(copy)) as connection:
        # Merged, so that any number of processes can read it without writing anything.
        connection.execute("PRAGMA journal_mode=DELETE").fetchall()
    return Snapshot(str(path), str(copy), state, copy.stat().st_size)


def _copy_all(path: Path, copy: Path) -> None:
    shutil.copyfile(path, copy)
    for ending in _COMPANIONS:
        companion, copied = (at.with_name(at.name + ending) for at in (path, copy))
        copied.unlink(missing_ok=True)
        if companion.exists():
            shutil.copyfile(companion, copied)


def _state(path: Path) -> State:
    """What changes whenever the database does: sizes and times of its files, the log's begin."""
    log = path.with_name(path.name + "-wal")
    found = path.stat()
    try:
        logged = log.stat()
        with log.open("rb") as file:
            header = file.read(_LOG_HEADER_BYTES)
    except FileNotFoundError:
        return found.st_size, found.st_mtime_ns, b"", 0, 0
    return found.st_size, found.st_mtime_ns, header, logged.st_size, logged.st_mtime_ns


def _base(state: State) -> State:
    return state[:3]
