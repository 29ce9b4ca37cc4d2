"""The part of the in-memory model that answers how threads hang together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from graph.errors import BadInput, ThreadNotFound
from graph.model import EdgeKind, LineageEdge, Thread, ThreadId
from graph.questions import (
    HANGING_ORDER,
    WALKED_KINDS,
    IntegrityReport,
    LineagePath,
    Totals,
    TotalsBelow,
)
from tests.memory_facts import MemoryFacts
from tests.memory_rules import distances


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

    async def path(self, from_id: ThreadId, to_id: ThreadId) -> LineagePath | None:
        for thread_id in (from_id, to_id):
            if thread_id not in self.facts.known:
                raise ThreadNotFound(thread_id)
        first, last = sorted((from_id, to_id))
        ways: list[list[ThreadId]] = [[first]]
        while ways and ways[0][-1] != last:
            seen = {thread_id for way in ways for thread_id in way}
            longer = [
                [*way, beside]
                for way in sorted(ways)
                for beside in self._beside(way[-1])
                if beside not in seen
            ]
            ends = {way[-1]: way for way in sorted(longer, reverse=True)}
            ways = [ends[last]] if last in ends else list(ends.values())
        if not ways:
            return None
        way = ways[0] if first == from_id else ways[0][::-1]
        return LineagePath(
            [self.facts.thread(thread_id) for thread_id in way],
            [self._edge_between(one, other) for one, other in pairwise(way)],
        )

    async def nearest_common_ancestor(self, thread_ids: Collection[ThreadId]) -> Thread | None:
        if not thread_ids:
            raise BadInput("A common ancestor is of at least one thread.")
        for thread_id in thread_ids:
            if thread_id not in self.facts.known:
                raise ThreadNotFound(thread_id)
        above = [
            distances(thread_id, lambda at: self.facts.up(at, WALKED_KINDS)) | {thread_id: 0}
            for thread_id in set(thread_ids)
        ]
        common = set[ThreadId].intersection(*(set(found) for found in above))
        nearest = min(
            ((sum(found[thread_id] for found in above), thread_id) for thread_id in common),
            default=None,
        )
        return None if nearest is None else self.facts.thread(nearest[1])

    async def integrity(self) -> IntegrityReport:
        # What is worked out from the facts each time can't differ from them.
        return IntegrityReport(
            findings=[],
            unconfirmed_starts=[
                run
                for thread_id in sorted(self.facts.runs_of)
                for run in self.facts.own_runs(thread_id)
                if run.status in {"preparing", "starting"} and run.rolled_back_at is None
            ],
        )

    def _beside(self, thread_id: ThreadId) -> set[ThreadId]:
        above = self.facts.up(thread_id, WALKED_KINDS)
        return above | self.facts.down(thread_id, WALKED_KINDS)

    def _edge_between(self, one: ThreadId, other: ThreadId) -> LineageEdge:
        edges = [
            edge
            for child in (one, other)
            for edge in self.facts.edges_up(child)
            if edge.kind in WALKED_KINDS
            and {edge.from_thread_id, edge.to_thread_id} == {one, other}
        ]
        return min(
            edges,
            key=lambda edge: (
                HANGING_ORDER.index(edge.kind),
                edge.from_thread_id,
                edge.to_thread_id,
            ),
        )

    def _sum(self, thread_ids: Collection[ThreadId]) -> Totals:
        each = [Totals.own(self.facts.thread(thread_id)) for thread_id in thread_ids]
        return Totals(
            threads=sum(own.threads for own in each),
            runs=sum(own.runs for own in each),
            input_tokens=sum(own.input_tokens for own in each),
            output_tokens=sum(own.output_tokens for own in each),
            duration_ms=sum(own.duration_ms for own in each),
        )

    def edges_on(
        self,
        page: Sequence[tuple[int, ThreadId]],
        order: Sequence[tuple[int, ThreadId]],
        kinds: Collection[EdgeKind],
        transfers: Iterable[LineageEdge],
    ) -> list[LineageEdge]:
        """The edges with one end on a page of an order of threads, the other there or before."""
        if not page:
            return []
        rank = {thread_id: at for at, (_, thread_id) in enumerate(order)}
        first, last = rank[page[0][1]], rank[page[-1][1]]
        told = [edge for child in rank for edge in self.facts.edges_up(child)]
        edges = [
            edge
            for edge in (*told, *transfers)
            if edge.kind in (*kinds, EdgeKind.HISTORY_BASE, EdgeKind.TRANSFER)
            and {edge.from_thread_id, edge.to_thread_id} <= rank.keys()
            and first <= max(rank[edge.from_thread_id], rank[edge.to_thread_id]) <= last
        ]
        return sorted(
            edges, key=lambda e: (e.kind, e.from_thread_id, e.to_thread_id, e.transfer_id or "")
        )
