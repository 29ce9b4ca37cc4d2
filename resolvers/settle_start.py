"""What became of a start: its provider accepted it, or it is given up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.commands import RefusalCode
from graph.errors import BadInput
from graph.model import TransferStatus, TransferType
from graph.records import Batch, WindowRecord
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, run_of
from resolvers.inbound_transfers import RESOLVED, WAITING, inbound
from resolvers.record_runs import with_refs
from resolvers.refused import Refused
from resolvers.source_points import history_mode_of, thread_ref
from resolvers.start_context import STARTING
from resolvers.transfer_steps import newer_merge_back, record_of, source_rolled_back, stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import NativeRef, RunId, Timestamp
    from graph.records import TransferRecord
    from graph.transfers import Transfer
    from resolvers.carry_out import Accepted, Command, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class StartAccepted:
    """That a provider accepted a start, and how it names its thread and the turn."""

    run_id: RunId
    native_thread_ref: NativeRef | None = None
    native_turn_ref: NativeRef | None = None
    history_mode: str | None = None
    initial_window_id: str | None = None


async def confirm_start(
    graph: CommandGraph, command: Command, said: StartAccepted, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Record that the provider accepted a start: the run goes on, its transfers are consumed.

    The thread has this provider from now on. ``BadInput`` where Codex begins the thread's first
    context window and its id is not told.
    """

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        run, thread = await _unsettled(transaction, said.run_id)
        window = await _first_window(transaction, run, said.initial_window_id)
        bound = await _bound(transaction, run)
        mode = await _history_mode(transaction, run, thread, said)
        confirmed = with_refs(
            msgspec.structs.replace(run, status="running", confirmed_at=at, history_mode=mode),
            said.native_thread_ref,
            said.native_turn_ref,
        )
        await transaction.write_runs([confirmed])
        changes: dict[str, Any] = {
            "driver": run.driver,
            "provider_instance_id": run.provider_instance_id,
            "continuation_key": run.continuation_key,
            "model": run.model,
            "updated_at": at,
        }
        if said.native_thread_ref is not None or said.history_mode is not None:
            changes["history_mode"] = mode
        await transaction.change_threads([thread.thread_id], changes)
        if window is not None:
            await transaction.write_window(thread.thread_id, window)
        await _record(
            transaction, [_consumed(transfer, said.native_thread_ref, at) for transfer in bound]
        )
        return _told(run, bound)

    return await carry_out(graph, command, work, clock=clock)


