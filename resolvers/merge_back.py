"""Bringing what a fork did back to the thread that it was forked from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.commands import RefusalCode
from graph.model import (
    Actor,
    Evidence,
    Proof,
    Relationship,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.questions import TransferFilter, TransfersQuestion
from graph.records import Batch, TransferRecord
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, of_known_history, unarchived, writable
from resolvers.refused import Refused
from resolvers.source_points import chosen_run, latest_stable_run, point_at
from resolvers.transfer_steps import newer_merge_back, record_of, stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import RunId, SourcePoint, ThreadId, Timestamp
    from graph.transfers import Transfer
    from resolvers.carry_out import Accepted, Command, Refusal

EVIDENCE = Evidence(Proof.COMMAND, "mergeBack")

MERGED = frozenset({"completed", "waiting"})
"""The words for a run up to which a fork can be merged back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeWish:
    """Which fork is to be brought back, up to which run: its latest stable one if not said."""

    fork_thread_id: ThreadId
    run_id: RunId | None = None
    into_thread_id: ThreadId | None = None
    created_by: Actor = Actor.USER


async def merge_back(
    graph: CommandGraph, command: Command, wish: MergeWish, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Make a pending merge-back, which the next run of the source will deliver.

    One that is pending already for the same two threads is superseded by it.
    """
    transfer_id = TransferId(command.id_for("transfer"))

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        fork, source = await _ends(transaction, wish)
        base = await _base(transaction, fork)
        tip = await _tip(transaction, fork, wish.run_id)
        pending = await _pending(transaction, fork.thread_id, source.thread_id)
        made = TransferRecord(
            transfer_id=transfer_id,
            type=TransferType.MERGE_BACK,
            source_thread_id=fork.thread_id,
            target_thread_id=source.thread_id,
            source_point=await point_at(transaction, tip, fork),
            base_point=base,
            source_provider=tip.provider,
            target_provider=source.provider,
            evidence=EVIDENCE,
            created_by=wish.created_by,
            created_at=at,
        )
        reason = newer_merge_back(transfer_id)
        superseded = [
            stepped(record_of(old), TransferStatus.SUPERSEDED, at, reason=reason)
            for old in pending
        ]
        await transaction.record(Batch(transfers=(*superseded, made)))
        return {
            "transferId": transfer_id,
            "supersededId": pending[0].transfer_id if pending else None,
        }

    return await carry_out(graph, command, work, clock=clock)


async def _ends(transaction: CommandTransaction, wish: MergeWish) -> tuple[HeldThread, HeldThread]:
    """The fork and its source; the fork is looked at before, the source's id is told by it."""
    named = [wish.fork_thread_id, *([wish.into_thread_id] if wish.into_thread_id else [])]
    held = await transaction.hold(named)
    fork = existing(held, wish.fork_thread_id)
    if wish.into_thread_id is not None:
        unarchived(existing(held, wish.into_thread_id))
    source_id = fork.fork_source_id
    is_fork = fork.relationship_to_parent is Relationship.FORK and not fork.fork_context_only
    if source_id is None or not is_fork:
        raise Refused(
            RefusalCode.NOT_A_FORK,
            f"Thread {fork.thread_id} is no fork.",
            threadId=fork.thread_id,
        )
    if wish.into_thread_id not in (None, source_id):
        raise Refused(
            RefusalCode.NOT_DIRECT_PARENT,
            f"Thread {fork.thread_id} was forked from {source_id}, not {wish.into_thread_id}.",
            threadId=source_id,
        )
    # All that a fork hangs on is in its tree, whose lock is held already.
    source = unarchived(existing(await transaction.hold([source_id]), source_id))
    return of_known_history(fork), of_known_history(writable(source))


async def _base(transaction: CommandTransaction, fork: HeldThread) -> SourcePoint:
    """Where the fork began: the point of its transfer, or what an import knows."""
    if fork.fork_transfer_id is not None:
        made_by = await transaction.graph.transfers_by_id([fork.fork_transfer_id])
        transfer = made_by.get(fork.fork_transfer_id)
        if transfer is not None:
            return transfer.source_point
    origins = await transaction.graph.fork_origins([fork.thread_id])
    origin = origins.get(fork.thread_id)
    if origin is None or origin.point is None or origin.point.run_id is None:
        raise Refused(
            RefusalCode.NOT_A_FORK,
            f"Where thread {fork.thread_id} was forked is not known.",
            threadId=fork.thread_id,
        )
    return origin.point


async def _tip(
    transaction: CommandTransaction, fork: HeldThread, run_id: RunId | None
) -> CommandRun:
    if run_id is None:
        return await latest_stable_run(transaction, fork)
    return await chosen_run(transaction, run_id, fork, MERGED)


async def _pending(
    transaction: CommandTransaction, fork_id: ThreadId, source_id: ThreadId
) -> list[Transfer]:
    """The merge-backs of the pair that nothing has delivered yet: one at most by the rules."""
    page = await transaction.graph.transfers(
        TransfersQuestion(
            filter=TransferFilter(
                types=[TransferType.MERGE_BACK],
                statuses=[TransferStatus.PENDING],
                source_thread_id=fork_id,
                target_thread_id=source_id,
            )
        )
    )
    return list(page.rows)
