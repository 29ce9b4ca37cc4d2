"""Recording runs that a provider works on, as an application sees them go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.commands import CommandRun, RefusalCode
from graph.errors import BadInput
from graph.model import ENDED_STATUSES, RUN_STATUSES, RunId
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, refuse_taken_run, run_of
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.model import NativeRef, ThreadId, Timestamp
    from graph.transfers import Provider
    from resolvers.carry_out import Accepted, Command, Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUsage:
    """The tokens that a run has used."""

    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSeen:
    """A run that began somewhere else."""

    thread_id: ThreadId
    run_id: RunId | None = None
    provider: Provider | None = None
    model: str | None = None
    status: str = "running"
    native_thread_ref: NativeRef | None = None
    native_turn_ref: NativeRef | None = None
    started_at: Timestamp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RunNews:
    """What is new of a run; ``None`` says nothing."""

    run_id: RunId
    status: str | None = None
    native_thread_ref: NativeRef | None = None
    native_turn_ref: NativeRef | None = None
    usage: RunUsage | None = None
    completed_at: Timestamp | None = None
    error: str | None = None


async def start_run(
    graph: CommandGraph, command: Command, seen: RunSeen, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Record a run of a thread, as its newest; it touches no transfer.

    ``BadInput`` for a word that is no status of a run.
    """
    _check_status(seen.status)
    run_id = seen.run_id or RunId(command.id_for("run"))

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        held = await transaction.hold([seen.thread_id])
        thread = existing(held, seen.thread_id)
        await refuse_taken_run(transaction, run_id)
        provider = seen.provider or thread.provider
        is_of_thread = thread.provider is not None and provider == thread.provider
        run = CommandRun(
            run_id=run_id,
            thread_id=thread.thread_id,
            ordinal=thread.run_count + 1,
            status=seen.status,
            driver=provider and provider.driver,
            provider_instance_id=provider and provider.instance_id,
            continuation_key=provider and provider.continuation_key,
            model=seen.model or thread.model,
            history_mode=thread.history_mode if is_of_thread else None,
            started_at=seen.started_at or at,
            completed_at=at if seen.status in ENDED_STATUSES else None,
        )
        await transaction.write_runs(
            [with_refs(run, seen.native_thread_ref, seen.native_turn_ref)]
        )
        return {"runId": run_id, "threadId": thread.thread_id}

    return await carry_out(graph, command, work, clock=clock)


async def update_run(
    graph: CommandGraph, command: Command, news: RunNews, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Record what became of a run.

    An ended run keeps its status; a run whose start is unconfirmed is settled by confirmStart or
    failStart. ``BadInput`` for a word that is no status of a run.
    """
    if news.status is not None:
        _check_status(news.status)

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        found = await run_of(transaction, news.run_id)
        existing(await transaction.hold([found.thread_id]), found.thread_id)
        run = await run_of(transaction, news.run_id)  # as it is under the lock
        status = news.status or run.status
        if status != run.status:
            _check_transition(run, status)
        ends = status in ENDED_STATUSES and run.status not in ENDED_STATUSES
        usage = news.usage or RunUsage()
        changed = msgspec.structs.replace(
            run,
            status=status,
            completed_at=news.completed_at or run.completed_at or (at if ends else None),
            error=news.error if news.error is not None else run.error,
            input_tokens=_newer(usage.input_tokens, run.input_tokens),
            cached_input_tokens=_newer(usage.cached_input_tokens, run.cached_input_tokens),
            output_tokens=_newer(usage.output_tokens, run.output_tokens),
            reasoning_tokens=_newer(usage.reasoning_tokens, run.reasoning_tokens),
        )
        await transaction.write_runs(
            [with_refs(changed, news.native_thread_ref, news.native_turn_ref)]
        )
        return {"runId": run.run_id, "threadId": run.thread_id}

    return await carry_out(graph, command, work, clock=clock)


def with_refs(
    run: CommandRun, thread_ref: NativeRef | None, turn_ref: NativeRef | None
) -> CommandRun:
    """The run with how its provider names its thread and itself, where that is said."""
    if thread_ref is not None:
        run = msgspec.structs.replace(
            run,
            native_thread_id=thread_ref.native_id,
            native_thread_strength=thread_ref.strength,
            native_thread_ordinal=thread_ref.ordinal,
        )
    if turn_ref is not None:
        run = msgspec.structs.replace(
            run,
            native_turn_id=turn_ref.native_id,
            native_turn_strength=turn_ref.strength,
            native_turn_ordinal=turn_ref.ordinal,
        )
    return run


def _check_status(status: str) -> None:
    if status not in RUN_STATUSES:
        words = ", ".join(sorted(RUN_STATUSES))
        raise BadInput(f"{status!r} is no status of a run. These are: {words}.")


def _check_transition(run: CommandRun, status: str) -> None:
    starts = run.start_command_id is not None and run.confirmed_at is None
    if run.status in ENDED_STATUSES:
        reason = f"Run {run.run_id} is {run.status}, which is final."
    elif starts:
        reason = f"The start of run {run.run_id} is settled by confirmStart or failStart."
    elif run.rolled_back_at is not None:
        reason = f"Run {run.run_id} was rolled back."
    else:
        return
    raise Refused(RefusalCode.TRANSITION_NOT_ALLOWED, reason, runId=run.run_id, status=status)


def _newer(said: int | None, known: int | None) -> int | None:
    return known if said is None else said
