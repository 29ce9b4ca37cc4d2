"""Context transfers, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, column_names, rows_of
from graph.model import ThreadId, TransferId, TransferStatus, TransferType
from graph.neo4j_reading_pages import (
    Columns,
    Count,
    CountOf,
    PageOf,
    counts_of,
    once,
    page_of,
)
from graph.questions import Direction
from graph.statements import reading
from graph.stored_transfers import StoredHandoff, StoredTransfer, stored_fields

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from enum import StrEnum

    from graph.questions import (
        Page,
        ThreadTransfersQuestion,
        TransferFilter,
        TransfersQuestion,
    )
    from graph.runner import Runner
    from graph.transfers import Handoff, HandoffId, Transfer

EVER = "~"
"""Later than any time, as text."""


async def transfers_by_id(
    runner: Runner, transfer_ids: Collection[TransferId], chosen: ChosenFields = ALL_FIELDS
) -> Mapping[TransferId, Transfer]:
    """The transfers that are known."""
    stored = stored_fields(chosen)
    asked = TransfersById(
        transfer_ids=once(transfer_ids), columns=stored.properties(StoredTransfer)
    )
    answer = await runner.read_one(TRANSFERS_BY_ID, asked)
    return {transfer.transfer_id: transfer for transfer in _shown(stored, answer.columns)}


async def handoffs(
    runner: Runner, transfer_ids: Collection[TransferId], chosen: ChosenFields = ALL_FIELDS
) -> Mapping[TransferId, Handoff]:
    """What the transfers carry now."""
    carried = stored_fields(chosen)
    asked = TransfersById(
        transfer_ids=once(transfer_ids), columns=carried.properties(StoredHandoff)
    )
    answer = await runner.read_one(HANDOFFS_OF, asked)
    found = [stored.shown() for stored in carried.rows(StoredHandoff, answer.columns)]
    return dict(zip(answer.owner_ids, found, strict=True))


async def handoffs_by_id(
    runner: Runner, handoff_ids: Collection[HandoffId]
) -> Mapping[HandoffId, Handoff]:
    """The handoffs that were made."""
    asked = HandoffsById(handoff_ids=once(handoff_ids), columns=column_names(StoredHandoff))
    answer = await runner.read_one(HANDOFFS_BY_ID, asked)
    found = [stored.shown() for stored in rows_of(StoredHandoff, answer.columns)]
    return {handoff.handoff_id: handoff for handoff in found}


async def transfers(
    runner: Runner, question: TransfersQuestion, chosen: ChosenFields = ALL_FIELDS
) -> Page[Transfer]:
    """A page of all transfers that meet the filter."""
    stored = stored_fields(chosen)
    asked, after = question.filter, question.after
    conditions, by = _conditions(asked), _selecting(asked)
    place: dict[str, Any] = {
        "after_at": "" if after is None else after.at,
        "after_id": "" if after is None else after.transfer_id,
        "limit": question.first + 1,
        "columns": stored.properties(StoredTransfer),
    }
    if by is None:
        low = max(conditions["start"], place["after_at"])
        answer = await runner.read_one(LISTED, Listed(low=low, **conditions, **place))
    else:
        selected = Selected(by=by, filter=_filter(asked), **conditions, **place)
        answer = await runner.read_one(SELECTED, selected)
    found = _shown(stored, answer.columns)
    return page_of(found, question.first, has_previous=answer.has_previous)


async def count_transfers(runner: Runner, transfer_filter: TransferFilter) -> int:
    """How many transfers meet the filter."""
    conditions, by = _conditions(transfer_filter), _selecting(transfer_filter)
    if by is None:
        return (await runner.read_one(COUNT_LISTED, CountListed(**conditions))).count
    asked = CountSelected(by=by, filter=_filter(transfer_filter), **conditions)
    return (await runner.read_one(COUNT_SELECTED, asked)).count


async def thread_transfers(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    question: ThreadTransfersQuestion,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[Transfer]]:
    """A page of each thread's transfers."""
    after, stored = question.after, stored_fields(chosen)
    asked = OfThreads(
        thread_ids=once(thread_ids),
        into=question.direction is not Direction.OUT,
        out=question.direction is not Direction.IN,
        statuses=_words(TransferStatus, question.statuses),
        after_at="" if after is None else after.at,
        after_id="" if after is None else after.transfer_id,
        limit=question.first + 1,
        columns=stored.properties(StoredTransfer),
    )
    return {
        ThreadId(answer.owner_id): page_of(
            _shown(stored, answer.columns), question.first, has_previous=answer.has_previous
        )
        for answer in await runner.read(OF_THREADS, asked)
    }


