"""The threads that a command names, as far as it may touch them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.commands import RefusalCode
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph.command_store import CommandTransaction
    from graph.commands import CommandRun, HeldThread
    from graph.model import RunId, ThreadId

SUPPORTED_HISTORY_MODES = frozenset({None, "legacy", "paginated"})
"""The history modes whose runs are read; another word is shown and no more."""


def recorded(held: Mapping[ThreadId, HeldThread], thread_id: ThreadId) -> HeldThread:
    """A thread that was recorded, deleted or not; others are refused."""
    thread = held.get(thread_id)
    if thread is None or not thread.recorded:
        raise Refused(
            RefusalCode.THREAD_NOT_FOUND, f"No thread {thread_id} is recorded.", threadId=thread_id
        )
    return thread


def existing(held: Mapping[ThreadId, HeldThread], thread_id: ThreadId) -> HeldThread:
    """A thread that was recorded and is not deleted; others are refused."""
    thread = recorded(held, thread_id)
    if thread.deleted_at is not None:
        raise Refused(
            RefusalCode.THREAD_DELETED,
            f"Thread {thread_id} is deleted; restore it first.",
            threadId=thread_id,
        )
    return thread


def refuse_taken(held: Mapping[ThreadId, HeldThread], thread_id: ThreadId) -> None:
    """Refuse the id of a new thread that is recorded; a placeholder does not take one."""
    thread = held.get(thread_id)
    if thread is not None and thread.recorded:
        raise Refused(
            RefusalCode.THREAD_EXISTS,
            f"Thread {thread_id} is recorded already.",
            threadId=thread_id,
        )


def unarchived(thread: HeldThread) -> HeldThread:
    """The thread, if it is not archived."""
    if thread.archived_at is not None:
        raise Refused(
            RefusalCode.THREAD_ARCHIVED,
            f"Thread {thread.thread_id} is archived; unarchive it first.",
            threadId=thread.thread_id,
        )
    return thread


def writable(thread: HeldThread) -> HeldThread:
    """The thread, if messages may be written to it: a provider's own child is only observed."""
    if thread.spawn_origin == "provider_native":
        raise Refused(
            RefusalCode.READ_ONLY_SUBAGENT,
            f"Thread {thread.thread_id} was spawned by its provider and is only observed.",
            threadId=thread.thread_id,
        )
    return thread


def of_known_history(thread: HeldThread) -> HeldThread:
    """The thread, if its history is of a kind that is read."""
    if thread.history_mode not in SUPPORTED_HISTORY_MODES:
        raise Refused(
            RefusalCode.UNSUPPORTED_HISTORY_MODE,
            f"The history of thread {thread.thread_id} is {thread.history_mode}, "
            "which is not read here.",
            threadId=thread.thread_id,
        )
    return thread


async def refuse_taken_run(transaction: CommandTransaction, run_id: RunId) -> None:
    """Refuse the id of a new run that is there, on whatever thread."""
    if (await transaction.taken([run_id], [])).run_ids:
        raise Refused(RefusalCode.CONFLICT, f"A run {run_id} is there already.", runId=run_id)


async def run_of(
    transaction: CommandTransaction, run_id: RunId, thread_id: ThreadId | None = None
) -> CommandRun:
    """A run, of *thread_id* where that is given; another is refused."""
    run = (await transaction.runs([run_id])).get(run_id)
    if run is None or (thread_id is not None and run.thread_id != thread_id):
        where = "" if thread_id is None else f" of thread {thread_id}"
        raise Refused(RefusalCode.RUN_NOT_FOUND, f"No run {run_id}{where} is known.", runId=run_id)
    return run
