"""What can still be read of a line that is no JSON as it stands.

Lines are damaged in a few ways that were seen again and again: blocks of NUL bytes, broken
characters, two records without a line break between them, and a record that was cut off with a
whole one written right behind it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_RECORD_START = re.compile(r'\{\s*"')
_SEARCH_CHARACTERS = 32 * 1024 * 1024
"""How much is read, in all, in search of a whole record behind a broken one."""

_decode_one = json.JSONDecoder().raw_decode


@dataclass(frozen=True, slots=True)
class Salvaged:
    """The records of a damaged line as clean JSON, in order, and a word for each damage."""

    records: tuple[bytes, ...] = ()
    reasons: tuple[str, ...] = ()


def salvage(raw: bytes, is_record: Callable[[dict[str, object]], bool]) -> Salvaged:
    """The whole records of a damaged line; *is_record* tells one from a piece of one."""
    reasons: list[str] = []
    if b"\0" in raw:
        reasons.append("nul-bytes-removed")
        raw = raw.replace(b"\0", b"")
    text = raw.decode("utf-8", "replace").strip()
    records: list[bytes] = []
    lost = False
    for value in _values(text):
        if value is None or not is_record(value):
            lost = True
        else:
            records.append(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    if len(records) > 1:
        reasons.append("two-objects-on-a-line")
    if lost:
        reasons.append("not-json")
    elif records and not reasons:
        reasons.append("invalid-characters-replaced")
    return Salvaged(tuple(records), tuple(reasons))


def _values(text: str) -> Iterator[dict[str, object] | None]:
    """The objects of a text; ``None`` where something between them was lost."""
    at = 0
    while at < len(text):
        value, end = _object_at(text, at)
        if value is None:
            yield None
            found = _last_whole(text, at + 1)
            if found is not None:
                yield found
            return
        yield value
        at = end
        while at < len(text) and text[at].isspace():
            at += 1


def _last_whole(text: str, after: int) -> dict[str, object] | None:
    """The object that is whole and ends with the text: one written behind a broken one."""
    searched = 0
    for start in reversed([match.start() for match in _RECORD_START.finditer(text, after)]):
        searched += len(text) - start
        if searched > _SEARCH_CHARACTERS:
            return None
        value, end = _object_at(text, start)
        if value is not None and end == len(text):
            return value
    return None


def _object_at(text: str, at: int) -> tuple[dict[str, object] | None, int]:
    try:
        value, end = _decode_one(text, at)
    except (ValueError, RecursionError):
        return None, at
    if not isinstance(value, dict):
        return None, at
    return cast("dict[str, object]", value), end
