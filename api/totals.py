"""The sums of a thread and of what hangs below it."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import strawberry

from api.context import Info
from api.loaders import place_of
from api.scalars import BigInt
from graph import model as rows
from graph.questions import Totals as TotalsRow
from graph.questions import TotalsBelow

NOTHING_BELOW = TotalsBelow(spawned=TotalsRow(), forked=TotalsRow())


@strawberry.type(
    description=(
        "Sums over threads, each counted once: placeholders, deleted threads and inherited runs "
        "are not counted, rolled-back runs are."
    )
)
class Totals:
    """Sums over threads; its rows are ``graph.questions.Totals``."""

    threads: int
    runs: int
    input_tokens: BigInt
    output_tokens: BigInt
    duration_ms: BigInt = strawberry.field(description="The time between start and end of runs.")


@dataclass(frozen=True, slots=True)
class ThreadTotals:
    """What stands behind ``SubtreeTotals``: nothing is walked before it is selected."""

    own: TotalsRow
    below: Callable[[], Awaitable[TotalsBelow]]


@strawberry.type(description="The sums of a thread and of what hangs below it.")
class SubtreeTotals:
    """The sums of a thread and below it; its rows are ``ThreadTotals``."""

    own: Totals = strawberry.field(description="This thread alone; costs nothing further.")

    @strawberry.field(
        graphql_type=Totals, description="All below it through SPAWN or PARENT edges only."
    )
    @staticmethod
    async def spawned(totals: strawberry.Parent[ThreadTotals]) -> TotalsRow:
        """All below it through SPAWN or PARENT edges only."""
        return (await totals.below()).spawned

    @strawberry.field(graphql_type=Totals, description="The rest of the subtree.")
    @staticmethod
    async def forked(totals: strawberry.Parent[ThreadTotals]) -> TotalsRow:
        """The rest of the subtree."""
        return (await totals.below()).forked


def totals(thread: strawberry.Parent[rows.Thread], info: Info) -> ThreadTotals:
    """The sums of a thread and of what hangs below it."""
    place, context = place_of(info), info.context

    async def below() -> TotalsBelow:
        found = await context.loaders.load(place, thread.thread_id, context.graph.totals_below)
        return found or NOTHING_BELOW

    return ThreadTotals(TotalsRow.own(thread), below)
