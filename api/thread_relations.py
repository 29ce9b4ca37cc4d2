"""The fields of a thread that lead to other threads."""

from collections.abc import Sequence
from typing import Any

import strawberry

from api.connections import Listing, ListQuestion, list_of
from api.context import Info, graph_of, row_or_taken, rows_or_taken
from api.cursors import Cursors, cursors_of
from api.descendants import ListedDescendant
from api.enums import EdgeKind
from api.limits import ABSENT, given, hops, page_size
from api.loaders import place_of
from api.node import look_up_thread
from api.rows import column_of, is_columnar
from api.walks import refuse_status_of_other_kinds, walked_kinds
from graph.model import ForkOrigin, HistoryBase, SpawnEdge, Thread, ThreadId
from graph.questions import (
    ChildrenQuestion,
    Descendant,
    DescendantPosition,
    DescendantsQuestion,
)

ParentThread = strawberry.Parent[Thread]


async def root(thread: ParentThread, info: Info) -> Thread | None:
    """The top of the thread's tree."""
    return await look_up_thread(info, thread.root_thread_id)


async def parent(thread: ParentThread, info: Info) -> Thread | None:
    """What the thread hangs below."""
    if thread.parent_thread_id is None:
        return None
    return await row_or_taken(info, await look_up_thread(info, thread.parent_thread_id))


async def forked_from(thread: ParentThread, info: Info) -> ForkOrigin | None:
    """Where the thread was forked from."""
    graph, loaders = info.context.graph, info.context.loaders
    origin = await loaders.load(place_of(info), thread.thread_id, graph.fork_origins)
    return await row_or_taken(info, origin)


async def history_base(thread: ParentThread, info: Info) -> HistoryBase | None:
    """Whose history the thread goes on from by reference."""
    graph, loaders = info.context.graph, info.context.loaders
    base = await loaders.load(place_of(info), thread.thread_id, graph.history_bases)
    return await row_or_taken(info, base)


async def ancestors(
    thread: ParentThread, info: Info, kinds: list[EdgeKind] | None = ABSENT
) -> list[Thread]:
    """All threads above the thread, nearest first."""
    graph, loaders, walked = graph_of(info), info.context.loaders, walked_kinds(kinds)
    above = await loaders.load(
        place_of(info), thread.thread_id, lambda thread_ids: graph.ancestors(thread_ids, walked)
    )
    return await rows_or_taken(info, above or ())


def descendants(  # noqa: PLR0913, PLR0917 - these are the arguments of the schema
    thread: ParentThread,
    info: Info,
    kinds: list[EdgeKind] | None = ABSENT,
    spawn_status: str | None = ABSENT,
    max_depth: int | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """All threads below the thread, by depth and thread id."""
    question = descendants_of(
        thread.thread_id,
        kinds=kinds,
        spawn_status=spawn_status,
        max_depth=max_depth,
        first=first,
        after=after,
    )
    return list_of(info, thread.thread_id, question)


def descendants_of(  # noqa: PLR0913 - these are the arguments of the schema
    thread_id: ThreadId,
    *,
    kinds: list[EdgeKind] | None = ABSENT,
    spawn_status: str | None = ABSENT,
    max_depth: int | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> ListQuestion[ThreadId, Descendant, DescendantPosition]:
    """How descendants are asked for; *after* is a place in the list of *thread_id*."""
    cursor, walked, status = given(after), walked_kinds(kinds), given(spawn_status)
    depth = hops(max_depth)
    refuse_status_of_other_kinds(status, walked)

    def cursors(owner: ThreadId) -> Cursors[DescendantPosition]:
        return cursors_of(DescendantPosition, "descendants", owner, walked, status, depth)

    question = DescendantsQuestion(
        kinds=walked,
        spawn_status=status,
        max_depth=depth,
        first=page_size(first),
        after=None if cursor is None else cursors(thread_id).read(cursor),
    )
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.descendants(thread_ids, question),
        count=lambda graph, thread_ids: graph.count_descendants(thread_ids, question),
        cursors=cursors,
        positions=lambda found: map(
            DescendantPosition,
            column_of(found, "depth"),
            column_of(threads_in(found), "thread_id"),
        ),
        nodes=threads_in,
        facts=lambda found: {"depth": column_of(found, "depth")},
        listed=lambda found, place: ListedDescendant(found.thread, place, found.depth),
    )


def threads_in(found: Sequence[Descendant]) -> Sequence[Any]:
    """The threads of descendants; their columns where they have some."""
    return found if is_columnar(found) else [one.thread for one in found]


def children(  # noqa: PLR0913, PLR0917 - these are the arguments of the schema
    thread: ParentThread,
    info: Info,
    kinds: list[EdgeKind] | None = ABSENT,
    spawn_status: str | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The threads directly below the thread, by thread id."""
    question = children_of(
        thread.thread_id, kinds=kinds, spawn_status=spawn_status, first=first, after=after
    )
    return list_of(info, thread.thread_id, question)


def children_of(
    thread_id: ThreadId,
    *,
    kinds: list[EdgeKind] | None = ABSENT,
    spawn_status: str | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> ListQuestion[ThreadId, Thread, str]:
    """How children are asked for; *after* is a place in the list of *thread_id*."""
    cursor, walked, status = given(after), walked_kinds(kinds), given(spawn_status)
    refuse_status_of_other_kinds(status, walked)

    def cursors(owner: ThreadId) -> Cursors[str]:
        return cursors_of(str, "children", owner, walked, status)

    question = ChildrenQuestion(
        kinds=walked,
        spawn_status=status,
        first=page_size(first),
        after=None if cursor is None else ThreadId(cursors(thread_id).read(cursor)),
    )
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.children(thread_ids, question),
        count=lambda graph, thread_ids: graph.count_children(thread_ids, question),
        cursors=cursors,
        positions=lambda found: column_of(found, "thread_id"),
    )


def spawn_edges(
    thread: ParentThread,
    info: Info,
    status: str | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The spawns that the thread made itself, by the child's thread id."""
    question = spawn_edges_of(thread.thread_id, status=status, first=first, after=after)
    return list_of(info, thread.thread_id, question)


def spawn_edges_of(
    thread_id: ThreadId,
    *,
    status: str | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> ListQuestion[ThreadId, SpawnEdge, str]:
    """How spawns are asked for; *after* is a place in the list of *thread_id*."""
    size, cursor, word = page_size(first), given(after), given(status)

    def cursors(owner: ThreadId) -> Cursors[str]:
        return cursors_of(str, "spawnEdges", owner, word)

    position = None if cursor is None else ThreadId(cursors(thread_id).read(cursor))
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.spawn_edges(
            thread_ids, status=word, first=size, after=position
        ),
        count=lambda graph, thread_ids: graph.count_spawn_edges(thread_ids, status=word),
        cursors=cursors,
        positions=lambda found: column_of(found, "child_thread_id"),
    )
