"""Which part of a rollout file is the thread's own, and which was copied from its source.

Copied lines carry the time of the copy, so times say nothing. The evidence, best first:

1. ``subagent_history_start_ordinal``, unless a turn younger than the thread starts before it
   (a migration writes the number of lines there).
2. Time-ordered ids: a turn older than its thread was inherited.
3. The first ``thread_settings_applied`` that names the thread itself ends the copied part.
4. Turn ids that also stand in the source's own file.
5. Without turn ids: as many turns as the source had when the copy was made.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from importers.codex.ids import is_older, is_time_ordered

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from graph.model import RunId
    from importers.codex.rollout import Rollout
    from importers.codex.shapes import Meta
    from importers.codex.turn import Turn


NOWHERE = sys.maxsize
"""Where the own part of a file begins that has none yet."""


@dataclass(frozen=True, slots=True)
class SourceTurns:
    """What a fork's source says of its turns: their ids, and the runs that began before it."""

    turn_ids: Collection[str]
    run_ids: Sequence[RunId]


@dataclass(frozen=True, slots=True)
class Ownership:
    """From which line on a file is the thread's own; *evidence* is ``None`` when unknown."""

    own_from: int
    evidence: str | None
    foreign_turn_ids: frozenset[str]

    def owns(self, turn: Turn) -> bool:
        """Whether the turn is the thread's own."""
        return turn.line >= self.own_from and turn.turn_id not in self.foreign_turn_ids


def copies_history(rollout: Rollout) -> bool:
    """Whether a file may begin with lines that were copied from another thread."""
    header = rollout.header
    if header is None or header.history_base is not None:
        return False
    start = header.subagent_history_start_ordinal
    return bool(
        rollout.ancestors
        or header.forked_from_id
        or (start is not None and start > (rollout.first_ordinal or 0))
    )


def needs_source(rollout: Rollout) -> bool:
    """Whether only the source's file can tell what was copied."""
    return copies_history(rollout) and _by_own_evidence(rollout) is None


def ownership(rollout: Rollout, source: SourceTurns | None = None) -> Ownership:
    """The own part of a file; *source* is asked where the file itself can't tell."""
    if rollout.header is None or not copies_history(rollout):
        return _with_foreign(rollout, 0, "nothing copied")
    found = _by_own_evidence(rollout)
    if found is None and source is not None:
        found = _by_source(rollout, source)
    if found is None:
        return _with_foreign(rollout, 0, None)
    return _with_foreign(rollout, *found)


def _with_foreign(rollout: Rollout, own_from: int, evidence: str | None) -> Ownership:
    own_id = rollout.header.id if rollout.header is not None else ""
    foreign = set(rollout.story.turns.nested)
    for thread_id, seen in rollout.story.item_threads.items():
        if thread_id != own_id:
            foreign.update(turn_id for line, turn_id in seen if line >= own_from)
    return Ownership(own_from, evidence, frozenset(foreign))


def _by_own_evidence(rollout: Rollout) -> tuple[int, str] | None:
    header = rollout.header
    if header is None:
        return None
    turns = rollout.story.turns.turns
    by_age = _by_age(rollout, header, turns)
    start = header.subagent_history_start_ordinal
    if start is not None and _is_trustworthy(header, turns, start):
        first = next(
            (turn for turn in turns if turn.ordinal is not None and turn.ordinal >= start), None
        )
        return _back_to_settings(rollout, header, first), "subagent_history_start_ordinal"
    if by_age is not None:
        return by_age, "age of turn ids"
    settings = _own_settings_line(rollout, header, after=0)
    if settings is not None:
        return settings, "thread_settings_applied"
    return None


def _is_trustworthy(header: Meta, turns: list[Turn], start: int) -> bool:
    return not any(
        turn.ordinal is not None
        and turn.ordinal < start
        and is_time_ordered(turn.turn_id)
        and is_time_ordered(header.id)
        and not is_older(turn.turn_id or "", header.id)
        for turn in turns
    )


def _by_age(rollout: Rollout, header: Meta, turns: list[Turn]) -> int | None:
    if not is_time_ordered(header.id):
        return None
    timed = [turn for turn in turns if is_time_ordered(turn.turn_id)]
    own = next((turn for turn in timed if not is_older(turn.turn_id or "", header.id)), None)
    if own is None and len(timed) < len(turns):
        # Those without a time may be its own: it may be as old as they are.
        return None
    return _back_to_settings(rollout, header, own)


def _back_to_settings(rollout: Rollout, header: Meta, first_own: Turn | None) -> int:
    """Where the own part begins: the settings before the first own turn, else that turn."""
    end = NOWHERE if first_own is None else first_own.line
    last_copied = max(
        (turn.line for turn in rollout.story.turns.turns if turn.line < end), default=0
    )
    settings = _own_settings_line(rollout, header, after=last_copied)
    return end if settings is None else min(settings, end)


def _own_settings_line(rollout: Rollout, header: Meta, *, after: int) -> int | None:
    return next(
        (
            line
            for line, thread_id in rollout.story.settings_lines
            if thread_id == header.id and line > after
        ),
        None,
    )


def _by_source(rollout: Rollout, source: SourceTurns) -> tuple[int, str] | None:
    turns = rollout.story.turns.turns
    if source.turn_ids:
        own = [turn for turn in turns if turn.turn_id not in source.turn_ids]
        return (own[0].line if own else NOWHERE), "turn ids of the source"
    count = len(source.run_ids)
    if count <= len(turns):
        return (turns[count].line if count < len(turns) else NOWHERE), "turn count"
    return None
