"""What need not be read again: conversations that stand as they did when they were written."""

from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph.model import ThreadId
    from graph.records import ImportState
    from graph.store import ThreadGraph
    from importers.contract import Importer, ReadOptions, Source

IDS_AT_ONCE = 1_000


def standings_of(
    sources: Iterable[Source], importer: Importer, options: ReadOptions
) -> dict[ThreadId, str]:
    """How each source stands, what was asked of its reading, and who reads it.

    A newer release, or a newer reader in the same one, may understand more of the same file.
    """
    asked = f"{options.content}:{options.redact:d}:{options.provider or ''}"
    way = f"{asked}:{version('thread-lineage')}:{importer.reader}"
    return {source.thread_id: f"{source.fingerprint:016x}:{way}" for source in sources}


async def unchanged_sources(
    graph: ThreadGraph, standings: Mapping[ThreadId, str]
) -> Mapping[ThreadId, ImportState]:
    """What the graph has of the threads whose sources it remembers as they stand."""
    unchanged: dict[ThreadId, ImportState] = {}
    thread_ids = list(standings)
    for start in range(0, len(thread_ids), IDS_AT_ONCE):
        states = await graph.import_states(thread_ids[start : start + IDS_AT_ONCE])
        unchanged.update(
            (thread_id, state)
            for thread_id, state in states.items()
            if state.fingerprint == standings[thread_id]
        )
    return unchanged
