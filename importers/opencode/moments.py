"""The times of OpenCode: milliseconds, and those that its ids are made of."""

from __future__ import annotations

import re

from graph.model import Timestamp
from importers.timestamps import from_milliseconds

_ASCENDING = re.compile(r"[a-z]+_([0-9a-f]{12})[0-9A-Za-z]{8,}")
_COUNTER = 0x1000
_RANGE = 1 << 36
"""An id holds this many milliseconds, about two years, and then begins again."""


def moment(milliseconds: float | None) -> Timestamp | None:
    """A count of milliseconds as a time; ``None`` when it is none."""
    if milliseconds is None:
        return None
    try:
        return from_milliseconds(int(milliseconds))
    except (OverflowError, ValueError):
        return None


def made_at(name: str, near: int) -> int | None:
    """When the id of a message, part or event was made: of all times the nearest to *near*."""
    match = _ASCENDING.fullmatch(name)
    if match is None:
        return None
    within = int(match[1], 16) // _COUNTER
    ahead = (within - near) % _RANGE
    return near + (ahead if ahead < _RANGE // 2 else ahead - _RANGE)
