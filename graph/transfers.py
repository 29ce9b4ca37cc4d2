"""The shapes of context transfers: what was handed from one thread to another, and how.

The vocabulary is that of ``graph.model``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

import msgspec

from graph.model import (
    Actor,
    NativeRef,
    RunId,
    SourcePoint,
    ThreadId,
    Timestamp,
    TransferId,
    TransferStatus,
    TransferType,
)

HandoffId = NewType("HandoffId", str)


class Strategy(StrEnum):
    """How context reaches the provider of its target."""

    NATIVE_FORK = "NATIVE_FORK"
    PORTABLE_CONTEXT = "PORTABLE_CONTEXT"
    DELTA_CONTEXT = "DELTA_CONTEXT"
    CHECKPOINT_CONTEXT = "CHECKPOINT_CONTEXT"


class HandoffKind(StrEnum):
    """What a handoff is made of."""

    PORTABLE_CONTEXT = "PORTABLE_CONTEXT"
    DELTA_CONTEXT = "DELTA_CONTEXT"
    CHECKPOINT_CONTEXT = "CHECKPOINT_CONTEXT"


class Provider(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One configured account of a tool; those with the same *continuation_key* share state."""

    instance_id: str
    driver: str
    continuation_key: str | None = None


class Resolution(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How a transfer was resolved; *native_thread_ref* is known once the provider has it."""

    strategy: Strategy
    native_thread_ref: NativeRef | None = None
    handoff_id: HandoffId | None = None


class TransferStep(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One step in the life of a transfer; *reason* says why it was taken."""

    status: TransferStatus
    at: Timestamp
    run_id: RunId | None = None
    reason: str | None = None


class Transfer(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """That context was, or is to be, handed from one thread to another or to itself.

    *target_run_id* is the run that it is bound to, *replaces* the transfer that it stands in
    for, *error* is for a failed one alone. *task* is what a spawned child was given,
    *result_text* and *outcome* are what came back. *steps* are in order, the last is *status*.
    """

    transfer_id: TransferId
    type: TransferType
    status: TransferStatus
    source_thread_id: ThreadId
    target_thread_id: ThreadId
    source_point: SourcePoint
    base_point: SourcePoint | None = None
    source_provider: Provider | None = None
    target_provider: Provider | None = None
    target_run_id: RunId | None = None
    replaces: TransferId | None = None
    evidence: str
    created_by: Actor
    created_at: Timestamp
    updated_at: Timestamp
    consumed_at: Timestamp | None = None
    error: str | None = None
    resolution: Resolution | None = None
    task: str | None = None
    result_text: str | None = None
    outcome: str | None = None
    steps: tuple[TransferStep, ...] = ()


class Handoff(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """The context that a transfer carries, made when it is first needed.

    *payload* is canonical JSON, *text* the same as it goes into a prompt; *item_ids* are those of
    the payload's messages in order, *omitted_item_ids* those that its budget left out.
    """

    handoff_id: HandoffId
    transfer_id: TransferId
    kind: HandoffKind
    payload: str
    text: str
    tokens: int
    item_ids: tuple[str, ...] = ()
    omitted_item_ids: tuple[str, ...] = ()
    created_at: Timestamp
