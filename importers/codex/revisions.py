"""What of a thread's rollouts is still its history, after reverts made new ones.

A revert starts a new rollout that goes on from an older one up to an ordinal. The rollouts of
a thread form a tree; the history is the way from the current one to its root, which may lie in
the rollouts of another thread. A turn off that way was rolled back when the first rollout began
from which it could not be reached any more.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.model import Timestamp
    from importers.codex.rollout import Rollout
    from importers.codex.turn import Turn


@dataclass(frozen=True, slots=True)
class OutsideBase:
    """Where a history goes on in another thread's rollout, up to an exclusive ordinal."""

    rollout_id: str
    end_ordinal: int | None


@dataclass(frozen=True, slots=True)
class Reach:
    """What can be reached from a rollout: own ones up to an ordinal, and what lies outside."""

    own: Mapping[str, int | None]
    outside: OutsideBase | None

    def shows(self, rollout: Rollout, turn: Turn) -> bool:
        """Whether the turn of that rollout can be reached."""
        if rollout.rollout_id not in self.own:
            return False
        end = self.own[rollout.rollout_id]
        return end is None or turn.ordinal is None or turn.ordinal < end


@dataclass(frozen=True, slots=True)
class Revisions:
    """The rollouts of a thread in the order they were made, and what each of them reaches."""

    rollouts: Sequence[Rollout]
    reaches: Sequence[Reach]
    current: int

    @property
    def current_rollout(self) -> Rollout:
        """The rollout that the thread is continued in."""
        return self.rollouts[self.current]

    @property
    def current_reach(self) -> Reach:
        """What is the thread's history now."""
        return self.reaches[self.current]

    def reverted_at(self, rollout: Rollout, turn: Turn) -> Timestamp | None:
        """When a revert left the turn behind; ``None`` while it is history."""
        if self.current_reach.shows(rollout, turn):
            return None
        first = len(self.rollouts) - 1
        while first > 0 and not self.reaches[first - 1].shows(rollout, turn):
            first -= 1
        return self.rollouts[first].header_at


def revisions(rollouts: Sequence[Rollout], current_rollout_id: str | None) -> Revisions:
    """The rollouts of a thread in order; without a word of the database the newest is current."""
    ordered = sorted(rollouts, key=_made)
    by_id = {rollout.rollout_id: rollout for rollout in ordered}
    current = next(
        (
            index
            for index, rollout in enumerate(ordered)
            if rollout.rollout_id == current_rollout_id
        ),
        len(ordered) - 1,
    )
    return Revisions(ordered, [_reach(rollout, by_id) for rollout in ordered], current)


def _made(rollout: Rollout) -> tuple[str, str]:
    return rollout.header_at or "", rollout.rollout_id


def _reach(rollout: Rollout, by_id: Mapping[str, Rollout]) -> Reach:
    own: dict[str, int | None] = {rollout.rollout_id: None}
    reached: Rollout = rollout
    while reached.header is not None and reached.header.history_base is not None:
        base = reached.header.history_base
        rollout_id = base.thread_id.lower()
        if rollout_id not in by_id:
            return Reach(own, OutsideBase(rollout_id, base.end_ordinal_exclusive))
        if rollout_id in own:
            break
        own[rollout_id] = base.end_ordinal_exclusive
        reached = by_id[rollout_id]
    return Reach(own, None)
