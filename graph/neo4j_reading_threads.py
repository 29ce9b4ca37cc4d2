"""Threads by id, and the thread list, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, ColumnRows
from graph.model import Thread, ThreadId
from graph.neo4j_reading_listing import FIELDS, WALKABLE, Listing, Span
from graph.neo4j_reading_pages import Columns, Count, once
from graph.questions import Page, ThreadOrder
from graph.statements import NoParameters, reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.questions import ThreadFilter, ThreadsQuestion
    from graph.runner import Runner

MOST_SELECTED = 5_000
"""From so many threads on, walking the index of a time finds a page sooner than sorting them."""


async def threads_by_id(
    runner: Runner, thread_ids: Collection[ThreadId], chosen: ChosenFields = ALL_FIELDS
) -> Mapping[ThreadId, Thread]:
    """The threads that are known, placeholders included."""
    asked = ThreadsById(thread_ids=once(thread_ids), columns=chosen.properties(Thread))
    answer = await runner.read_one(THREADS_BY_ID, asked)
    return {thread.thread_id: thread for thread in chosen.rows(Thread, answer.columns)}


async def thread_ids_starting_with(
    runner: Runner, prefix: str, *, first: int
) -> Sequence[ThreadId]:
    """The first ids, in order, that begin with a prefix."""
    answer = await runner.read_one(IDS_STARTING_WITH, Beginning(prefix=prefix, limit=first))
    return [ThreadId(thread_id) for thread_id in answer.thread_ids]


async def threads(
    runner: Runner, question: ThreadsQuestion, chosen: ChosenFields = ALL_FIELDS
) -> Page[Thread]:
    """A page of the thread list."""
    listing = Listing.of(question.filter, question.order)
    if listing is None:
        return Page()
    span = _between(listing, question)
    rows, listing = await _scan(
        runner, listing, span, question.first + 1, chosen, backward=question.backward
    )
    more = len(rows) > question.first
    rows = rows[: question.first]
    if question.backward:
        rows = rows[::-1]
        return Page(rows, await _has_behind(runner, listing, question), more)
    return Page(rows, more, await _has_before(runner, listing, question))


async def count_threads(runner: Runner, thread_filter: ThreadFilter) -> int:
    """How many threads the whole list holds."""
    listing = Listing.of(thread_filter, ThreadOrder.CREATED_DESC)
    if listing is None:
        return 0
    asked = CountThreads(
        archived=listing.archived, deleted=listing.deleted, filter=listing.conditions
    )
    if listing.by is None:
        return (await runner.read_one(COUNT_THREADS, asked)).count
    selected = CountSelected(
        by=listing.by, archived=asked.archived, deleted=asked.deleted, filter=asked.filter
    )
    return (await runner.read_one(COUNT_SELECTED, selected)).count


async def has_threads(runner: Runner) -> bool:
    """Whether anything was ever recorded."""
    return (await runner.read_one(ANY_RECORDED, NoParameters())).any_recorded


def _between(listing: Listing, question: ThreadsQuestion) -> Span:
    """What the filter and both bounds of the question leave."""
    begin, end = question.after, question.before
    newest, oldest = (begin, end) if listing.descending else (end, begin)
    span = listing.span
    if oldest is not None:
        span = replace(span, low=max(span.low, (oldest.at, oldest.thread_id)))
    if newest is not None:
        span = replace(span, high=min(span.high, (newest.at, newest.thread_id)))
    return span


async def _has_before(runner: Runner, listing: Listing, question: ThreadsQuestion) -> bool:
    """Whether the list's first row stands at or before the place after which a page begins."""
    after = question.after
    if after is None:
        return False
    rows, _ = await _scan(runner, listing, listing.span, 1, PLACE_ALONE, backward=False)
    return any(not listing.is_behind(listing.place(row), after) for row in rows)


async def _has_behind(runner: Runner, listing: Listing, question: ThreadsQuestion) -> bool:
    """Whether the list's last row stands at or behind the place before which a page ends."""
    after, before = question.after, question.before
    if before is None:
        return False
    rows, _ = await _scan(runner, listing, listing.span, 1, PLACE_ALONE, backward=True)
    places = [listing.place(row) for row in rows]
    return any(
        not listing.is_behind(before, place) and (after is None or listing.is_behind(place, after))
        for place in places
    )