async def count_thread_transfers(
    runner: Runner, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
) -> Mapping[ThreadId, int]:
    """How many transfers each thread has."""
    asked = CountOfThreads(
        thread_ids=once(thread_ids),
        into=question.direction is not Direction.OUT,
        out=question.direction is not Direction.IN,
        statuses=_words(TransferStatus, question.statuses),
    )
    return counts_of(ThreadId, await runner.read(COUNT_OF_THREADS, asked))


def _shown(stored: ChosenFields, columns: Sequence[Sequence[Any]]) -> list[Transfer]:
    return [row.shown() for row in stored.rows(StoredTransfer, columns)]


def _words(every: type[StrEnum], asked: Collection[str] | None) -> list[str]:
    """The words that a condition allows, each once; all where there is none."""
    return [word.value for word in every if asked is None or word in asked]


def _conditions(asked: TransferFilter) -> dict[str, Any]:
    return {
        "statuses": _words(TransferStatus, asked.statuses),
        "types": _words(TransferType, asked.types),
        "start": asked.created_after or "",
        "high": asked.created_before or EVER,
    }


def _selecting(asked: TransferFilter) -> dict[str, list[str]] | None:
    """Where the condition that selects the fewest is looked up; ``None`` without such a one."""
    by: dict[str, list[str]] = {"ids": [], "targets": [], "sources": []}
    if asked.ids is not None:
        by["ids"] = once(asked.ids)
    elif asked.target_thread_id is not None:
        by["targets"] = [asked.target_thread_id]
    elif asked.source_thread_id is not None:
        by["sources"] = [asked.source_thread_id]
    elif asked.thread_id is not None:
        by["targets"] = by["sources"] = [asked.thread_id]
    else:
        return None
    return by


def _filter(asked: TransferFilter) -> dict[str, Any]:
    return {
        "ids": None if asked.ids is None else list(asked.ids),
        "source_thread_id": asked.source_thread_id,
        "target_thread_id": asked.target_thread_id,
        "thread_id": asked.thread_id,
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersById:
    """Which transfers."""

    transfer_ids: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class HandoffsById:
    """Which handoffs."""

    handoff_ids: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Which transfers of the whole list."""

    statuses: list[str]
    types: list[str]
    start: str
    low: str
    high: str
    after_at: str
    after_id: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountListed:
    """Which transfers of the whole list are counted."""

    statuses: list[str]
    types: list[str]
    start: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Selected:
    """Which transfers of those that a condition selects."""

    by: dict[str, list[str]]
    filter: dict[str, Any]
    statuses: list[str]
    types: list[str]
    start: str
    high: str
    after_at: str
    after_id: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSelected:
    """Which transfers of those that a condition selects are counted."""

    by: dict[str, list[str]]
    filter: dict[str, Any]
    statuses: list[str]
    types: list[str]
    start: str
    high: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OfThreads:
    """Whose transfers, at which ends, behind which place."""

    thread_ids: list[str]
    into: bool
    out: bool
    statuses: list[str]
    after_at: str
    after_id: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountOfThreads:
    """Whose transfers are counted, at which ends."""

    thread_ids: list[str]
    into: bool
    out: bool
    statuses: list[str]


class TransferColumns(msgspec.Struct, frozen=True):
    """Transfers, a column a property."""

    columns: list[list[Any]]


class HandoffColumns(msgspec.Struct, frozen=True):
    """Handoffs, a column a property, beside the transfers that carry them."""

    owner_ids: list[TransferId]
    columns: list[list[Any]]


class TransferPage(msgspec.Struct, frozen=True):
    """A page of transfers, and whether rows stand before it."""

    columns: list[list[Any]]
    has_previous: bool


TRANSFERS_BY_ID = reading("transfers/by_id", TransfersById, TransferColumns)
HANDOFFS_BY_ID = reading("transfers/handoffs_by_id", HandoffsById, Columns)
HANDOFFS_OF = reading("transfers/handoffs", TransfersById, HandoffColumns)
LISTED = reading("transfers/listed", Listed, TransferPage)
COUNT_LISTED = reading("transfers/count_listed", CountListed, Count)
SELECTED = reading("transfers/selected", Selected, TransferPage)
COUNT_SELECTED = reading("transfers/count_selected", CountSelected, Count)
OF_THREADS = reading("transfers/of_threads", OfThreads, PageOf)
COUNT_OF_THREADS = reading("transfers/count_of_threads", CountOfThreads, CountOf)
