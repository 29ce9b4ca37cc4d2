"""What decides how a start gets its context, read while its thread is held."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from adapters.fork_point import NAMED_BY_ANSWERS, ForkPoint, NativeTurn
from adapters.native_plan import NativePlan, PlanRefused
from adapters.plan import plan_native_fork
from graph.model import NativeRef, Run, Strength, TransferType
from graph.questions import EVERYTHING
from resolvers.coverage import ServedRun, conversation, is_conversation, received
from resolvers.inbound_transfers import WAITING, inbound
from resolvers.payload import CARRIED_KINDS
from resolvers.source_points import history_mode_of, imported_ref, thread_ref, turn_ref
from resolvers.strategy import (
    DeltaContext,
    NativeFork,
    NoTransfer,
    PendingFork,
    StartFacts,
    choose,
    why_not_native,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from adapters.abilities import Capabilities
    from graph.command_store import CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import CheckpointId, RunId, ThreadId
    from graph.transfers import Provider, Transfer


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The transfers that wait for the next run of a thread, each kind oldest first."""

    fork: Transfer | None
    merge_backs: Sequence[Transfer]
    handoffs: Sequence[Transfer]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How a thread stands before a start.

    *runs* are its history in order, each served as *facts* say it; *owners* are the threads that
    the runs belong to.
    """

    facts: StartFacts
    waiting: Waiting
    runs: Mapping[RunId, CommandRun]
    owners: Mapping[ThreadId, HeldThread]

    @property
    def last_told(self) -> CommandRun | None:
        """The last run of the conversation."""
        told = [run.run_id for run in self.facts.runs if is_conversation(run)]
        return self.runs[told[-1]] if told else None


async def standing_of(
    transaction: CommandTransaction,
    thread: HeldThread,
    provider: Provider,
    capabilities: Capabilities,
) -> Standing:
    """How a held thread stands for a provider that is to go on with it.

    What it costs grows with the runs of its history, not with their items.
    """
    waiting = await _waiting(transaction, thread)
    history = await transaction.graph.selecting({Run: ["run_id"]}).history(
        [thread.thread_id], include_rolled_back=False, first=EVERYTHING, after=None
    )
    page = history.get(thread.thread_id)
    told = [(row.run.run_id, row.distance) for row in page.rows] if page else []
    forked_at = waiting.fork and waiting.fork.source_point.run_id
    runs = await transaction.runs(
        [*(run_id for run_id, _ in told), *([forked_at] if forked_at else [])]
    )
    owner_ids = {run.thread_id for run in runs.values()} - {thread.thread_id}
    owners = {thread.thread_id: thread}
    if owner_ids:
        owners |= await transaction.hold(owner_ids)
    served = [
        served_run(runs[run_id], owners[runs[run_id].thread_id], own=distance == 0)
        for run_id, distance in told
    ]
    facts = StartFacts(
        provider=provider,
        capabilities=capabilities,
        runs=served,
        forked_by_command=thread.fork_transfer_id is not None,
        native_thread_ref=imported_ref(thread, provider.driver),
        pending_merge_backs=len(waiting.merge_backs),
    )
    if waiting.fork is not None:
        pending = await _pending_fork(transaction, waiting.fork, facts, runs, owners)
        facts = replace(facts, fork=pending)
    standing = Standing(facts=facts, waiting=waiting, runs=runs, owners=owners)
    if isinstance(choose(facts), NoTransfer | NativeFork | DeltaContext):
        return standing  # whether there is text to hand over whole decides nothing then
    facts = replace(facts, has_text=await _has_text(transaction, facts))
    standing = replace(standing, facts=facts)
    if facts.has_text:
        return standing
    # The state of the files is all that could be handed over.
    return replace(
        standing, facts=replace(facts, checkpoint_id=await _checkpoint_id(transaction, standing))
    )


def served_run(
    run: CommandRun, owner: HeldThread, *, own: bool = True, rolled_back: bool = False
) -> ServedRun:
    """A run as coverage is computed from it."""
    imported = None if run.by_command else owner
    turn = turn_ref(run)
    return ServedRun(
        run_id=run.run_id,
        status=run.status,
        own=own,
        rolled_back=rolled_back,
        confirmed=run.confirmed_at is not None,
        provider_instance_id=run.provider_instance_id
        or (imported and imported.provider_instance_id),
        driver=run.driver or (imported and imported.driver),
        continuation_key=run.continuation_key or (imported and imported.continuation_key),
        native_thread_ref=thread_ref(run, owner),
        native_turn_id=None if turn is None or turn.strength is Strength.NONE else turn.native_id,
    )


async def _waiting(transaction: CommandTransaction, thread: HeldThread) -> Waiting:
    of_type: dict[TransferType, list[Transfer]] = {}
    for transfer in await inbound(transaction, thread.thread_id, WAITING):
        of_type.setdefault(transfer.type, []).append(transfer)
    forks = of_type.get(TransferType.FORK, [])
    return Waiting(
        fork=forks[-1] if forks else None,
        merge_backs=of_type.get(TransferType.MERGE_BACK, []),
        handoffs=of_type.get(TransferType.PROVIDER_HANDOFF, []),
    )


async def _pending_fork(
    transaction: CommandTransaction,
    transfer: Transfer,
    facts: StartFacts,
    runs: Mapping[RunId, CommandRun],
    owners: Mapping[ThreadId, HeldThread],
) -> PendingFork | None:
    """The fork that waits, with what the adapter makes of it as far as that can matter."""
    run_id = transfer.source_point.run_id
    run = runs.get(run_id) if run_id is not None else None
    if run is None:
        return None
    source = owners[run.thread_id]
    fork = PendingFork(
        run=served_run(run, source, rolled_back=run.rolled_back_at is not None),
        plan=NativePlan(()),
        is_at_item=transfer.source_point.item_id is not None,
    )
    granted = replace(
        facts, capabilities=replace(facts.capabilities, fork=True, fork_at_turn=True)
    )
    refused = why_not_native(granted, fork)
    if refused is not None:
        return replace(fork, plan=PlanRefused(refused))
    plan = await _plan(transaction, run, source, facts.capabilities)
    return replace(fork, plan=plan)


async def _plan(
    transaction: CommandTransaction,
    run: CommandRun,
    source: HeldThread,
    capabilities: Capabilities,
) -> NativePlan | PlanRefused:
    """The calls that fork the native thread that served a run of *source*."""
    native = thread_ref(run, source)
    if native is None:
        return PlanRefused("The native thread of the run is not known.")
    turns = [
        _native_turn(other, source)
        for other in await transaction.own_runs(source.thread_id)
        if _is_in(native, thread_ref(other, source))
    ]
    answer_id = None
    if native.driver in NAMED_BY_ANSWERS:
        answer_id = await transaction.last_answer_id(run.run_id)
    point = ForkPoint(
        run_id=run.run_id,
        native_thread_ref=native,
        native_turn_ref=turn_ref(run),
        last_answer_ref=None
        if answer_id is None
        else NativeRef(driver=native.driver, native_id=answer_id, strength=Strength.WEAK),
        history_mode=history_mode_of(run, source),
        turns=turns,
        read_from_files=not run.by_command,
    )
    return plan_native_fork(native.driver, point, capabilities)


def _native_turn(run: CommandRun, owner: HeldThread) -> NativeTurn:
    rolled_back = run.rolled_back_at is not None
    return NativeTurn(
        run_id=run.run_id,
        status=run.status,
        received=received(served_run(run, owner)),
        rolled_back=rolled_back,
        native_turn_ref=turn_ref(run),
    )


def _is_in(native: NativeRef, ref: NativeRef | None) -> bool:
    """Whether a run was served by a native thread."""
    return ref is not None and (ref.driver, ref.native_id) == (native.driver, native.native_id)


async def _has_text(transaction: CommandTransaction, facts: StartFacts) -> bool:
    chosen = None if facts.fork is None else facts.fork.run.run_id
    run_ids = conversation(facts.runs, chosen=chosen)
    return bool(run_ids) and await transaction.has_text(run_ids, CARRIED_KINDS)


async def _checkpoint_id(
    transaction: CommandTransaction, standing: Standing
) -> CheckpointId | None:
    """The checkpoint of the point that the context is taken from."""
    if standing.waiting.fork is not None:
        return standing.waiting.fork.source_point.checkpoint_id
    last = standing.last_told
    checkpoint = None if last is None else await transaction.ready_checkpoint(last)
    return None if checkpoint is None else checkpoint.checkpoint_id
