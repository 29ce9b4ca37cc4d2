"""What threads hold, out of Neo4j: runs, items, checkpoints and context windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, column_names, rows_of
from graph.model import (
    Checkpoint,
    CheckpointId,
    ContextWindow,
    Item,
    NativeRef,
    Run,
    RunId,
    Strength,
    ThreadId,
    Timestamp,
)
from graph.neo4j_reading_pages import (
    Columns,
    ColumnsOf,
    CountOf,
    PageOf,
    counts_of,
    once,
    page_of,
    pages_of,
)
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.questions import Page
    from graph.runner import Runner


async def runs_by_id(
    runner: Runner, run_ids: Collection[RunId], chosen: ChosenFields = ALL_FIELDS
) -> Mapping[RunId, Run]:
    """The runs that are known."""
    asked = RunsById(run_ids=once(run_ids), columns=chosen.properties(Run))
    answer = await runner.read_one(RUNS_BY_ID, asked)
    return {run.run_id: run for run in chosen.rows(Run, answer.columns)}


async def runs(  # noqa: PLR0913 - the store's question in its parts, and what of it is read
    runner: Runner,
    thread_ids: Collection[ThreadId],
    *,
    include_rolled_back: bool,
    first: int,
    after: int | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[Run]]:
    """A page of each thread's own runs."""
    asked = Runs(
        thread_ids=once(thread_ids),
        include_rolled_back=include_rolled_back,
        after=-1 if after is None else after,
        limit=first + 1,
        columns=chosen.properties(Run),
    )
    return pages_of(Run, ThreadId, await runner.read(RUNS, asked), first, chosen)


async def count_runs(
    runner: Runner, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
) -> Mapping[ThreadId, int]:
    """How many own runs each thread has."""
    asked = CountRuns(thread_ids=once(thread_ids), include_rolled_back=include_rolled_back)
    return counts_of(ThreadId, await runner.read(COUNT_RUNS, asked))


async def items(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    *,
    first: int,
    after: int | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[Item]]:
    """A page of each thread's items."""
    asked = Items(
        thread_ids=once(thread_ids),
        after=-1 if after is None else after,
        limit=first + 1,
        columns=chosen.properties(Item),
    )
    return pages_of(Item, ThreadId, await runner.read(ITEMS, asked), first, chosen)


