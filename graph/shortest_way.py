"""The shortest way between two threads over edges in either direction, out of some edges."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from typing import TYPE_CHECKING

from graph.questions import HANGING_ORDER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from graph.model import LineageEdge, ThreadId

Neighbours = dict["ThreadId", dict["ThreadId", "LineageEdge"]]
"""By thread, then by the thread at the other end: the first of the edges between both."""


def shortest_way(
    from_id: ThreadId, to_id: ThreadId, edges: Iterable[LineageEdge]
) -> tuple[list[ThreadId], list[LineageEdge]] | None:
    """The threads from one to the other and the edges between them; ``None`` without a way.

    Of several equally short ones it is the one whose thread ids come first, read from the end
    with the smaller id, so that the way back is the same way.
    """
    neighbours = _neighbours(edges)
    first, last = sorted((from_id, to_id))
    hops = _hops_to(last, first, neighbours)
    if first not in hops:
        return None
    way = [first]
    while way[-1] != last:
        nearer = hops[way[-1]] - 1
        way.append(min(other for other in neighbours[way[-1]] if hops.get(other) == nearer))
    if way[0] != from_id:
        way.reverse()
    return way, [neighbours[one][other] for one, other in pairwise(way)]


def _neighbours(edges: Iterable[LineageEdge]) -> Neighbours:
    found: Neighbours = defaultdict(dict)
    ordered = sorted(
        edges,
        key=lambda edge: (
            HANGING_ORDER.index(edge.kind),
            edge.from_thread_id,
            edge.to_thread_id,
        ),
    )
    for edge in ordered:
        found[edge.from_thread_id].setdefault(edge.to_thread_id, edge)
        found[edge.to_thread_id].setdefault(edge.from_thread_id, edge)
    return found


def _hops_to(
    goal: ThreadId, start: ThreadId, neighbours: Mapping[ThreadId, Mapping[ThreadId, object]]
) -> dict[ThreadId, int]:
    """The hops to *goal* from all that are no farther away than *start*."""
    hops = {goal: 0}
    front = [goal]
    while front and start not in hops:
        distance = hops[front[0]] + 1
        front = list(
            {other for at in front for other in neighbours.get(at, {}) if other not in hops}
        )
        hops.update(dict.fromkeys(front, distance))
    return hops
