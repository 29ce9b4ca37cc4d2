"""How trees stand: on what an answer rests, and whether it would still be the same.

A graph that knows this is a ``ThreadGraph`` and a ``KnowsTrees``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from graph.model import ThreadId

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from graph.store import ThreadGraph

SETTLED_SECONDS = 2.0
"""So long after a tree was first seen to stand in a way, all of the write that made it so is
seen. A reader can see one part of a write a moment before another."""


@dataclass(frozen=True, slots=True)
class Standing:
    """How a tree stands. Whatever changes the tree gives it another one, never one it had before.

    *revision_id* is a word of its own for each revision: numbers begin anew in a graph that was
    emptied, and go on from an earlier one where a backup was restored.
    """

    revision: int
    revision_id: str


@dataclass(slots=True)
class TreeNotes:
    """On which trees, as they stood before anything else was read, answers rest.

    With *thorough* false only the trees are noted. With *thorough* true it is also looked whether
    the answers rest on nothing else; where they may, *told* becomes false.
    """

    thorough: bool
    trees: dict[ThreadId, Standing] = field(default_factory=dict["ThreadId", Standing])
    told: bool = True

    def rests_on(self, root_thread_id: ThreadId, standing: Standing) -> None:
        """Note one more tree; it can't have changed between two answers that belong together."""
        if self.trees.setdefault(root_thread_id, standing) != standing:
            self.told = False


@runtime_checkable
class KnowsTrees(Protocol):
    """Tells on which trees answers rest, and how they stand."""

    def noting(self, notes: TreeNotes) -> ThreadGraph:
        """The same graph, which notes on what its answers rest.

        - ``lineage``, ``family`` and ``threads_by_id`` note the trees of the threads that are
          asked for. *told* becomes false where the answer shows threads of other trees or lacks
          one that was asked for, where it was cut off by depth or goes on behind a place, and
          where it holds times of source points; whatever else is asked makes it false, too.
        - Where *told* stays true after thorough reading, the same questions have the same
          answers for as long as the trees stand as noted; if they had stood so for
          ``SETTLED_SECONDS`` when the questions were asked.
        """
        ...

    async def standings(self, root_ids: Collection[ThreadId]) -> Mapping[ThreadId, Standing]:
        """How trees stand, by their roots; those that don't say are absent."""
        ...
