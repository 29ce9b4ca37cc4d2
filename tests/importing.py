"""An import into the in-memory model, in one process and as a test wants it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from graph.records import Batch, ItemsRecord
from importers.contract import ItemsRead, ReadEnd, ReadOptions, Skip, ThreadRead
from tests.memory_store import MemoryStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from graph.model import Run, ThreadId
    from graph.records import ItemRecord, ThreadRecord, TransferRecord
    from importers.contract import Importer, Source

ALL = 100_000
"""More than any test has of anything."""


@dataclass(slots=True)
class Imported:
    """What an importer gave, whole threads with all of their items, and a store that has it."""

    threads: dict[ThreadId, ThreadRecord] = field(default_factory=dict["ThreadId", "ThreadRecord"])
    transfers: dict[ThreadId, tuple[TransferRecord, ...]] = field(
        default_factory=dict["ThreadId", "tuple[TransferRecord, ...]"]
    )
    skips: list[Skip] = field(default_factory=list[Skip])
    ends: list[ReadEnd] = field(default_factory=list[ReadEnd])
    store: MemoryStore = field(default_factory=MemoryStore)

    @property
    def reasons(self) -> list[str]:
        """Why things were left out, in order."""
        return [skip.reason for skip in self.skips]

    @property
    def only(self) -> ThreadRecord:
        """The one thread that there is."""
        (thread,) = self.threads.values()
        return thread

    async def runs(self, thread_id: ThreadId) -> Sequence[Run]:
        """All runs of a thread as the store has them."""
        pages = await self.store.runs([thread_id], include_rolled_back=True, first=ALL, after=None)
        return pages[thread_id].rows


async def import_paths(
    importer: Importer,
    paths: Sequence[Path],
    options: ReadOptions | None = None,
    *,
    into: Imported | None = None,
    backwards: bool = False,
) -> Imported:
    """Import all that is below the paths."""
    imported = into or Imported()
    plan = importer.plan(paths)
    imported.skips.extend(plan.skips)
    sources = reversed(plan.sources) if backwards else plan.sources
    for thread in read_sources(importer, sources, options or ReadOptions(), imported):
        imported.threads[thread.thread_id] = thread
        transfers = imported.transfers.get(thread.thread_id, ())
        await imported.store.record(Batch(threads=(thread,), transfers=transfers))
    await imported.store.record(Batch(spawns=plan.spawns))
    return imported


def read_sources(
    importer: Importer, sources: Iterable[Source], options: ReadOptions, imported: Imported
) -> Iterable[ThreadRecord]:
    """The threads of the sources, each with all of its items."""
    for source in sources:
        thread: ThreadRecord | None = None
        items: list[ItemRecord] = []
        for part in importer.read(source, options):
            match part:
                case ThreadRead():
                    thread = part.thread
                    imported.transfers[thread.thread_id] = part.transfers
                    items.extend(part.thread.items.items)
                case ItemsRead():
                    items.extend(part.items)
                case ReadEnd():
                    imported.skips.extend(part.skips)
                    imported.ends.append(part)
                    if thread is not None:
                        whole = ItemsRecord(items=tuple(items), settled=part.settled)
                        yield msgspec.structs.replace(thread, items=whole, digest=part.digest)
