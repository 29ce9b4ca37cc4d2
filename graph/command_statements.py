"""The statements of commands, with what each takes and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.commands import Activity, CommandId, InTheWay, NewestAnswer, RefusalCode, Taken
from graph.model import Checkpoint, RunId, SpawnEdge, ThreadId, Timestamp
from graph.neo4j_reading_contents import StoredCheckpoint
from graph.statements import Nothing, reading, writing

if TYPE_CHECKING:
    from graph.edges import Cells
    from graph.properties import Properties


@dataclass(frozen=True, slots=True)
class ReceiptOf:
    """Which command."""

    command_id: CommandId


class TakenReceipt(msgspec.Struct, frozen=True):
    """A receipt, all ``None`` where the command is new."""

    name: str | None
    body_hash: str | None
    code: RefusalCode | None
    message: str | None
    made: str | None
    at: Timestamp | None


@dataclass(frozen=True, slots=True)
class ReceiptRow:
    """The properties of a receipt by name."""

    receipt: Properties


@dataclass(frozen=True, slots=True)
class ReceiptsBefore:
    """Before when, and how many at most."""

    before: Timestamp
    most: int


class Forgotten(msgspec.Struct, frozen=True):
    """How many receipts are gone."""

    forgotten: int


@dataclass(frozen=True, slots=True)
class ThreadIdsAsked:
    """Which threads."""

    thread_ids: list[ThreadId]


class ThreadRoots(msgspec.Struct, frozen=True):
    """The threads that are known, and the roots of their trees."""

    thread_ids: list[ThreadId]
    root_thread_ids: list[ThreadId]


@dataclass(frozen=True, slots=True)
class Hold:
    """The roots to lock, the threads to read then, and which of their properties."""

    root_ids: list[ThreadId]
    thread_ids: list[ThreadId]
    columns: list[str]


class Held(msgspec.Struct, frozen=True):
    """Properties of threads, a column each, and of each thread its spawn and fork edge."""

    columns: list[list[Any]]
    spawns: list[Cells | None]
    forks: list[Cells | None]


@dataclass(frozen=True, slots=True)
class ActivityOf:
    """Which thread, and the words for a run that is under way."""

    thread_id: ThreadId
    active: list[str]


@dataclass(frozen=True, slots=True)
class IdsAsked:
    """Ids of runs and items."""

    run_ids: list[RunId]
    item_ids: list[str]


@dataclass(frozen=True, slots=True)
class TextOf:
    """Which runs, and the kinds of items that are told besides messages."""

    run_ids: list[RunId]
    kinds: list[str]


class HasText(msgspec.Struct, frozen=True):
    """Whether there is any."""

    has_text: bool


@dataclass(frozen=True, slots=True)
class LastAnswerOf:
    """The end of which run."""

    run_id: RunId


class NativeItem(msgspec.Struct, frozen=True):
    """How a tool names an item."""

    native_item_id: str


@dataclass(frozen=True, slots=True)
class AnswerOf:
    """Whose newest answer."""

    thread_id: ThreadId


@dataclass(frozen=True, slots=True)
class SpawnEdgeOf:
    """Whose spawn edge."""

    child_id: ThreadId


@dataclass(frozen=True, slots=True)
class ReadyCheckpointOf:
    """Whose checkpoints."""

    thread_id: ThreadId
    run_id: RunId


class FoundCheckpoint(msgspec.Struct, frozen=True):
    """A checkpoint as its node holds it."""

    checkpoint: dict[str, Any]

    def shown(self) -> Checkpoint:
        """The checkpoint as it is read."""
        return msgspec.convert(self.checkpoint, StoredCheckpoint).shown()


@dataclass(frozen=True, slots=True)
class RolledBack:
    """Which runs of a thread are rolled back, and its revision from then on."""

    thread_id: ThreadId
    run_ids: list[RunId]
    revision: int


@dataclass(frozen=True, slots=True)
class DeliveredTo:
    """The runs whose delivered items are read, and which of their properties."""

    run_ids: list[RunId]
    columns: list[str]


class DeliveredItems(msgspec.Struct, frozen=True):
    """The run of each item, and properties of the items, a column each."""

    run_ids: list[RunId]
    columns: list[list[Any]]


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """The properties of a checkpoint by name."""

    checkpoint: Properties


TAKE_RECEIPT = writing("command/take_receipt", ReceiptOf, TakenReceipt)
IN_THE_WAY = reading("command/in_the_way_of_deletion", ThreadIdsAsked, InTheWay)
WRITE_RECEIPT = writing("command/write_receipt", ReceiptRow, Nothing)
FORGET_RECEIPTS = writing("command/forget_receipts", ReceiptsBefore, Forgotten)
ROOTS = reading("command/roots", ThreadIdsAsked, ThreadRoots)
HOLD = writing("command/hold", Hold, Held)
ACTIVITY = reading("command/activity", ActivityOf, Activity)
TAKEN = reading("command/taken", IdsAsked, Taken)
NEWEST_ANSWER = reading("command/newest_answer", AnswerOf, NewestAnswer)
HAS_TEXT = reading("command/has_text", TextOf, HasText)
LAST_ANSWER = reading("command/last_answer", LastAnswerOf, NativeItem)
READY_CHECKPOINT = reading("command/ready_checkpoint", ReadyCheckpointOf, FoundCheckpoint)
DELIVERED_ITEMS = reading("command/delivered_items", DeliveredTo, DeliveredItems)
SPAWN_EDGE = reading("command/spawn_edge", SpawnEdgeOf, SpawnEdge)
ROLL_BACK = writing("command/roll_back", RolledBack, Nothing)
WRITE_CHECKPOINT = writing("command/write_checkpoint", CheckpointRow, Nothing)
