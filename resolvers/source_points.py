"""The exact states that a thread can be forked or merged back from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.commands import RefusalCode
from graph.model import NativeRef, RunId, SourcePoint, Strength
from resolvers.held_threads import run_of
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Collection

    from graph.command_store import CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import Checkpoint, CheckpointId

FORKED_FROM = frozenset({"completed", "waiting", "failed", "interrupted", "cancelled"})
"""The words for a run that a fork may begin at; of the others nothing is sure yet."""

STRONG_THREADS = frozenset({"claude", "codex", "opencode"})
"""The tools whose thread ids, as their files state them, name a thread for good."""

STRONG_TURNS = frozenset({"codex"})
"""The tools whose turn ids, as their files state them, name a turn for good."""


def thread_ref(run: CommandRun, thread: HeldThread) -> NativeRef | None:
    """How the provider names the thread that served a run, where that is known.

    An imported run was served by the native thread that its own thread was read from.
    """
    # A thread's selection may be newer than a run that a command recorded without a provider.
    driver = run.driver if run.by_command else run.driver or thread.driver
    if driver is None:
        return None
    if run.by_command:
        if run.native_thread_id is None:
            return None
        return NativeRef(
            driver=driver,
            native_id=run.native_thread_id,
            strength=run.native_thread_strength or Strength.NONE,
            ordinal=run.native_thread_ordinal,
        )
    return imported_ref(thread, driver)


def imported_ref(thread: HeldThread, driver: str) -> NativeRef | None:
    """How *driver* names the native thread that a thread was read from, if it was."""
    if thread.native_thread_id is None:
        return None
    strength = Strength.STRONG if driver in STRONG_THREADS else Strength.WEAK
    return NativeRef(driver=driver, native_id=thread.native_thread_id, strength=strength)


def history_mode_of(run: CommandRun, thread: HeldThread) -> str | None:
    """The history mode of the native thread that served a run, ``None`` where none is known.

    A run by command was told it when it began or was confirmed; an import knows it of its thread.
    """
    return run.history_mode if run.by_command else thread.history_mode


def turn_ref(run: CommandRun) -> NativeRef | None:
    """How the provider names a run, where that is known."""
    if run.driver is None or run.native_turn_id is None:
        return None
    strength = run.native_turn_strength
    if strength is None:
        strength = Strength.STRONG if run.driver in STRONG_TURNS else Strength.WEAK
    return NativeRef(
        driver=run.driver,
        native_id=run.native_turn_id,
        strength=strength,
        ordinal=run.native_turn_ordinal,
    )


async def point_at(
    transaction: CommandTransaction,
    run: CommandRun,
    thread: HeldThread,
    checkpoint: Checkpoint | None = None,
) -> SourcePoint:
    """The end of a run of a thread, with *checkpoint* or its newest ready one."""
    kept = checkpoint or await transaction.ready_checkpoint(run)
    return SourcePoint(
        thread_id=run.thread_id,
        run_id=run.run_id,
        checkpoint_id=kept and kept.checkpoint_id,
        native_thread_ref=thread_ref(run, thread),
        native_turn_ref=turn_ref(run),
    )


async def latest_stable_run(transaction: CommandTransaction, thread: HeldThread) -> CommandRun:
    """The newest run of a thread that can be built on; refused where there is none."""
    activity = await transaction.activity(thread.thread_id)
    if activity.stable_run_id is None:
        raise Refused(
            RefusalCode.NO_STABLE_POINT,
            f"Thread {thread.thread_id} has no completed run to build on. "
            "Wait until one is completed, or name a run.",
            threadId=thread.thread_id,
        )
    return await run_of(transaction, activity.stable_run_id)


async def chosen_run(
    transaction: CommandTransaction,
    run_id: RunId,
    thread: HeldThread,
    statuses: Collection[str] = FORKED_FROM,
) -> CommandRun:
    """A run of a thread that was chosen by its id; refused if rolled back or none of *statuses*.

    The default are those that a fork may begin at.
    """
    run = await run_of(transaction, run_id, thread.thread_id)
    if run.rolled_back_at is not None or run.status not in statuses:
        how = "was rolled back" if run.rolled_back_at is not None else f"is {run.status}"
        raise Refused(RefusalCode.SOURCE_NOT_STABLE, f"Run {run_id} {how}.", runId=run_id)
    return run


async def chosen_checkpoint(
    transaction: CommandTransaction, checkpoint_id: CheckpointId, thread: HeldThread
) -> tuple[CommandRun, Checkpoint]:
    """A checkpoint of a thread and its run; the status of the checkpoint does not count."""
    found = await transaction.checkpoints_by_id([checkpoint_id])
    checkpoint = found.get(checkpoint_id)
    if checkpoint is None or checkpoint.thread_id != thread.thread_id:
        raise Refused(
            RefusalCode.CHECKPOINT_NOT_FOUND,
            f"No checkpoint {checkpoint_id} of thread {thread.thread_id} is known.",
            checkpointId=checkpoint_id,
        )
    return await chosen_run(transaction, checkpoint.run_id, thread), checkpoint
