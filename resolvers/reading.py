"""Reading transcripts into what must be written: what the graph already has is left out.

Runs in the importing process or in a reading process of it; findings can be sent.

A thread is known by its importer's digest. Where the items come in several parts, the digest
that the graph keeps goes on with a number of settled items and the hash of these, so that a
transcript that only grew has its new items written and no others.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from graph.errors import SourceError
from graph.model import EdgeKind, ThreadId
from graph.records import ItemRecord, ItemsRecord, ThreadRecord, TransferRecord
from importers.contract import (
    Importer,
    ItemsRead,
    Part,
    ReadEnd,
    ReadOptions,
    Skip,
    Source,
    ThreadRead,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


ENDED = frozenset({"completed", "interrupted", "failed", "cancelled"})
"""The words for a run that nothing will be added to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingTask:
    """Sources to read, and the digests that the graph has of their threads."""

    importer: Importer
    options: ReadOptions
    sources: tuple[Source, ...]
    digests: Mapping[ThreadId, str]


class ThreadFound(msgspec.Struct, frozen=True, tag=True):
    """A thread to write and its transfers; unless its items are complete, more of them follow."""

    thread: ThreadRecord
    transfers: tuple[TransferRecord, ...] = ()


class ItemsFound(msgspec.Struct, frozen=True, tag=True):
    """Further items of the thread that was found last."""

    thread_id: ThreadId
    items: tuple[ItemRecord, ...]


class ItemsEnd(msgspec.Struct, frozen=True, tag=True):
    """The end of the items of a thread that came in several parts."""

    thread_id: ThreadId
    count: int
    settled: int
    digest: str | None


class ThreadKnown(msgspec.Struct, frozen=True, tag=True):
    """A thread that the graph already has as it is, and the threads that it is connected with.

    *active*: one of its runs has not ended, which time alone may change.
    """

    thread_id: ThreadId
    named: tuple[ThreadId, ...]
    active: bool


class SourceEnd(msgspec.Struct, frozen=True, tag=True):
    """The end of a source: how large it was and what in it was left out.

    *thread_id* is the thread that was read from it, ``None`` where there was none or reading it
    came to no good end.
    """

    size: int
    skips: tuple[Skip, ...]
    thread_id: ThreadId | None = None


Finding: TypeAlias = ThreadFound | ItemsFound | ItemsEnd | ThreadKnown | SourceEnd


class SourceUnreadable(SourceError):
    """An importer gave up on a source in a way that it did not foresee."""


def read_task(task: ReadingTask) -> Iterator[Finding]:
    """What is to be written of each source, in order; each source ends with a ``SourceEnd``."""
    for source in task.sources:
        try:
            yield from _read_source(task, source)
        except SourceError as error:
            reason = "importer-failed" if isinstance(error, SourceUnreadable) else "unreadable"
            skip = Skip(path=error.path, reason=reason, detail=str(error))
            yield SourceEnd(source.size, (skip,))


def edges_of(
    thread: ThreadRecord, transfers: Iterable[TransferRecord] = ()
) -> Iterator[tuple[EdgeKind, ThreadId]]:
    """The edges that a record and its transfers state, each with the thread that it leads to."""
    if thread.fork is not None:
        yield EdgeKind.FORK, thread.fork.source_thread_id
    if thread.spawn is not None:
        yield EdgeKind.SPAWN, thread.spawn.parent_thread_id
    if thread.child_of is not None:
        yield EdgeKind.PARENT, thread.child_of.parent_thread_id
    if thread.history_base is not None:
        yield EdgeKind.HISTORY_BASE, thread.history_base.thread_id
    for transfer in transfers:
        yield EdgeKind.TRANSFER, transfer.source_thread_id


def is_active(thread: ThreadRecord) -> bool:
    """Whether a run of the thread has not ended yet."""
    return any(run.status not in ENDED and run.rolled_back_at is None for run in thread.runs)


@dataclass(slots=True)
class _ItemsHash:
    """The hash of the items so far, and what it was wherever a part of them ended."""

    count: int = 0
    marks: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _hash: blake2b = field(default_factory=lambda: blake2b(digest_size=16))
    _encoder: msgspec.msgpack.Encoder = field(default_factory=msgspec.msgpack.Encoder)

    def __post_init__(self) -> None:
        self._mark()

    def add(self, items: Sequence[ItemRecord], *, watch: int | None = None) -> None:
        """Go on with *items*; *watch* is a further count at which to leave a mark."""
        for item in items:
            self._hash.update(self._encoder.encode(item))
            self.count += 1
            if self.count == watch:
                self._mark()
        self._mark()

    def at_most(self, count: int) -> tuple[int, str]:
        """The last mark at *count* items or fewer."""
        return max(mark for mark in self.marks if mark[0] <= count)

    def _mark(self) -> None:
        self.marks.append((self.count, self._hash.hexdigest()))


