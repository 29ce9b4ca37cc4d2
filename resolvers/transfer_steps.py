"""The life of a transfer, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from graph.model import Evidence, Proof, TransferStatus
from graph.records import TransferRecord
from graph.transfers import TransferStep

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph.model import RunId, Timestamp, TransferId
    from graph.transfers import Handoff, Transfer

_RESOLVED = frozenset(
    {
        TransferStatus.PENDING,
        TransferStatus.CONSUMED,
        TransferStatus.FAILED,
        TransferStatus.SUPERSEDED,
    }
)

NEXT: Mapping[TransferStatus, frozenset[TransferStatus]] = {
    TransferStatus.PENDING: frozenset(
        {
            TransferStatus.RESOLVED_NATIVE,
            TransferStatus.RESOLVED_PORTABLE,
            TransferStatus.FAILED,
            TransferStatus.SUPERSEDED,
        }
    ),
    TransferStatus.RESOLVED_NATIVE: _RESOLVED,
    TransferStatus.RESOLVED_PORTABLE: _RESOLVED,
    TransferStatus.CONSUMED: frozenset(),
    TransferStatus.FAILED: frozenset(),
    TransferStatus.SUPERSEDED: frozenset(),
}
"""What can become of a transfer; of the last three nothing more."""


def newer_merge_back(transfer_id: TransferId) -> str:
    """Why a merge-back is superseded by one of the same fork."""
    return f"A newer merge-back of the same fork, {transfer_id}, takes its place."


def source_rolled_back(run_id: RunId | None) -> str:
    """Why a merge-back is superseded whose source run no longer counts."""
    return f"Its source run {run_id} was rolled back."


def record_of(transfer: Transfer, handoff: Handoff | None = None) -> TransferRecord:
    """A stored transfer as it can be recorded again; *handoff* is that of its resolution."""
    proof, _, rule = transfer.evidence.partition(": ")
    return TransferRecord(
        transfer_id=transfer.transfer_id,
        type=transfer.type,
        status=transfer.status,
        source_thread_id=transfer.source_thread_id,
        target_thread_id=transfer.target_thread_id,
        source_point=transfer.source_point,
        base_point=transfer.base_point,
        source_provider=transfer.source_provider,
        target_provider=transfer.target_provider,
        target_run_id=transfer.target_run_id,
        replaces=transfer.replaces,
        evidence=Evidence(Proof(proof), rule),
        created_by=transfer.created_by,
        created_at=transfer.created_at,
        consumed_at=transfer.consumed_at,
        error=transfer.error,
        resolution=transfer.resolution,
        handoff=handoff,
        task=transfer.task,
        result_text=transfer.result_text,
        outcome=transfer.outcome,
        steps=transfer.steps,
    )


def stepped(
    record: TransferRecord,
    status: TransferStatus,
    at: Timestamp,
    *,
    run_id: RunId | None = None,
    reason: str | None = None,
) -> TransferRecord:
    """The transfer after one more step.

    ``ValueError`` for a step that the rules forbid: whoever takes one has looked before.
    """
    if status not in NEXT[record.status]:
        raise ValueError(f"Transfer {record.transfer_id} can't go {record.status} -> {status}.")
    step = TransferStep(status=status, at=at, run_id=run_id, reason=reason)
    return msgspec.structs.replace(record, status=status, steps=(*record.all_steps, step))
