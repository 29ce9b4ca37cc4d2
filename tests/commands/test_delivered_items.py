"""What merge-backs delivered to runs, as payloads over these runs carry it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graph.model import RunId, TransferStatus, TransferType
from graph.records import Batch, ItemsRecord
from graph.transfers import Handoff, HandoffId, HandoffKind, Resolution, Strategy
from resolvers.delivered_items import delivered_items
from tests.conformance.told import at, forked, handed, item, tell, thread, turned

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph.command_store import CommandTransaction
    from graph.neo4j_store import Neo4jStore
    from graph.records import TransferRecord

pytestmark = pytest.mark.anyio


def merged(name: str, into: str, *item_ids: str, **known: Any) -> TransferRecord:  # noqa: ANN401 - any field of a transfer
    """A merge-back of ``fork`` that a run of its source consumed with these items."""
    handoff_id = HandoffId(f"{name} carries")
    handoff = Handoff(
        handoff_id=handoff_id,
        transfer_id=handed(name, "fork", "source").transfer_id,
        kind=HandoffKind.DELTA_CONTEXT,
        payload="{}",
        text="",
        tokens=0,
        item_ids=item_ids,
        omitted_item_ids=("i0",),
        created_at=at(9),
    )
    facts: dict[str, Any] = {
        "type": TransferType.MERGE_BACK,
        "target_run_id": RunId(into),
        "handoff": handoff,
        "resolution": Resolution(strategy=Strategy.DELTA_CONTEXT, handoff_id=handoff_id),
    }
    return handed(name, "fork", "source", **(facts | known))


async def delivered(graph: Neo4jStore, *run_ids: str) -> Mapping[str, list[str]]:
    """The ids of the items that each run received."""

    async def work(transaction: CommandTransaction) -> Mapping[str, list[str]]:
        found = await delivered_items(transaction, [RunId(run_id) for run_id in run_ids])
        return {
            run_id: [f"{item.thread_id} {item.item_id}" for item in items]
            for run_id, items in found.items()
        }

    return await graph.transact(work)


async def test_what_was_delivered_belongs_to_the_run_that_received_it(graph: Neo4jStore) -> None:
    """Oldest merge-back first, each as it was told and each item once; nothing that was omitted.

    What waits or went elsewhere was not received.
    """
    items = tuple(item(f"i{n}", n, text=f"text {n}") for n in range(5))
    await tell(
        graph,
        thread("source", runs=(turned("source", "t1", 1), turned("source", "t2", 2))),
        forked("fork", of="source", items=ItemsRecord(items=items)),
    )
    await graph.record(
        Batch(
            transfers=(
                merged("b", "source/t1", "i3", "i1", created_at=at(1)),
                merged("a", "source/t1", "i4", "gone", created_at=at(2)),
                merged("c", "source/t2", "i1", "i2"),
                merged("d", "source/t2", "i0", status=TransferStatus.RESOLVED_PORTABLE),
                merged("e", "source/t2", "i0", type=TransferType.PROVIDER_HANDOFF),
            )
        )
    )

    both = await delivered(graph, "source/t1", "source/t2")
    second = await delivered(graph, "source/t2")
    nothing = await delivered(graph, "nowhere")

    assert both == {"source/t1": ["fork i3", "fork i1", "fork i4"], "source/t2": ["fork i2"]}
    assert second == {"source/t2": ["fork i1", "fork i2"]}
    assert nothing == {}
