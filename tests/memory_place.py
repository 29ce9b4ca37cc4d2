"""Where threads stand in their trees, straight from the words of the store's promises."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from graph.model import ThreadId

ParentOf = Callable[[ThreadId], ThreadId | None]


@dataclass(frozen=True, slots=True)
class Place:
    """The root of a thread's tree and the hops up to it."""

    root: ThreadId
    depth: int


def place(thread_id: ThreadId, parent_of: ParentOf) -> Place:
    """The place of a thread, by walking up; a cycle's root is its smallest id."""
    root = top(thread_id, parent_of)
    depth = 0
    at = thread_id
    while at != root:
        above = parent_of(at)
        assert above is not None
        at = above
        depth += 1
    return Place(root, depth)


def top(thread_id: ThreadId, parent_of: ParentOf) -> ThreadId:
    """The thread at the end of the walk up, or the smallest id of the cycle it ends in."""
    path = [thread_id]
    seen = {thread_id: 0}
    while (above := parent_of(path[-1])) is not None:
        if above in seen:
            return min(path[seen[above] :])
        seen[above] = len(path)
        path.append(above)
    return path[-1]
