"""Choosing another provider for a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, writable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.model import ThreadId, Timestamp
    from graph.transfers import Provider
    from resolvers.carry_out import Accepted, Command, Refusal


async def switch_provider(  # noqa: PLR0913 - what is switched, and to what
    graph: CommandGraph,
    command: Command,
    *,
    thread_id: ThreadId,
    provider: Provider,
    model: str | None,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Choose the provider and the model that the next run of a thread will use.

    No context is handed over before that run starts.
    """

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        writable(existing(await transaction.hold([thread_id]), thread_id))
        await transaction.change_threads(
            [thread_id],
            {
                "driver": provider.driver,
                "provider_instance_id": provider.instance_id,
                "continuation_key": provider.continuation_key,
                "model": model,
                "updated_at": at,
            },
        )
        return {"threadId": thread_id}

    return await carry_out(graph, command, work, clock=clock)
