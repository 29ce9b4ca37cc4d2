"""Threads that agents spawn, and what comes back from them."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import msgspec

from graph.commands import RefusalCode
from graph.errors import BadInput
from graph.model import (
    Actor,
    Evidence,
    Proof,
    SourcePoint,
    ThreadId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.records import Batch, SpawnRecord, ThreadRecord, TransferRecord
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, refuse_taken, run_of, unarchived
from resolvers.new_threads import thread_after
from resolvers.refused import Refused
from resolvers.source_points import point_at

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import HeldThread
    from graph.model import RunId, Timestamp
    from graph.transfers import Provider
    from resolvers.carry_out import Accepted, Command, Refusal

SPAWNED = Evidence(Proof.COMMAND, "spawnSubagent")
COMPLETED = Evidence(Proof.COMMAND, "completeSubagent")
EDGE_STATUS = Evidence(Proof.COMMAND, "setSpawnEdgeStatus")

ORIGINS = ("app_owned", "provider_native")

_SENTENCES = {
    "cancelled": "The subagent was cancelled before it answered.",
    "completed": "The subagent completed its task without an answer.",
    "failed": "The subagent failed without an answer.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnWish:
    """Which thread spawns which, for what; *origin* says whose the child is."""

    parent_thread_id: ThreadId
    parent_run_id: RunId | None = None
    child_thread_id: ThreadId | None = None
    task: str | None = None
    call_id: str | None = None
    provider: Provider | None = None
    origin: str = "app_owned"


async def spawn_subagent(
    graph: CommandGraph, command: Command, wish: SpawnWish, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Make a child thread that its parent's agent spawned, with its task.

    It has nothing of its parent's history. ``BadInput`` for another word as the origin.
    """
    if wish.origin not in ORIGINS:
        raise BadInput(f"{wish.origin!r} is no origin. These are: {', '.join(ORIGINS)}.")
    child_id = wish.child_thread_id or ThreadId(command.id_for("thread"))
    transfer_id = TransferId(command.id_for("transfer"))

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        held = await transaction.hold([wish.parent_thread_id, child_id])
        parent = unarchived(existing(held, wish.parent_thread_id))
        point = SourcePoint(thread_id=parent.thread_id)
        if wish.parent_run_id is not None:
            run = await run_of(transaction, wish.parent_run_id, parent.thread_id)
            point = await point_at(transaction, run, parent)
        refuse_taken(held, child_id)
        transfer = TransferRecord(
            transfer_id=transfer_id,
            type=TransferType.SUBAGENT_SPAWN,
            status=TransferStatus.CONSUMED,
            source_thread_id=parent.thread_id,
            target_thread_id=child_id,
            source_point=point,
            source_provider=parent.provider,
            target_provider=wish.provider,
            evidence=SPAWNED,
            created_by=Actor.AGENT,
            created_at=at,
            consumed_at=at,
            task=wish.task,
        )
        child_record = _child(wish, child_id, transfer_id, parent, at)
        await transaction.record(Batch(threads=(child_record,), transfers=(transfer,)))
        return {"threadId": child_id, "transferId": transfer_id}

    return await carry_out(graph, command, work, clock=clock)


async def complete_subagent(  # noqa: PLR0913 - what is completed, and how
    graph: CommandGraph,
    command: Command,
    *,
    child_thread_id: ThreadId,
    outcome: str,
    error: str | None,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Record what a spawned thread came back with: once for ever, the first report counts.

    It is the failure of one that failed, else the newest answer of its assistant, else a sentence
    that says the outcome. ``BadInput`` for another word as the outcome.
    """
    if outcome not in _SENTENCES:
        raise BadInput(f"{outcome!r} is no outcome. These are: {', '.join(_SENTENCES)}.")
    transfer_id = TransferId(
        "result-" + blake2b(child_thread_id.encode(), digest_size=16).hexdigest()
    )

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        child = existing(await transaction.hold([child_thread_id]), child_thread_id)
        if child.spawner_id is None:
            raise _never_spawned(child_thread_id)
        made = {"threadId": child_thread_id, "transferId": transfer_id}
        if transfer_id in await transaction.graph.transfers_by_id([transfer_id]):
            return made | {"replayed": True}
        parent = (await transaction.hold([child.spawner_id]))[child.spawner_id]
        result = await transaction.newest_answer(child_thread_id)
        came_to = outcome if result.run_count == 0 or result.left_count else "cancelled"
        text = result.text
        if came_to == "failed" and error:
            text = error
        point = SourcePoint(thread_id=child_thread_id)
        if result.last_run_id is not None:
            run = await run_of(transaction, result.last_run_id)
            point = await point_at(transaction, run, child)
        transfer = TransferRecord(
            transfer_id=transfer_id,
            type=TransferType.SUBAGENT_RESULT,
            status=TransferStatus.CONSUMED,
            source_thread_id=child_thread_id,
            target_thread_id=parent.thread_id,
            source_point=point,
            source_provider=child.provider,
            target_provider=parent.provider,
            evidence=COMPLETED,
            created_by=Actor.SYSTEM,
            created_at=at,
            consumed_at=at,
            result_text=text or _SENTENCES[came_to],
            outcome=came_to,
        )
        await transaction.record(Batch(transfers=(transfer,)))
        return made

    return await carry_out(graph, command, work, clock=clock)


async def set_spawn_edge_status(
    graph: CommandGraph,
    command: Command,
    *,
    child_thread_id: ThreadId,
    status: str,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Say how a spawn stands: open, closed, or a word of the application's own."""
    if not status:
        raise BadInput("The status of a spawn edge can't be empty.")

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:  # noqa: ARG001 - an edge keeps the time of its spawn
        child = existing(await transaction.hold([child_thread_id]), child_thread_id)
        if child.spawner_id is None:
            raise _never_spawned(child_thread_id)
        spawn = SpawnRecord(
            child_thread_id=child_thread_id,
            parent_thread_id=child.spawner_id,
            status=status,
            origin=child.spawn_origin or "provider_native",
            evidence=EDGE_STATUS,
        )
        await transaction.record(Batch(spawns=(spawn,)))
        return {"threadId": child_thread_id}

    return await carry_out(graph, command, work, clock=clock)


def _child(
    wish: SpawnWish,
    child_id: ThreadId,
    transfer_id: TransferId,
    parent: HeldThread,
    at: Timestamp,
) -> ThreadRecord:
    provider = wish.provider
    return msgspec.structs.replace(
        thread_after(parent, child_id, at),
        driver=provider and provider.driver,
        provider_instance_id=provider and provider.instance_id,
        continuation_key=provider and provider.continuation_key,
        created_by=Actor.AGENT,
        spawn=SpawnRecord(
            child_thread_id=child_id,
            parent_thread_id=parent.thread_id,
            origin=wish.origin,
            run_id=wish.parent_run_id,
            call_id=wish.call_id,
            transfer_id=transfer_id,
            at=at,
            evidence=SPAWNED,
        ),
    )


def _never_spawned(thread_id: ThreadId) -> Refused:
    return Refused(
        RefusalCode.TRANSITION_NOT_ALLOWED,
        f"Nobody spawned thread {thread_id}.",
        threadId=thread_id,
    )
