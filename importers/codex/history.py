"""A thread's rollouts put together: which turns are its own, and which of them were left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from importers.codex.bases import source_turns
from importers.codex.ids import is_older, is_time_ordered, thread_id
from importers.codex.ownership import Ownership, SourceTurns, needs_source, ownership
from importers.codex.revisions import Revisions, revisions
from importers.codex.run_ids import run_id
from importers.timestamps import timestamp

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.model import RunId, ThreadId, Timestamp
    from importers.codex.context import Context
    from importers.codex.rollout import Rollout
    from importers.codex.shapes import Meta
    from importers.codex.turn import Turn


@dataclass(frozen=True, slots=True)
class OwnTurn:
    """One own turn of the thread, with what only the whole of its files can tell."""

    run_id: RunId
    turn: Turn
    rollout: Rollout
    rolled_back_at: Timestamp | None


@dataclass(frozen=True, slots=True)
class History:
    """The thread's own turns in order, and where they come from.

    *first* is the rollout that the thread began in: its meta says what the thread is.
    """

    thread_id: ThreadId
    first: Rollout
    header: Meta
    revisions: Revisions
    ownerships: Mapping[str, Ownership]
    turns: Sequence[OwnTurn]
    run_ids: Mapping[int, RunId]

    def run_of(self, turn: Turn | None) -> RunId | None:
        """The run of an own turn; ``None`` for any other."""
        return None if turn is None else self.run_ids.get(id(turn))

    def owned(self, rollout: Rollout) -> Ownership:
        """Which part of a rollout is the thread's own."""
        return self.ownerships[rollout.rollout_id]

    @property
    def inherited(self) -> Sequence[Turn]:
        """The turns that were copied into the first rollout, in order, rolled-back ones too."""
        owned = self.owned(self.first)
        return [
            turn
            for turn in self.first.story.turns.turns
            if turn.line < owned.own_from and turn.turn_id not in owned.foreign_turn_ids
        ]

    def owner_of(self, turn: Turn, source: ThreadId) -> ThreadId:
        """Whose turn an inherited one is: the nearest ancestor's that is no younger than it."""
        for ancestor in (source, *map(thread_id, self.first.ancestors)):
            if (
                turn.turn_id is not None
                and is_time_ordered(turn.turn_id)
                and is_time_ordered(ancestor)
                and not is_older(turn.turn_id, ancestor)
            ):
                return ancestor
        return source


def history_of(context: Context, rollouts: Sequence[Rollout]) -> History | None:
    """The history that rollouts of one thread tell; ``None`` where none has a meta of it."""
    told = [rollout for rollout in rollouts if rollout.header is not None]
    if not told:
        return None
    revised = revisions(told, context.current_rollout_id)
    first = revised.rollouts[0]
    header = first.header
    if header is None:
        return None
    source = _source_turns(context, revised)
    ownerships = {rollout.rollout_id: ownership(rollout, source) for rollout in revised.rollouts}
    turns = _own_turns(context.thread_id, revised, ownerships)
    return History(
        thread_id=context.thread_id,
        first=first,
        header=header,
        revisions=revised,
        ownerships=ownerships,
        turns=turns,
        run_ids={id(own.turn): own.run_id for own in turns},
    )


def _source_turns(context: Context, revised: Revisions) -> SourceTurns | None:
    for rollout in revised.rollouts:
        if needs_source(rollout):
            header = rollout.header
            made = timestamp(header.timestamp) if header is not None else None
            return source_turns(context.source_files, made or rollout.header_at)
    return None


def _own_turns(
    owner: ThreadId, revised: Revisions, ownerships: Mapping[str, Ownership]
) -> Sequence[OwnTurn]:
    turns: dict[RunId, OwnTurn] = {}
    for rollout in revised.rollouts:
        owned = ownerships[rollout.rollout_id]
        for turn in rollout.story.turns.turns:
            if owned.owns(turn):
                known = run_id(owner, rollout.rollout_id, turn)
                left_at = turn.hidden_at or revised.reverted_at(rollout, turn)
                turns.setdefault(known, OwnTurn(known, turn, rollout, left_at))
    return tuple(turns.values())
