"""Rollout files as decoded lines: whatever can't be read is counted and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import msgspec

from importers.codex.shapes import (
    AnyLine,
    KnownLine,
    Meta,
    MetaLine,
    ResponseItem,
    ResponseLine,
)
from importers.salvage import salvage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importers.raw_lines import RawLine, Skipping

Line: TypeAlias = tuple[int, KnownLine]
"""The number of a line, from 1, and what it says."""

_UNCOUNTED_RECORDS = frozenset({"state"})
_BARE_ITEMS = frozenset(
    {
        "message",
        "reasoning",
        "function_call",
        "function_call_output",
        "local_shell_call",
        "custom_tool_call",
        "custom_tool_call_output",
        "web_search_call",
    }
)
"""The model items that once stood in files without an envelope."""


_decode_known = msgspec.json.Decoder(KnownLine).decode
_decode_any = msgspec.json.Decoder(AnyLine).decode
_decode_meta = msgspec.json.Decoder(Meta).decode
_decode_item = msgspec.json.Decoder(ResponseItem).decode


def decoded(lines: Iterable[RawLine], skipping: Skipping) -> Iterator[Line]:
    """What the lines say; what says nothing that is known is counted and left out."""
    for number, raw in lines:
        try:
            yield number, _decode_known(raw)
        except msgspec.ValidationError as error:
            line = _decode_other(raw, number, skipping, error)
            if line is not None:
                yield number, line
        except (msgspec.DecodeError, RecursionError):
            for line in _decode_damaged(raw, number, skipping):
                yield number, line


def _decode_other(
    raw: bytes, number: int, skipping: Skipping, error: msgspec.ValidationError
) -> KnownLine | None:
    """A line of a time before types, or of a type that is not known."""
    try:
        line = _decode_any(raw)
        if line.record_type in _UNCOUNTED_RECORDS:
            return None
        if line.type is None and line.payload is None:
            meta = _decode_meta(raw)
            if meta.instructions is not msgspec.UNSET:
                return MetaLine(timestamp=line.timestamp, payload=meta)
        elif line.payload is None and line.type in _BARE_ITEMS:
            return ResponseLine(timestamp=line.timestamp, payload=_decode_item(raw))
    except (msgspec.DecodeError, RecursionError):
        pass
    skipping.add("unknown-line", number, str(error))
    return None


def _decode_damaged(raw: bytes, number: int, skipping: Skipping) -> Iterator[KnownLine]:
    """What is whole in a line that is no JSON as it stands."""
    salvaged = salvage(raw, _is_record)
    for reason in salvaged.reasons:
        skipping.add(reason, number)
    for record in salvaged.records:
        try:
            yield _decode_known(record)
        except (msgspec.DecodeError, RecursionError) as error:
            skipping.add("unknown-line", number, str(error))


def _is_record(value: dict[str, object]) -> bool:
    return isinstance(value.get("type"), str) and "payload" in value
