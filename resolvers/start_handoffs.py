"""The context that a start hands over, made of what the graph holds at that moment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.commands import RefusalCode
from graph.questions import EVERYTHING
from graph.transfers import Handoff, HandoffId, HandoffKind
from resolvers.delivered_items import delivered_items
from resolvers.payload import TooSmall, build_checkpoint_payload, build_payload
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.command_store import CommandTransaction
    from graph.model import CheckpointId, Item, RunId, Timestamp
    from graph.records import TransferRecord
    from resolvers.carry_out import Command
    from resolvers.payload import Payload


class HandoffMaker:
    """Makes the handoffs of one start, each of a budget of its own."""

    def __init__(
        self,
        transaction: CommandTransaction,
        command: Command,
        *,
        budget_tokens: int,
        at: Timestamp,
    ) -> None:
        self._transaction = transaction
        self._command = command
        self._budget_tokens = budget_tokens
        self._at = at

    async def of_runs(
        self, record: TransferRecord, kind: HandoffKind, run_ids: Sequence[RunId]
    ) -> Handoff:
        """What was said and done in some runs, in their order, and what they were told beside.

        What a merge-back delivered to a run stands before what was said in it.
        """
        items = await self._items(run_ids)
        payload = build_payload(
            items, budget_tokens=self._budget_tokens, source_thread_id=record.source_thread_id
        )
        return self._handoff(record, kind, payload)

    async def of_merge_back(self, record: TransferRecord, tip_run_id: RunId) -> Handoff:
        """What a fork did up to a run of its own, and its source was not told yet."""
        graph = self._transaction.graph
        pages = await graph.merge_back_items([tip_run_id], first=EVERYTHING, after=None)
        sums = await graph.merge_back_sums([tip_run_id])
        page = pages.get(tip_run_id)
        told = sums.get(tip_run_id)
        payload = build_payload(
            [brought.item for brought in page.rows] if page else (),
            budget_tokens=self._budget_tokens,
            source_thread_id=record.source_thread_id,
            already_delivered=told.already_delivered if told else 0,
        )
        return self._handoff(record, HandoffKind.DELTA_CONTEXT, payload)

    async def of_checkpoint(self, record: TransferRecord, checkpoint_id: CheckpointId) -> Handoff:
        """The state of the files at a checkpoint."""
        found = await self._transaction.checkpoints_by_id([checkpoint_id])
        payload = build_checkpoint_payload(found[checkpoint_id], budget_tokens=self._budget_tokens)
        return self._handoff(record, HandoffKind.CHECKPOINT_CONTEXT, payload)

    async def _items(self, run_ids: Sequence[RunId]) -> list[Item]:
        pages = await self._transaction.graph.items_of_runs(run_ids, first=EVERYTHING, after=None)
        delivered = await delivered_items(self._transaction, run_ids)
        return [
            item
            for run_id in run_ids
            for items in (delivered.get(run_id, ()), pages[run_id].rows if run_id in pages else ())
            for item in items
        ]

    def _handoff(
        self, record: TransferRecord, kind: HandoffKind, payload: Payload | TooSmall
    ) -> Handoff:
        if isinstance(payload, TooSmall):
            raise Refused(
                RefusalCode.HANDOFF_TOO_SMALL,
                f"A budget of {payload.budget_tokens} tokens does not hold the frame of a "
                f"handoff, which takes {payload.needed_tokens}. Allow more.",
                budgetTokens=payload.budget_tokens,
                neededTokens=payload.needed_tokens,
            )
        return Handoff(
            handoff_id=HandoffId(self._command.id_for("handoff", record.transfer_id)),
            transfer_id=record.transfer_id,
            kind=kind,
            payload=payload.payload_json,
            text=payload.text,
            tokens=payload.tokens,
            item_ids=payload.item_ids,
            omitted_item_ids=payload.omitted_item_ids,
            created_at=self._at,
        )
