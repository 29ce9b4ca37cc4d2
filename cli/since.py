"""A point in time as people say it: a date, a time, or how long ago."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import typer

from graph.model import Timestamp

_AGO = re.compile(r"(\d{1,6})\s*([hdw])")
_UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1), "w": timedelta(weeks=1)}


def read_since(text: str, now: datetime) -> Timestamp:
    """The moment that *text* names: ``2026-11-30``, ``2026-11-30T14:00``, ``7d``, ``12h``, ``2w``.

    What names no time zone is of the one that *now* is in. ``typer.BadParameter`` for all else.
    """
    ago = _AGO.fullmatch(text.strip().lower())
    try:
        if ago is not None:
            at = now - int(ago[1]) * _UNITS[ago[2]]
        else:
            at = datetime.fromisoformat(text.strip())
            at = at if at.tzinfo else at.replace(tzinfo=now.tzinfo)
        told = at.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        message = f"{text!r} is no time: say a date (2026-11-30) or how long ago (7d, 12h)."
        raise typer.BadParameter(message) from None
    return Timestamp(f"{told.isoformat(timespec='microseconds')}Z")