async def count_items(runner: Runner, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
    """How many items each thread has."""
    asked = OfThreads(thread_ids=once(thread_ids))
    return counts_of(ThreadId, await runner.read(COUNT_ITEMS, asked))


async def items_of_runs(
    runner: Runner,
    run_ids: Collection[RunId],
    *,
    first: int,
    after: int | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[RunId, Page[Item]]:
    """A page of each run's items."""
    asked = ItemsOfRuns(
        run_ids=once(run_ids),
        after=-1 if after is None else after,
        limit=first + 1,
        columns=chosen.properties(Item),
    )
    return pages_of(Item, RunId, await runner.read(ITEMS_OF_RUNS, asked), first, chosen)


async def count_items_of_runs(runner: Runner, run_ids: Collection[RunId]) -> Mapping[RunId, int]:
    """How many items each run has."""
    asked = OfRuns(run_ids=once(run_ids))
    return counts_of(RunId, await runner.read(COUNT_ITEMS_OF_RUNS, asked))


async def checkpoints(
    runner: Runner, thread_ids: Collection[ThreadId], *, first: int, after: str | None
) -> Mapping[ThreadId, Page[Checkpoint]]:
    """A page of each thread's checkpoints."""
    asked = Checkpoints(
        thread_ids=once(thread_ids),
        after=after or "",
        limit=first + 1,
        columns=column_names(StoredCheckpoint),
    )
    return {
        ThreadId(answer.owner_id): page_of(
            [stored.shown() for stored in rows_of(StoredCheckpoint, answer.columns)],
            first,
            has_previous=answer.has_previous,
        )
        for answer in await runner.read(CHECKPOINTS, asked)
    }


async def checkpoints_by_id(
    runner: Runner, checkpoint_ids: Collection[CheckpointId]
) -> Mapping[CheckpointId, Checkpoint]:
    """The checkpoints that are there."""
    asked = CheckpointsById(once(checkpoint_ids), column_names(StoredCheckpoint))
    found = await runner.read_one(CHECKPOINTS_BY_ID, asked)
    return {
        stored.checkpoint_id: stored.shown() for stored in rows_of(StoredCheckpoint, found.columns)
    }


async def count_checkpoints(
    runner: Runner, thread_ids: Collection[ThreadId]
) -> Mapping[ThreadId, int]:
    """How many checkpoints each thread has."""
    asked = OfThreads(thread_ids=once(thread_ids))
    return counts_of(ThreadId, await runner.read(COUNT_CHECKPOINTS, asked))


async def context_windows(
    runner: Runner, thread_ids: Collection[ThreadId], chosen: ChosenFields = ALL_FIELDS
) -> Mapping[ThreadId, Sequence[ContextWindow]]:
    """Each thread's context windows."""
    asked = ContextWindows(thread_ids=once(thread_ids), columns=chosen.properties(ContextWindow))
    return {
        ThreadId(answer.owner_id): chosen.rows(ContextWindow, answer.columns)
        for answer in await runner.read(CONTEXT_WINDOWS, asked)
    }


class StoredCheckpoint(msgspec.Struct, frozen=True, rename="camel"):
    """A checkpoint as its node holds it: the native ref in flat properties, the files as JSON."""

    checkpoint_id: CheckpointId
    thread_id: ThreadId
    run_id: RunId
    status: str
    parent_checkpoint_id: CheckpointId | None = None
    native_ref_driver: str | None = None
    native_ref_id: str | None = None
    native_ref_strength: Strength | None = None
    native_ref_ordinal: int | None = None
    files: str | None = None
    at: Timestamp | None = None

    def shown(self) -> Checkpoint:
        """The checkpoint as it is read."""
        native_ref = None
        if self.native_ref_driver is not None:
            native_ref = NativeRef(
                driver=self.native_ref_driver,
                native_id=self.native_ref_id,
                strength=self.native_ref_strength or Strength.NONE,
                ordinal=self.native_ref_ordinal,
            )
        return Checkpoint(
            checkpoint_id=self.checkpoint_id,
            thread_id=self.thread_id,
            run_id=self.run_id,
            parent_checkpoint_id=self.parent_checkpoint_id,
            status=self.status,
            native_ref=native_ref,
            files=msgspec.json.decode(self.files or "[]", type=tuple[str, ...]),
            at=self.at,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsById:
    """Which runs."""

    run_ids: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True)
class CheckpointsById:
    """Which checkpoints."""

    checkpoint_ids: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """Whose runs, behind which ordinal."""

    thread_ids: list[str]
    include_rolled_back: bool
    after: int
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRuns:
    """Whose runs are counted."""

    thread_ids: list[str]
    include_rolled_back: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Whose items, behind which position."""

    thread_ids: list[str]
    after: int
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsOfRuns:
    """The items of which runs, behind which position."""

    run_ids: list[str]
    after: int
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoints:
    """Whose checkpoints, behind which id."""

    thread_ids: list[str]
    after: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextWindows:
    """Whose windows."""

    thread_ids: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfThreads:
    """The threads whose rows are counted."""

    thread_ids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class OfRuns:
    """The runs whose rows are counted."""

    run_ids: list[str]


RUNS_BY_ID = reading("contents/runs_by_id", RunsById, Columns)
RUNS = reading("contents/runs", Runs, PageOf)
COUNT_RUNS = reading("contents/count_runs", CountRuns, CountOf)
ITEMS = reading("contents/items", Items, PageOf)
COUNT_ITEMS = reading("contents/count_items", OfThreads, CountOf)
ITEMS_OF_RUNS = reading("contents/items_of_runs", ItemsOfRuns, PageOf)
COUNT_ITEMS_OF_RUNS = reading("contents/count_items_of_runs", OfRuns, CountOf)
CHECKPOINTS = reading("contents/checkpoints", Checkpoints, PageOf)
CHECKPOINTS_BY_ID = reading("contents/checkpoints_by_id", CheckpointsById, Columns)
COUNT_CHECKPOINTS = reading("contents/count_checkpoints", OfThreads, CountOf)
CONTEXT_WINDOWS = reading("contents/context_windows", ContextWindows, ColumnsOf)
