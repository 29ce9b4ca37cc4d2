"""The times in a transcript, as the graph keeps them."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from graph.model import Timestamp
from importers.timestamps import from_milliseconds, seconds_between, timestamp

if TYPE_CHECKING:
    from importers.claude_code.shapes import Line, Moment

EPOCH = Timestamp("1970-01-01T00:00:00.000000Z")

CLOCK_SECONDS = 1
"""By how much a clock may be put back while a session begins."""

_LEAST_MILLISECONDS = 100_000_000_000
"""A smaller number counts seconds."""


def moment(value: Moment) -> Timestamp | None:
    """A time in any form that was ever written; ``None`` when it is none."""
    if isinstance(value, int | float):
        milliseconds = value if value >= _LEAST_MILLISECONDS else value * 1000
        try:
            return from_milliseconds(round(milliseconds))
        except (OverflowError, ValueError):
            return None
    try:
        at = timestamp(value)
        if at is not None:
            # Digits in the right places may still be no day.
            datetime.fromisoformat(at)
    except (OverflowError, ValueError):
        return None
    return at


def moment_of(line: Line) -> Timestamp | None:
    """When a line was written."""
    return moment(line.timestamp)


def is_clearly_older(at: Timestamp | None, than: Timestamp | None) -> bool:
    """Whether a time is older by more than a clock may have been put back meanwhile."""
    if at is None or than is None or at >= than:
        return False
    return seconds_between(at, than) >= CLOCK_SECONDS


def later(at: Timestamp) -> Timestamp:
    """The next moment: keeps the order of the file where its times do not."""
    try:
        moved = datetime.fromisoformat(at) + timedelta(microseconds=1)
    except OverflowError:
        return at
    return Timestamp(moved.isoformat(timespec="microseconds").replace("+00:00", "Z"))


def latest(*times: Timestamp | None) -> Timestamp | None:
    """The last of the times that are known."""
    return max((at for at in times if at is not None), default=None)
