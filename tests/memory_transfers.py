"""The part of the in-memory model that keeps context transfers and answers about them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from graph.errors import BadInput
from graph.model import EdgeKind, LineageEdge, ThreadId, TransferId, TransferType
from graph.questions import (
    Direction,
    Page,
    ThreadTransfersQuestion,
    TransferFilter,
    TransferPosition,
    TransfersQuestion,
)
from graph.records import TransferRecord
from graph.transfers import Handoff, Transfer
from tests.memory_facts import MemoryFacts
from tests.memory_rules import among, page_of, rank, within

SHOWN = (TransferType.PROVIDER_HANDOFF, TransferType.MERGE_BACK, TransferType.SUBAGENT_RESULT)
"""The types of transfers that are edges of their own."""


@dataclass
class MemoryTransfers:
    """Keeps transfers over facts in memory."""

    facts: MemoryFacts = field(default_factory=MemoryFacts)

    def record_transfers(self, records: Collection[TransferRecord]) -> set[ThreadId]:
        """Keep what is new, and tell the threads at the ends of it, those from before too."""
        if len({record.transfer_id for record in records}) < len(records):
            raise BadInput("A transfer stands more than once in a batch.")
        touched: set[ThreadId] = set()
        for record in records:
            old = self.facts.transfers.get(record.transfer_id)
            if old == record or (old and rank(old.evidence) > rank(record.evidence)):
                continue
            self.facts.transfers[record.transfer_id] = record
            if record.handoff is not None:
                self.facts.handoffs[record.handoff.handoff_id] = record.handoff
            self.facts.known |= set(_ends(record))
            touched |= {*_ends(record), *(_ends(old) if old else ())}
        return touched

    def at_the_other_ends(self, thread_ids: Collection[ThreadId]) -> set[ThreadId]:
        """The threads of other trees that hand-offs of these threads lead to."""
        return {other for thread_id in thread_ids for other in self._handed_over(thread_id)}

    def with_hand_offs(self, depths: Mapping[ThreadId, int]) -> dict[ThreadId, int]:
        """What a walk found and, one hop further, the other ends of hand-offs between trees."""
        found = dict(depths)
        for thread_id, depth in depths.items():
            for other in self._handed_over(thread_id):
                found[other] = min(found.get(other, depth + 1), depth + 1)
        return found

    def transfer_edges(self) -> Iterator[LineageEdge]:
        """All transfers that are edges of their own."""
        for record in self.facts.transfers.values():
            if record.type not in SHOWN:
                continue
            run_id = record.source_point.run_id
            owner = None if run_id is None else self.facts.owner(run_id)
            point = None if owner is None or run_id is None else self.facts.runs_of[owner][run_id]
            yield LineageEdge(
                kind=EdgeKind.TRANSFER,
                from_thread_id=record.source_thread_id,
                to_thread_id=record.target_thread_id,
                status=record.status,
                transfer_id=record.transfer_id,
                transfer_type=record.type,
                item_count=record.carried_items,
                run_id=run_id,
                at=record.consumed_at or record.created_at,
                point_at=point.completed_at if point else None,
                evidence=str(record.evidence),
            )

    async def transfers_by_id(
        self, transfer_ids: Collection[TransferId]
    ) -> Mapping[TransferId, Transfer]:
        known = self.facts.transfers
        return {at: _transfer(known[at]) for at in set(transfer_ids) if at in known}

    async def transfers(self, question: TransfersQuestion) -> Page[Transfer]:
        return _page(self._listed(question.filter), question.first, question.after)

    async def count_transfers(self, transfer_filter: TransferFilter) -> int:
        return len(self._listed(transfer_filter))

    async def thread_transfers(
        self, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
    ) -> Mapping[ThreadId, Page[Transfer]]:
        return {
            thread_id: _page(self._of(thread_id, question), question.first, question.after)
            for thread_id in set(thread_ids)
        }

    async def count_thread_transfers(
        self, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
    ) -> Mapping[ThreadId, int]:
        return {thread_id: len(self._of(thread_id, question)) for thread_id in set(thread_ids)}

    async def handoffs(self, transfer_ids: Collection[TransferId]) -> Mapping[TransferId, Handoff]:
        answer: dict[TransferId, Handoff] = {}
        for transfer_id in set(transfer_ids) & self.facts.transfers.keys():
            record = self.facts.transfers[transfer_id]
            named = record.resolution.handoff_id if record.resolution else None
            if named is not None and named in self.facts.handoffs:
                answer[transfer_id] = self.facts.handoffs[named]
        return answer

    def _handed_over(self, thread_id: ThreadId) -> set[ThreadId]:
        """The other ends of a thread's hand-offs, those in other trees."""
        return {
            other
            for record in self.facts.transfers.values()
            if record.type is TransferType.PROVIDER_HANDOFF and thread_id in _ends(record)
            for other in _ends(record)
            if self.facts.place(other).root != self.facts.place(thread_id).root
        }

    def _listed(self, asked: TransferFilter) -> list[Transfer]:
        return [
            _transfer(record)
            for record in self.facts.transfers.values()
            if among(record.transfer_id, asked.ids)
            and among(record.type, asked.types)
            and among(record.status, asked.statuses)
            and asked.source_thread_id in (None, record.source_thread_id)
            and asked.target_thread_id in (None, record.target_thread_id)
            and asked.thread_id in (None, *_ends(record))
            and within(record.created_at, asked.created_after, asked.created_before)
        ]

    def _of(self, thread_id: ThreadId, question: ThreadTransfersQuestion) -> list[Transfer]:
        return [
            _transfer(record)
            for record in self.facts.transfers.values()
            if among(record.status, question.statuses)
            and (
                (question.direction is not Direction.OUT and record.target_thread_id == thread_id)
                or (
                    question.direction is not Direction.IN and record.source_thread_id == thread_id
                )
            )
        ]


def _ends(record: TransferRecord) -> tuple[ThreadId, ThreadId]:
    return record.source_thread_id, record.target_thread_id


def _transfer(record: TransferRecord) -> Transfer:
    same = {
        name: getattr(record, name)
        for name in record.__struct_fields__
        if name in Transfer.__struct_fields__
    }
    same["evidence"] = str(record.evidence)
    same["steps"] = record.all_steps
    return Transfer(**same, updated_at=record.all_steps[-1].at)


def _page(transfers: list[Transfer], first: int, after: TransferPosition | None) -> Page[Transfer]:
    return page_of(
        sorted(transfers, key=_place),
        first,
        None if after is None else (after.at, after.transfer_id),
        key=_place,
    )


def _place(transfer: Transfer) -> tuple[str, str]:
    return transfer.created_at, transfer.transfer_id
