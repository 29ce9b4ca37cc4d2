"""Recording transfers in Neo4j, as part of a batch's transaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.model import PROOF_RANK, ThreadId, TransferId, TransferStatus
from graph.record_statements import ThreadsNamed
from graph.stored_transfers import handoff_properties, record_digest, transfer_properties
from graph.transfer_statements import (
    ENTER_TRANSFERS,
    HANDOFFS,
    LINKED_TREES,
    TRANSFERS,
    EnterTransfers,
    HandoffRows,
    TransferRows,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from graph.edges import Cells
    from graph.neo4j_settling import HeldTrees
    from graph.properties import Properties
    from graph.records import TransferRecord
    from graph.runner import Transaction


@dataclass(frozen=True, slots=True)
class StandingTransfer:
    """A transfer that the graph has: what decides whether a record replaces it."""

    transfer_id: TransferId
    digest: str | None
    rank: int | None
    source_thread_id: ThreadId
    target_thread_id: ThreadId

    def yields_to(self, record: TransferRecord) -> bool:
        """Whether the record says something else that is at least as well proven."""
        return self.digest != record_digest(record) and (
            self.rank is None or self.rank <= PROOF_RANK[record.evidence.proof]
        )


def standing(transfers: Iterable[Cells]) -> dict[TransferId, StandingTransfer]:
    """The transfers that were there, from the places that ``known`` tells."""
    found = [StandingTransfer(*cells) for cells in transfers if cells[3] is not None]
    return {transfer.transfer_id: transfer for transfer in found}


def changing(
    records: Iterable[TransferRecord], stored: Mapping[TransferId, StandingTransfer]
) -> list[TransferRecord]:
    """The records that say something new, by id."""
    return sorted(
        (
            record
            for record in records
            if (old := stored.get(record.transfer_id)) is None or old.yields_to(record)
        ),
        key=lambda record: record.transfer_id,
    )


def ends(transfers: Iterable[TransferRecord | StandingTransfer]) -> set[ThreadId]:
    """The threads that transfers stand between."""
    return {
        thread_id
        for transfer in transfers
        for thread_id in (transfer.source_thread_id, transfer.target_thread_id)
    }


async def enter_transfers(
    transaction: Transaction, records: Sequence[TransferRecord]
) -> dict[TransferId, StandingTransfer]:
    """Lock the transfers and tell how those that were there stand."""
    [entered] = await transaction.run(
        ENTER_TRANSFERS, EnterTransfers([record.transfer_id for record in records])
    )
    return standing(entered.transfers)


async def hold_linked_trees(trees: HeldTrees, thread_ids: Collection[ThreadId]) -> set[ThreadId]:
    """The roots of the other trees that show these threads, once their locks are held."""
    asked = ThreadsNamed(sorted(thread_ids))
    [linked] = await trees.transaction.run(LINKED_TREES, asked)
    while not await trees.hold(linked.root_thread_ids):
        [linked] = await trees.transaction.run(LINKED_TREES, asked)
    return set(linked.root_thread_ids)


async def write_transfers(transaction: Transaction, records: Sequence[TransferRecord]) -> None:
    """Write transfers that are locked, with what they carry."""
    await transaction.run(TRANSFERS, TransferRows([_row(record) for record in records]))
    handoffs = [
        handoff_properties(record.handoff) for record in records if record.handoff is not None
    ]
    if handoffs:
        await transaction.run(HANDOFFS, HandoffRows(handoffs))


def _row(record: TransferRecord) -> Properties:
    base = record.base_point
    row: dict[str, Any] = {
        "properties": transfer_properties(record),
        "sourceRunId": record.source_point.run_id,
        "sourceCheckpointId": record.source_point.checkpoint_id,
        "baseRunId": None if base is None else base.run_id,
        "baseCheckpointId": None if base is None else base.checkpoint_id,
        "consumingRunId": None,
    }
    if record.status is TransferStatus.CONSUMED:
        row["consumingRunId"] = record.target_run_id
    return row
