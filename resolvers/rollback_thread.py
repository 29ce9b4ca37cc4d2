"""Rolling a thread back: its newest runs no longer count, what they had received waits again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph.commands import RefusalCode
from graph.model import Actor, Evidence, Proof, ThreadId, TransferId, TransferStatus, TransferType
from graph.questions import TransferFilter, TransfersQuestion
from graph.records import Batch, TransferRecord
from graph.transfers import TransferStep
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, of_known_history
from resolvers.inbound_transfers import RESOLVED, WAITING, inbound
from resolvers.refused import Refused
from resolvers.source_points import history_mode_of, thread_ref
from resolvers.transfer_steps import record_of, source_rolled_back, stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import RunId, Timestamp
    from graph.transfers import Transfer
    from resolvers.carry_out import Accepted, Command, Refusal

EVIDENCE = Evidence(Proof.COMMAND, "rollbackThread")

UNDER_WAY = frozenset({"preparing", "queued", "starting", "running"})
"""The words for a run that has to end before it can be rolled back."""

ROLLED_BACK_MODES = frozenset({"legacy"})
"""The history modes of Codex's threads in which it takes turns back."""


async def rollback_thread(
    graph: CommandGraph,
    command: Command,
    *,
    thread_id: ThreadId,
    keep_through_run_id: RunId | None,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Mark a thread's own runs behind one of them as rolled back, or all of them.

    They keep their status, and forks that were made before keep them. A merge-back that waits to
    bring one of them is superseded. What they had received as a fork or by a merge-back waits for
    the next run.
    """

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        held = await transaction.hold([thread_id])
        thread = of_known_history(existing(held, thread_id))
        gone = _behind(await transaction.own_runs(thread_id), thread, keep_through_run_id)
        run_ids = [run.run_id for run in gone]
        superseded = await _superseded(transaction, thread, run_ids, at)
        waiting = await _received(transaction, thread, run_ids)
        again = [_waiting_again(transfer, command, thread, at) for transfer in waiting]
        if gone:
            await transaction.roll_back(gone, at)
        if superseded or again:
            await transaction.record(Batch(transfers=(*superseded, *again)))
        return {
            "threadId": thread_id,
            "runIds": run_ids,
            "transferIds": [record.transfer_id for record in (*superseded, *again)],
        }

    return await carry_out(graph, command, work, clock=clock)


def _behind(
    runs: Sequence[CommandRun], thread: HeldThread, kept_id: RunId | None
) -> list[CommandRun]:
    """The runs behind the last one that is kept; refused where they can't be taken back."""
    kept = next((run for run in runs if run.run_id == kept_id), None)
    if kept_id is not None and kept is None:
        raise Refused(
            RefusalCode.RUN_NOT_FOUND,
            f"No run {kept_id} of thread {thread.thread_id} itself is known.",
            runId=kept_id,
        )
    after = 0 if kept is None else kept.ordinal
    gone = [run for run in runs if run.ordinal > after and run.rolled_back_at is None]
    for run in gone:
        _check_mode(run, thread)
    if kept is not None and kept.rolled_back_at is not None:
        raise _not_allowed(kept, "was rolled back itself; keep an earlier one")
    for run in gone:
        if run.status in UNDER_WAY:
            raise _not_allowed(run, f"is {run.status}; let it end first")
    return gone


def _check_mode(run: CommandRun, thread: HeldThread) -> None:
    """Refuse a run that Codex served in a native thread which it does not take turns back in.

    What was imported without a mode is of the old kind; other tools have no modes.
    """
    native = thread_ref(run, thread)
    if native is None or native.native_id is None or native.driver != "codex":
        return
    mode = history_mode_of(run, thread)
    if mode is None and not run.by_command:
        return
    if mode not in ROLLED_BACK_MODES:
        how = "not known" if mode is None else mode
        raise Refused(
            RefusalCode.UNSUPPORTED_HISTORY_MODE,
            f"Run {run.run_id} was served by the codex thread {native.native_id}, whose history "
            f"mode is {how}; only legacy history is rolled back.",
            threadId=thread.thread_id,
            runId=run.run_id,
        )


async def _superseded(
    transaction: CommandTransaction, thread: HeldThread, gone: Sequence[RunId], at: Timestamp
) -> list[TransferRecord]:
    """The merge-backs that wait to bring what is rolled back, as they are from now on."""
    page = await transaction.graph.transfers(
        TransfersQuestion(
            filter=TransferFilter(
                types=[TransferType.MERGE_BACK],
                statuses=[TransferStatus.PENDING],
                source_thread_id=thread.thread_id,
            )
        )
    )
    return [
        stepped(
            record_of(transfer),
            TransferStatus.SUPERSEDED,
            at,
            reason=source_rolled_back(transfer.source_point.run_id),
        )
        for transfer in page.rows
        if transfer.source_point.run_id in gone
    ]


async def _received(
    transaction: CommandTransaction, thread: HeldThread, gone: Sequence[RunId]
) -> list[Transfer]:
    """What runs that are rolled back had consumed and the next run is to be given again.

    Of the merge-backs of a fork that is the newest, unless another one of it is still to come or
    the run that it brought was rolled back, too.
    """
    standing = {TransferStatus.CONSUMED} | WAITING | RESOLVED
    to_come = set[ThreadId]()
    forks: list[Transfer] = []
    newest: dict[ThreadId, Transfer] = {}
    for transfer in await inbound(transaction, thread.thread_id, standing):
        consumed = transfer.status is TransferStatus.CONSUMED and transfer.target_run_id in gone
        match transfer.type:
            case TransferType.FORK if consumed:
                forks.append(transfer)
            case TransferType.MERGE_BACK if consumed:
                newest[transfer.source_thread_id] = transfer
            case TransferType.MERGE_BACK if transfer.status is not TransferStatus.CONSUMED:
                to_come.add(transfer.source_thread_id)
            case _:
                pass
    merge_backs = [transfer for fork_id, transfer in newest.items() if fork_id not in to_come]
    tip_ids = [at.source_point.run_id for at in merge_backs if at.source_point.run_id is not None]
    tips = await transaction.runs(tip_ids)
    lost = {run_id for run_id, tip in tips.items() if tip.rolled_back_at is not None}
    return [*forks, *(at for at in merge_backs if at.source_point.run_id not in lost)]


def _waiting_again(
    transfer: Transfer, command: Command, thread: HeldThread, at: Timestamp
) -> TransferRecord:
    """A transfer for the same points in the place of one whose run was rolled back."""
    reason = f"Run {transfer.target_run_id}, which had received it, was rolled back."
    return TransferRecord(
        transfer_id=TransferId(command.id_for("transfer", transfer.transfer_id)),
        type=transfer.type,
        source_thread_id=transfer.source_thread_id,
        target_thread_id=transfer.target_thread_id,
        source_point=transfer.source_point,
        base_point=transfer.base_point,
        source_provider=transfer.source_provider,
        # Who will run a fork that waits is open again.
        target_provider=None if transfer.type is TransferType.FORK else thread.provider,
        replaces=transfer.transfer_id,
        evidence=EVIDENCE,
        created_by=Actor.SYSTEM,
        created_at=at,
        steps=(TransferStep(status=TransferStatus.PENDING, at=at, reason=reason),),
    )


def _not_allowed(run: CommandRun, reason: str) -> Refused:
    return Refused(
        RefusalCode.TRANSITION_NOT_ALLOWED,
        f"Run {run.run_id} {reason}.",
        threadId=run.thread_id,
        runId=run.run_id,
    )
