"""The part of the in-memory model that answers what forks could bring back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from graph.model import (
    ItemId,
    Relationship,
    Run,
    RunId,
    ThreadId,
    TransferStatus,
    TransferType,
)
from graph.questions import (
    ITSELF,
    BroughtItem,
    BroughtPosition,
    MergeBackDelta,
    MergeBackSums,
    Page,
)
from graph.records import TransferRecord
from tests.memory_facts import ACTIVE
from tests.memory_lineages import MemoryLineages
from tests.memory_rules import page_of

TOLD_KINDS = frozenset({"plan", "command", "error", "interrupt", "file_change"})


class MemoryMergeBacks(MemoryLineages):
    """Answers about merge-backs over facts in memory."""

    async def merge_back_deltas(
        self, thread_ids: Collection[ThreadId], *, run_id: RunId | None = None
    ) -> Mapping[ThreadId, MergeBackDelta]:
        found = {thread_id: self._delta(thread_id, run_id) for thread_id in set(thread_ids)}
        return {thread_id: delta for thread_id, delta in found.items() if delta is not None}

    async def merge_back_deltas_to(
        self, tips: Collection[tuple[ThreadId, RunId]]
    ) -> Mapping[tuple[ThreadId, RunId], MergeBackDelta]:
        found = {tip: self._delta(*tip) for tip in set(tips)}
        return {tip: delta for tip, delta in found.items() if delta is not None}

    async def merge_back_sums(
        self, tip_run_ids: Collection[RunId]
    ) -> Mapping[RunId, MergeBackSums]:
        return {
            run_id: MergeBackSums(
                item_count=len(self._undelivered(run_id)),
                already_delivered=len(self._items(run_id)) - len(self._undelivered(run_id)),
                files_changed=sorted(
                    {
                        name
                        for brought in self._undelivered(run_id)
                        if brought.item.kind == "file_change"
                        for name in (brought.item.text or "").splitlines()
                    }
                ),
            )
            for run_id in set(tip_run_ids)
            if self.facts.owner(run_id)
        }

    async def merge_back_items(
        self, tip_run_ids: Collection[RunId], *, first: int, after: BroughtPosition | None
    ) -> Mapping[RunId, Page[BroughtItem]]:
        return {
            run_id: page_of(
                self._undelivered(run_id),
                first,
                None if after is None else _in_order(after),
                key=lambda brought: _in_order(brought.place),
            )
            for run_id in set(tip_run_ids)
            if self.facts.owner(run_id)
        }

    def _undelivered(self, tip_run_id: RunId) -> list[BroughtItem]:
        delivered = {
            item_id
            for transfer in self.facts.transfers.values()
            if self._brought_back(transfer, self.facts.owner(tip_run_id))
            for item_id in self._carried(transfer)
        }
        return [
            brought for brought in self._items(tip_run_id) if brought.item.item_id not in delivered
        ]

    def _carried(self, transfer: TransferRecord) -> tuple[str, ...]:
        handoff_id = None if transfer.resolution is None else transfer.resolution.handoff_id
        handoff = None if handoff_id is None else self.facts.handoffs.get(handoff_id)
        return () if handoff is None else handoff.item_ids

    def _brought_back(self, transfer: TransferRecord, fork: ThreadId | None) -> bool:
        edge = None if fork is None else self.facts.forks.get(fork)
        return (
            edge is not None
            and transfer.type is TransferType.MERGE_BACK
            and transfer.status is TransferStatus.CONSUMED
            and transfer.source_thread_id == fork
            and transfer.target_thread_id == edge.source_thread_id
            and not self._is_rolled_back(transfer.target_run_id)
        )

    def _is_rolled_back(self, run_id: RunId | None) -> bool:
        owner = None if run_id is None else self.facts.owner(run_id)
        return (
            owner is not None
            and run_id is not None
            and self.facts.runs_of[owner][run_id].rolled_back_at is not None
        )

    def _delta(self, thread_id: ThreadId, run_id: RunId | None) -> MergeBackDelta | None:
        fork = self.facts.forks.get(thread_id)
        if (
            fork is None
            or self.facts.thread(thread_id).relationship_to_parent is not Relationship.FORK
        ):
            return None
        base = self.facts.fork_origin(fork).point
        kept = self.facts.shown_runs(thread_id, include_rolled_back=False)
        idle = all(run.status not in ACTIVE for run in kept)
        if run_id is None:
            tips = [run for run in kept if run.status == "completed" and run.native_turn_id]
            tips = tips if idle else []
        else:
            tips = [
                run
                for run in kept
                if run.run_id == run_id and run.status in {"completed", "waiting"}
            ]
        if base is None or not tips:
            return None
        return MergeBackDelta(
            fork_thread_id=thread_id,
            into_thread_id=fork.source_thread_id,
            base=base,
            tip_run_id=tips[-1].run_id,
            runs=self._runs(thread_id, tips[-1].run_id),
        )

    def _runs(self, thread_id: ThreadId, tip_run_id: RunId) -> list[Run]:
        own = self.facts.own_runs(thread_id)
        (through,) = [run.ordinal for run in own if run.run_id == tip_run_id]
        return [
            run
            for run in own
            if run.ordinal <= through
            and run.rolled_back_at is None
            and run.status in {"completed", "waiting", "failed", "interrupted"}
        ]

    def _items(self, tip_run_id: RunId) -> list[BroughtItem]:
        fork = self.facts.owner(tip_run_id)
        assert fork is not None
        runs = self._runs(fork, tip_run_id)
        run_ids = {run.run_id for run in runs}
        own = [
            BroughtItem(item, BroughtPosition(item.position))
            for item in self.facts.items(fork)
            if item.run_id in run_ids
            and item.text
            and (
                item.kind in TOLD_KINDS
                or (item.kind == "message" and item.role in {"user", "assistant"})
            )
        ]
        return sorted(
            [*own, *self._received(fork, runs)], key=lambda brought: _in_order(brought.place)
        )

    def _received(self, fork: ThreadId, runs: Sequence[Run]) -> Iterator[BroughtItem]:
        """What merge-backs delivered to runs of a fork, each item where it was told first."""
        positions: dict[RunId | None, list[int]] = {}
        for own in self.facts.items(fork):
            positions.setdefault(own.run_id, []).append(own.position)
        known = {
            item.item_id: item
            for thread_id in self.facts.items_of
            if thread_id != fork
            for item in self.facts.items(thread_id)
        }
        told = sorted(
            (first, run.ordinal, transfer.created_at, transfer.transfer_id, at, item_id)
            for run in runs
            for first in [min(positions.get(run.run_id, [ITSELF]))]
            for transfer in self.facts.transfers.values()
            if transfer.type is TransferType.MERGE_BACK
            and transfer.status is TransferStatus.CONSUMED
            and transfer.target_thread_id == fork
            and transfer.target_run_id == run.run_id
            for at, item_id in enumerate(self._carried(transfer))
        )
        places = dict(reversed([(item_id, first) for first, *_, item_id in told]))
        in_order = list(dict.fromkeys(item_id for *_, item_id in told))
        for number, item_id in enumerate(in_order):
            item = known.get(ItemId(item_id))
            if item is not None:
                yield BroughtItem(item, BroughtPosition(places[item_id], number))


def _in_order(place: BroughtPosition) -> tuple[int, int]:
    return place.position, place.number
