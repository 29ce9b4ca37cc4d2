"""What need not be read again: conversations that stand as they did when they were written."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.model import ThreadId
    from graph.records import ImportState
    from graph.store import ThreadGraph
    from importers.contract import ReadOptions, Source

IDS_AT_ONCE = 1_000


def standing_of(source: Source, options: ReadOptions) -> str:
    """How a source stands, what was asked of its reading, and which release reads it.

    A newer release may understand more of the same file.
    """
    asked = f"{options.content}:{options.redact:d}:{options.provider or ''}"
    return f"{source.fingerprint:016x}:{asked}:{version('thread-lineage')}"


async def unchanged_sources(
    graph: ThreadGraph, sources: Sequence[Source], options: ReadOptions
) -> Mapping[ThreadId, ImportState]:
    """What the graph has of the threads whose sources it remembers as they stand."""
    unchanged: dict[ThreadId, ImportState] = {}
    for start in range(0, len(sources), IDS_AT_ONCE):
        some = sources[start : start + IDS_AT_ONCE]
        states = await graph.import_states([source.thread_id for source in some])
        for source in some:
            state = states.get(source.thread_id)
            if state is not None and state.fingerprint == standing_of(source, options):
                unchanged[source.thread_id] = state
    return unchanged
