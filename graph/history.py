"""Which runs a fork inherits, worked out from the chain of forks above it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.model import ThreadId, Timestamp

WHOLE = 2**31 - 1


@dataclass(frozen=True, slots=True)
class RunPlace:
    """Where a run stands, and when it was rolled back.

    *rolled_back_revision* is the revision of its thread that a command made by it.
    """

    thread_id: ThreadId
    ordinal: int
    rolled_back_at: Timestamp | None
    rolled_back_revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """A thread of a chain of forks, and the fork edge from it to the next one.

    *at* is when the fork was made, *source_revision* that of its source then, where a command made
    it, and *point* the last run that it took over. The fork may have reverted what it inherited:
    behind *kept*, or all of it.
    """

    thread_id: ThreadId
    at: Timestamp | None = None
    source_revision: int | None = None
    point: RunPlace | None = None
    reverts_all: bool = False
    kept: RunPlace | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """The runs of one thread up to the ordinal *last* that were not rolled back by *at*.

    *distance* counts the forks between the thread and the one whose history it is. *revision* is
    that of the thread at this time: it decides where commands made both the fork and the rollback.
    """

    thread_id: ThreadId
    distance: int
    last: int
    at: Timestamp | None
    revision: int | None = None

    def holds(self, place: RunPlace, *, own: bool = False) -> bool:
        """Whether a run is in this stretch; to its *own* thread a rolled-back run still is."""
        return (
            place.thread_id == self.thread_id
            and place.ordinal <= self.last
            and (own or not self._was_rolled_back(place))
        )

    def _was_rolled_back(self, place: RunPlace) -> bool:
        """Whether a run was rolled back by then; at an unknown time any rolled-back run."""
        if place.rolled_back_at is None:
            return False
        if self.revision is not None and place.rolled_back_revision is not None:
            return place.rolled_back_revision <= self.revision
        return self.at is None or place.rolled_back_at <= self.at


def inherited(chain: Sequence[ChainLink]) -> list[Stretch]:
    """What the first thread of a chain inherits from the others, the farthest first."""
    stretches: list[Stretch] = []
    for distance in range(len(chain) - 1, 0, -1):
        fork = chain[distance - 1]
        source_id = chain[distance].thread_id
        source = Stretch(source_id, distance, WHOLE, fork.at, fork.source_revision)
        stretches.append(source)
        if fork.point is None or not _cut(stretches, fork.point, own=source):
            stretches.clear()
        if fork.reverts_all:
            stretches.clear()
        elif fork.kept is not None:
            _cut(stretches, fork.kept)
    return stretches


def _cut(stretches: list[Stretch], last: RunPlace, *, own: Stretch | None = None) -> bool:
    """End the stretches with a run, if they hold it."""
    for at in range(len(stretches) - 1, -1, -1):
        stretch = stretches[at]
        if stretch.holds(last, own=stretch is own):
            stretches[at:] = [replace(stretch, last=last.ordinal)]
            return True
    return False
