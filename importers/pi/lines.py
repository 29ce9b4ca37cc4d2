"""The lines of a pi session, decoded: whatever can't be read is counted and left out.

A line of which only the fields of the tree can be read stays a link of the tree.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from importers.lenient import as_far_as_known
from importers.pi.shapes import Line
from importers.raw_lines import Skipping, raw_lines
from importers.salvage import salvage

if TYPE_CHECKING:
    from collections.abc import Iterator

HEADER = "session"
KNOWN_TYPES = frozenset(
    {
        HEADER,
        "message",
        "thinking_level_change",
        "model_change",
        "compaction",
        "branch_summary",
        "custom",
        "custom_message",
        "label",
        "session_info",
    }
)
_MIGRATED = re.compile(rb'"id":"[^"\\]+","parentId":(?:null|"[^"\\]+")\}\s*\Z')
_TAIL_BYTES = 400
_FIELD = re.compile(rb'"(id|timestamp|cwd|parentSession|branchedFrom)":("(?:[^"\\]|\\.)*")')
_HEAD_LINES = 50
_HEAD_BLOCK_BYTES = 16 * 1024

_decode = msgspec.json.Decoder(Line).decode
_decode_text = msgspec.json.Decoder(str).decode
_decode_any = msgspec.json.Decoder(dict[str, object]).decode


class Read(NamedTuple):
    """A line: its number from 1, which of several records on it, what it says.

    *was_migrated* tells that pi gave the entry its id later, when it rewrote an old file.
    """

    number: int
    nth: int
    line: Line
    was_migrated: bool = False


def read_lines(path: str, size: int, skipping: Skipping) -> Iterator[Read]:
    """All lines of the first *size* bytes of a file that can be read, the header included.

    Raises ``OSError`` where the file can't be opened.
    """
    for number, raw in raw_lines(path, skipping, most=size):
        try:
            if not raw.isascii():
                # What is decoded later is not looked at here.
                raw.decode()
            line = _decode(raw)
        except msgspec.ValidationError as error:
            yield from _misshapen(raw, number, 0, skipping, error)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            yield from _damaged(raw, number, skipping, error)
        else:
            yield Read(number, 0, line, _MIGRATED.search(raw[-_TAIL_BYTES:]) is not None)


def read_header(path: str) -> Line | None:
    """The header of a session, its first line; ``None`` where the file is none.

    What can be made out of a damaged one is given; its id is ``None`` where that is lost.
    Raises ``OSError`` where the file can't be opened.
    """
    first: Line | None = None
    for number, raw in raw_lines(path, Skipping(path), block_bytes=_HEAD_BLOCK_BYTES):
        if first is None:
            whole, first = _header(raw)
            if whole is not None or first is None:
                return whole
        elif _is_entry(raw):
            # The first line is lost, but the file is pi's.
            return first
        if number > _HEAD_LINES:
            break
    return None


def _header(raw: bytes) -> tuple[Line | None, Line | None]:
    """The header that a line is; else what can be made out of a line that is no JSON."""
    try:
        line = _decode(raw)
    except msgspec.ValidationError:
        return _misshapen_header(raw), None
    except (msgspec.DecodeError, RecursionError):
        found = salvage(raw, _is_header)
        if not found.records:
            return None, _made_out(raw)
        line = _decode(found.records[0])
    return (line if line.type == HEADER and line.id else None), None


def _misshapen_header(raw: bytes) -> Line | None:
    """A header some fields of which have other types than those that are known."""
    try:
        told = _decode_any(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return as_far_as_known(Line, told) if _is_header(told) else None


def _made_out(raw: bytes) -> Line:
    """A header of which only single fields can be read."""
    fields: dict[str, str] = {}
    for name, text in _FIELD.findall(raw):
        try:
            fields.setdefault(name.decode(), _decode_text(text))
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
    if b'"type":"session"' not in raw:
        fields.pop("id", None)
    return as_far_as_known(Line, {**fields, "type": HEADER})


def _is_entry(raw: bytes) -> bool:
    try:
        line = _decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return False
    return line.type in KNOWN_TYPES and line.timestamp is not None


def _misshapen(
    raw: bytes, number: int, nth: int, skipping: Skipping, error: Exception
) -> Iterator[Read]:
    """A line whose fields have other types than those that are known."""
    try:
        told = _decode_any(raw)
    except (msgspec.DecodeError, RecursionError):
        skipping.add("not-an-entry", number, str(error))
        return
    skipping.add("unknown-shape", number, str(error))
    if not _is_record(told):
        return
    yield Read(number, nth, as_far_as_known(Line, told))


def _damaged(raw: bytes, number: int, skipping: Skipping, error: Exception) -> Iterator[Read]:
    found = salvage(raw, _is_record)
    for reason in found.reasons:
        skipping.add(reason, number, str(error))
    for nth, record in enumerate(found.records):
        try:
            yield Read(number, nth, _decode(record))
        except msgspec.ValidationError as misshapen:
            yield from _misshapen(record, number, nth, skipping, misshapen)
        except (msgspec.DecodeError, RecursionError) as again:
            skipping.add("not-json", number, str(again))


def _is_record(told: dict[str, object]) -> bool:
    """Whether an object is a line of a session, not a piece of one."""
    return isinstance(told.get("type"), str) and ("timestamp" in told or "id" in told)


def _is_header(told: dict[str, object]) -> bool:
    return told.get("type") == HEADER and isinstance(told.get("id"), str)
