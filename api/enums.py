"""The model's enums as GraphQL enums."""

import strawberry

from graph.model import (
    Actor,
    EdgeKind,
    Relationship,
    RunKind,
    Strength,
    TransferStatus,
    TransferType,
)
from graph.questions import Direction, LineageDirection, ThreadOrder, TruncationReason
from graph.transfers import HandoffKind, Strategy

__all__ = [
    "Actor",
    "Direction",
    "EdgeKind",
    "HandoffKind",
    "LineageDirection",
    "Relationship",
    "RunKind",
    "Strategy",
    "Strength",
    "ThreadOrder",
    "TransferStatus",
    "TransferType",
    "TruncationReason",
]


strawberry.enum(Actor, description="Who made something.")
strawberry.enum(
    Direction,
    description="The end of a transfer at which a thread stands: its target, its source.",
)
strawberry.enum(EdgeKind, description="The ways in which two threads can be related.")
strawberry.enum(HandoffKind, description="What a handoff is made of.")
strawberry.enum(
    LineageDirection,
    description="Which part of a tree: what is above a thread, what is below it, or all of it.",
)
strawberry.enum(Relationship, description="Why a thread hangs below its parent.")
strawberry.enum(RunKind, description="What a run did.")
strawberry.enum(Strategy, description="How context reaches the provider of its target.")
strawberry.enum(
    Strength,
    description="How far a provider's own id can be relied on to name the same thing later.",
)
strawberry.enum(
    ThreadOrder,
    description="The orders of the list of threads. Equal times follow the thread id.",
)
strawberry.enum(
    TransferStatus,
    description="How far a transfer has come; CONSUMED, FAILED and SUPERSEDED are final.",
)
strawberry.enum(TransferType, description="Why context was handed from one thread to another.")
strawberry.enum(TruncationReason, description="Why an answer is cut off.")
