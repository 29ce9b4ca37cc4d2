"""What merge-backs delivered to a thread: it belongs to the runs that received it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import ItemId

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from graph.command_store import CommandTransaction
    from graph.model import Item, RunId


async def delivered_items(
    transaction: CommandTransaction, run_ids: Sequence[RunId]
) -> Mapping[RunId, Sequence[Item]]:
    """What is told before the messages of each of these runs, given in their order.

    Each item stands once, with the first run that received it, and names its own thread. Runs
    that received nothing are absent.
    """
    found = await transaction.delivered_items(run_ids)
    seen = set[ItemId]()
    return {
        run_id: list(_first_of_each(found[run_id], seen)) for run_id in run_ids if run_id in found
    }


def _first_of_each(items: Sequence[Item], seen: set[ItemId]) -> Iterator[Item]:
    for item in items:
        if item.item_id not in seen:
            seen.add(item.item_id)
            yield item
