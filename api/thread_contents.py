"""The fields of a thread that lead to what it holds."""

from collections.abc import Sequence
from typing import Any

import msgspec
import strawberry

from api.connections import ListedRow, Listing, ListQuestion, list_of
from api.context import Info, graph_of, rows_or_taken
from api.cursors import Cursors, cursors_of
from api.limits import ABSENT, given, page_size
from api.loaders import place_of
from api.rows import column_of, is_columnar
from graph.model import CapabilityRoot, Checkpoint, ContextWindow, Item, Run, Thread, ThreadId
from graph.questions import HistoryPosition, HistoryRun

ParentThread = strawberry.Parent[Thread]

CAPABILITY_ROOTS = msgspec.json.Decoder(list[CapabilityRoot])


def selected_capability_roots(thread: ParentThread) -> list[CapabilityRoot]:
    """The capabilities that the thread selected."""
    return capability_roots_in(thread.selected_capability_roots)


def capability_roots_in(stored: str | None) -> list[CapabilityRoot]:
    """The capabilities in the text that a thread keeps them in."""
    return [] if stored is None else CAPABILITY_ROOTS.decode(stored)


def runs(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    include_rolled_back: bool | None = True,  # noqa: FBT001, FBT002 - an argument of the schema
) -> Listing:
    """The thread's own runs, by ordinal."""
    question = runs_of(
        thread.thread_id, first=first, after=after, include_rolled_back=include_rolled_back
    )
    return list_of(info, thread.thread_id, question)


def runs_of(
    thread_id: ThreadId,
    *,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    include_rolled_back: bool | None = True,
) -> ListQuestion[ThreadId, Run, int]:
    """How runs are asked for; *after* is a place in the list of *thread_id*."""
    size, cursor, rolled_back = page_size(first), given(after), include_rolled_back is not False

    def cursors(owner: ThreadId) -> Cursors[int]:
        return cursors_of(int, "runs", owner, rolled_back)

    position = None if cursor is None else cursors(thread_id).read(cursor)
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.runs(
            thread_ids, include_rolled_back=rolled_back, first=size, after=position
        ),
        count=lambda graph, thread_ids: graph.count_runs(
            thread_ids, include_rolled_back=rolled_back
        ),
        cursors=cursors,
        positions=lambda found: column_of(found, "ordinal"),
    )


def history(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    include_rolled_back: bool | None = False,  # noqa: FBT001, FBT002 - an argument of the schema
) -> Listing:
    """The runs that the thread inherited, the farthest ancestor's first, and then its own."""
    question = history_of(
        thread.thread_id, first=first, after=after, include_rolled_back=include_rolled_back
    )
    return list_of(info, thread.thread_id, question)


def history_of(
    thread_id: ThreadId,
    *,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    include_rolled_back: bool | None = False,
) -> ListQuestion[ThreadId, HistoryRun, HistoryPosition]:
    """How a history is asked for; *after* is a place in the list of *thread_id*."""
    size, cursor, rolled_back = page_size(first), given(after), include_rolled_back is True

    def cursors(owner: ThreadId) -> Cursors[HistoryPosition]:
        return cursors_of(HistoryPosition, "history", owner, rolled_back)

    position = None if cursor is None else cursors(thread_id).read(cursor)
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.history(
            thread_ids, include_rolled_back=rolled_back, first=size, after=position
        ),
        count=lambda graph, thread_ids: graph.count_history(
            thread_ids, include_rolled_back=rolled_back
        ),
        cursors=cursors,
        positions=lambda found: map(
            HistoryPosition, column_of(found, "distance"), column_of(runs_in(found), "ordinal")
        ),
        nodes=runs_in,
        listed=lambda inherited, place: ListedRow(inherited.run, place),
    )


def runs_in(found: Sequence[HistoryRun]) -> Sequence[Any]:
    """The runs of a history; their columns where they have some."""
    return found if is_columnar(found) else [one.run for one in found]


def items(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The thread's own items, by position."""
    return list_of(info, thread.thread_id, items_of(thread.thread_id, first=first, after=after))


def items_of(
    thread_id: ThreadId, *, first: int | None = ABSENT, after: str | None = ABSENT
) -> ListQuestion[ThreadId, Item, int]:
    """How items are asked for; *after* is a place in the list of *thread_id*."""
    size, cursor = page_size(first), given(after)

    def cursors(owner: ThreadId) -> Cursors[int]:
        return cursors_of(int, "items", owner)

    position = None if cursor is None else cursors(thread_id).read(cursor)
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.items(thread_ids, first=size, after=position),
        count=lambda graph, thread_ids: graph.count_items(thread_ids),
        cursors=cursors,
        positions=lambda found: column_of(found, "position"),
    )


def checkpoints(
    thread: ParentThread,
    info: Info,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
) -> Listing:
    """The states of the files that the thread's runs left behind, by checkpoint id."""
    return list_of(
        info, thread.thread_id, checkpoints_of(thread.thread_id, first=first, after=after)
    )


def checkpoints_of(
    thread_id: ThreadId, *, first: int | None = ABSENT, after: str | None = ABSENT
) -> ListQuestion[ThreadId, Checkpoint, str]:
    """How checkpoints are asked for; *after* is a place in the list of *thread_id*."""
    size, cursor = page_size(first), given(after)

    def cursors(owner: ThreadId) -> Cursors[str]:
        return cursors_of(str, "checkpoints", owner)

    position = None if cursor is None else cursors(thread_id).read(cursor)
    return ListQuestion(
        fetch=lambda graph, thread_ids: graph.checkpoints(thread_ids, first=size, after=position),
        count=lambda graph, thread_ids: graph.count_checkpoints(thread_ids),
        cursors=cursors,
        positions=lambda found: column_of(found, "checkpoint_id"),
    )


async def context_windows(thread: ParentThread, info: Info) -> list[ContextWindow]:
    """The thread's context windows, by number."""
    graph, loaders = graph_of(info), info.context.loaders
    windows = await loaders.load(place_of(info), thread.thread_id, graph.context_windows)
    return await rows_or_taken(info, windows or ())
