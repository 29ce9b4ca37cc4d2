"""Show: all that a person asks first about one thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from graph.errors import ThreadNotFound
from graph.model import EdgeKind
from graph.questions import Direction, LineageDirection, LineageQuestion
from resolvers.continue_thread import Continuation, continuation_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.model import ForkOrigin, LineageEdge, Run, Thread, ThreadId
    from graph.questions import LineageGraph
    from graph.store import ThreadGraph

KINDS_BY_WEIGHT = (
    *(EdgeKind.SPAWN, EdgeKind.PARENT, EdgeKind.FORK),
    *(EdgeKind.TRANSFER, EdgeKind.HISTORY_BASE),
)
SHOWN_RUNS = 200
SHOWN_BELOW = 200


class Relative(msgspec.Struct, frozen=True, kw_only=True):
    """A thread at the other end of an edge."""

    edge: LineageEdge
    thread: Thread


class ThreadFacts(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A thread, where it came from, what came of it, and how it goes on.

    *above* are the threads that it was forked from or spawned by, *below* those that were made
    from it; *more_below* says that there are others.
    """

    thread: Thread
    fork_origin: ForkOrigin | None
    above: Sequence[Relative]
    below: Sequence[Relative]
    more_below: bool
    runs: Sequence[Run]
    run_count: int
    item_count: int
    window_count: int
    continuation: Continuation


async def show_thread(graph: ThreadGraph, thread_id: ThreadId) -> ThreadFacts:
    """The facts on a thread; ``ThreadNotFound`` where it was never seen."""
    ids = (thread_id,)
    thread = (await graph.threads_by_id(ids)).get(thread_id)
    if thread is None:
        raise ThreadNotFound(thread_id)
    above = await graph.lineage(
        LineageQuestion(thread_id=thread_id, direction=LineageDirection.ANCESTORS, max_depth=1)
    )
    below = await graph.lineage(
        LineageQuestion(
            thread_id=thread_id,
            direction=LineageDirection.DESCENDANTS,
            max_depth=1,
            max_nodes=1 + SHOWN_BELOW,
        )
    )
    runs = await graph.runs(ids, include_rolled_back=True, first=SHOWN_RUNS, after=None)
    return ThreadFacts(
        thread=thread,
        fork_origin=(await graph.fork_origins(ids)).get(thread_id),
        above=_relatives(above, thread_id, Direction.IN),
        below=_relatives(below, thread_id, Direction.OUT),
        more_below=len(below.nodes) > SHOWN_BELOW,
        runs=runs[thread_id].rows,
        run_count=(await graph.count_runs(ids, include_rolled_back=True))[thread_id],
        item_count=(await graph.count_items(ids))[thread_id],
        window_count=len((await graph.context_windows(ids))[thread_id]),
        continuation=continuation_of(thread),
    )


def _relatives(
    lineage: LineageGraph, thread_id: ThreadId, direction: Direction
) -> Sequence[Relative]:
    """The other ends of the thread's own edges, by what the edges mean, then by id.

    A hand-off brings its other end into a lineage in any direction; only that of *direction*
    counts.
    """
    end = "to_thread_id" if direction is Direction.IN else "from_thread_id"
    threads = {thread.thread_id: thread for thread in lineage.nodes}
    relatives: list[Relative] = []
    for edge in lineage.edges:
        ends = (edge.from_thread_id, edge.to_thread_id)
        if edge.kind is EdgeKind.TRANSFER and (
            ends[0] == ends[1] or getattr(edge, end) != thread_id
        ):
            continue
        if thread_id in ends:
            other = ends[0] if ends[1] == thread_id else ends[1]
            relatives.append(Relative(edge=edge, thread=threads[other]))
    weights = {kind: weight for weight, kind in enumerate(KINDS_BY_WEIGHT)}
    return sorted(relatives, key=lambda each: (weights[each.edge.kind], each.thread.thread_id))
