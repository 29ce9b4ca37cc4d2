"""OpenCode's JSON, decoded: whatever can't be read is counted and left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from importers.lenient import as_far_as_known
from importers.opencode.shapes import Info, Part, PartHead
from importers.salvage import salvage

if TYPE_CHECKING:
    from collections.abc import Callable

    from importers.raw_lines import Skipping

Value = TypeVar("Value")
Shape = TypeVar("Shape", bound=msgspec.Struct)

_decode_info = msgspec.json.Decoder(Info).decode
_decode_part = msgspec.json.Decoder(Part).decode
_decode_any = msgspec.json.Decoder(dict[str, object]).decode
_decode_head = msgspec.json.Decoder(PartHead).decode


def decode_info(data: object, name: str, skipping: Skipping) -> Info | None:
    """A message; ``None``, counted, where it can't be read."""
    return _decoded(data, _decode_info, Info, name, skipping)


def decode_part(data: object, name: str, skipping: Skipping) -> Part | None:
    """A part of a message; ``None``, counted, where it can't be read."""
    return _decoded(data, _decode_part, Part, name, skipping)


def decode_head(data: object) -> PartHead | None:
    """The head of a part; ``None`` where it can't be read."""
    head = json_field(data, _decode_head)
    if head is None and isinstance(data, str | bytes):
        return misshapen(data, PartHead)
    return head


def json_field(data: object, decode: Callable[[str | bytes], Value]) -> Value | None:
    """What stands as JSON in a text; ``None`` where nothing that is known does."""
    if not isinstance(data, str | bytes) or not data:
        return None
    try:
        return decode(data)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError):
        return None


def misshapen(data: str | bytes, shape: type[Shape]) -> Shape | None:
    """An object some fields of which have other types than those that are known."""
    told = json_field(data, _decode_any)
    return None if told is None else as_far_as_known(shape, told)


def _decoded(
    data: object,
    decode: Callable[[str | bytes], Shape],
    shape: type[Shape],
    name: str,
    skipping: Skipping,
) -> Shape | None:
    if not isinstance(data, str | bytes):
        skipping.add("not-json", detail=name)
        return None
    try:
        return decode(data)
    except msgspec.ValidationError as error:
        skipping.add("unknown-shape", detail=f"{name}: {error}")
        return misshapen(data, shape)
    except (msgspec.DecodeError, RecursionError, UnicodeEncodeError) as error:
        raw = data.encode("utf-8", "replace") if isinstance(data, str) else data
        value = _salvaged(raw, decode)
        reason = "not-json" if value is None else "invalid-characters-replaced"
        skipping.add(reason, detail=f"{name}: {error}")
        return value


def _salvaged(raw: bytes, decode: Callable[[str | bytes], Value]) -> Value | None:
    found = salvage(raw, bool)
    return json_field(found.records[0], decode) if len(found.records) == 1 else None
