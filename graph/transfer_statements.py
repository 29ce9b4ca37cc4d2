"""The statements that record transfers, with what each takes and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.model import ThreadId, TransferId
from graph.record_statements import ThreadsNamed
from graph.statements import Nothing, reading, writing

if TYPE_CHECKING:
    from graph.edges import Cells
    from graph.properties import Properties


@dataclass(frozen=True, slots=True)
class EnterTransfers:
    """The transfers to make and to lock."""

    transfer_ids: list[TransferId]


class EnteredTransfers(msgspec.Struct, frozen=True):
    """How they stand: lists whose places the statement's file tells."""

    transfers: list[Cells]


@dataclass(frozen=True, slots=True)
class TransferRows:
    """Properties of transfers by name, and the checkpoints that their points name."""

    transfers: list[Properties]


@dataclass(frozen=True, slots=True)
class HandoffRows:
    """Properties of handoffs by name."""

    handoffs: list[Properties]


class LinkedTrees(msgspec.Struct, frozen=True):
    """Trees by their roots."""

    root_thread_ids: list[ThreadId]


ENTER_TRANSFERS = writing("record/enter_transfers", EnterTransfers, EnteredTransfers)
TRANSFERS = writing("record/transfers", TransferRows, Nothing)
HANDOFFS = writing("record/handoffs", HandoffRows, Nothing)
LINKED_TREES = reading("record/linked_trees", ThreadsNamed, LinkedTrees)
