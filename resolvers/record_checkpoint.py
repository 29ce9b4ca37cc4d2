"""Recording the state of the files that a run left behind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.commands import RefusalCode
from graph.errors import BadInput
from graph.model import Checkpoint, CheckpointId
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, run_of
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.model import NativeRef, RunId, ThreadId, Timestamp
    from resolvers.carry_out import Accepted, Command, Refusal

STATUSES = ("error", "missing", "ready", "stale")
"""Every word for how a checkpoint is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckpointSeen:
    """A checkpoint as its application knows it now."""

    thread_id: ThreadId
    run_id: RunId
    checkpoint_id: CheckpointId | None = None
    parent_checkpoint_id: CheckpointId | None = None
    status: str = "ready"
    native_ref: NativeRef | None = None
    files: tuple[str, ...] = ()


async def record_checkpoint(
    graph: CommandGraph,
    command: Command,
    seen: CheckpointSeen,
    *,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Record a checkpoint of a run, or its newer status, native ref and files.

    ``BadInput`` for a word that is no status of a checkpoint.
    """
    if seen.status not in STATUSES:
        words = ", ".join(STATUSES)
        raise BadInput(f"{seen.status!r} is no status of a checkpoint. These are: {words}.")
    checkpoint_id = seen.checkpoint_id or CheckpointId(command.id_for("checkpoint"))

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        thread = existing(await transaction.hold([seen.thread_id]), seen.thread_id)
        await run_of(transaction, seen.run_id, thread.thread_id)
        found = await transaction.checkpoints_by_id([checkpoint_id])
        before = found.get(checkpoint_id)
        if before is not None and before.run_id != seen.run_id:
            raise Refused(
                RefusalCode.CONFLICT,
                f"A checkpoint {checkpoint_id} of another run is there already.",
                checkpointId=checkpoint_id,
            )
        parent = seen.parent_checkpoint_id
        await transaction.write_checkpoint(
            Checkpoint(
                checkpoint_id=checkpoint_id,
                thread_id=thread.thread_id,
                run_id=seen.run_id,
                parent_checkpoint_id=before.parent_checkpoint_id if before else parent,
                status=seen.status,
                native_ref=seen.native_ref,
                files=seen.files,
                at=before.at if before and before.at else at,
            )
        )
        return {"checkpointId": checkpoint_id, "threadId": thread.thread_id}

    return await carry_out(graph, command, work, clock=clock)
