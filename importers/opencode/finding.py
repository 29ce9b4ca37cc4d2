"""Where the databases and folders of OpenCode lie below the paths that a user names.

A database is known by its tables and a folder by what is in it, not by their names.
"""

from __future__ import annotations

import os
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from importers.contract import Skip
from importers.opencode.database import Database, DatabaseReader, tables_of
from importers.opencode.snapshots import UNREADABLE, connect, is_database
from importers.opencode.storage import SUFFIX, Storage, storage_at
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from importers.opencode.snapshots import Snapshots

_DATABASE_SUFFIXES = (".db", ".sqlite", ".sqlite3")
_UNREAD_FOLDERS = frozenset({"snapshot", "log", "bin", "repos", "tool-output"})
"""Folders beside OpenCode's data that hold no conversation, and much else."""


@dataclass(slots=True)
class Found:
    """What lies below a path; *sessions* are the only ones that were named, where some were."""

    databases: list[Path] = field(default_factory=list[Path])
    storages: list[Storage] = field(default_factory=list[Storage])
    sessions: list[Path] = field(default_factory=list[Path])
    folder: Path | None = None


def find(path: Path, skips: list[Skip]) -> Found:
    """All databases and storages below a path, or the one that it is or lies in."""
    found = Found()
    if path.is_file():
        if is_database(path):
            found.databases.append(path)
        elif path.name.endswith(SUFFIX):
            storage = _storage_above(path)
            if storage is not None:
                found.storages.append(storage)
                found.sessions.append(path)
        return found
    storage = _storage_above(path)
    if storage is not None and Path(storage.root) != path:
        found.storages.append(storage)
        found.folder = path
        return found
    for folder, files in _walk(path, found.storages, skips):
        found.databases.extend(
            at
            for name in files
            if name.endswith(_DATABASE_SUFFIXES) and is_database(at := Path(folder, name))
        )
    return found


def holds_sessions(path: Path, snapshots: Snapshots) -> bool:
    """Whether a database is OpenCode's.

    The main file says so, but for a young one, of which everything may stand in the log.
    """
    for copy in (str(path), None):
        try:
            at = snapshots.take(path).path if copy is None else copy
            with closing(connect(at)) as connection:
                if DatabaseReader(connection, tables_of(connection), Skipping(at)).holds_sessions:
                    return True
        except UNREADABLE:
            continue
        if not path.with_name(path.name + "-wal").exists():
            return False
    return False


def open_database(path: Path, snapshots: Snapshots, skips: list[Skip]) -> Database | None:
    """The database, copied; ``None``, counted, where it can't be."""
    try:
        snapshot = snapshots.take(path)
        database = Database(snapshot.path, snapshot.original)
        with database.open() as reader:
            if reader.holds_sessions:
                return database
    except UNREADABLE as error:
        skips.append(Skip(path=str(path), reason="unreadable-database", detail=str(error)))
        return None
    detail = "not a database of OpenCode"
    skips.append(Skip(path=str(path), reason="foreign-database", detail=detail))
    return None


def has_sessions(storage: Storage) -> bool:
    """Whether a folder really is a storage: one of its files is a session."""
    with storage.open() as reader:
        passed = Skipping(storage.root)
        return any(reader.session(path, passed) is not None for path in reader.session_files())


def _storage_above(path: Path) -> Storage | None:
    for folder in (path, *path.parents):
        storage = storage_at(folder)
        if storage is not None and has_sessions(storage):
            return storage
    return None


def _walk(
    root: Path, storages: list[Storage], skips: list[Skip]
) -> Iterator[tuple[str, list[str]]]:
    """The folders below one with their files; storages are noted and not looked into."""
    seen: set[tuple[int, int]] = set()
    waiting = [root]
    while waiting:
        folder = waiting.pop()
        storage = storage_at(folder)
        if storage is not None and has_sessions(storage):
            storages.append(storage)
            continue
        try:
            found = folder.stat()
            if (found.st_dev, found.st_ino) in seen:
                continue
            seen.add((found.st_dev, found.st_ino))
            with os.scandir(folder) as entries:
                inside = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            detail = error.strerror or str(error)
            skips.append(Skip(path=str(folder), reason="unreadable-folder", detail=detail))
            continue
        folders = [entry.path for entry in inside if entry.is_dir() and _is_read(entry.name)]
        yield str(folder), [entry.name for entry in inside if entry.is_file()]
        waiting.extend(Path(path) for path in reversed(folders))


def _is_read(name: str) -> bool:
    return not name.startswith(".") and name not in _UNREAD_FOLDERS
