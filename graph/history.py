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
    """Where a run stands, and when it was rolled back."""

    thread_id: ThreadId
    ordinal: int
    rolled_back_at: Timestamp | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainLink:
    """A thread of a chain of forks, and the fork edge from it to the next one.

    *at* is when the fork was made, *point* the last run that it took over. The fork may have
    reverted what it inherited: behind *kept*, or all of it.
    """

    thread_id: ThreadId
    at: Timestamp | None = None
    point: RunPlace | None = None
    reverts_all: bool = False
    kept: RunPlace | None = None


@dataclass(frozen=True, slots=True)
class Stretch:
    """The runs of one thread up to the ordinal *last* that were not rolled back by *at*.

    *distance* counts the forks between the thread and the one whose history it is.
    """

    thread_id: ThreadId
    distance: int
    last: int
    at: Timestamp | None

    def holds(self, place: RunPlace, *, own: bool = False) -> bool:
        """Whether a run is in this stretch; to its *own* thread a rolled-back run still is."""
        return (
            place.thread_id == self.thread_id
            and place.ordinal <= self.last
            and (own or not was_rolled_back(place.rolled_back_at, self.at))
        )


def was_rolled_back(rolled_back_at: Timestamp | None, at: Timestamp | None) -> bool:
    """Whether a run was rolled back by the time *at*; at an unknown time any rolled-back run."""
    return rolled_back_at is not None and (at is None or rolled_back_at <= at)


def inherited(chain: Sequence[ChainLink]) -> list[Stretch]:
    """What the first thread of a chain inherits from the others, the farthest first."""
    stretches: list[Stretch] = []
    for distance in range(len(chain) - 1, 0, -1):
        fork = chain[distance - 1]
        source = Stretch(chain[distance].thread_id, distance, WHOLE, fork.at)
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
