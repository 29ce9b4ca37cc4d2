"""The transfers that come to a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import TransferStatus, TransferType
from graph.questions import EVERYTHING, Direction, ThreadTransfersQuestion

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graph.command_store import CommandTransaction
    from graph.model import ThreadId
    from graph.transfers import Transfer

WAITING = frozenset({TransferStatus.PENDING})

RESOLVED = frozenset({TransferStatus.RESOLVED_NATIVE, TransferStatus.RESOLVED_PORTABLE})


async def inbound(
    transaction: CommandTransaction,
    thread_id: ThreadId,
    statuses: Collection[TransferStatus],
    transfer_type: TransferType | None = None,
) -> Sequence[Transfer]:
    """The transfers to a thread that stand so, oldest first; of one type where that is given."""
    question = ThreadTransfersQuestion(
        direction=Direction.IN, statuses=sorted(statuses), first=EVERYTHING
    )
    pages = await transaction.graph.thread_transfers([thread_id], question)
    page = pages.get(thread_id)
    return [
        transfer
        for transfer in (page.rows if page else ())
        if transfer_type in (None, transfer.type)
    ]
