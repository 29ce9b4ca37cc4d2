"""The fields of a thread that lead to what it holds."""

import msgspec
import strawberry

from api.connections import ListedRow, Listing, list_of
from api.context import Info
from api.cursors import cursors_of
from api.limits import ABSENT, given, page_size
from api.loaders import place_of
from graph.model import CapabilityRoot, ContextWindow, Thread
from graph.questions import HistoryPosition

ParentThread = strawberry.Parent[Thread]

CAPABILITY_ROOTS = msgspec.json.Decoder(list[CapabilityRoot])


def selected_capability_roots(thread: ParentThread) -> list[CapabilityRoot]:
    """The capabilities that the thread selected."""
    stored = thread.selected_capability_roots
    return [] if stored is None else CAPABILITY_ROOTS.decode(stored)


def runs(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    include_rolled_back: bool | None = True,  # noqa: FBT001, FBT002 - an argument of the schema
) -> Listing:
    """The thread's own runs, by ordinal."""
    graph, size, cursor = info.context.graph, page_size(first), given(after)
    rolled_back = include_rolled_back is not False
    cursors = cursors_of(int, "runs", thread.thread_id, rolled_back)
    position = None if cursor is None else cursors.read(cursor)
    return list_of(
        info,
        thread.thread_id,
        fetch=lambda thread_ids: graph.runs(
            thread_ids, include_rolled_back=rolled_back, first=size, after=position
        ),
        count=lambda thread_ids: graph.count_runs(thread_ids, include_rolled_back=rolled_back),
        cursors=cursors,
        position=lambda run: run.ordinal,
    )


def history(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    include_rolled_back: bool | None = False,  # noqa: FBT001, FBT002 - an argument of the schema
) -> Listing:
    """The runs that the thread inherited, the farthest ancestor's first, and then its own."""
    graph, size, cursor = info.context.graph, page_size(first), given(after)
    rolled_back = include_rolled_back is True
    cursors = cursors_of(HistoryPosition, "history", thread.thread_id, rolled_back)
    position = None if cursor is None else cursors.read(cursor)
    return list_of(
        info,
        thread.thread_id,
        fetch=lambda thread_ids: graph.history(
            thread_ids, include_rolled_back=rolled_back, first=size, after=position
        ),
        count=lambda thread_ids: graph.count_history(thread_ids, include_rolled_back=rolled_back),
        cursors=cursors,
        position=lambda inherited: HistoryPosition(inherited.distance, inherited.run.ordinal),
        listed=lambda inherited, place: ListedRow(inherited.run, place),
    )


def items(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The thread's own items, by position."""
    graph, size, cursor = info.context.graph, page_size(first), given(after)
    cursors = cursors_of(int, "items", thread.thread_id)
    position = None if cursor is None else cursors.read(cursor)
    return list_of(
        info,
        thread.thread_id,
        fetch=lambda thread_ids: graph.items(thread_ids, first=size, after=position),
        count=graph.count_items,
        cursors=cursors,
        position=lambda item: item.position,
    )


def checkpoints(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The states of the files that the thread's runs left behind, by checkpoint id."""
    graph, size, cursor = info.context.graph, page_size(first), given(after)
    cursors = cursors_of(str, "checkpoints", thread.thread_id)
    position = None if cursor is None else cursors.read(cursor)
    return list_of(
        info,
        thread.thread_id,
        fetch=lambda thread_ids: graph.checkpoints(thread_ids, first=size, after=position),
        count=graph.count_checkpoints,
        cursors=cursors,
        position=lambda checkpoint: str(checkpoint.checkpoint_id),
    )


async def context_windows(thread: ParentThread, info: Info) -> list[ContextWindow]:
    """The thread's context windows, by number."""
    graph, loaders = info.context.graph, info.context.loaders
    windows = await loaders.load(place_of(info), thread.thread_id, graph.context_windows)
    return list(windows or ())
