"""Own turns as runs, and compactions as the context windows that they opened.

A turn that nothing closed is *running* while its file still grows. It was *interrupted* when a
later turn began, when the thread went on in another file, or when the last line of its file is
older than ``IDLE_SECONDS`` at the time of the import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import RunKind
from graph.records import RunRecord, WindowRecord
from importers.codex.ids import window_id
from importers.codex.shapes import TokenUsage
from importers.contract import IDLE_SECONDS
from importers.timestamps import seconds_between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import Timestamp
    from importers.codex.history import History, OwnTurn
    from importers.codex.rollout import Rollout
    from importers.codex.turn import Compaction, Turn


def runs_of(
    history: History,
    *,
    driver: str,
    provider: str,
    created_at: Timestamp,
    now: Timestamp | None,
) -> Iterator[RunRecord]:
    """The runs of a thread, in the order of its files."""
    for own in history.turns:
        turn = own.turn
        status, ended_at = _end(history, own, now)
        usage = turn.usage or TokenUsage()
        known = turn.usage is not None
        yield RunRecord(
            run_id=own.run_id,
            native_turn_id=turn.turn_id,
            kind=_kind(turn),
            status=status,
            rolled_back_at=own.rolled_back_at,
            driver=driver,
            provider_instance_id=provider,
            model=turn.model,
            started_at=turn.at or own.rollout.header_at or created_at,
            completed_at=ended_at,
            input_tokens=usage.input_tokens if known else None,
            cached_input_tokens=usage.cached_input_tokens if known else None,
            output_tokens=usage.output_tokens if known else None,
            reasoning_tokens=usage.reasoning_output_tokens if known else None,
            parent_native_turn_id=turn.parent_turn_id,
            root_native_turn_id=turn.root_turn_id,
            trigger=turn.trigger,
            error=turn.error,
            rollout_id=own.rollout.rollout_id,
            native_ordinal=turn.ordinal,
        )


def windows_of(history: History) -> Iterator[WindowRecord]:
    """The context windows of a thread: the one it began with, and one for each compaction.

    A compaction that was rolled back keeps a window of its own; where a later one has the same
    number, it takes the next that is free.
    """
    began = history.header.context_window
    began_id = window_id(began.window_id) if began is not None else None
    if began_id is not None:
        yield WindowRecord(number=0, window_id=began_id, first_window_id=began_id)
    left = {id(own.turn) for own in history.turns if own.rolled_back_at is not None}
    own = [
        compaction
        for rollout in history.revisions.rollouts
        for compaction in rollout.story.compactions
        if _is_own(history, rollout, compaction)
    ]
    kept = [compaction for compaction in own if id(compaction.turn) not in left]
    gone = [compaction for compaction in own if id(compaction.turn) in left]
    taken: set[int] = {0}
    for compaction in (*kept, *gone):
        number = compaction.counted if compaction.number is None else compaction.number
        while number in taken:
            number = max(taken) + 1
        taken.add(number)
        yield WindowRecord(
            number=number,
            window_id=window_id(compaction.window_id),
            first_window_id=window_id(compaction.first_window_id),
            previous_window_id=window_id(compaction.previous_window_id),
            run_id=history.run_of(compaction.turn),
            rolled_back=id(compaction.turn) in left,
        )


def _is_own(history: History, rollout: Rollout, compaction: Compaction) -> bool:
    return compaction.line >= history.owned(rollout).own_from


def _kind(turn: Turn) -> RunKind:
    if turn.review:
        return RunKind.REVIEW
    if turn.compacted and not turn.worked:
        return RunKind.COMPACTION
    return RunKind.TURN


def _end(history: History, own: OwnTurn, now: Timestamp | None) -> tuple[str, Timestamp | None]:
    turn, last_at = own.turn, own.rollout.last_at
    if turn.status is not None:
        return turn.status, turn.ended_at
    if turn.implicit:
        return "completed", last_at
    still_written = (
        now is not None
        and last_at is not None
        and own.rollout is history.revisions.current_rollout
        and seconds_between(last_at, now) <= IDLE_SECONDS
    )
    return ("running", None) if still_written else ("interrupted", last_at)
