"""The scalars of the schema: times as UTC text, and whole numbers of any size."""

import re
from datetime import UTC, datetime
from typing import NewType

import msgspec
import strawberry
from strawberry.types.scalar import ScalarDefinition

from graph.errors import BadInput
from graph.model import Timestamp, as_timestamp

BigInt = NewType("BigInt", int)
Json = NewType("Json", str)

MOST_EXACT_NUMBER = 2**53 - 1
"""The largest whole number that JavaScript reads without rounding."""

RFC_3339 = re.compile(
    r"(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})"
)


def timestamp_of(value: object) -> Timestamp:
    """The stored form of an RFC 3339 time with a zone: UTC text with microseconds.

    Digits after the microseconds are cut off.
    """
    match = RFC_3339.fullmatch(value) if isinstance(value, str) else None
    if match is None:
        raise BadInput(
            "A DateTime is an RFC 3339 time with a zone, such as 2026-11-30T12:40:56Z "
            "or 2026-11-30T13:40:56.335+01:00."
        )
    date, clock, fraction, zone = match.groups()
    microseconds = (fraction or "")[:6].ljust(6, "0")
    offset = "+00:00" if zone in "Zz" else zone
    try:
        moment = datetime.fromisoformat(f"{date}T{clock}.{microseconds}{offset}").astimezone(UTC)
    except (ValueError, OverflowError):
        raise BadInput(f"{value} is no time that exists.") from None
    return as_timestamp(moment)


def big_int_of(value: object) -> BigInt:
    """The whole number that a number or a string of digits says."""
    match value:
        case bool():
            pass
        case int():
            return BigInt(value)
        case str() if re.fullmatch(r"-?\d{1,40}", value, re.ASCII):
            return BigInt(int(value))
        case _:
            pass
    raise BadInput("A BigInt is a whole number, or a string of its digits.")


def exact_json_of(value: int) -> int | str:
    """The number itself where JavaScript reads it exactly, else the string of its digits."""
    return value if -MOST_EXACT_NUMBER <= value <= MOST_EXACT_NUMBER else str(value)


def json_of(value: str) -> object:
    """What stored JSON says."""
    return msgspec.json.decode(value)


def as_told(value: object) -> object:
    """The value as it is."""
    return value


def as_stored(value: Timestamp) -> Timestamp:
    """The text as it is: it was put in this form when it was recorded."""
    return value


SCALARS: dict[object, ScalarDefinition] = {
    Timestamp: strawberry.scalar(
        name="DateTime",
        description=(
            "A moment in UTC with microseconds, such as 2026-11-30T12:40:56.335766Z; equal "
            "widths, so that it sorts as text. As input: any RFC 3339 time with a zone."
        ),
        serialize=as_stored,
        parse_value=timestamp_of,
    ),
    BigInt: strawberry.scalar(
        name="BigInt",
        description=(
            "A whole number of any size, always exact: a JSON number up to 2^53 - 1, which "
            "JavaScript reads exactly, and a string of digits beyond. As input: either form."
        ),
        serialize=exact_json_of,
        parse_value=big_int_of,
    ),
    Json: strawberry.scalar(
        name="JSON",
        description="Any JSON value; its inner names are not part of the schema.",
        serialize=json_of,
        parse_value=as_told,
    ),
}