async def fail_start(  # noqa: PLR0913 - what failed, and how
    graph: CommandGraph,
    command: Command,
    *,
    run_id: RunId,
    reason: str,
    retryable: bool,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Give a start up: the run failed, and its transfers wait again or, for good, failed.

    A merge-back that something newer stands in for meanwhile, or whose source run was rolled
    back, is superseded instead of waiting again. ``BadInput`` for an empty reason.
    """
    if not reason:
        raise BadInput("Say why the start failed: the reason can't be empty.")

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        run, _ = await _unsettled(transaction, run_id)
        bound = await _bound(transaction, run)
        stale = await _stale(transaction, run, bound) if retryable else {}
        failed = msgspec.structs.replace(run, status="failed", completed_at=at, error=reason)
        await transaction.write_runs([failed])
        await _record(
            transaction,
            [
                _unbound(transfer, at, reason, stale.get(transfer.transfer_id))
                if retryable
                else msgspec.structs.replace(
                    stepped(
                        record_of(transfer),
                        TransferStatus.FAILED,
                        at,
                        run_id=run_id,
                        reason=reason,
                    ),
                    error=reason,
                )
                for transfer in bound
            ],
        )
        return _told(run, bound)

    return await carry_out(graph, command, work, clock=clock)


async def _unsettled(
    transaction: CommandTransaction, run_id: RunId
) -> tuple[CommandRun, HeldThread]:
    """A run whose start was neither confirmed nor given up, and its thread."""
    found = await run_of(transaction, run_id)
    held = await transaction.hold([found.thread_id])
    thread = existing(held, found.thread_id)
    run = await run_of(transaction, run_id)  # as it is under the lock
    if run.status != STARTING or run.start_command_id is None or run.confirmed_at is not None:
        how = f"is {run.status}" if run.start_command_id else "was not begun by a start"
        raise Refused(
            RefusalCode.TRANSITION_NOT_ALLOWED,
            f"Run {run_id} {how}: there is no start to settle.",
            runId=run_id,
            status=run.status,
        )
    return run, thread


async def _bound(transaction: CommandTransaction, run: CommandRun) -> list[Transfer]:
    """The transfers that a start has resolved, oldest first."""
    return [
        transfer
        for transfer in await inbound(transaction, run.thread_id, RESOLVED)
        if transfer.target_run_id == run.run_id
    ]


async def _first_window(
    transaction: CommandTransaction, run: CommandRun, window_id: str | None
) -> WindowRecord | None:
    """The first context window of a thread that Codex begins; ``None`` where there is one."""
    if run.driver != "codex":
        return None
    windows = await transaction.graph.context_windows([run.thread_id])
    if windows.get(run.thread_id):
        return None
    if not window_id:
        raise BadInput(
            f"The first start of thread {run.thread_id} with codex needs the initialWindowId "
            "that it began with."
        )
    return WindowRecord(number=0, window_id=window_id, first_window_id=window_id)


async def _history_mode(
    transaction: CommandTransaction, run: CommandRun, thread: HeldThread, said: StartAccepted
) -> str | None:
    """The history mode of the native thread: as it is said, else as it was said of it before."""
    if said.history_mode is not None or said.native_thread_ref is None:
        return said.history_mode
    native_id = said.native_thread_ref.native_id
    for other in reversed(await transaction.own_runs(run.thread_id)):
        ref = thread_ref(other, thread)
        if ref is not None and native_id is not None and ref.native_id == native_id:
            return history_mode_of(other, thread)
    return None


def _consumed(transfer: Transfer, native: NativeRef | None, at: Timestamp) -> TransferRecord:
    record = stepped(
        record_of(transfer), TransferStatus.CONSUMED, at, run_id=transfer.target_run_id
    )
    resolution = transfer.resolution
    if transfer.status is TransferStatus.RESOLVED_NATIVE and resolution is not None:
        resolution = msgspec.structs.replace(resolution, native_thread_ref=native)
    return msgspec.structs.replace(record, consumed_at=at, resolution=resolution)


def _unbound(transfer: Transfer, at: Timestamp, reason: str, stale: str | None) -> TransferRecord:
    """The transfer once its start was given up: it waits again unless it is stale."""
    status = TransferStatus.PENDING if stale is None else TransferStatus.SUPERSEDED
    record = stepped(
        record_of(transfer), status, at, run_id=transfer.target_run_id, reason=stale or reason
    )
    if transfer.type is TransferType.FORK:
        # Who will run a fork that waits is open again.
        record = msgspec.structs.replace(record, target_provider=None)
    return msgspec.structs.replace(record, target_run_id=None, resolution=None)


async def _stale(
    transaction: CommandTransaction, run: CommandRun, bound: Sequence[Transfer]
) -> dict[str, str]:
    """Why merge-backs are not to wait again, by their ids."""
    merge_backs = [transfer for transfer in bound if transfer.type is TransferType.MERGE_BACK]
    if not merge_backs:
        return {}
    waiting = await inbound(transaction, run.thread_id, WAITING, TransferType.MERGE_BACK)
    newer = {transfer.source_thread_id: transfer.transfer_id for transfer in waiting}
    tips = await transaction.runs(
        [at.source_point.run_id for at in merge_backs if at.source_point.run_id is not None]
    )
    reasons: dict[str, str] = {}
    for transfer in merge_backs:
        tip_id = transfer.source_point.run_id
        tip = None if tip_id is None else tips.get(tip_id)
        if tip is not None and tip.rolled_back_at is not None:
            reasons[transfer.transfer_id] = source_rolled_back(tip_id)
        elif transfer.source_thread_id in newer:
            reasons[transfer.transfer_id] = newer_merge_back(newer[transfer.source_thread_id])
    return reasons


async def _record(transaction: CommandTransaction, records: Sequence[TransferRecord]) -> None:
    if records:
        await transaction.record(Batch(transfers=tuple(records)))


def _told(run: CommandRun, transfers: Sequence[Transfer]) -> Mapping[str, Any]:
    return {
        "runId": run.run_id,
        "threadId": run.thread_id,
        "transferIds": [transfer.transfer_id for transfer in transfers],
    }
