"""Recording what was said and done in a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.commands import RefusalCode
from graph.errors import BadInput, LimitExceeded
from graph.model import ItemId
from graph.records import ItemRecord
from importers.contract import MAX_TEXT_BYTES
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, run_of
from resolvers.refused import Refused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.model import NativeRef, RunId, ThreadId, Timestamp
    from resolvers.carry_out import Accepted, Command, Refusal

MAX_ITEMS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemSaid:
    """One thing that was said or done: a message, a command, a file change."""

    item_id: ItemId | None = None
    kind: str
    role: str | None = None
    text: str | None = None
    status: str | None = None
    native_ref: NativeRef | None = None
    at: Timestamp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsSaid:
    """Items of one run, in order."""

    thread_id: ThreadId
    run_id: RunId | None = None
    items: Sequence[ItemSaid]


async def append_items(
    graph: CommandGraph, command: Command, said: ItemsSaid, *, clock: Callable[[], datetime]
) -> Accepted | Refusal:
    """Write items behind the last of a thread, all or none.

    ``BadInput`` for none, or for one id twice; ``LimitExceeded`` over ``MAX_ITEMS``.
    """
    if not said.items:
        raise BadInput("There is no item to append.")
    if len(said.items) > MAX_ITEMS:
        raise LimitExceeded("The number of items", len(said.items), MAX_ITEMS)
    item_ids = [
        item.item_id or ItemId(command.id_for(f"item-{place}"))
        for place, item in enumerate(said.items)
    ]
    if len(set(item_ids)) < len(item_ids):
        raise BadInput("An item id stands more than once.")

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        thread = existing(await transaction.hold([said.thread_id]), said.thread_id)
        if said.run_id is not None:
            await run_of(transaction, said.run_id, said.thread_id)
        taken = (await transaction.taken([], item_ids)).item_ids
        if taken:
            raise Refused(
                RefusalCode.CONFLICT,
                f"An item {taken[0]} is there already.",
                itemIds=sorted(taken),
            )
        first, last = await transaction.append_items(
            thread,
            [
                item_record(item, item_id, said.run_id, at)
                for item, item_id in zip(said.items, item_ids, strict=True)
            ],
        )
        return {"threadId": thread.thread_id, "firstPosition": first, "lastPosition": last}

    return await carry_out(graph, command, work, clock=clock)


def item_record(
    item: ItemSaid, item_id: ItemId, run_id: RunId | None, at: Timestamp
) -> ItemRecord:
    """An item as it is stored: a long text cut at a character, with its size before."""
    told = (item.text or "").encode(errors="surrogatepass")
    text = item.text
    if len(told) > MAX_TEXT_BYTES:
        text = told[:MAX_TEXT_BYTES].decode(errors="ignore")
    return ItemRecord(
        item_id=item_id,
        position=0,
        run_id=run_id,
        kind=item.kind,
        role=item.role,
        text=text,
        text_bytes=len(told),
        truncated=len(told) > MAX_TEXT_BYTES,
        status=item.status,
        native_item_id=item.native_ref.native_id if item.native_ref else None,
        at=item.at or at,
    )