PLACE_ALONE = ChosenFields({Thread: ()})
"""Threads of which nothing but their place in a list is asked."""


async def _scan(  # noqa: PLR0913 - a question in its parts
    runner: Runner,
    listing: Listing,
    span: Span,
    limit: int,
    chosen: ChosenFields,
    *,
    backward: bool,
) -> tuple[ColumnRows[Thread], Listing]:
    """The first threads of a span, from the list's beginning or, *backward*, from its end.

    The listing comes back without its selecting condition where that selects too many.
    """
    descending, time = listing.descending is not backward, FIELDS[listing.key]
    part = Part(
        low=span.low[0],
        low_id=span.low[1],
        high=span.high[0],
        high_id=span.high[1],
        limit=limit,
        columns=chosen.properties(Thread, time),
        archived=listing.archived,
        deleted=listing.deleted,
        filter=listing.conditions,
    )
    if listing.by is not None:
        selected = await runner.read_one(
            SELECTED,
            SelectedPart(
                by=listing.by,
                most=MOST_SELECTED,
                key=listing.key,
                descending=descending,
                low=part.low,
                low_id=part.low_id,
                high=part.high,
                high_id=part.high_id,
                limit=part.limit,
                columns=part.columns,
                archived=part.archived,
                deleted=part.deleted,
                filter=part.filter,
            ),
        )
        if selected.found < MOST_SELECTED or not listing.by.keys() & WALKABLE:
            return chosen.rows(Thread, selected.columns, time), listing
    answer = await runner.read_one(SCANS[listing.key, descending], part)
    return chosen.rows(Thread, answer.columns, time), replace(listing, by=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsById:
    """Which threads."""

    thread_ids: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How an id begins, and how many of them."""

    prefix: str
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A part of the thread list."""

    low: str
    low_id: str
    high: str
    high_id: str
    limit: int
    columns: list[str]
    archived: bool
    deleted: list[bool]
    filter: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectedPart:
    """A part of the thread list, of at most *most* threads that *by* selects."""

    by: dict[str, Any]
    most: int
    key: str
    descending: bool
    low: str
    low_id: str
    high: str
    high_id: str
    limit: int
    columns: list[str]
    archived: bool
    deleted: list[bool]
    filter: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountThreads:
    """Which list is counted."""

    archived: bool
    deleted: list[bool]
    filter: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSelected:
    """Which list is counted, of the threads that *by* selects."""

    by: dict[str, Any]
    archived: bool
    deleted: list[bool]
    filter: dict[str, Any]


class ThreadIds(msgspec.Struct, frozen=True):
    """Ids of threads."""

    thread_ids: list[str]


class Selected(msgspec.Struct, frozen=True):
    """Threads, and how many were looked at."""

    found: int
    columns: list[list[Any]]


class AnyRecorded(msgspec.Struct, frozen=True):
    """Whether there is any."""

    any_recorded: bool


THREADS_BY_ID = reading("threads/by_id", ThreadsById, Columns)
IDS_STARTING_WITH = reading("threads/ids_starting_with", Beginning, ThreadIds)
SCANS = {
    ("createdAt", True): reading("threads/created_descending", Part, Columns),
    ("createdAt", False): reading("threads/created_ascending", Part, Columns),
    ("updatedAt", True): reading("threads/updated_descending", Part, Columns),
    ("updatedAt", False): reading("threads/updated_ascending", Part, Columns),
    ("recencyAt", True): reading("threads/recency_descending", Part, Columns),
    ("recencyAt", False): reading("threads/recency_ascending", Part, Columns),
}
SELECTED = reading("threads/selected", SelectedPart, Selected)
COUNT_THREADS = reading("threads/count", CountThreads, Count)
COUNT_SELECTED = reading("threads/count_selected", CountSelected, Count)
ANY_RECORDED = reading("threads/any_recorded", NoParameters, AnyRecorded)
