"""Reading one thread of a plan: its record first, then its items.

A thread's files are gone through twice, once for what happened and once for the items. Small
files are decoded once and kept between the two; of large ones nothing is kept but the turns, so
that memory stays flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from graph.model import ItemRecord, ItemsRecord
from importers.codex.bases import tells_turns
from importers.codex.context import Context, ThreadFile
from importers.codex.database_thread import database_thread
from importers.codex.history import History, history_of
from importers.codex.ids import thread_id
from importers.codex.items import ItemReader
from importers.codex.lines import COMPRESSED_SUFFIX, Skipping, decode, raw_lines
from importers.codex.rollout import Rollout, read_rollout
from importers.codex.thread import thread_record
from importers.contract import ItemsRead, Part, ReadEnd, ReadOptions, Skip, Source, ThreadRead
from importers.redaction import redacted, unchanged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import ThreadRecord
    from importers.codex.lines import Line

KEPT_BYTES = 8 * 1024 * 1024
"""Files up to this size, all together, are decoded once and kept."""

ITEMS_AT_ONCE = 2_000
TEXT_AT_ONCE = 4 * 1024 * 1024

READING_VERSION = 1
"""Part of every digest: raise it when the same file gives other records than before."""

_COMPRESSION_RATIO = 10

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


@dataclass(slots=True)
class _FileLines:
    """The lines of one file, for the first and the second time."""

    file: ThreadFile
    kept: bool
    skipping: Skipping
    hashed: blake2b = field(default_factory=lambda: blake2b(digest_size=16))
    _lines: list[Line] | None = None

    def first(self) -> Iterator[Line]:
        """The lines that say what happened; all lines when they are kept."""
        if self.kept:
            self._lines = list(self._decoded(self.hashed, self.skipping))
            yield from self._lines
            return
        # What can't be read is counted the second time, when all lines are.
        passed = Skipping(self.file.path)
        for number, raw in raw_lines(self.file.path, passed, self.hashed):
            if tells_turns(raw):
                line = decode(raw, number, passed)
                if line is not None:
                    yield number, line

    def second(self) -> Iterator[Line]:
        """All lines."""
        if self._lines is not None:
            lines, self._lines = self._lines, None
            yield from lines
            return
        yield from self._decoded(None, self.skipping)

    def _decoded(self, hashed: blake2b | None, skipping: Skipping) -> Iterator[Line]:
        for number, raw in raw_lines(self.file.path, skipping, hashed):
            line = decode(raw, number, skipping)
            if line is not None:
                yield number, line


def read_thread(source: Source, options: ReadOptions) -> Iterator[Part]:
    """The records of one thread, and what was left out of its files."""
    context = source.context
    if not isinstance(context, Context):
        msg = "This source is of another importer's plan."
        raise TypeError(msg)
    files = _FilesRead(context)
    history = history_of(context, files.rollouts)
    if history is None:
        yield from _without_files(context, options, files)
        return
    clean = redacted if options.redact else unchanged
    record = thread_record(context, history, options, clean)
    digest = files.digest(record, options)
    files.note(history)
    reader = ItemReader(history, options, clean)
    chunks = _chunks(reader, history, files)
    first, following = next(chunks, ()), next(chunks, None)
    complete = following is None
    items = ItemsRecord(items=first, settled=reader.settled if complete else 0, complete=complete)
    yield ThreadRead(thread=replace(record, items=items, digest=digest if complete else None))
    while following is not None:
        yield ItemsRead(thread_id=context.thread_id, items=following)
        following = next(chunks, None)
    yield ReadEnd(
        thread_id=context.thread_id,
        item_count=reader.count,
        settled=reader.settled,
        digest=digest,
        skips=files.skips,
        bytes_read=sum(file.size for file in context.files),
    )


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
                lines.skipping.add("unreadable-file", detail=error.strerror or str(error))
                continue
            if rollout.header is None:
                lines.skipping.add("no-session-meta")
            elif thread_id(rollout.header.id) != self.context.thread_id:
                lines.skipping.add("other-thread", detail=f"belongs to {rollout.header.id}")
            else:
                self.rollouts.append(rollout)

    @property
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

    def digest(self, record: ThreadRecord, options: ReadOptions) -> str:
        """A hash of all that the records depend on."""
        hashed = blake2b(digest_size=16)
        hashed.update(_encode((READING_VERSION, options.content, options.redact, record)))
        for file in self.context.files:
            hashed.update(self.lines[file.path].hashed.digest())
        return hashed.hexdigest()

    def _skip(self, rollout: Rollout, reason: str, detail: str) -> None:
        self._more_skips.append(Skip(path=rollout.path, reason=reason, detail=detail))


def _without_files(context: Context, options: ReadOptions, files: _FilesRead) -> Iterator[Part]:
    digest: str | None = None
    # A file that can't be read for the moment must not turn its thread into a mere row.
    if context.row is not None and not context.files:
        clean = redacted if options.redact else unchanged
        record = database_thread(context, context.row, options, clean)
        digest = files.digest(record, options)
        yield ThreadRead(thread=replace(record, digest=digest))
    yield ReadEnd(thread_id=context.thread_id, digest=digest, skips=files.skips)


def _chunks(
    reader: ItemReader, history: History, files: _FilesRead
) -> Iterator[tuple[ItemRecord, ...]]:
    if not history.first.readable:
        return
    chunk: list[ItemRecord] = []
    size = 0
    for rollout in history.revisions.rollouts:
        for item in reader.read(rollout, files.lines[rollout.path].second()):
            chunk.append(item)
            size += len(item.text or "")
            if len(chunk) >= ITEMS_AT_ONCE or size >= TEXT_AT_ONCE:
                yield tuple(chunk)
                chunk = []
                size = 0
    if chunk:
        yield tuple(chunk)


def _decoded_size(file: ThreadFile) -> int:
    packed = file.path.endswith(COMPRESSED_SUFFIX)
    return file.size * _COMPRESSION_RATIO if packed else file.size
