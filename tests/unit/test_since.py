"""How a user says since when."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
import typer

from cli.since import read_since

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=timezone(timedelta(hours=1)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2026-11-30", "2026-11-29T23:00:00.000000Z"),
        ("2026-11-30T14:00", "2026-11-30T13:00:00.000000Z"),
        ("2026-11-30T14:00:00Z", "2026-11-30T14:00:00.000000Z"),
        ("12h", "2026-11-29T23:00:00.000000Z"),
        ("7d", "2026-11-23T11:00:00.000000Z"),
        (" 2W ", "2026-11-16T11:00:00.000000Z"),
    ],
)
def test_a_date_a_time_and_a_span_are_moments(text: str, told: str) -> None:
    """What names no zone is of the user's own."""
    assert read_since(text, NOW) == told


@pytest.mark.parametrize("text", ["", "yesterday", "7", "7y", "2026-13-01", "999999w", "-1d"])
def test_what_is_no_time_is_said_to_be_none(text: str) -> None:
    """With what would be one."""
    with pytest.raises(typer.BadParameter) as raised:
        read_since(text, NOW)

    assert str(raised.value) == (
        f"{text!r} is no time: say a date (2026-11-30) or how long ago (7d, 12h)."
    )
