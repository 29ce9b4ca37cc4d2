"""The part of the in-memory model that answers how threads hang together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from graph.model import EdgeKind, ThreadId
from graph.questions import WALKED_KINDS, Totals, TotalsBelow
from tests.memory_facts import MemoryFacts


@dataclass
class MemoryLineages:
    """Answers about sums, ways and meeting points over facts in memory."""

    facts: MemoryFacts = field(default_factory=MemoryFacts)

    async def totals_below(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, TotalsBelow]:
        answer: dict[ThreadId, TotalsBelow] = {}
        for thread_id in set(thread_ids):
            below = self.facts.walk_down(thread_id, WALKED_KINDS).keys()
            spawned = self.facts.walk_down(thread_id, (EdgeKind.SPAWN, EdgeKind.PARENT)).keys()
            answer[thread_id] = TotalsBelow(
                spawned=self._sum(spawned), forked=self._sum(below - spawned)
            )
        return answer

    def _sum(self, thread_ids: Collection[ThreadId]) -> Totals:
        each = [Totals.own(self.facts.thread(thread_id)) for thread_id in thread_ids]
        return Totals(
            threads=sum(own.threads for own in each),
            runs=sum(own.runs for own in each),
            input_tokens=sum(own.input_tokens for own in each),
            output_tokens=sum(own.output_tokens for own in each),
            duration_ms=sum(own.duration_ms for own in each),
        )
