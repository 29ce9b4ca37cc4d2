"""Writing what an import found, in batches of one transaction each."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from graph.errors import BadInput, IdTooLong
from graph.model import ThreadId
from graph.records import Batch
from importers.contract import Skip
from resolvers.import_report import ImportProgress, ImportReport
from resolvers.reading import (
    Finding,
    ItemsEnd,
    ItemsFound,
    SourceEnd,
    ThreadFound,
    ThreadKnown,
    edges_of,
    is_active,
)
from resolvers.unchanged_sources import IDS_AT_ONCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graph.records import ImportState
    from graph.store import ThreadGraph
    from importers.contract import Plan

BATCH_NODES = 4_000
"""How many nodes one transaction writes; a thread is never divided but by its importer."""

BATCH_CHARACTERS = 8 << 20
"""How much text one transaction writes: it is held in memory here and by the database."""

BATCH_SPAWNS = 2_000


class FindingsWriter:
    """Writes what was found, many threads a transaction, and keeps the report.

    ``active`` are the threads with a run that has not ended.
    """

    def __init__(self, graph: ThreadGraph, on_progress: Callable[[ImportProgress], None]) -> None:
        """Write to *graph* and tell *on_progress* after every few findings."""
        self.report = ImportReport()
        self.active: set[ThreadId] = set()
        self._graph = graph
        self._on_progress = on_progress
        self._pending: list[ThreadFound] = []
        self._pending_nodes = self._pending_characters = 0
        self._refused: set[ThreadId] = set()
        self._found: set[ThreadId] = set()
        self._named: set[ThreadId] = set()
        self._sources = self._sources_done = self._bytes = 0
        self._standings: dict[ThreadId, str] = {}
        self._read: dict[ThreadId, str] = {}

    def expect(
        self,
        plan: Plan,
        size: int,
        standings: Mapping[ThreadId, str],
        unchanged: Mapping[ThreadId, ImportState],
    ) -> None:
        """Take note of what a plan holds.

        *size* is that of the sources to read, *standings* says how each of them stands, and
        *unchanged* are the threads whose sources need not be read.
        """
        self.report.files += plan.files
        self.report.add_skips(plan.skips)
        self.report.threads_unchanged += len(unchanged)
        self.report.threads_not_read += len(unchanged)
        self._found.update(unchanged)
        for state in unchanged.values():
            self._named.update(state.unrecorded)
        self._standings.update(standings)
        self._sources += len(standings)
        self._bytes += size
        self._tell()

    async def take(self, findings: Sequence[Finding]) -> None:
        """Write the findings, as far as a batch is full."""
        for finding in findings:
            await self._take(finding)
        self._tell()

    async def finish(self, plan: Plan) -> None:
        """Write what is left of a plan, and the edges that it knows without a transcript."""
        await self._flush()
        for start in range(0, len(plan.spawns), BATCH_SPAWNS):
            spawns = plan.spawns[start : start + BATCH_SPAWNS]
            await self._graph.record(Batch(spawns=spawns))
            for spawn in spawns:
                self._named.update((spawn.child_thread_id, spawn.parent_thread_id))

    async def count_placeholders(self) -> None:
        """Count the named threads that neither this import nor an earlier one recorded."""
        named = sorted(self._named - self._found)
        for start in range(0, len(named), IDS_AT_ONCE):
            threads = await self._graph.threads_by_id(named[start : start + IDS_AT_ONCE])
            self.report.placeholders += sum(not thread.recorded for thread in threads.values())

    async def _take(self, finding: Finding) -> None:
        match finding:
            case ThreadFound():
                await self._take_thread(finding)
            case ItemsFound() | ItemsEnd():
                await self._flush()
                if finding.thread_id not in self._refused:
                    await self._write_items_or_skip(finding)
            case ThreadKnown():
                self._note(finding.thread_id, finding.named, active=finding.active)
                self.report.threads_unchanged += 1
            case SourceEnd():
                self.report.bytes += finding.size
                self.report.add_skips(finding.skips)
                self._sources_done += 1
                await self._end_source(finding.thread_id)
            case _:
                assert_never(finding)

    async def _end_source(self, thread_id: ThreadId | None) -> None:
        """Keep in mind what was read whole; a run that goes on may end by time alone."""
        if thread_id is None or thread_id in self.active or thread_id not in self._standings:
            return
        self._read[thread_id] = self._standings[thread_id]
        if len(self._read) >= IDS_AT_ONCE:
            await self._flush()

    async def _remember(self) -> None:
        """Have the graph remember how the sources stood whose threads it has by now."""
        read, self._read = self._read, {}
        await self._graph.remember_sources(
            {thread_id: read[thread_id] for thread_id in read.keys() - self._refused}
        )

    async def _take_thread(self, found: ThreadFound) -> None:
        thread = found.thread
        named = [named for _, named in edges_of(thread, found.transfers)]
        self._note(thread.thread_id, named, active=is_active(thread))
        self._pending.append(found)
        self._pending_nodes += 1 + len(thread.runs) + len(thread.items.items)
        self._pending_characters += sum(len(item.text or "") for item in thread.items.items)
        if self._pending_nodes >= BATCH_NODES or self._pending_characters >= BATCH_CHARACTERS:
            await self._flush()

    async def _write_items_or_skip(self, finding: ItemsFound | ItemsEnd) -> None:
        """Write further items; without its end, the next import takes the thread up again."""
        try:
            await self._write_items(finding)
        except BadInput as error:
            self._refuse(finding.thread_id, finding.thread_id, error)

    async def _write_items(self, finding: ItemsFound | ItemsEnd) -> None:
        match finding:
            case ItemsFound():
                await self._graph.append_items(finding.thread_id, finding.items)
                self.report.items += len(finding.items)
            case ItemsEnd():
                await self._finish_items(finding)

    def _note(self, thread_id: ThreadId, named: Iterable[ThreadId], *, active: bool) -> None:
        self._found.add(thread_id)
        if active:
            self.active.add(thread_id)
        self._named.update(named)

    async def _flush(self) -> None:
        """Write what is pending, and remember what was read whole."""
        if self._pending:
            await self._record_pending()
        if self._read:
            # At once: an import that is killed is gone on with where it was.
            await self._remember()

    async def _record_pending(self) -> None:
        pending = tuple(self._pending)
        self._pending, self._pending_nodes, self._pending_characters = [], 0, 0
        try:
            await self._record(pending)
        except BadInput:
            for found in pending:
                await self._record_alone(found)

    async def _record_alone(self, found: ThreadFound) -> None:
        """Write one thread of a batch that was refused for something in one of them."""
        try:
            await self._record((found,))
        except BadInput as error:
            thread = found.thread
            self._refuse(thread.thread_id, thread.source_file or thread.thread_id, error)

    def _refuse(self, thread_id: ThreadId, path: str, error: BadInput) -> None:
        """Leave a thread out that the graph can't hold, and say so."""
        self._refused.add(thread_id)
        reason = "id-too-long" if isinstance(error, IdTooLong) else "value-not-storable"
        self.report.add_skips([Skip(path=path, reason=reason, detail=str(error))])

    async def _record(self, pending: tuple[ThreadFound, ...]) -> None:
        recorded = await self._graph.record(
            Batch(
                threads=tuple(found.thread for found in pending),
                transfers=tuple(transfer for found in pending for transfer in found.transfers),
            )
        )
        self._refused.update(recorded.conflicts)
        self.report.conflicts.extend(recorded.conflicts)
        self.report.threads_unchanged += recorded.unchanged
        self.report.threads_written -= recorded.unchanged
        for found in pending:
            if found.thread.thread_id not in self._refused:
                self.report.add_written(found.thread, found.transfers)

    async def _finish_items(self, end: ItemsEnd) -> None:
        await self._graph.finish_items(
            end.thread_id, count=end.count, settled=end.settled, digest=end.digest
        )
        counted = await self._graph.count_items((end.thread_id,))
        if counted.get(end.thread_id, 0) != end.count:
            # Another import wrote a shorter state of the same file in between: without a digest
            # the next import writes the thread again.
            await self._graph.finish_items(end.thread_id, count=end.count, settled=0, digest=None)
            detail = "Another import wrote the same thread at the same time; import it again."
            skip = Skip(path=end.thread_id, reason="written-by-two-imports", detail=detail)
            self.report.add_skips([skip])

    def _tell(self) -> None:
        self._on_progress(
            ImportProgress(
                sources=self._sources,
                sources_done=self._sources_done,
                bytes=self._bytes,
                bytes_done=self.report.bytes,
                threads=self.report.threads,
                items=self.report.items,
            )
        )
