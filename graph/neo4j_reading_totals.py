"""The sums of what hangs below threads, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.model import ThreadId
from graph.neo4j_reading_pages import once
from graph.questions import Totals, TotalsBelow
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from graph.runner import Runner


async def totals_below(
    runner: Runner, thread_ids: Collection[ThreadId]
) -> Mapping[ThreadId, TotalsBelow]:
    """The sums of the threads below each thread."""
    return {
        ThreadId(answer.owner_id): TotalsBelow(
            spawned=_totals(answer.spawned),
            forked=_totals(
                [
                    every - spawned
                    for every, spawned in zip(answer.every, answer.spawned, strict=True)
                ]
            ),
        )
        for answer in await runner.read(TOTALS_BELOW, Below(thread_ids=once(thread_ids)))
    }


def _totals(sums: list[int]) -> Totals:
    threads, runs, input_tokens, output_tokens, duration_ms = sums
    return Totals(
        threads=threads,
        runs=runs,
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        duration_ms=duration_ms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Below:
    """Below which threads."""

    thread_ids: list[str]


class SumsBelow(msgspec.Struct, frozen=True):
    """One owner's sums, each in the order of the fields of ``Totals``."""

    owner_id: str
    every: list[int]
    spawned: list[int]


TOTALS_BELOW = reading("relations/totals_below", Below, SumsBelow)
