"""Follow: what changes in folders of transcripts is imported as it happens.

However many files there are, none is held open: the system tells of changes by one descriptor, and
what changed is opened, read and closed again.
"""

from __future__ import annotations

from contextlib import aclosing, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import anyio
from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - a union of events

from graph.errors import SourceError, SourceNotFound, StoreTimeout, StoreUnavailable
from resolvers.find_transcripts import paths_to_read
from resolvers.first_failure import first_failure
from resolvers.import_transcripts import import_transcripts

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Mapping
    from pathlib import Path

    from anyio.streams.memory import MemoryObjectSendStream

    from graph.errors import LineageError
    from graph.store import ThreadGraph
    from resolvers.import_report import ImportReport
    from resolvers.import_transcripts import ImportOrder

_Identity: TypeAlias = "tuple[int, int]"

QUIET_MILLISECONDS = 500
"""Changes that follow each other faster than this are taken together."""

LOOK_AGAIN_MILLISECONDS = 30_000
"""How long no change is believed: file systems lose notices, and a silent turn is over one day.

A tool that is used for the first time is found then, too.
"""


async def follow_transcripts(
    graph: ThreadGraph,
    order: ImportOrder,
    *,
    on_report: Callable[[ImportReport], None],
    on_trouble: Callable[[LineageError], None],
    look_again_milliseconds: int = LOOK_AGAIN_MILLISECONDS,
) -> None:
    """Import, then go on importing what changes, until cancelled.

    *on_report* hears of the first import and of every one that wrote something. Files may come,
    go and be moved; a graph that is away for a while is *on_trouble*, and tried again. So are,
    where no paths were chosen, tools that have no transcripts yet.
    Raises what keeps the first import from being done.
    """
    order = replace(order, seen={} if order.seen is None else order.seen)
    noticer, notices = anyio.create_memory_object_stream[None](1)
    over = anyio.Event()
    with first_failure():
        async with noticer, notices, anyio.create_task_group() as together:
            # Watching begins first, so that nothing changes unseen while the import runs.
            together.start_soon(_watch, order, noticer, look_again_milliseconds, over)
            try:
                await _begin(graph, order, on_report, on_trouble)
                async for _ in notices:
                    await _look(graph, order, on_report, on_trouble)
            finally:
                over.set()  # the thread that waits for changes hears of nothing else


async def _begin(
    graph: ThreadGraph,
    order: ImportOrder,
    on_report: Callable[[ImportReport], None],
    on_trouble: Callable[[LineageError], None],
) -> None:
    """Import what is there; that there is nothing yet is only wrong of a path that was named."""
    try:
        on_report(await import_transcripts(graph, order))
    except SourceNotFound as error:
        if order.selection.paths:
            raise
        on_trouble(error)


async def _look(
    graph: ThreadGraph,
    order: ImportOrder,
    on_report: Callable[[ImportReport], None],
    on_trouble: Callable[[LineageError], None],
) -> None:
    """Import what changed."""
    try:
        report = await import_transcripts(graph, order)
    except (StoreUnavailable, StoreTimeout, SourceError) as error:
        on_trouble(error)
    else:
        if report.threads_written:
            on_report(report)


async def _watch(
    order: ImportOrder,
    noticer: MemoryObjectSendStream[None],
    look_again_milliseconds: int,
    over: anyio.Event,
) -> None:
    """Give notice of changes; one that nobody has looked at yet stands for those after it."""
    while not over.is_set():
        watched = await _places(order)
        async with aclosing(_changes(watched, look_again_milliseconds, over)) as changes:
            async for _ in changes:
                with suppress(anyio.WouldBlock):
                    noticer.send_nowait(None)
                if await _places(order) != watched:
                    break  # one came, went, or is another one of the same name


async def _changes(
    places: Mapping[Path, _Identity], look_again_milliseconds: int, over: anyio.Event
) -> AsyncGenerator[None]:
    """Something each time that something changed, and after a while without a change."""
    if not places:
        with anyio.move_on_after(look_again_milliseconds / 1000):
            await over.wait()
        yield
        return
    changes = awatch(
        *places,
        debounce=4 * QUIET_MILLISECONDS,
        step=QUIET_MILLISECONDS,
        rust_timeout=look_again_milliseconds,
        yield_on_timeout=True,
        stop_event=over,
        ignore_permission_denied=True,
    )
    async with aclosing(changes):
        async for _ in changes:
            yield


async def _places(order: ImportOrder) -> Mapping[Path, _Identity]:
    """The folders and files to watch that are there, and which ones they are."""
    paths = await anyio.to_thread.run_sync(paths_to_read, order.importers, order.selection)
    places: dict[Path, _Identity] = {}
    for path in paths:
        with suppress(OSError):
            found = path.stat()
            places[path] = (found.st_dev, found.st_ino)
    return places
