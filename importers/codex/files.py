"""The rollout files of a Codex home: where they lie, what their names and first lines say.

A rollout's name is ``rollout-<stamp>-<thread>.jsonl``; after a revert the thread goes on in
``rollout-<stamp>-<thread>_<rollout>.jsonl``. Other names are taken, too: then the first line
says whose file it is.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from importers.codex.ids import thread_id
from importers.codex.lines import Line, decoded
from importers.codex.shapes import HistoryBaseField, MetaLine
from importers.contract import Skip
from importers.file_tree import FoundFile, files_below
from importers.raw_lines import Skipping, raw_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import ThreadId

ACTIVE_FOLDER = "sessions"
ARCHIVE_FOLDER = "archived_sessions"

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
_NAME = re.compile(
    rf"rollout-(\d{{4}}-\d\d-\d\d(?:T\d\d-\d\d-\d\d)?)-({_UUID})(?:_({_UUID}))?\.jsonl(\.zst)?"
)
_SUFFIXES = (".jsonl", ".jsonl.zst")
_HEAD_BLOCK_BYTES = 64 * 1024
_HEAD_BYTES = 80 * 1024 * 1024
"""More than one over-long line, and not all of a file that is something else."""
_HEAD_LINES = 200
"""How many lines are looked through for the first meta."""


@dataclass(frozen=True, slots=True)
class RolloutFile:
    """One rollout on disk; *stamp* is the local time in its name."""

    path: str
    size: int
    modified_ns: int
    archived: bool
    stamp: str | None = None
    named_thread_id: ThreadId | None = None
    named_rollout_id: str | None = None

    @property
    def rank(self) -> tuple[bool, bool]:
        """Which of several copies counts: the active, then the uncompressed one."""
        return self.archived, self.path.endswith(".zst")


@dataclass(frozen=True, slots=True)
class Head:
    """Whose file it is, by its first meta."""

    thread_id: ThreadId
    rollout_id: str
    history_base: HistoryBaseField | None = None
    forked_from_id: str | None = None
    parent_thread_id: str | None = None
    cwd: str | None = None


@dataclass(slots=True)
class Heads:
    """Reads the first lines of files, those that did not change only once.

    It forgets everything when it is sent to another process.
    """

    _known: dict[str, tuple[int, int, Head | None, tuple[Skip, ...]]] = field(
        default_factory=dict[str, tuple[int, int, "Head | None", tuple[Skip, ...]]]
    )

    def __reduce__(self) -> tuple[type[Heads], tuple[()]]:
        return Heads, ()

    def head(self, file: RolloutFile) -> tuple[Head | None, tuple[Skip, ...]]:
        """The head of a file; without one, the skips say why."""
        known = self._known.get(file.path)
        if known is not None and known[:2] == (file.size, file.modified_ns):
            return known[2], known[3]
        head, skips = read_head(file)
        self._known[file.path] = (file.size, file.modified_ns, head, skips)
        return head, skips


def read_head(file: RolloutFile) -> tuple[Head | None, tuple[Skip, ...]]:
    """Whose file this is; nothing, with the reason, where it is no rollout."""
    skipping = Skipping(file.path)
    try:
        for _, line in islice(_first_lines(file.path, skipping), _HEAD_LINES):
            if isinstance(line, MetaLine):
                return _head(file, line, skipping)
    except OSError as error:
        skipping.skips.clear()
        skipping.add("unreadable-file", detail=error.strerror or str(error))
        return None, tuple(skipping.skips)
    skipping.skips.clear()
    reason = "no-session-meta" if file.size else "empty-file"
    skipping.add(reason, detail="not a Codex rollout")
    return None, tuple(skipping.skips)


def rollout_files(root: Path, skips: list[Skip]) -> Iterator[RolloutFile]:
    """All rollouts below a folder, or the one file; links are followed, each folder once."""
    if root.is_file():
        yield file_at(root)
        return
    for found in files_below(root, "", skips):
        if found.path.endswith(_SUFFIXES):
            yield _file(found)


def file_at(path: Path) -> RolloutFile:
    """The rollout at a path."""
    found = path.stat()
    return _file(FoundFile(str(path), found.st_size, found.st_mtime_ns))


def is_rollout_name(path: Path) -> bool:
    """Whether a file may be a rollout, by the end of its name."""
    return path.name.endswith(_SUFFIXES)


def home_of(path: Path) -> Path | None:
    """The Codex home that a path is, or lies in."""
    if (path / ACTIVE_FOLDER).is_dir() or (path / ARCHIVE_FOLDER).is_dir():
        return path
    for folder in (path, *path.parents):
        if folder.name in {ACTIVE_FOLDER, ARCHIVE_FOLDER}:
            return folder.parent
    return None


def _file(found: FoundFile) -> RolloutFile:
    match = _NAME.fullmatch(os.path.basename(found.path))  # noqa: PTH119 - 100,000 files
    archived = f"{os.sep}{ARCHIVE_FOLDER}{os.sep}" in found.path
    file = RolloutFile(found.path, found.size, found.modified_ns, archived)
    if match is None:
        return file
    named = thread_id(match[2])
    return replace(
        file,
        stamp=match[1],
        named_thread_id=named,
        named_rollout_id=match[3].lower() if match[3] else named,
    )


def _first_lines(path: str, skipping: Skipping) -> Iterator[Line]:
    lines = raw_lines(path, skipping, most=_HEAD_BYTES, block_bytes=_HEAD_BLOCK_BYTES)
    return decoded(lines, skipping)


def _head(
    file: RolloutFile, line: MetaLine, skipping: Skipping
) -> tuple[Head | None, tuple[Skip, ...]]:
    meta = line.payload
    owner = thread_id(meta.id)
    if skipping.skips and file.named_thread_id not in {None, owner}:
        # The own meta is lost; the first that can be read was copied from another thread.
        skipping.skips[:] = skipping.skips[:1]
        first = skipping.skips[0]
        skipping.skips[0] = Skip(
            path=file.path, line=first.line, reason="no-session-meta", detail=first.detail
        )
        return None, tuple(skipping.skips)
    named = file.named_rollout_id if file.named_thread_id == owner else None
    return Head(
        owner,
        named or owner,
        meta.history_base,
        meta.forked_from_id,
        meta.parent_thread_id,
        meta.cwd,
    ), ()
