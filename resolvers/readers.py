"""Where the transcripts of an import are read: in threads of this process or in others."""

from __future__ import annotations

import os
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Protocol

import anyio
from anyio.streams.buffered import BufferedByteReceiveStream

from graph.errors import SourceError
from importers.contract import Skip
from resolvers.reading import Finding, ReadingTask, SourceEnd, read_task
from resolvers.reading_process import COMMAND, DECODER, LENGTH_BYTES, encode_task, framed

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence

    from anyio.abc import Process

SMALL_IMPORT_SOURCES = 50
SMALL_IMPORT_BYTES = 32 << 20
"""Below both of these, starting processes costs more than they save."""

MOST_PROCESSES = 8
FINDINGS_AT_ONCE = 64


class Reader(Protocol):
    """Reads one task after another."""

    def read(self, task: ReadingTask) -> AsyncIterator[Sequence[Finding]]:
        """What the task finds, a few findings at a time; nothing is read ahead of need."""
        ...


def processes_for(sources: int, size: int) -> int:
    """How many reading processes an import of that many sources and bytes is worth."""
    if sources < SMALL_IMPORT_SOURCES and size < SMALL_IMPORT_BYTES:
        return 0
    return max(1, min(MOST_PROCESSES, (os.cpu_count() or 1) // 2, sources))


@asynccontextmanager
async def open_readers(processes: int) -> AsyncGenerator[Sequence[Reader]]:
    """That many reading processes, ended at the end; with none, a thread of this one reads."""
    if processes == 0:
        yield (ThreadReader(),)
        return
    async with AsyncExitStack() as stack:
        readers = [ProcessReader() for _ in range(processes)]
        for reader in readers:
            stack.push_async_callback(reader.close)
        yield readers


class ThreadReader:
    """Reads in a thread of this process."""

    async def read(self, task: ReadingTask) -> AsyncIterator[Sequence[Finding]]:
        findings = read_task(task)
        while pack := await anyio.to_thread.run_sync(_take, findings, abandon_on_cancel=True):
            yield pack


def _take(findings: Iterator[Finding]) -> Sequence[Finding]:
    return tuple(islice(findings, FINDINGS_AT_ONCE))


@dataclass(slots=True)
class _Running:
    process: Process
    findings: BufferedByteReceiveStream


class ProcessReader:
    """Reads in a process of its own, started at the first task and again if it dies.

    The source that it died of becomes a skip, the rest of the task is read all the same.
    """

    def __init__(self) -> None:
        """Start nothing yet."""
        self._running: _Running | None = None

    async def read(self, task: ReadingTask) -> AsyncIterator[Sequence[Finding]]:
        done = 0
        try:
            async for pack in self._ask(task):
                done += sum(isinstance(finding, SourceEnd) for finding in pack)
                yield pack
        except (anyio.BrokenResourceError, anyio.IncompleteRead, anyio.EndOfStream):
            code = await self.close()
        else:
            return
        match task.sources[done:]:
            case [fatal]:
                detail = f"The reading process ended with code {code}."
                skip = Skip(path=fatal.paths[0], reason="reader-died", detail=detail)
                yield (SourceEnd(fatal.size, (skip,)),)
            case rest:
                # What it had found but not yet sent is lost: one at a time shows the culprit.
                for source in rest:
                    async for pack in self.read(replace(task, sources=(source,))):
                        yield pack

    async def close(self) -> int | None:
        """End the process, whatever it is doing; gives the code it ended with."""
        if self._running is None:
            return None
        process, self._running = self._running.process, None
        with anyio.CancelScope(shield=True):
            if process.stdin is not None:
                await process.stdin.aclose()
            if process.returncode is None and not await _ends_by_itself(process):
                process.kill()
            await process.aclose()
        return process.returncode

    async def _ask(self, task: ReadingTask) -> AsyncIterator[Sequence[Finding]]:
        running = self._running = self._running or await _start()
        if running.process.stdin is None:
            raise anyio.BrokenResourceError
        await running.process.stdin.send(framed(encode_task(task)))
        while size := int.from_bytes(await running.findings.receive_exactly(LENGTH_BYTES)):
            yield DECODER.decode(await running.findings.receive_exactly(size))


async def _start() -> _Running:
    """Start a reading process in a session of its own: Ctrl-C is the import's business."""
    process = await anyio.open_process(COMMAND, stderr=None, start_new_session=True)
    assert process.stdout is not None  # noqa: S101 - it was asked for a pipe
    findings = BufferedByteReceiveStream(process.stdout)
    try:
        await findings.receive_exactly(LENGTH_BYTES)
    except (anyio.IncompleteRead, anyio.EndOfStream) as died:
        await process.aclose()
        message = "The process that reads transcripts could not be started. Try --workers 0."
        raise SourceError("", message) from died
    return _Running(process, findings)


async def _ends_by_itself(process: Process) -> bool:
    with anyio.move_on_after(0.2):
        await process.wait()
        return True
    return False
