"""A thread's own runs in order, and what follows from them for the thread."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

import msgspec

from graph.model import ACTIVE_STATUSES, RunId, Timestamp
from graph.records import RunRecord

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from graph.properties import Properties

_MILLISECOND = timedelta(milliseconds=1)


class StoredRun(msgspec.Struct, frozen=True, rename="camel"):
    """What counts here of a run that the graph already has."""

    run_id: RunId
    status: str
    ordinal: int
    driver: str | None = None
    native_turn_id: str | None = None
    started_at: Timestamp | None = None
    completed_at: Timestamp | None = None
    rolled_back_at: Timestamp | None = None
    rolled_back_revision: int | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    rollout_id: str | None = None
    native_ordinal: int | None = None


OwnRun = RunRecord | StoredRun


def as_commanded(run: RunRecord, before: StoredRun | None) -> RunRecord:
    """The run as a file tells it, still rolled back where a command did that."""
    if before is None or before.rolled_back_revision is None:
        return run
    return msgspec.structs.replace(
        run,
        rolled_back_at=before.rolled_back_at,
        rolled_back_revision=before.rolled_back_revision,
    )


def in_order(runs: Iterable[OwnRun]) -> list[OwnRun]:
    """The runs in the order in which they are numbered."""
    return sorted(
        runs, key=lambda run: (run.started_at or "", run.native_turn_id or "", run.run_id)
    )


def sums(runs: Sequence[OwnRun]) -> Properties:
    """The properties of a thread that follow from all its runs, given in order."""
    shown = [run for run in runs if run.rolled_back_at is None] or runs
    active = any(run.status in ACTIVE_STATUSES and run.rolled_back_at is None for run in runs)
    return {
        "runCount": len(runs),
        "status": shown[-1].status if shown else None,
        "startedAt": runs[0].started_at if runs else None,
        "endedAt": None if active or not runs else runs[-1].completed_at,
        "inputTokens": sum(run.input_tokens or 0 for run in runs),
        "cachedInputTokens": sum(run.cached_input_tokens or 0 for run in runs),
        "outputTokens": sum(run.output_tokens or 0 for run in runs),
        "reasoningTokens": sum(run.reasoning_tokens or 0 for run in runs),
        "durationMs": sum(_milliseconds(run.started_at, run.completed_at) for run in runs),
    }


def _milliseconds(start: Timestamp | None, end: Timestamp | None) -> int:
    if start is None or end is None:
        return 0
    return (datetime.fromisoformat(end) - datetime.fromisoformat(start)) // _MILLISECOND
