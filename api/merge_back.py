"""What a fork could bring back to the thread that it was forked from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import strawberry

from api.connections import Connection, ListedRow, Listing, ListQuestion, list_of
from api.context import Info, graph_of, rows_or_taken
from api.cursors import Cursors, cursors_of
from api.item import Item
from api.limits import ABSENT, given, page_size
from api.loaders import Loaders, Place, place_of
from api.references import SourcePoint
from api.rows import column_of, is_columnar
from api.run import Run
from graph import model as rows
from graph.errors import ThreadNotFound
from graph.model import RunId, ThreadId
from graph.questions import BroughtItem, BroughtPosition, MergeBackSums
from graph.questions import MergeBackDelta as DeltaRow
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True)
class DeltaAsked:
    """What stands behind ``MergeBackDelta``: items are read and counted when selected."""

    delta: DeltaRow
    graph: ThreadGraph
    loaders: Loaders
    place: Place

    @staticmethod
    def of(delta: DeltaRow | None, info: Info) -> "DeltaAsked | None":
        """A delta as the field answers it."""
        if delta is None:
            return None
        return DeltaAsked(delta, info.context.graph, info.context.loaders, place_of(info))

    async def sums(self) -> MergeBackSums:
        """How much it is, asked once for all deltas at this place."""
        found = await self.loaders.load(
            self.place, self.delta.tip_run_id, self.graph.merge_back_sums, "sums"
        )
        return found or MergeBackSums()


def items_of(
    tip_run_id: RunId, *, first: int | None = ABSENT, after: str | None = ABSENT
) -> ListQuestion[RunId, BroughtItem, BroughtPosition]:
    """How the items of a delta are asked for; *after* is a place in the list of *tip_run_id*."""
    size, cursor = page_size(first), given(after)

    def cursors(owner: RunId) -> Cursors[BroughtPosition]:
        return cursors_of(BroughtPosition, "mergeBackDelta", owner)

    position = None if cursor is None else cursors(tip_run_id).read(cursor)

    async def count(graph: ThreadGraph, tip_run_ids: list[RunId]) -> dict[RunId, int]:
        sums = await graph.merge_back_sums(tip_run_ids)
        return {run_id: found.item_count for run_id, found in sums.items()}

    return ListQuestion(
        fetch=lambda graph, tip_run_ids: graph.merge_back_items(
            tip_run_ids, first=size, after=position
        ),
        count=count,
        cursors=cursors,
        positions=lambda found: column_of(found, "place"),
        nodes=items_in,
        listed=lambda brought, place: ListedRow(brought.item, place),
    )


def items_in(found: Sequence[BroughtItem]) -> Sequence[Any]:
    """The items of a page; their columns where they have some."""
    return found if is_columnar(found) else [one.item for one in found]


@strawberry.type(
    description="What a fork did since its fork point, for the thread that it was forked from."
)
class MergeBackDelta:
    """What a fork did since its fork point; its rows are ``DeltaAsked``."""

    @strawberry.field(description="The fork.")
    @staticmethod
    def fork_thread_id(asked: strawberry.Parent[DeltaAsked]) -> str:
        """The fork."""
        return asked.delta.fork_thread_id

    @strawberry.field(description="The thread that it was forked from.")
    @staticmethod
    def into_thread_id(asked: strawberry.Parent[DeltaAsked]) -> str:
        """The thread that it was forked from."""
        return asked.delta.into_thread_id

    @strawberry.field(graphql_type=SourcePoint, description="The fork point.")
    @staticmethod
    def base(asked: strawberry.Parent[DeltaAsked]) -> rows.SourcePoint:
        """The fork point."""
        return asked.delta.base

    @strawberry.field(graphql_type=SourcePoint, description="The last run that comes back.")
    @staticmethod
    def tip(asked: strawberry.Parent[DeltaAsked]) -> rows.SourcePoint:
        """The last run that comes back."""
        return rows.SourcePoint(
            thread_id=asked.delta.fork_thread_id, run_id=asked.delta.tip_run_id
        )

    @strawberry.field(
        graphql_type=list[Run],
        description="The fork's own runs up to the tip that are part of the conversation.",
    )
    @staticmethod
    async def runs(asked: strawberry.Parent[DeltaAsked], info: Info) -> list[rows.Run]:
        """The fork's own runs up to the tip."""
        return await rows_or_taken(info, asked.delta.runs)

    @strawberry.field(
        graphql_type=Connection[Item],
        description=(
            "What is still to deliver, in order: messages of the user and the assistant, plans, "
            "commands, errors, interrupts and file changes. What merge-backs delivered to the "
            "fork comes along, before what was said in the run that received it."
        ),
    )
    @staticmethod
    def items(
        asked: strawberry.Parent[DeltaAsked],
        info: Info,
        first: int | None = ABSENT,
        after: str | None = ABSENT,
    ) -> Listing:
        """What is still to deliver, in order."""
        tip_run_id = asked.delta.tip_run_id
        return list_of(info, tip_run_id, items_of(tip_run_id, first=first, after=after))

    @strawberry.field(description="How many items are still to deliver.")
    @staticmethod
    async def item_count(asked: strawberry.Parent[DeltaAsked]) -> int:
        """How many items are still to deliver."""
        return (await asked.sums()).item_count

    @strawberry.field(description="How many items an earlier merge-back has delivered.")
    @staticmethod
    async def already_delivered(asked: strawberry.Parent[DeltaAsked]) -> int:
        """How many items an earlier merge-back has delivered."""
        return (await asked.sums()).already_delivered

    @strawberry.field(description="The files that the items say were changed, by name.")
    @staticmethod
    async def files_changed(asked: strawberry.Parent[DeltaAsked]) -> list[str]:
        """The files that the items say were changed."""
        return list((await asked.sums()).files_changed)


async def merge_back_delta_of(
    thread: strawberry.Parent[rows.Thread], info: Info
) -> DeltaAsked | None:
    """What a thread could bring back, up to its latest stable run."""
    graph, loaders = graph_of(info), info.context.loaders
    delta = await loaders.load(place_of(info), thread.thread_id, graph.merge_back_deltas)
    return DeltaAsked.of(delta, info)


async def merge_back_delta(
    info: Info, fork_thread_id: str, run_id: str | None = ABSENT
) -> DeltaAsked | None:
    """What a thread could bring back, up to a run; ``ThreadNotFound`` for an unknown one."""
    graph, thread_id, through = graph_of(info), ThreadId(fork_thread_id), given(run_id)
    found = await graph.merge_back_deltas(
        [thread_id], run_id=None if through is None else RunId(through)
    )
    if thread_id not in found and thread_id not in await graph.threads_by_id([thread_id]):
        raise ThreadNotFound(thread_id)
    return DeltaAsked.of(found.get(thread_id), info)
