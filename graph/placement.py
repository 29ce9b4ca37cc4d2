"""Where threads stand: root, depth and session, worked out from their parents alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.model import Relationship, ThreadId

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


@dataclass(frozen=True, slots=True)
class Hanging:
    """What a thread hangs on, and the session that its record states.

    *agent_parent* is the spawner, else the parent of a review, guardian or job. *fork_source*
    counts only without one, and is ``None`` for a fork that only copied context.
    """

    agent_parent: ThreadId | None = None
    fork_source: ThreadId | None = None
    stated_session: str | None = None

    @property
    def parent(self) -> ThreadId | None:
        """The thread above in the browsing lineage."""
        return self.fork_source if self.agent_parent is None else self.agent_parent

    @property
    def relationship(self) -> Relationship | None:
        """Why the thread hangs below its parent."""
        if self.agent_parent is not None:
            return Relationship.SUBAGENT
        return None if self.fork_source is None else Relationship.FORK


@dataclass(frozen=True, slots=True)
class Place:
    """Where a thread stands; *session* is what its agent children inherit."""

    root: ThreadId
    depth: int
    session: str


def place(
    moved: Mapping[ThreadId, Hanging], standing: Mapping[ThreadId, Place]
) -> dict[ThreadId, Place]:
    """The places of the *moved* threads.

    *moved* holds every thread that hangs, over any number of parents, on a thread whose parents
    changed; *standing* the places of all other threads that one of them names as a parent.
    """
    trees = _tops(moved, lambda at: moved[at].parent, standing)
    sessions = _tops(moved, lambda at: _unstated_agent_parent(moved[at]), standing)
    return {
        thread_id: Place(
            root=standing[top.thread_id].root if top.stands else top.thread_id,
            depth=top.hops + (standing[top.thread_id].depth if top.stands else 0),
            session=_session(sessions[thread_id], moved, standing),
        )
        for thread_id, top in trees.items()
    }


@dataclass(frozen=True, slots=True)
class _Top:
    """Where a walk up ends, after how many hops, and whether that thread stands already."""

    thread_id: ThreadId
    hops: int
    stands: bool


def _unstated_agent_parent(hanging: Hanging) -> ThreadId | None:
    return hanging.agent_parent if hanging.stated_session is None else None


def _session(
    top: _Top, moved: Mapping[ThreadId, Hanging], standing: Mapping[ThreadId, Place]
) -> str:
    if top.stands:
        return standing[top.thread_id].session
    return moved[top.thread_id].stated_session or top.thread_id


def _tops(
    starts: Iterable[ThreadId],
    above: Callable[[ThreadId], ThreadId | None],
    standing: Mapping[ThreadId, Place],
) -> dict[ThreadId, _Top]:
    """The end of the walk up from each start; a cycle ends at its smallest id."""
    found: dict[ThreadId, _Top] = {}
    for start in starts:
        path: list[ThreadId] = []
        steps: dict[ThreadId, int] = {}
        at: ThreadId | None = start
        while at is not None and at not in found and at not in steps and at not in standing:
            steps[at] = len(path)
            path.append(at)
            at = above(at)
        if at is None:
            at = path.pop()
            found[at] = _Top(at, 0, stands=False)
        elif at in steps:
            found.update(_cycle(path[steps[at] :]))
            path = path[: steps[at]]
        end = found.get(at) or _Top(at, 0, stands=True)
        for hops, thread_id in enumerate(reversed(path), start=1):
            found[thread_id] = _Top(end.thread_id, end.hops + hops, end.stands)
    return found


def _cycle(members: list[ThreadId]) -> dict[ThreadId, _Top]:
    """The members of a cycle, given from child to parent, below the smallest of them."""
    root = min(members)
    turn = members.index(root)
    upwards = members[turn + 1 :] + members[: turn + 1]
    return {
        thread_id: _Top(root, hops, stands=False)
        for hops, thread_id in enumerate(reversed(upwards))
    }
