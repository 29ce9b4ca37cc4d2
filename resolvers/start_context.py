"""Starting a run: how its provider gets the context, decided and recorded at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

import msgspec

from adapters.abilities import CapabilityOverrides
from adapters.capabilities import capabilities_of
from graph.commands import CommandRun, RefusalCode
from graph.errors import BadInput
from graph.model import (
    Actor,
    Evidence,
    ItemId,
    NativeRef,
    Proof,
    RunId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.records import Batch, TransferRecord
from graph.transfers import HandoffKind, Resolution, Strategy
from resolvers.append_items import ItemSaid, item_record
from resolvers.carry_out import carry_out
from resolvers.held_threads import (
    existing,
    of_known_history,
    refuse_taken_run,
    unarchived,
    writable,
)
from resolvers.payload import DEFAULT_BUDGET_TOKENS, LEAST_BUDGET_TOKENS, MOST_BUDGET_TOKENS
from resolvers.refused import Refused
from resolvers.source_points import point_at
from resolvers.start_facts import standing_of
from resolvers.start_handoffs import HandoffMaker
from resolvers.strategy import (
    Base,
    CheckpointContext,
    DeltaContext,
    NativeFork,
    NoTransfer,
    PortableContext,
    Unsupported,
    choose,
)
from resolvers.transfer_steps import record_of, stepped

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import HeldThread
    from graph.model import SourcePoint, ThreadId, Timestamp
    from graph.transfers import Handoff, Provider
    from resolvers.carry_out import Accepted, Command, Refusal
    from resolvers.start_facts import Standing

EVIDENCE = Evidence(Proof.COMMAND, "resolveStartContext")

STARTING = "starting"


@dataclass(frozen=True, slots=True, kw_only=True)
class StartWish:
    """Which thread is to go on with which provider, and the *message* that it is to be sent.

    Without a *provider* it is the one that the thread has selected. *budget_tokens* is for each
    handoff; *capabilities* says better what the provider can do.
    """

    thread_id: ThreadId
    message: str
    provider: Provider | None = None
    model: str | None = None
    budget_tokens: int = DEFAULT_BUDGET_TOKENS
    capabilities: CapabilityOverrides = field(default_factory=CapabilityOverrides)
    run_id: RunId | None = None


async def resolve_start_context(
    graph: CommandGraph, command: Command, wish: StartWish, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Begin a run, and decide and record how its provider gets the context.

    Nothing is asked of the provider. The run is ``starting`` until the start is confirmed or
    given up, and what it resolved is bound to it. ``BadInput`` for an empty message, a budget out
    of range, or a thread without a provider where none is named.
    """
    if not wish.message:
        raise BadInput("The message of a start can't be empty.")
    if not LEAST_BUDGET_TOKENS <= wish.budget_tokens <= MOST_BUDGET_TOKENS:
        raise BadInput(
            f"budgetTokens is {LEAST_BUDGET_TOKENS} to {MOST_BUDGET_TOKENS}, "
            f"not {wish.budget_tokens}."
        )
    run_id = wish.run_id or RunId(command.id_for("run"))

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        thread, provider = await _startable(transaction, wish)
        capabilities = capabilities_of(provider.driver, wish.capabilities)
        standing = await standing_of(transaction, thread, provider, capabilities)
        base = choose(standing.facts)
        if isinstance(base, Unsupported):
            raise Refused(RefusalCode.UNSUPPORTED, base.reason, missing=list(base.missing))
        start = _Start(transaction, command, thread, provider, standing, run_id, at, wish)
        start.supersede_handoffs()
        told = await start.resolved(base)
        deltas = await start.deltas()
        await refuse_taken_run(transaction, run_id)
        await start.write()
        return {
            "runId": run_id,
            "threadId": thread.thread_id,
            "base": told,
            "deltas": deltas,
            "originator": thread.originator,
        }

    return await carry_out(graph, command, work, clock=clock)


async def _startable(
    transaction: CommandTransaction, wish: StartWish
) -> tuple[HeldThread, Provider]:
    """The thread as far as a start can begin on it, and the provider that it begins with."""
    held = await transaction.hold([wish.thread_id])
    thread = unarchived(existing(held, wish.thread_id))
    of_known_history(writable(thread))
    activity = await transaction.activity(thread.thread_id)
    if activity.unconfirmed_run_id is not None:
        raise Refused(
            RefusalCode.START_IN_PROGRESS,
            f"The start of run {activity.unconfirmed_run_id} is not settled. "
            "Confirm it, or give it up with failStart.",
            runId=activity.unconfirmed_run_id,
        )
    provider = wish.provider or thread.provider
    if provider is None:
        raise BadInput(f"Thread {thread.thread_id} has no provider yet; name one.")
    return thread, provider


