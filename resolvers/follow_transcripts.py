"""Follow: what changes in a folder of transcripts is imported as it happens."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - a union of events

from graph.errors import SourceError, StoreTimeout, StoreUnavailable
from resolvers.import_transcripts import import_transcripts, paths_to_read

if TYPE_CHECKING:
    from collections.abc import Callable

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
    on_report(await import_transcripts(graph, order))
    changes = awatch(
        *paths_to_read(order),
        debounce=QUIET_MILLISECONDS * 4,
        step=QUIET_MILLISECONDS,
        rust_timeout=look_again_milliseconds,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    )
    async for _ in changes:
        try:
            report = await import_transcripts(graph, order)
        except (StoreUnavailable, StoreTimeout, SourceError) as error:
            on_trouble(error)
            continue
        if report.threads_written:
            on_report(report)
