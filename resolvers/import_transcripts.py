"""Import: transcripts on disk become threads, runs, items and edges of the graph."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import anyio

from graph.errors import SourceNotFound, SourceNotRecognized
from importers.contract import Importer, Plan, ReadOptions, Source
from resolvers.first_failure import first_failure
from resolvers.readers import Reader, open_readers, processes_for
from resolvers.reading import Finding, ReadingTask
from resolvers.write_findings import FindingsWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, MutableMapping, Sequence
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream

    from graph.model import ThreadId, Timestamp
    from graph.store import ThreadGraph
    from resolvers.import_report import ImportProgress, ImportReport

TASK_SOURCES = 256
TASK_BYTES = 4 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOrder:
    """What to import and how.

    Without *paths*, the places where the importers' tools keep their transcripts. *processes*
    ``None`` chooses by the size of the import. *seen* holds the fingerprints of an earlier
    import of this process: sources that are still the same are not read, and it is brought up
    to date. *clock* tells the time that ``ReadOptions.now`` asks for.
    """

    importers: Sequence[Importer]
    paths: Sequence[Path] = ()
    options: ReadOptions = field(default_factory=ReadOptions)
    processes: int | None = None
    seen: MutableMapping[ThreadId, int] | None = None
    clock: Callable[[], Timestamp] | None = None


async def import_transcripts(
    graph: ThreadGraph,
    order: ImportOrder,
    on_progress: Callable[[ImportProgress], None] = lambda _: None,
) -> ImportReport:
    """Bring the graph up to date with the transcripts, and say what was done.

    What can't be read is left out and counted. What is already there as it is stays untouched;
    an import that was interrupted is gone on with by the next one. Raises ``SourceNotFound``
    and ``SourceNotRecognized`` before anything is written, and the graph's errors.
    """
    began = time.monotonic()
    if order.clock is not None:
        order = replace(order, options=replace(order.options, now=order.clock()))
    writing = FindingsWriter(graph, on_progress)
    with first_failure():
        for importer, paths in _assign(order):
            plan = await anyio.to_thread.run_sync(importer.plan, paths, abandon_on_cancel=True)
            await _import_plan(graph, order, importer, plan, writing)
    await writing.count_placeholders()
    writing.report.seconds = time.monotonic() - began
    return writing.report


def paths_to_read(order: ImportOrder) -> Sequence[Path]:
    """The paths of the order, else where the tools keep their transcripts on this machine."""
    if order.paths:
        return order.paths
    return tuple(path for importer in order.importers for path in default_paths(importer))


def default_paths(importer: Importer) -> Sequence[Path]:
    """Where the importer's tool keeps its transcripts, as far as there are some."""
    return [path for path in importer.default_paths() if importer.recognizes(path)]


def _assign(order: ImportOrder) -> Iterator[tuple[Importer, Sequence[Path]]]:
    """Each importer with the paths that it recognizes; every path must be somebody's."""
    if not order.paths:
        assigned = [(importer, default_paths(importer)) for importer in order.importers]
        if not any(paths for _, paths in assigned):
            message = "No transcripts were found on this machine. Name a folder or file to import."
            raise SourceNotFound("", message)
        yield from ((importer, paths) for importer, paths in assigned if paths)
        return
    chosen: dict[int, list[Path]] = {}
    for path in order.paths:
        chosen.setdefault(_importer_of(path, order.importers), []).append(path)
    for index, paths in chosen.items():
        yield order.importers[index], paths


def _importer_of(path: Path, importers: Sequence[Importer]) -> int:
    if not path.exists():
        raise SourceNotFound(str(path), f"There is no file or folder {path}.")
    for index, importer in enumerate(importers):
        if importer.recognizes(path):
            return index
    known = ", ".join(importer.driver for importer in importers)
    message = f"{path} holds no transcripts that can be read here. Known are those of: {known}."
    raise SourceNotRecognized(str(path), message)


async def _import_plan(
    graph: ThreadGraph, order: ImportOrder, importer: Importer, plan: Plan, writing: FindingsWriter
) -> None:
    sources = [source for source in plan.sources if not _is_seen(source, order.seen)]
    size = sum(source.size for source in sources)
    writing.expect(plan, len(sources), size)
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
        together.start_soon(_hand_out, graph, importer, order.options, sources, task_sender)
        for reader in readers:
            together.start_soon(_read_all, reader, tasks.clone(), finding_sender.clone())
        tasks.close()
        finding_sender.close()
        async for found in findings:
            await writing.take(found)
    await writing.finish(plan)
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
