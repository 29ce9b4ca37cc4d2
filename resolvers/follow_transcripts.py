"""Follow: what changes in a folder of transcripts is imported as it happens."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

import anyio
from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - a union of events

from graph.errors import SourceError, StoreTimeout, StoreUnavailable
from resolvers.find_transcripts import paths_to_read
from resolvers.first_failure import first_failure
from resolvers.import_transcripts import import_transcripts

if TYPE_CHECKING:
    from collections.abc import Callable

    from anyio.streams.memory import MemoryObjectSendStream

    from graph.errors import LineageError
    from graph.store import ThreadGraph
    from resolvers.import_report import ImportReport
    from resolvers.import_transcripts import ImportOrder

QUIET_MILLISECONDS = 500
"""Changes that follow each other faster than this are taken together."""

LOOK_AGAIN_MILLISECONDS = 30_000
"""How long no change is believed: file systems lose notices, and a silent turn is over one day."""


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
    go and be moved; a graph that is away for a while is *on_trouble*, and tried again.
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
                on_report(await import_transcripts(graph, order))
                async for _ in notices:
                    await _look(graph, order, on_report, on_trouble)
            finally:
                over.set()  # the thread that waits for changes hears of nothing else


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
    changes = awatch(
        *(path for path in paths_to_read(order.importers, order.selection) if path.exists()),
        debounce=4 * QUIET_MILLISECONDS,
        step=QUIET_MILLISECONDS,
        rust_timeout=look_again_milliseconds,
        yield_on_timeout=True,
        stop_event=over,
        ignore_permission_denied=True,
    )
    async for _ in changes:
        with suppress(anyio.WouldBlock):
            noticer.send_nowait(None)
