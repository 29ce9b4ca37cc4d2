"""The inherited and own runs of threads, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, ColumnPairs
from graph.history import WHOLE, ChainLink, RunPlace, Stretch, inherited
from graph.model import Run, ThreadId
from graph.neo4j_reading_pages import CountOf, counts_of, once, page_of
from graph.questions import HistoryPosition, HistoryRun
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from graph.model import Timestamp
    from graph.questions import Page
    from graph.runner import Runner

BEGINNING = HistoryPosition(distance=WHOLE, ordinal=0)


async def history(  # noqa: PLR0913 - the store's question in its parts, and what of it is read
    runner: Runner,
    thread_ids: Collection[ThreadId],
    *,
    include_rolled_back: bool,
    first: int,
    after: HistoryPosition | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[HistoryRun]]:
    """A page of each thread's inherited and own runs."""
    asked = RunsOfStretches(
        histories=await _histories(
            runner, thread_ids, after or BEGINNING, include_rolled_back=include_rolled_back
        ),
        limit=first + 1,
        columns=chosen.properties(Run),
    )
    return {
        ThreadId(answer.owner_id): page_of(
            ColumnPairs(
                HistoryRun, chosen.rows(Run, answer.columns), "distance", answer.distances
            ),
            first,
            has_previous=answer.has_previous,
        )
        for answer in await runner.read(RUNS_OF_STRETCHES, asked)
    }


async def count_history(
    runner: Runner, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
) -> Mapping[ThreadId, int]:
    """How many runs each thread's history holds."""
    asked = CountRunsOfStretches(
        histories=await _histories(
            runner, thread_ids, BEGINNING, include_rolled_back=include_rolled_back
        )
    )
    return counts_of(ThreadId, await runner.read(COUNT_RUNS_OF_STRETCHES, asked))


async def _histories(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    after: HistoryPosition,
    *,
    include_rolled_back: bool,
) -> list[dict[str, Any]]:
    """The stretches of each history, parted at the place *after*."""
    chains = await runner.read(FORK_CHAINS, ForkChains(thread_ids=once(thread_ids)))
    return [
        _parted(ThreadId(chain.owner_id), _links(chain), after, own_whole=include_rolled_back)
        for chain in chains
    ]


def _parted(
    owner: ThreadId, chain: list[ChainLink], after: HistoryPosition, *, own_whole: bool
) -> dict[str, Any]:
    own = Stretch(owner, 0, WHOLE, None)
    before: list[dict[str, Any]] = []
    behind: list[dict[str, Any]] = []
    for stretch in [*inherited(chain), own]:
        whole = stretch is own and own_whole
        if stretch.distance >= after.distance:
            end = after.ordinal if stretch.distance == after.distance else WHOLE
            before.append(_part(stretch, 0, min(end, stretch.last), whole=whole))
        if stretch.distance <= after.distance:
            begin = after.ordinal if stretch.distance == after.distance else 0
            behind.append(_part(stretch, begin, stretch.last, whole=whole))
    return {"owner_id": owner, "before": before, "behind": behind}


def _part(stretch: Stretch, after: int, last: int, *, whole: bool) -> dict[str, Any]:
    """The runs of a stretch behind *after* up to *last*, as the statements take them."""
    return {
        "thread_id": stretch.thread_id,
        "distance": stretch.distance,
        "after": after,
        "last": last,
        "whole": whole,
        "at": stretch.at,
        "revision": stretch.revision,
    }


def _links(chain: ForkChain) -> list[ChainLink]:
    return [
        ChainLink(
            thread_id=thread_id,
            at=at,
            source_revision=source_revision,
            point=_place(*point),
            reverts_all=kept_through == "",
            kept=_place(*kept),
        )
        for thread_id, at, source_revision, kept_through, point, kept in chain.links
    ]


def _place(
    thread_id: ThreadId | None,
    ordinal: int | None,
    rolled_back_at: Timestamp | None,
    rolled_back_revision: int | None,
) -> RunPlace | None:
    if thread_id is None or ordinal is None:
        return None
    return RunPlace(thread_id, ordinal, rolled_back_at, rolled_back_revision)


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkChains:
    """Whose chains."""

    thread_ids: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsOfStretches:
    """Which histories, and how much of each."""

    histories: list[dict[str, Any]]
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountRunsOfStretches:
    """Which histories are counted."""

    histories: list[dict[str, Any]]


class ForkChain(msgspec.Struct, frozen=True):
    """One thread's chain: the values of each link, nearest first."""

    owner_id: str
    links: list[list[Any]]


class HistoryOf(msgspec.Struct, frozen=True):
    """One owner's page of runs, with the forks between it and the thread of each."""

    owner_id: str
    distances: list[int]
    columns: list[list[Any]]
    has_previous: bool


FORK_CHAINS = reading("contents/fork_chains", ForkChains, ForkChain)
RUNS_OF_STRETCHES = reading("contents/runs_of_stretches", RunsOfStretches, HistoryOf)
COUNT_RUNS_OF_STRETCHES = reading(
    "contents/count_runs_of_stretches", CountRunsOfStretches, CountOf
)
