"""Changing what is said of a thread: its title, name, model, folder, and the like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graph.errors import BadInput
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.model import ThreadId, Timestamp
    from resolvers.carry_out import Accepted, Command, Refusal


async def update_thread_metadata(
    graph: CommandGraph,
    command: Command,
    *,
    thread_id: ThreadId,
    patch: Mapping[str, str | None],
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Set the fields of a thread that *patch* names; ``None`` takes one away, absent ones stay.

    ``BadInput`` for an empty patch.
    """
    if not patch:
        raise BadInput("The patch says nothing.")

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        existing(await transaction.hold([thread_id]), thread_id)
        await transaction.change_threads([thread_id], {**patch, "updated_at": at})
        return {"threadId": thread_id}

    return await carry_out(graph, command, work, clock=clock)
