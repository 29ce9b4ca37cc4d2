"""The list of threads: filtered, ordered, and paged in both directions."""

from collections.abc import Sequence

from api.connections import Listing, ListQuestion, list_of
from api.context import Info
from api.cursors import cursors_of
from api.enums import ThreadOrder
from api.limits import ABSENT, DEFAULT_THREADS_PAGE, MAX_THREADS_PAGE, given, page_size
from api.rows import column_of
from api.thread_filter import ThreadFilter, conditions_of
from graph.errors import BadInput
from graph.model import Thread, Timestamp
from graph.questions import Page, ThreadPosition, ThreadsQuestion
from graph.store import ThreadGraph


def threads(  # noqa: PLR0913, PLR0917 - these are the arguments of the schema
    info: Info,
    filter: ThreadFilter | None = ABSENT,  # noqa: A002 - the schema's word
    order_by: ThreadOrder | None = ABSENT,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    last: int | None = ABSENT,
    before: str | None = ABSENT,
) -> Listing:
    """The threads that meet the filter: the first after a cursor, or the last before one."""
    question = threads_matching(
        filter, order_by, first=first, after=after, last=last, before=before
    )
    return list_of(info, "threads", question)


def threads_matching(  # noqa: PLR0913 - these are the arguments of the schema
    thread_filter: ThreadFilter | None,
    order_by: ThreadOrder | None,
    *,
    first: int | None = ABSENT,
    after: str | None = ABSENT,
    last: int | None = ABSENT,
    before: str | None = ABSENT,
) -> ListQuestion[str, Thread, ThreadPosition]:
    """How the threads that meet a filter are asked for."""
    backward = given(last) is not None
    if backward and given(first) is not None:
        raise BadInput("first and last are two directions: ask with one of them.")
    conditions, order = conditions_of(thread_filter), given(order_by) or ThreadOrder.CREATED_DESC
    cursors = cursors_of(ThreadPosition, "threads", conditions, order)
    bounds = [
        None if cursor is None else cursors.read(cursor)
        for cursor in (given(after), given(before))
    ]
    question = ThreadsQuestion(
        filter=conditions,
        order=order,
        first=page_size(
            last if backward else first,
            name="last" if backward else "first",
            default=DEFAULT_THREADS_PAGE,
            most=MAX_THREADS_PAGE,
        ),
        after=bounds[0],
        before=bounds[1],
        backward=backward,
    )

    async def fetch(graph: ThreadGraph, lists: list[str]) -> dict[str, Page[Thread]]:
        return dict.fromkeys(lists, await graph.threads(question))

    async def count(graph: ThreadGraph, lists: list[str]) -> dict[str, int]:
        return dict.fromkeys(lists, await graph.count_threads(conditions))

    return ListQuestion(
        fetch=fetch,
        count=count,
        cursors=lambda _: cursors,
        positions=lambda found: map(
            ThreadPosition, times_of(found, order), column_of(found, "thread_id")
        ),
    )


def times_of(threads: Sequence[Thread], order: ThreadOrder) -> Sequence[Timestamp]:
    """The times that listed threads are ordered by."""
    match order:
        case ThreadOrder.CREATED_DESC | ThreadOrder.CREATED_ASC:
            times = column_of(threads, "created_at")
        case ThreadOrder.UPDATED_DESC | ThreadOrder.UPDATED_ASC:
            times = column_of(threads, "updated_at")
        case ThreadOrder.RECENCY_DESC | ThreadOrder.RECENCY_ASC:
            times = column_of(threads, "recency_at")
    if None in times:
        unordered = threads[times.index(None)].thread_id
        raise ValueError(f"The listed thread {unordered!r} has no time to order it by.")
    return times
