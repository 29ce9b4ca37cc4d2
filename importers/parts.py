"""A thread and its items as the parts that an importer hands out, with a hash of them all."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Protocol

import msgspec
from msgspec.structs import replace

from graph.records import ItemsRecord
from importers.contract import ItemsRead, ReadEnd, ThreadRead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from graph.records import ItemRecord, ThreadRecord, TransferRecord
    from importers.contract import Part, Skip

ITEMS_AT_ONCE = 2_000
TEXT_AT_ONCE = 4 * 1024 * 1024

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


class CountsItems(Protocol):
    """What knows how many items of a thread were given, and how many of them are settled."""

    @property
    def count(self) -> int:
        """How many items were given so far."""
        ...

    @property
    def settled(self) -> int:
        """How many of them a growing transcript can't change; right once all were given."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A thread that is being read: its record without items, and the items as they come.

    *transfers* are those that its transcript proves. *skips* is asked when all items were taken.
    """

    thread: ThreadRecord
    items: Iterable[ItemRecord]
    counter: CountsItems
    skips: Callable[[], Sequence[Skip]]
    bytes_read: int
    transfers: tuple[TransferRecord, ...] = ()


def parts_of(reading: Reading) -> Iterator[Part]:
    """The thread with its first items, then the other items, then the end."""
    hashed = blake2b(_encode(reading.thread), digest_size=16)
    if reading.transfers:
        hashed.update(_encode(reading.transfers))
    chunks = _chunks(reading.items)
    first, following = next(chunks, ()), next(chunks, None)
    hashed.update(_encode(first))
    complete = following is None
    items = ItemsRecord(
        items=first, settled=reading.counter.settled if complete else 0, complete=complete
    )
    digest = hashed.hexdigest() if complete else None
    thread = replace(reading.thread, items=items, digest=digest)
    yield ThreadRead(thread=thread, transfers=reading.transfers)
    while following is not None:
        hashed.update(_encode(following))
        yield ItemsRead(thread_id=reading.thread.thread_id, items=following)
        following = next(chunks, None)
    yield ReadEnd(
        thread_id=reading.thread.thread_id,
        item_count=reading.counter.count,
        settled=reading.counter.settled,
        digest=hashed.hexdigest(),
        skips=tuple(reading.skips()),
        bytes_read=reading.bytes_read,
    )


def _chunks(items: Iterable[ItemRecord]) -> Iterator[tuple[ItemRecord, ...]]:
    chunk: list[ItemRecord] = []
    size = 0
    for item in items:
        chunk.append(item)
        size += len(item.text or "")
        if len(chunk) >= ITEMS_AT_ONCE or size >= TEXT_AT_ONCE:
            yield tuple(chunk)
            chunk, size = [], 0
    if chunk:
        yield tuple(chunk)
