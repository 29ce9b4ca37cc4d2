"""What can be asked for by its opaque id."""

import asyncio
from collections.abc import Mapping
from functools import partial
from typing import assert_never

import strawberry

from api.context import Info, graph_of
from api.families import AskedThreads, threads_with_relatives
from api.loaders import place_of, stands_alone
from api.node_ids import NodeId, write_node_id
from graph.model import Run, RunId, Thread, ThreadId, TransferId
from graph.transfers import Transfer

NodeRow = Thread | Run | Transfer


@strawberry.interface(description="What can be asked for by its opaque id.")
class Node:
    """What can be asked for by its opaque id; its rows are those of ``NodeRow``."""

    @strawberry.field(description="An opaque id, the same for ever; for `node` and `nodes`.")
    @staticmethod
    def id(row: strawberry.Parent[NodeRow]) -> strawberry.ID:
        """The opaque id."""
        match row:
            case Thread():
                return write_node_id("Thread", row.thread_id)
            case Run():
                return write_node_id("Run", row.run_id)
            case Transfer():
                return write_node_id("Transfer", row.transfer_id)
            case _:
                assert_never(row)


async def look_up_nodes(info: Info, node_ids: list[NodeId]) -> list[NodeRow | None]:
    """The rows that the ids name, ``None`` for each that is not there: a statement a type."""
    return await asyncio.gather(*(_look_up_node(info, node_id) for node_id in node_ids))


async def look_up_thread(info: Info, thread_id: ThreadId) -> Thread | None:
    """The thread of this id, ``None`` where it is not there."""
    return await info.context.loaders.load(
        place_of(info), thread_id, partial(_threads, info), alone=stands_alone(info)
    )


async def _look_up_node(info: Info, node_id: NodeId) -> NodeRow | None:
    graph, loaders, place = graph_of(info, node_id.type_name), info.context.loaders, place_of(info)
    match node_id.type_name:
        case "Thread":
            thread_id = ThreadId(node_id.key)
            return await loaders.load(place, thread_id, partial(_threads, info), "Thread")
        case "Run":
            return await loaders.load(place, RunId(node_id.key), graph.runs_by_id, "Run")
        case "Transfer":
            transfer_id = TransferId(node_id.key)
            return await loaders.load(place, transfer_id, graph.transfers_by_id, "Transfer")
        case _:
            return None


async def _threads(info: Info, thread_ids: list[ThreadId]) -> Mapping[ThreadId, Thread]:
    return await threads_with_relatives(AskedThreads.at(info), thread_ids)