class _Start:
    """One start on its way into the graph: what it resolves, before it is written at once."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a start is made of
        self,
        transaction: CommandTransaction,
        command: Command,
        thread: HeldThread,
        provider: Provider,
        standing: Standing,
        run_id: RunId,
        at: Timestamp,
        wish: StartWish,
    ) -> None:
        self._transaction = transaction
        self._command = command
        self._thread = thread
        self._provider = provider
        self._standing = standing
        self._run_id = run_id
        self._at = at
        self._wish = wish
        self._item_id = ItemId(command.id_for("item"))
        self._transfers: list[TransferRecord] = []
        self._handoffs = HandoffMaker(
            transaction, command, budget_tokens=wish.budget_tokens, at=at
        )

    async def resolved(self, base: Base) -> Mapping[str, Any]:
        """Resolve what the base of the context comes by; how it is told."""
        match base:
            case NoTransfer():
                return {"kind": "NO_TRANSFER", "resume": _told_ref(base.resume)}
            case NativeFork():
                told = self._resolve(self._pending_fork(), None, None)
                calls = [
                    {"method": call.method, "params": call.params} for call in base.plan.calls
                ]
                return told | {"calls": calls}
            case PortableContext():
                record = await self._carrier(None)
                handoff = await self._handoffs.of_runs(
                    record, HandoffKind.PORTABLE_CONTEXT, base.run_ids
                )
            case DeltaContext():
                record = await self._carrier(base.base_run_id)
                handoff = await self._handoffs.of_runs(
                    record, HandoffKind.DELTA_CONTEXT, base.run_ids
                )
            case CheckpointContext():
                record = await self._carrier(None)
                handoff = await self._handoffs.of_checkpoint(record, base.checkpoint_id)
            case _:
                assert_never(base)
        told = self._resolve(record, handoff, base.reason)
        if isinstance(base, DeltaContext):
            told["resume"] = _told_ref(base.resume)
        return told

    def supersede_handoffs(self) -> None:
        """Let go the handoffs that wait since a start failed: their points are stale."""
        reason = f"A newer start, of run {self._run_id}, has looked at what is lacking anew."
        self._transfers.extend(
            stepped(record_of(stale), TransferStatus.SUPERSEDED, self._at, reason=reason)
            for stale in self._standing.waiting.handoffs
        )

    async def deltas(self) -> list[Mapping[str, Any]]:
        """Resolve the merge-backs that wait, oldest first; how they are told."""
        told: list[Mapping[str, Any]] = []
        for merge_back in self._standing.waiting.merge_backs:
            tip_run_id = merge_back.source_point.run_id
            if tip_run_id is None:
                continue
            record = record_of(merge_back)
            handoff = await self._handoffs.of_merge_back(record, tip_run_id)
            told.append(self._resolve(record, handoff, None))
        return told

    async def write(self) -> None:
        """Write the run, its message, and what became of the transfers."""
        run = CommandRun(
            run_id=self._run_id,
            thread_id=self._thread.thread_id,
            ordinal=self._thread.run_count + 1,
            status=STARTING,
            driver=self._provider.driver,
            provider_instance_id=self._provider.instance_id,
            continuation_key=self._provider.continuation_key,
            model=self._model(),
            started_at=self._at,
            start_command_id=self._command.command_id,
        )
        message = ItemSaid(kind="message", role="user", text=self._wish.message)
        await self._transaction.write_runs([run])
        await self._transaction.append_items(
            self._thread, [item_record(message, self._item_id, self._run_id, self._at)]
        )
        if self._transfers:
            await self._transaction.record(Batch(transfers=tuple(self._transfers)))

    def _model(self) -> str | None:
        """A model is that of one provider: another's is not taken over."""
        goes_on = self._wish.provider is None or self._wish.provider == self._thread.provider
        return self._wish.model or (self._thread.model if goes_on else None)

    def _pending_fork(self) -> TransferRecord:
        fork = self._standing.waiting.fork
        if fork is None:
            raise ValueError("There is no fork to resolve.")
        return record_of(fork)

    async def _carrier(self, base_run_id: RunId | None) -> TransferRecord:
        """The transfer that a handoff goes with: the fork's, else one of the thread to itself."""
        if self._standing.waiting.fork is not None:
            return self._pending_fork()
        transfer_id = TransferId(self._command.id_for("transfer"))
        last = self._standing.last_told
        if last is None:
            raise ValueError("There is no conversation to hand over.")
        return TransferRecord(
            transfer_id=transfer_id,
            type=TransferType.PROVIDER_HANDOFF,
            source_thread_id=self._thread.thread_id,
            target_thread_id=self._thread.thread_id,
            source_point=await self._point(last),
            base_point=None
            if base_run_id is None
            else await self._point(self._standing.runs[base_run_id]),
            source_provider=last.provider,
            evidence=EVIDENCE,
            created_by=Actor.SYSTEM,
            created_at=self._at,
        )

    async def _point(self, run: CommandRun) -> SourcePoint:
        return await point_at(self._transaction, run, self._standing.owners[run.thread_id])

    def _resolve(
        self, record: TransferRecord, handoff: Handoff | None, reason: str | None
    ) -> dict[str, Any]:
        """Bind a transfer to the run that starts, natively without a handoff; how it is told."""
        strategy = Strategy.NATIVE_FORK if handoff is None else Strategy(handoff.kind.value)
        is_native = handoff is None
        status = TransferStatus.RESOLVED_NATIVE if is_native else TransferStatus.RESOLVED_PORTABLE
        moved = stepped(record, status, self._at, run_id=self._run_id, reason=reason)
        handoff_id = None if handoff is None else handoff.handoff_id
        self._transfers.append(
            msgspec.structs.replace(
                moved,
                target_run_id=self._run_id,
                target_provider=self._provider,
                resolution=Resolution(strategy=strategy, handoff_id=handoff_id),
                handoff=handoff,
            )
        )
        told = {"kind": strategy, "transferId": record.transfer_id}
        return told if handoff_id is None else told | {"handoffId": handoff_id}


def _told_ref(ref: NativeRef | None) -> Mapping[str, Any] | None:
    return None if ref is None else msgspec.to_builtins(ref)