@dataclass(frozen=True, slots=True)
class _Digest:
    """The importer's digest, and the hash of the first *settled* items of a long thread."""

    whole: str
    settled: int = 0
    items: str = ""

    @classmethod
    def parse(cls, text: str | None) -> _Digest | None:
        match (text or "").split(":"):
            case [whole, settled, items] if settled.isdecimal():
                return cls(whole, int(settled), items)
            case [whole] if whole:
                return cls(whole)
            case _:
                return None

    def __str__(self) -> str:
        return f"{self.whole}:{self.settled}:{self.items}" if self.items else self.whole


def _read_source(task: ReadingTask, source: Source) -> Iterator[Finding]:
    known = _Digest.parse(task.digests.get(source.thread_id))
    settled = 0
    if known is not None and known.items:
        # The whole file is read to know what changed; writing is what costs.
        end, read, hashed = _read_through(task, source, known)
        if read is not None and end.digest == known.whole:
            yield _known(read)
            yield _end(source, end)
            return
        if (known.settled, known.items) in hashed.marks:
            settled = known.settled
    yield from _find(task, source, known, settled)


def _read_through(
    task: ReadingTask, source: Source, known: _Digest
) -> tuple[ReadEnd, ThreadRead | None, _ItemsHash]:
    read: ThreadRead | None = None
    hashed = _ItemsHash()
    for part in _parts(task, source):
        match part:
            case ThreadRead():
                read = part
                hashed.add(part.thread.items.items, watch=known.settled)
            case ItemsRead():
                hashed.add(part.items, watch=known.settled)
            case ReadEnd():
                return part, read, hashed
    raise SourceUnreadable(source.paths[0], "The importer did not say that it was done.")


def _find(
    task: ReadingTask, source: Source, known: _Digest | None, settled: int
) -> Iterator[Finding]:
    hashed = _ItemsHash()
    in_parts = False
    for part in _parts(task, source):
        match part:
            case ThreadRead(thread=thread) if thread.items.complete:
                same = known is not None and known.whole == thread.digest
                yield _known(part) if same else ThreadFound(thread, part.transfers)
            case ThreadRead(thread=thread):
                in_parts = True
                hashed.add(thread.items.items)
                yield ThreadFound(_from(thread, settled), part.transfers)
            case ItemsRead():
                hashed.add(part.items)
                items = tuple(item for item in part.items if item.position >= settled)
                if items:
                    yield ItemsFound(part.thread_id, items)
            case ReadEnd():
                if in_parts:
                    yield _items_end(part, hashed)
                yield _end(source, part)


def _end(source: Source, end: ReadEnd) -> SourceEnd:
    thread_id = None if end.digest is None else end.thread_id
    return SourceEnd(source.size, end.skips, thread_id)


def _from(thread: ThreadRecord, settled: int) -> ThreadRecord:
    """The thread without the items that stay as they are, and not yet complete."""
    items = tuple(item for item in thread.items.items if item.position >= settled)
    rest = ItemsRecord(first_position=settled, items=items, complete=False)
    return msgspec.structs.replace(thread, items=rest, digest=None)


def _items_end(end: ReadEnd, hashed: _ItemsHash) -> ItemsEnd:
    digest = None
    if end.digest is not None:
        digest = str(_Digest(end.digest, *hashed.at_most(end.settled)))
    return ItemsEnd(end.thread_id, end.item_count, end.settled, digest)


def _known(read: ThreadRead) -> ThreadKnown:
    named = tuple(named for _, named in edges_of(read.thread, read.transfers))
    return ThreadKnown(read.thread.thread_id, named, is_active(read.thread))


def _parts(task: ReadingTask, source: Source) -> Iterator[Part]:
    """The importer's parts; whatever goes wrong in one source must not end the others."""
    try:
        yield from task.importer.read(source, task.options)
    except SourceError:
        raise
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        raise SourceUnreadable(source.paths[0], message) from error
