"""The times in a transcript, as the graph keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import Timestamp
from importers.timestamps import moment, seconds_between

if TYPE_CHECKING:
    from importers.claude_code.shapes import Line

CLOCK_SECONDS = 1
"""By how much a clock may be put back while a session begins."""


def moment_of(line: Line) -> Timestamp | None:
    """When a line was written."""
    return moment(line.timestamp)


def is_clearly_older(at: Timestamp | None, than: Timestamp | None) -> bool:
    """Whether a time is older by more than a clock may have been put back meanwhile."""
    if at is None or than is None or at >= than:
        return False
    return seconds_between(at, than) >= CLOCK_SECONDS


def latest(*times: Timestamp | None) -> Timestamp | None:
    """The last of the times that are known."""
    return max((at for at in times if at is not None), default=None)
