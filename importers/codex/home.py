"""One Codex home as a whole: which rollouts belong to which thread, and what is known besides.

Only what was selected is to be imported; the rest of the home is looked at because a thread
can't be told without it: its other rollouts, the files that its history goes on from, the
database.
"""

from __future__ import annotations

import tomllib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from importers.codex.context import Context, ThreadFile
from importers.codex.database import StateDatabase, database_in, read_database
from importers.codex.files import (
    ACTIVE_FOLDER,
    ARCHIVE_FOLDER,
    Head,
    Heads,
    RolloutFile,
    rollout_files,
)
from importers.codex.ids import thread_id
from importers.contract import Skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graph.model import ThreadId

NAME_INDEX = "session_index.jsonl"
CONFIGURATION = "config.toml"
MAX_BASES = 64
"""How far a chain of referenced histories is followed; beyond it the graph does it."""


class _NameEntry(msgspec.Struct, frozen=True):
    id: str
    thread_name: str | None = None


_decode_name = msgspec.json.Decoder(_NameEntry).decode


@dataclass(slots=True)
class Home:
    """What lies in a home, indexed; ``folder`` is ``None`` for files outside of any."""

    folder: Path | None
    heads: Heads
    database: StateDatabase = field(default_factory=StateDatabase)
    names: dict[ThreadId, str] = field(default_factory=dict["ThreadId", str])
    skips: list[Skip] = field(default_factory=list[Skip])
    by_thread: dict[ThreadId, list[ThreadFile]] = field(
        default_factory=lambda: defaultdict["ThreadId", list[ThreadFile]](list)
    )
    by_rollout: dict[str, ThreadFile] = field(default_factory=dict[str, ThreadFile])
    _files: dict[str, RolloutFile] = field(default_factory=dict[str, RolloutFile])

    def context(self, owner: ThreadId) -> Context:
        """All that is known about one thread."""
        files = tuple(sorted(self.by_thread.get(owner, ()), key=_by_age))
        row = self.database.threads.get(owner)
        heads = [head for file in files if (head := self._head(file)) is not None]
        source = next((head.forked_from_id for head in heads if head.forked_from_id), None)
        parent = next((head.parent_thread_id for head in heads if head.parent_thread_id), None)
        return Context(
            thread_id=owner,
            files=files,
            cwd=(row.cwd if row else None) or next((h.cwd for h in heads if h.cwd), None),
            bases=tuple(self._bases(owner, heads)),
            source_files=self._files_of(source),
            parent_files=self._files_of(parent),
            current_rollout_id=self._current(files, row.rollout_path if row else None),
            row=row,
            edge=self.database.edges.get(owner),
            name=self.names.get(owner),
            database_path=self.database.path,
        )

    def add(self, files: Iterable[RolloutFile], selected: set[str] | None) -> set[ThreadId]:
        """Index files; gives the threads of the *selected* ones (all, without).

        Of several copies of one rollout the active one counts, and the uncompressed one.
        """
        chosen: dict[str, tuple[RolloutFile, Head]] = {}
        threads: set[ThreadId] = set()
        for file in files:
            is_selected = selected is None or file.path in selected
            head = self._identify(file, is_selected=is_selected)
            if head is None:
                continue
            if is_selected:
                threads.add(head.thread_id)
            known = chosen.get(head.rollout_id)
            if known is None or file.rank < known[0].rank:
                chosen[head.rollout_id] = (file, head)
            if known is not None and is_selected:
                self._note_duplicate(*sorted((file, known[0]), key=_rank))
        for file, head in chosen.values():
            self._index(file, head)
        return threads

    def _identify(self, file: RolloutFile, *, is_selected: bool) -> Head | None:
        if not is_selected and file.named_thread_id and file.named_rollout_id:
            # Names are enough for what is only looked up; reading every head is not free.
            return Head(file.named_thread_id, file.named_rollout_id)
        head, skips = self.heads.head(file)
        if is_selected:
            self.skips.extend(skips)
        return head

    def _index(self, file: RolloutFile, head: Head) -> None:
        entry = ThreadFile(
            file.path,
            head.rollout_id,
            head.thread_id,
            file.size,
            file.modified_ns,
            file.archived,
            file.stamp,
        )
        self.by_thread[head.thread_id].append(entry)
        self.by_rollout[head.rollout_id] = entry
        self._files[file.path] = file

    def _note_duplicate(self, kept: RolloutFile, other: RolloutFile) -> None:
        self.skips.append(
            Skip(path=other.path, reason="duplicate-file", detail=f"{kept.path} is read instead")
        )

    def _files_of(self, named: str | None) -> tuple[ThreadFile, ...]:
        return tuple(self.by_thread.get(thread_id(named), ())) if named else ()

    def _head(self, file: ThreadFile) -> Head | None:
        return self.heads.head(self._files[file.path])[0]

    def _bases(self, owner: ThreadId, heads: Iterable[Head]) -> Iterator[ThreadFile]:
        given: set[str] = set()
        waiting = [head.history_base.thread_id for head in heads if head.history_base]
        while waiting and len(given) < MAX_BASES:
            rollout_id = waiting.pop().lower()
            file = self.by_rollout.get(rollout_id)
            if file is None or rollout_id in given:
                continue
            given.add(rollout_id)
            if file.thread_id != owner:
                yield file
            head = self._head(file)
            if head is not None and head.history_base is not None:
                waiting.append(head.history_base.thread_id)

    def _current(self, files: Iterable[ThreadFile], recorded: str | None) -> str | None:
        """The rollout that the database names: by file name, for homes are moved."""
        if not recorded:
            return None
        name = recorded.replace("\\", "/").rsplit("/", 1)[-1].removesuffix(".zst")
        return next(
            (
                file.rollout_id
                for file in files
                if Path(file.path).name.removesuffix(".zst") == name
            ),
            None,
        )


def open_home(
    folder: Path, heads: Heads, database: Path | None = None
) -> tuple[Home, list[RolloutFile]]:
    """A home with its database and names, and all of its rollouts, not yet indexed.

    A *database* is taken for the home's when it has none itself.
    """
    found = database_of(folder) or database
    home = Home(folder, heads, read_database(found), read_names(folder))
    home.skips.extend(home.database.skips)
    files = [
        file
        for root in (folder / ACTIVE_FOLDER, folder / ARCHIVE_FOLDER)
        if root.is_dir()
        for file in rollout_files(root, home.skips)
    ]
    return home, files


def database_of(folder: Path) -> Path | None:
    """The state database of a home; its configuration may keep it in another folder."""
    found = database_in(folder)
    if found is not None:
        return found
    try:
        told = tomllib.loads((folder / CONFIGURATION).read_text("utf-8")).get("sqlite_home")
    except (OSError, ValueError):
        return None
    return database_in((folder / told).expanduser()) if isinstance(told, str) else None


def read_names(folder: Path) -> dict[ThreadId, str]:
    """The names that users gave to threads; the latest entry of a thread wins."""
    names: dict[ThreadId, str] = {}
    try:
        text = (folder / NAME_INDEX).read_bytes()
    except OSError:
        return names
    for line in text.splitlines():
        try:
            entry = _decode_name(line)
        except (msgspec.DecodeError, RecursionError):
            continue
        if entry.thread_name:
            names[thread_id(entry.id)] = entry.thread_name
    return names


def _by_age(file: ThreadFile) -> tuple[str, str]:
    """The original rollout of a thread before those that reverts made."""
    return ("" if file.rollout_id == file.thread_id else file.rollout_id), file.path


def _rank(file: RolloutFile) -> tuple[bool, bool]:
    return file.rank
