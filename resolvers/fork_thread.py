"""Forking a thread: a new thread that waits for its first run to choose a provider."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.errors import BadInput
from graph.model import (
    Actor,
    Evidence,
    Proof,
    ThreadId,
    TransferId,
    TransferType,
)
from graph.records import Batch, ForkRecord, ThreadRecord, TransferRecord
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, of_known_history, refuse_taken
from resolvers.new_threads import thread_after
from resolvers.source_points import chosen_checkpoint, chosen_run, latest_stable_run, point_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import Checkpoint, CheckpointId, RunId, SourcePoint, Timestamp
    from resolvers.carry_out import Accepted, Command, Refusal

EVIDENCE = Evidence(Proof.COMMAND, "forkThread")


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkWish:
    """Which thread is to be forked where: at a run, at a checkpoint, else at its latest stable."""

    source_thread_id: ThreadId
    target_thread_id: ThreadId | None = None
    run_id: RunId | None = None
    checkpoint_id: CheckpointId | None = None
    title: str | None = None
    thread_source: str | None = None
    created_by: Actor = Actor.USER


async def fork_thread(
    graph: CommandGraph, command: Command, wish: ForkWish, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Make a fork: a thread, its edge, and one pending transfer; no provider is asked.

    What it costs does not depend on how long the source is. ``BadInput`` for a run and a
    checkpoint at once.
    """
    if wish.run_id is not None and wish.checkpoint_id is not None:
        raise BadInput("A fork begins at a run or at a checkpoint, not at both.")
    target_id = wish.target_thread_id or ThreadId(command.id_for("thread"))
    transfer_id = TransferId(command.id_for("transfer"))

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        held = await transaction.hold([wish.source_thread_id, target_id])
        source = of_known_history(existing(held, wish.source_thread_id))
        run, checkpoint = await _chosen(transaction, wish, source)
        refuse_taken(held, target_id)
        point = await point_at(transaction, run, source, checkpoint)
        fork = _fork(wish, target_id, transfer_id, source, point, at)
        transfer = TransferRecord(
            transfer_id=transfer_id,
            type=TransferType.FORK,
            source_thread_id=source.thread_id,
            target_thread_id=target_id,
            source_point=point,
            source_provider=run.provider,
            evidence=EVIDENCE,
            created_by=wish.created_by,
            created_at=at,
        )
        await transaction.record(Batch(threads=(fork,), transfers=(transfer,)))
        return {"threadId": target_id, "transferId": transfer_id}

    return await carry_out(graph, command, work, clock=clock)


async def _chosen(
    transaction: CommandTransaction, wish: ForkWish, source: HeldThread
) -> tuple[CommandRun, Checkpoint | None]:
    if wish.checkpoint_id is not None:
        return await chosen_checkpoint(transaction, wish.checkpoint_id, source)
    if wish.run_id is not None:
        return await chosen_run(transaction, wish.run_id, source), None
    return await latest_stable_run(transaction, source), None


def _fork(  # noqa: PLR0913, PLR0917 - what a fork is made of
    wish: ForkWish,
    target_id: ThreadId,
    transfer_id: TransferId,
    source: HeldThread,
    point: SourcePoint,
    at: Timestamp,
) -> ThreadRecord:
    return msgspec.structs.replace(
        thread_after(source, target_id, at),
        title=wish.title,
        history_mode=source.history_mode,
        thread_source=wish.thread_source,
        created_by=wish.created_by,
        fork=ForkRecord(
            source_thread_id=source.thread_id,
            point_run_id=point.run_id,
            point_checkpoint_id=point.checkpoint_id,
            source_revision=source.revision,
            transfer_id=transfer_id,
            at=at,
            evidence=EVIDENCE,
        ),
    )
