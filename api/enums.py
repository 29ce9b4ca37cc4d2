"""The model's enums as GraphQL enums."""

import strawberry

from graph.model import Actor, EdgeKind, Relationship, RunKind, Strength, TransferType
from graph.questions import LineageDirection, ThreadOrder, TruncationReason

__all__ = [
    "Actor",
    "EdgeKind",
    "LineageDirection",
    "Relationship",
    "RunKind",
    "Strength",
    "ThreadOrder",
    "TransferType",
    "TruncationReason",
]


strawberry.enum(Actor, description="Who made something.")
strawberry.enum(EdgeKind, description="The ways in which two threads can be related.")
strawberry.enum(
    LineageDirection,
    description="Which part of a tree: what is above a thread, what is below it, or all of it.",
)
strawberry.enum(Relationship, description="Why a thread hangs below its parent.")
strawberry.enum(RunKind, description="What a run did.")
strawberry.enum(
    Strength,
    description="How far a provider's own id can be relied on to name the same thing later.",
)
strawberry.enum(
    ThreadOrder,
    description="The orders of the list of threads. Equal times follow the thread id.",
)
strawberry.enum(TransferType, description="Why context was handed from one thread to another.")
strawberry.enum(TruncationReason, description="Why an answer is cut off.")
