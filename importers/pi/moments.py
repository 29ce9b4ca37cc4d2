"""The times in a session, as the graph keeps them."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from graph.model import Timestamp
from importers.timestamps import from_milliseconds, timestamp

if TYPE_CHECKING:
    from importers.pi.shapes import Line, Moment

_LEAST_MILLISECONDS = 100_000_000_000
"""A smaller number counts seconds."""

_FILE_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d+))?Z?_")


def moment(value: Moment) -> Timestamp | None:
    """A time in any form that pi ever wrote; ``None`` when it is none."""
    if isinstance(value, int | float):
        milliseconds = value if value >= _LEAST_MILLISECONDS else value * 1000
        try:
            return from_milliseconds(round(milliseconds))
        except (OverflowError, ValueError):
            return None
    return timestamp(value)


def moment_of(line: Line) -> Timestamp | None:
    """When an entry was written."""
    at = moment(line.timestamp)
    if at is None and line.message is not None:
        return moment(line.message.timestamp)
    return at


def named_moment(file_name: str) -> Timestamp | None:
    """The time in the name of a session's file."""
    match = _FILE_STAMP.match(file_name)
    if match is None:
        return None
    day, hour, minute, second, fraction = match.groups()
    return timestamp(f"{day}T{hour}:{minute}:{second}.{fraction or '0'}Z")


def later(at: Timestamp) -> Timestamp:
    """The next moment: keeps the order of entries that do not say when they were written."""
    moved = datetime.fromisoformat(at) + timedelta(microseconds=1)
    return Timestamp(moved.isoformat(timespec="microseconds").replace("+00:00", "Z"))
