"""The times in a session, as the graph keeps them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from graph.model import Timestamp
from importers.timestamps import moment, timestamp

if TYPE_CHECKING:
    from importers.pi.shapes import Line

_FILE_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)(?:-(\d+))?Z?_")


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
