"""How threads are connected, and where they meet."""

import strawberry

from api.context import Info, graph_of, row_or_taken
from api.limits import MAX_NODE_IDS
from api.lineage import LineageEdge
from api.thread import Thread
from graph import model as rows
from graph.errors import LimitExceeded
from graph.model import ThreadId
from graph.questions import LineagePath as PathRow


@strawberry.type(description="How one thread is connected with another.")
class LineagePath:
    """How one thread is connected with another; its rows are ``graph.questions.LineagePath``."""

    nodes: list[Thread] = strawberry.field(description="The threads, from one to the other.")
    edges: list[LineageEdge] = strawberry.field(
        description="The edge between each two of them, told from the origin to the newer one."
    )


async def path(info: Info, from_thread_id: str, to_thread_id: str) -> PathRow | None:
    """The shortest way between two threads; ``ThreadNotFound`` for an unknown one."""
    found = await graph_of(info).path(ThreadId(from_thread_id), ThreadId(to_thread_id))
    return await row_or_taken(info, found)


async def nearest_common_ancestor(info: Info, thread_ids: list[str]) -> rows.Thread | None:
    """The thread nearest above several; ``ThreadNotFound`` for an unknown one."""
    if len(thread_ids) > MAX_NODE_IDS:
        raise LimitExceeded("The number of threads", len(thread_ids), MAX_NODE_IDS)
    asked = [*map(ThreadId, thread_ids)]
    return await row_or_taken(info, await graph_of(info).nearest_common_ancestor(asked))
