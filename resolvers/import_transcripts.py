"""Import: transcripts on disk become threads, runs, items and edges of the graph."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio

from importers.contract import Importer, ReadOptions, Source
from resolvers.find_transcripts import FoundTranscripts, Selection, find_transcripts
from resolvers.first_failure import first_failure
from resolvers.readers import Reader, open_readers, processes_for
from resolvers.reading import Finding, ReadingTask
from resolvers.unchanged_sources import standings_of, unchanged_sources
from resolvers.write_findings import FindingsWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from graph.model import ThreadId, Timestamp
    from graph.records import ImportState
    from graph.store import ThreadGraph
    from resolvers.import_report import ImportProgress, ImportReport

TASK_SOURCES = 256
TASK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOrder:
    """What to import and how.

    *processes* ``None`` chooses by the size of the import. Sources that stand as they did when
    an earlier import wrote them are not read, unless *again* asks for it. *seen* holds the
    fingerprints of an earlier import of this process, spares the graph the question, and is
    brought up to date. *clock* tells the time that ``ReadOptions.now`` asks for.
    """

    importers: Sequence[Importer]
    selection: Selection = field(default_factory=Selection)
    options: ReadOptions = field(default_factory=ReadOptions)
    processes: int | None = None
    again: bool = False
    seen: MutableMapping[ThreadId, int] | None = None
    clock: Callable[[], Timestamp] | None = None


async def import_transcripts(
    graph: ThreadGraph,
    order: ImportOrder,
    on_progress: Callable[[ImportProgress], None] = lambda _: None,
    on_found: Callable[[Sequence[FoundTranscripts]], None] = lambda _: None,
) -> ImportReport:
    """Bring the graph up to date with the transcripts, and say what was done.

    *on_found* hears what there is before any of it is read. What can't be read is left out and
    counted. What is already there as it is stays untouched;
    an import that was interrupted is gone on with by the next one. Raises ``SourceNotFound``
    and ``SourceNotRecognized`` before anything is written, and the graph's errors.
    """
    began = time.monotonic()
    if order.clock is not None:
        order = replace(order, options=replace(order.options, now=order.clock()))
    writing = FindingsWriter(graph, on_progress)
    with first_failure():
        found = await find_transcripts(order.importers, order.selection)
        on_found(found)
        # All is expected before the first is read: how much is left is right from the start.
        tasks = [await _expect(graph, order, each, writing) for each in found]
        for each, sources in zip(found, tasks, strict=True):
            await _import_sources(graph, order, each, sources, writing)
    await writing.count_placeholders()
    writing.report.seconds = time.monotonic() - began
    return writing.report


async def _expect(
    graph: ThreadGraph, order: ImportOrder, found: FoundTranscripts, writing: FindingsWriter
) -> Sequence[Source]:
    """Take note of what a plan holds; gives the sources that have to be read."""
    sources = [source for source in found.plan.sources if not _is_seen(source, order.seen)]
    standings = standings_of(sources, found.importer, order.options)
    unchanged: Mapping[ThreadId, ImportState] = {}
    if not order.again:
        unchanged = await unchanged_sources(graph, standings)
    changed = [source for source in sources if source.thread_id not in unchanged]
    to_read = {source.thread_id: standings[source.thread_id] for source in changed}
    writing.expect(found.plan, sum(source.size for source in changed), to_read, unchanged)
    if order.seen is not None:
        for source in sources:
            if source.thread_id in unchanged:
                order.seen[source.thread_id] = source.fingerprint
    return changed


async def _import_sources(
    graph: ThreadGraph,
    order: ImportOrder,
    found: FoundTranscripts,
    sources: Sequence[Source],
    writing: FindingsWriter,
) -> None:
    size = sum(source.size for source in sources)
    processes = order.processes
    if processes is None:
        processes = processes_for(len(sources), size)
    task_sender, tasks = anyio.create_memory_object_stream[ReadingTask](1)
    finding_sender, findings = anyio.create_memory_object_stream["Sequence[Finding]"](processes)
    async with (
        open_readers(min(processes, len(sources))) as readers,
        findings,  # outlives the tasks, which are ended before they could miss it
        anyio.create_task_group() as together,
    ):
        together.start_soon(_hand_out, graph, found.importer, order.options, sources, task_sender)
        for reader in readers:
            together.start_soon(_read_all, reader, tasks.clone(), finding_sender.clone())
        tasks.close()
        finding_sender.close()
        async for some in findings:
            await writing.take(some)
    await writing.finish(found.plan)
    if order.seen is not None:
        for source in sources:
            if source.thread_id not in writing.active:
                order.seen[source.thread_id] = source.fingerprint


def _is_seen(source: Source, seen: MutableMapping[ThreadId, int] | None) -> bool:
    return seen is not None and seen.get(source.thread_id) == source.fingerprint


async def _hand_out(
    graph: ThreadGraph,
    importer: Importer,
    options: ReadOptions,
    sources: Sequence[Source],
    tasks: MemoryObjectSendStream[ReadingTask],
) -> None:
    """Make tasks of the sources, each with what the graph knows of them by then."""
    async with tasks:
        is_empty = not await graph.has_threads()
        for some in _portions(sources):
            digests = {} if is_empty else await _digests(graph, some)
            task = ReadingTask(
                importer=importer, options=options, sources=tuple(some), digests=digests
            )
            await tasks.send(task)


async def _digests(graph: ThreadGraph, sources: Sequence[Source]) -> dict[ThreadId, str]:
    states = await graph.import_states([source.thread_id for source in sources])
    return {
        thread_id: state.digest for thread_id, state in states.items() if state.digest is not None
    }


def _portions(sources: Sequence[Source]) -> Iterator[Sequence[Source]]:
    some: list[Source] = []
    size = 0
    for source in sources:
        some.append(source)
        size += source.size
        if len(some) >= TASK_SOURCES or size >= TASK_BYTES:
            yield some
            some, size = [], 0
    if some:
        yield some


async def _read_all(
    reader: Reader,
    tasks: MemoryObjectReceiveStream[ReadingTask],
    findings: MemoryObjectSendStream[Sequence[Finding]],
) -> None:
    async with tasks, findings:
        async for task in tasks:
            async for found in reader.read(task):
                await findings.send(found)
