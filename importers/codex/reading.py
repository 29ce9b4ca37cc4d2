"""Reading one thread of a plan: its record first, then its items.

A thread's files are gone through twice, once for what happened and once for the items. Small
files are decoded once and kept between the two; of large ones nothing is kept but the turns, so
that memory stays flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.codex.bases import turn_lines
from importers.codex.context import Context, ThreadFile
from importers.codex.database_thread import database_thread
from importers.codex.history import History, history_of
from importers.codex.ids import thread_id
from importers.codex.items import ItemReader
from importers.codex.lines import decoded
from importers.codex.rollout import Rollout, read_rollout
from importers.codex.thread import thread_record
from importers.contract import Part, ReadEnd, ReadOptions, Skip, Source
from importers.kept_text import TextKeeper
from importers.parts import Reading, parts_of
from importers.raw_lines import COMPRESSED_SUFFIX, Skipping, raw_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graph.records import ItemRecord
    from importers.codex.lines import Line

KEPT_BYTES = 8 * 1024 * 1024
"""Files up to this size, all together, are decoded once and kept."""

_COMPRESSION_RATIO = 10


def read_thread(source: Source, options: ReadOptions) -> Iterator[Part]:
    """The records of one thread, and what was left out of its files."""
    context = source.context
    if not isinstance(context, Context):
        msg = "This source is of another importer's plan."
        raise TypeError(msg)
    texts = TextKeeper(options)
    files = _FilesRead(context)
    history = history_of(context, files.rollouts)
    if history is not None:
        files.note(history)
        reader = ItemReader(history, texts)
        reading = Reading(
            thread=thread_record(context, history, options, texts),
            items=_items(reader, history, files),
            counter=reader,
            skips=files.skips,
            bytes_read=sum(file.size for file in context.files),
        )
    elif context.row is not None and not context.files:
        reading = Reading(
            thread=database_thread(context, context.row, options, texts),
            items=(),
            counter=_NoItems(),
            skips=files.skips,
            bytes_read=0,
        )
    else:
        # A file that can't be read for the moment does not turn its thread into a mere row.
        yield ReadEnd(thread_id=context.thread_id, skips=files.skips())
        return
    yield from parts_of(reading)


@dataclass(frozen=True, slots=True)
class _NoItems:
    """The count of the items of a thread without a file."""

    count: int = 0
    settled: int = 0


@dataclass(slots=True)
class _FileLines:
    """The lines of one file, for the first and the second time."""

    file: ThreadFile
    kept: bool
    skipping: Skipping
    _lines: list[Line] | None = None

    def first(self) -> Iterator[Line]:
        """The lines that say what happened; all lines when they are kept."""
        if not self.kept:
            # What can't be read is counted the second time, when all lines are.
            return turn_lines(self.file)
        self._lines = list(self._decoded())
        return iter(self._lines)

    def second(self, repeats: Callable[[bytes], bool]) -> Iterator[Line]:
        """All lines, but for those of a large file that only repeat others."""
        lines, self._lines = self._lines, None
        try:
            yield from self._decoded(repeats) if lines is None else lines
        except OSError as error:
            self.unreadable(error)

    def unreadable(self, error: OSError) -> None:
        """Count that the file is there no more, or can't be opened."""
        self.skipping.add("unreadable-file", detail=error.strerror or str(error))

    def _decoded(self, repeats: Callable[[bytes], bool] | None = None) -> Iterator[Line]:
        lines = raw_lines(self.file.path, self.skipping, most=self.file.size)
        if repeats is not None:
            lines = ((number, raw) for number, raw in lines if not repeats(raw))
        return decoded(lines, self.skipping)


@dataclass(slots=True)
class _FilesRead:
    """A thread's files, gone through once."""

    context: Context
    rollouts: list[Rollout] = field(default_factory=list[Rollout])
    lines: dict[str, _FileLines] = field(default_factory=dict[str, _FileLines])
    _more_skips: list[Skip] = field(default_factory=list[Skip])

    def __post_init__(self) -> None:
        kept = sum(_decoded_size(file) for file in self.context.files) <= KEPT_BYTES
        for file in self.context.files:
            lines = _FileLines(file, kept, Skipping(file.path))
            self.lines[file.path] = lines
            try:
                rollout = read_rollout(file.path, file.rollout_id, lines.first())
            except OSError as error:
                lines.unreadable(error)
                continue
            if rollout.header is None:
                lines.skipping.add("no-session-meta")
            elif thread_id(rollout.header.id) != self.context.thread_id:
                lines.skipping.add("other-thread", detail=f"belongs to {rollout.header.id}")
            else:
                self.rollouts.append(rollout)

    def skips(self) -> tuple[Skip, ...]:
        """What was left out so far."""
        found = [skip for lines in self.lines.values() for skip in lines.skipping.skips]
        return (*found, *self._more_skips)

    def note(self, history: History) -> None:
        """Count what the files as a whole do not let us know."""
        first = history.first
        if not first.readable:
            mode = history.header.history_mode
            self._skip(first, "unknown-history-mode", f"{mode!r}: runs and items are not read")
        for rollout in history.revisions.rollouts:
            if history.owned(rollout).evidence is None:
                detail = "taken as the thread's own, as nothing tells what was copied"
                self._skip(rollout, "copied-part-unknown", detail)

    def _skip(self, rollout: Rollout, reason: str, detail: str) -> None:
        self._more_skips.append(Skip(path=rollout.path, reason=reason, detail=detail))


def _items(reader: ItemReader, history: History, files: _FilesRead) -> Iterator[ItemRecord]:
    if history.first.readable:
        for rollout in history.revisions.rollouts:
            yield from reader.read(rollout, files.lines[rollout.path].second(reader.repeats))


def _decoded_size(file: ThreadFile) -> int:
    packed = file.path.endswith(COMPRESSED_SUFFIX)
    return file.size * _COMPRESSION_RATIO if packed else file.size
