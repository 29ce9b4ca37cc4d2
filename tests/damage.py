"""Damage to files: what crashes, disks and other programs do to bytes, at random, repeatably."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from random import Random

MOST_CHANGES = 4
STRANGE_BYTES = (b"\0" * 30, b"\xff\xfe", b"\xed\xa0\x80", b"\xe2\x80\xa8", b"\x85", b'"', b"}{")
STRANGE_VALUES: tuple[object, ...] = (
    *(None, True, -1, 0, 2**63, 1e300, "", "x" * 700, "\ud800", "\0", "never", "../../etc/passwd"),
    *([None, 1, "a"], {"type": "x"}, "1970-01-01T00:00:00Z", "9999-12-31T23:59:59Z"),
    *json.loads("[[], {}, [[]]]"),
)


def damaged_line(line: bytes, chance: Random) -> bytes:
    """A line that still is one: some of its bytes changed, lost, added or said twice."""
    broken = bytearray(line)
    for _ in range(chance.randint(1, MOST_CHANGES)):
        _change(broken, chance)
    return bytes(broken).replace(b"\n", b" ")


def strange_line(line: bytes, chance: Random) -> bytes:
    """A line of whole JSON in which one value is another, is missing, or is there twice."""
    try:
        value: object = json.loads(line)
    except ValueError:
        return line
    places = [place for place in _places(value) if place]
    if not places:
        return line
    *above, last = chance.choice(places)
    holder: Any = value
    for step in above:
        holder = holder[step]
    match chance.randrange(4):
        case 0:
            del holder[last]
        case 1 if isinstance(holder, dict):
            cast("dict[str, object]", holder)[f"{last}2"] = holder[last]
        case _:
            holder[last] = chance.choice(STRANGE_VALUES)
    return json.dumps(value).encode()


def damaged_file(content: bytes, chance: Random) -> bytes:
    """A file with pieces lost, added, out of order or cut off, line ends included."""
    broken = bytearray(content)
    match chance.randrange(5):
        case 0:
            del broken[chance.randrange(len(broken)) :]
        case 1:
            lines = bytes(broken).split(b"\n")
            chance.shuffle(lines)
            broken[:] = b"\n".join(lines)
        case 2:
            lines = bytes(broken).split(b"\n")
            first = chance.randrange(len(lines))
            broken[:] = b"\n".join([*lines, *lines[first:], b""])
        case 3:
            broken[:] = bytes(broken).replace(b"\n", chance.choice((b"\r\n", b"\n\n", b"", b"\r")))
        case _:
            for _ in range(chance.randint(1, 10 * MOST_CHANGES)):
                _change(broken, chance)
    return bytes(broken)


def damaged_pages(content: bytes, chance: Random) -> bytes:
    """A database with bytes changed in a page or two, or cut off."""
    broken = bytearray(content)
    if chance.random() < 0.1:
        del broken[chance.randrange(len(broken)) :]
    for _ in range(chance.randint(1, MOST_CHANGES)):
        if broken:
            at = chance.randrange(len(broken))
            put = chance.randbytes(chance.choice((1, 1, 4, 300)))
            broken[at : at + len(put)] = put
    return bytes(broken)


def _change(broken: bytearray, chance: Random) -> None:
    at = chance.randrange(len(broken) + 1)
    match chance.randrange(6):
        case 0:
            broken[at : at + 1] = chance.randbytes(1)
        case 1:
            del broken[at : at + chance.randrange(1, 60)]
        case 2:
            broken[at:at] = chance.randbytes(chance.randrange(1, 12))
        case 3:
            broken[at:at] = broken[max(0, at - 300) : at]
        case 4:
            del broken[at:]
        case _:
            broken[at:at] = chance.choice(STRANGE_BYTES)


def _places(value: object) -> list[tuple[Any, ...]]:
    """The ways to all values in a value, its own included."""
    found: list[tuple[Any, ...]] = []
    waiting: list[tuple[tuple[Any, ...], object]] = [((), value)]
    while waiting:
        way, here = waiting.pop()
        found.append(way)
        match here:
            case dict():
                members = cast("dict[str, object]", here).items()
                waiting.extend(((*way, key), inner) for key, inner in members)
            case list():
                values = enumerate(cast("list[object]", here))
                waiting.extend(((*way, at), inner) for at, inner in values)
            case _:
                pass
    return found
