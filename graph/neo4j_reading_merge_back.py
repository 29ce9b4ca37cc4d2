"""What forks could bring back to the threads that they were forked from, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, ColumnPairs
from graph.model import ACTIVE_STATUSES, Item, Run, RunId, SourcePoint, ThreadId
from graph.neo4j_reading_pages import once, page_of
from graph.questions import (
    ITSELF,
    BroughtItem,
    BroughtPosition,
    MergeBackDelta,
    MergeBackSums,
)
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.questions import Page
    from graph.runner import Runner

BEGINNING = BroughtPosition(position=-1)

CONVERSATION = ("completed", "waiting", "failed", "interrupted")
"""The words for a run that was part of the conversation."""

PAYLOAD_KINDS = ("plan", "command", "error", "interrupt", "file_change")
"""The kinds of items that are told another thread, besides messages of the two who speak."""


async def deltas(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    run_id: RunId | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, MergeBackDelta]:
    """What each fork among the threads could bring back."""
    found = await _deltas(runner, [(one, run_id) for one in dict.fromkeys(thread_ids)], chosen)
    return {fork_id: delta for (fork_id, _), delta in found.items()}


async def deltas_to(
    runner: Runner,
    tips: Collection[tuple[ThreadId, RunId]],
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[tuple[ThreadId, RunId], MergeBackDelta]:
    """What each fork could bring back up to a run."""
    found = await _deltas(runner, list(dict.fromkeys(tips)), chosen)
    return {(fork_id, delta.tip_run_id): delta for (fork_id, _), delta in found.items()}


async def _deltas(
    runner: Runner, forks: Sequence[tuple[ThreadId, RunId | None]], chosen: ChosenFields
) -> Mapping[tuple[ThreadId, RunId | None], MergeBackDelta]:
    asked = Deltas(
        forks=[{"thread_id": thread_id, "run_id": run_id} for thread_id, run_id in forks],
        columns=chosen.properties(Run),
    )
    return {
        (answer.fork_id, answer.asked_run_id): MergeBackDelta(
            fork_thread_id=answer.fork_id,
            into_thread_id=answer.source_id,
            base=SourcePoint(
                # A run that was never recorded is named after the source.
                thread_id=answer.point_thread_id or answer.source_id,
                run_id=answer.point_run_id,
            ),
            tip_run_id=answer.tip_run_id,
            runs=chosen.rows(Run, answer.columns),
        )
        for answer in await runner.read(DELTAS, asked)
    }


async def sums(runner: Runner, tip_run_ids: Collection[RunId]) -> Mapping[RunId, MergeBackSums]:
    """How much comes back up to each run."""
    return {
        answer.tip_run_id: MergeBackSums(
            item_count=answer.item_count,
            already_delivered=answer.already_delivered,
            files_changed=sorted({name for text in answer.changes for name in text.splitlines()}),
        )
        for answer in await runner.read(SUMS, Sums(tip_run_ids=once(tip_run_ids)))
    }


async def items(
    runner: Runner,
    tip_run_ids: Collection[RunId],
    *,
    first: int,
    after: BroughtPosition | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[RunId, Page[BroughtItem]]:
    """A page of what comes back up to each run."""
    begin = after or BEGINNING
    asked = Items(
        tip_run_ids=once(tip_run_ids),
        after=begin.position if begin.number == ITSELF else begin.position - 1,
        after_position=begin.position,
        after_number=begin.number,
        limit=first + 1,
        columns=chosen.properties(Item),
    )
    return {
        answer.tip_run_id: page_of(
            ColumnPairs(
                BroughtItem,
                chosen.rows(Item, answer.columns),
                "place",
                list(map(BroughtPosition, answer.positions, answer.numbers)),
            ),
            first,
            has_previous=answer.has_previous,
        )
        for answer in await runner.read(ITEMS, asked)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Deltas:
    """Which forks, each by *thread_id*, and up to which *run_id* or to their latest stable one."""

    forks: list[dict[str, str | None]]
    columns: list[str]
    active: list[str] = field(default_factory=lambda: sorted(ACTIVE_STATUSES))
    conversation: tuple[str, ...] = CONVERSATION


@dataclass(frozen=True, slots=True, kw_only=True)
class Sums:
    """Up to which runs."""

    tip_run_ids: list[str]
    conversation: tuple[str, ...] = CONVERSATION
    kinds: tuple[str, ...] = PAYLOAD_KINDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Up to which runs, behind which place, and behind which of the fork's own positions."""

    tip_run_ids: list[str]
    after: int
    after_position: int
    after_number: int
    limit: int
    columns: list[str]
    itself: int = ITSELF
    conversation: tuple[str, ...] = CONVERSATION
    kinds: tuple[str, ...] = PAYLOAD_KINDS


class DeltaOf(msgspec.Struct, frozen=True):
    """One fork's point and tip, and the runs up to it."""

    fork_id: ThreadId
    asked_run_id: RunId | None
    source_id: ThreadId
    point_run_id: RunId
    point_thread_id: ThreadId | None
    tip_run_id: RunId
    columns: list[list[Any]]


class SumsOf(msgspec.Struct, frozen=True):
    """One tip's numbers of items, and the texts of its changes of files."""

    tip_run_id: RunId
    item_count: int
    already_delivered: int
    changes: list[str]


class ItemsOf(msgspec.Struct, frozen=True):
    """One tip's page of items, and their places."""

    tip_run_id: RunId
    positions: list[int]
    numbers: list[int]
    columns: list[list[Any]]
    has_previous: bool


DELTAS = reading("merge_back/deltas", Deltas, DeltaOf)
SUMS = reading("merge_back/sums", Sums, SumsOf)
ITEMS = reading("merge_back/items", Items, ItemsOf)
