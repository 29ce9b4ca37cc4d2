"""The files below a folder: each once, links followed, loops and locked folders survived."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from importers.contract import Skip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FoundFile:
    """One file on disk."""

    path: str
    size: int
    modified_ns: int


def files_below(root: Path, suffix: str, skips: list[Skip]) -> Iterator[FoundFile]:
    """The files of a folder and of all below it whose names end so, in the order of names.

    A root that is a file is given whatever its name is. Hidden files and folders are passed
    over, but not the root; what can't be looked at is a skip.
    """
    if root.is_file():
        found = root.stat()
        yield FoundFile(str(root), found.st_size, found.st_mtime_ns)
        return
    seen: set[tuple[int, int]] = set()
    waiting = [str(root)]
    while waiting:
        folder = waiting.pop()
        try:
            entries = _entries_once(folder, seen)
        except OSError as error:
            skips.append(_unreadable(folder, "unreadable-folder", error))
            continue
        folders: list[str] = []
        for entry in entries:
            try:
                if entry.is_dir():
                    folders.append(entry.path)
                elif entry.name.endswith(suffix) and entry.is_file():
                    found = entry.stat()
                    yield FoundFile(entry.path, found.st_size, found.st_mtime_ns)
            except OSError as error:
                skips.append(_unreadable(entry.path, "unreadable-file", error))
        waiting.extend(reversed(folders))


def _entries_once(folder: str, seen: set[tuple[int, int]]) -> list[os.DirEntry[str]]:
    """What is in a folder, by name; nothing the second time, by whatever name it is reached."""
    found = os.stat(folder)  # noqa: PTH116 - objects a file count with 100,000 files
    if (found.st_dev, found.st_ino) in seen:
        return []
    seen.add((found.st_dev, found.st_ino))
    with os.scandir(folder) as entries:
        return sorted(
            (entry for entry in entries if not entry.name.startswith(".")),
            key=lambda entry: entry.name,
        )


def _unreadable(path: str, reason: str, error: OSError) -> Skip:
    return Skip(path=path, reason=reason, detail=error.strerror or str(error))
