"""The part of the in-memory model that answers about threads together with their relatives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph.errors import BadInput
from graph.model import Thread, ThreadId
from graph.questions import MAX_FAMILY_LEVELS, Family, FamilyQuestion, Page

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from graph.store import ThreadGraph


async def family_of(
    graph: ThreadGraph, thread_ids: Collection[ThreadId], question: FamilyQuestion
) -> Family:
    """The threads and their relatives, asked one after the other."""
    if len(question.levels) > MAX_FAMILY_LEVELS:
        raise BadInput("A family has too many levels.")
    if any(level.children.after is not None for level in question.levels):
        raise BadInput("A level of a family has no place to begin at.")
    known = await graph.threads_by_id(thread_ids)
    levels: list[Mapping[ThreadId, Page[Thread]]] = []
    owners = set(known)
    for level in question.levels:
        narrow: Any = graph.selecting({Thread: level.fields})
        pages = await narrow.children(owners, level.children)
        levels.append(pages)
        owners = {row.thread_id for page in pages.values() for row in page.rows}
    return Family(
        threads=await graph.selecting({Thread: question.fields}).threads_by_id(known),
        parents=await _others(
            graph, question.parent, [thread.parent_thread_id for thread in known.values()]
        ),
        roots=await _others(
            graph, question.root, [thread.root_thread_id for thread in known.values()]
        ),
        levels=levels,
    )


async def _others(
    graph: ThreadGraph, fields: Collection[str] | None, thread_ids: Collection[ThreadId | None]
) -> Mapping[ThreadId, Thread]:
    if fields is None:
        return {}
    asked = [thread_id for thread_id in thread_ids if thread_id is not None]
    return await graph.selecting({Thread: fields}).threads_by_id(asked)
