"""Archiving and deleting threads together with what they spawned, and taking that back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph.commands import RefusalCode
from graph.model import EdgeKind
from graph.questions import DescendantPosition, DescendantsQuestion
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, recorded
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.commands import HeldThread
    from graph.model import ThreadId, Timestamp
    from resolvers.carry_out import Accepted, Command, Refusal

PAGE = 500


async def archive_thread(
    graph: CommandGraph, command: Command, thread_id: ThreadId, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Archive a thread and all that it spawned, but for what is archived already; forks stay."""

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        held = await transaction.hold([thread_id])
        if existing(held, thread_id).archived_at is not None:
            raise _not_allowed(thread_id, "is archived already")
        family = await _with_spawned(transaction, thread_id)
        moved = [
            thread.thread_id
            for thread in family
            if thread.archived_at is None and thread.deleted_at is None
        ]
        await transaction.change_threads(moved, {"archived": True, "archived_at": at})
        return {"threadId": thread_id, "threadIds": moved}

    return await carry_out(graph, command, work, clock=clock)


async def unarchive_thread(
    graph: CommandGraph, command: Command, thread_id: ThreadId, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Bring one archived thread back, and none of those that it spawned."""

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:  # noqa: ARG001 - nothing keeps the time
        held = await transaction.hold([thread_id])
        if existing(held, thread_id).archived_at is None:
            raise _not_allowed(thread_id, "is not archived")
        await transaction.change_threads([thread_id], {"archived": False, "archived_at": None})
        return {"threadId": thread_id, "threadIds": [thread_id]}

    return await carry_out(graph, command, work, clock=clock)


async def delete_thread(
    graph: CommandGraph, command: Command, thread_id: ThreadId, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Mark a thread and all that it spawned as deleted; edges, transfers and forks stay.

    Refused while a start among them is unconfirmed, and while a thread outside goes on from the
    history of one inside or is attached to it.
    """

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        existing(await transaction.hold([thread_id]), thread_id)
        family = [
            thread
            for thread in await _with_spawned(transaction, thread_id)
            if thread.deleted_at is None
        ]
        moved = [thread.thread_id for thread in family]
        found = await transaction.in_the_way_of_deletion(moved)
        if found.unconfirmed_run_ids:
            run_id = found.unconfirmed_run_ids[0]
            raise Refused(
                RefusalCode.START_IN_PROGRESS,
                f"Run {run_id} is starting; confirm it or let it fail first.",
                runId=run_id,
            )
        if found.referring_ids:
            others = ", ".join(found.referring_ids)
            raise Refused(
                RefusalCode.HISTORY_REFERENCED,
                f"The history of thread {thread_id} is still used by: {others}.",
                threadIds=found.referring_ids,
            )
        gone = {"deleted": True, "deleted_at": at, "deleted_by": command.command_id}
        await transaction.change_threads(moved, gone)
        return {"threadId": thread_id, "threadIds": moved}

    return await carry_out(graph, command, work, clock=clock)


async def restore_thread(
    graph: CommandGraph, command: Command, thread_id: ThreadId, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Take back the deletion of a thread: of all that the same command deleted, and no more."""

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:  # noqa: ARG001 - nothing keeps the time
        thread = recorded(await transaction.hold([thread_id]), thread_id)
        if thread.deleted_at is None:
            raise _not_allowed(thread_id, "is not deleted")
        moved = [
            other.thread_id
            for other in await _with_spawned(transaction, thread_id)
            if other.deleted_at is not None and other.deleted_by == thread.deleted_by
        ]
        back = {"deleted": False, "deleted_at": None, "deleted_by": None}
        await transaction.change_threads(moved, back)
        return {"threadId": thread_id, "threadIds": moved}

    return await carry_out(graph, command, work, clock=clock)


async def _with_spawned(transaction: CommandTransaction, thread_id: ThreadId) -> list[HeldThread]:
    """A thread and all recorded ones that it spawned: itself first, then the deepest first."""
    below: list[tuple[int, ThreadId]] = []
    after: DescendantPosition | None = None
    while True:
        question = DescendantsQuestion(kinds=[EdgeKind.SPAWN], first=PAGE, after=after)
        page = (await transaction.graph.descendants([thread_id], question))[thread_id]
        below += [(row.depth, row.thread.thread_id) for row in page.rows]
        if not page.has_next:
            break
        after = DescendantPosition(*below[-1])
    ordered = [thread_id, *(below_id for _, below_id in reversed(below))]
    held = await transaction.hold(ordered)
    return [held[at] for at in ordered if at in held and held[at].recorded]


def _not_allowed(thread_id: ThreadId, reason: str) -> Refused:
    return Refused(
        RefusalCode.TRANSITION_NOT_ALLOWED, f"Thread {thread_id} {reason}.", threadId=thread_id
    )
