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
_LEAST_MILLISECONDS = 100_000_000_000
"""A smaller number counts seconds."""


EPOCH = Timestamp("1970-01-01T00:00:00.000000Z")


def moment(value: str | float | None) -> Timestamp | None:
    """A time as text, or as a count of milliseconds or seconds; ``None`` when it is none."""
    if isinstance(value, int | float):
        milliseconds = value if value >= _LEAST_MILLISECONDS else value * 1000
        try:
            return from_milliseconds(round(milliseconds))
        except (OverflowError, ValueError):
            return None
    return timestamp(value)


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
        told = datetime.fromisoformat(text)
        return _written(told if told.tzinfo else told.replace(tzinfo=UTC))
    except (OverflowError, ValueError):
        return None


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


def from_nanoseconds(value: int) -> Timestamp | None:
    """A count of nanoseconds since 1970, as file systems keep them; ``None`` when it is none."""
    return from_milliseconds(value // 1_000_000)


def later(at: Timestamp) -> Timestamp:
    """The next moment: keeps the order of a file where its times do not."""
    try:
        return _written(datetime.fromisoformat(at) + timedelta(microseconds=1))
    except OverflowError:
        return at


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
