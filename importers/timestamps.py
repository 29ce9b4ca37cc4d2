"""Times as tools write them, as the graph keeps them: UTC text of one width."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from functools import lru_cache

from graph.model import Timestamp

_MILLISECONDS_LENGTH = len("2026-11-30T12:40:56.335Z")
_ZULU = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.(\d+))?Z")
_FILE_NAME_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def timestamp(text: str | None) -> Timestamp | None:
    """A time in any form that a tool ever wrote; ``None`` when it is none."""
    if not text:
        return None
    match = _ZULU.fullmatch(text)
    if match is not None and _is_a_second(text[:19]):
        if len(text) == _MILLISECONDS_LENGTH:
            return Timestamp(text[:-1] + "000Z")
        digits = (match[1] or "")[:6]
        return Timestamp(f"{text[:19]}.{digits:0<6}Z")
    stamp = _FILE_NAME_STAMP.fullmatch(text)
    if stamp is not None:
        text = f"{stamp[1]}T{stamp[2]}:{stamp[3]}:{stamp[4]}"
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return _written(moment if moment.tzinfo else moment.replace(tzinfo=UTC))


def from_milliseconds(value: int | None) -> Timestamp | None:
    """A count of milliseconds since 1970 as a time; ``None`` when it is none."""
    if not value or value < 0:
        return None
    try:
        return _written(_EPOCH + timedelta(milliseconds=value))
    except OverflowError:
        return None


def from_seconds(value: float | None) -> Timestamp | None:
    """A count of seconds since 1970 as a time; ``None`` when it is none."""
    try:
        return None if value is None else from_milliseconds(round(value * 1000))
    except (OverflowError, ValueError):
        return None


def seconds_between(earlier: Timestamp, later: Timestamp) -> float:
    """How long after *earlier* was *later*."""
    return (datetime.fromisoformat(later) - datetime.fromisoformat(earlier)).total_seconds()


@lru_cache(maxsize=4096)
def _is_a_second(text: str) -> bool:
    """Whether there is such a moment; the lines of a file share most of theirs."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _written(moment: datetime) -> Timestamp:
    return Timestamp(
        moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
    )
