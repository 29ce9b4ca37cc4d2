"""The lines of a transcript, decoded: whatever can't be read is counted and left out.

A line of which only some fields have a known shape is read as far as that goes, so that it
stays a link of the chain.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

from importers.claude_code.shapes import Block, Line, Message
from importers.raw_lines import BLOCK_BYTES, Skipping, raw_lines
from importers.salvage import salvage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_decode = msgspec.json.Decoder(Line).decode
_decode_any = msgspec.json.Decoder(dict[str, object]).decode


class Read(NamedTuple):
    """A line: its number from 1, which of several records on it, what it says."""

    number: int
    nth: int
    line: Line


def read_lines(
    path: str,
    skipping: Skipping,
    *,
    most: int | None = None,
    block_bytes: int = BLOCK_BYTES,
    wanted: Callable[[int, bytes], bool] | None = None,
) -> Iterator[Read]:
    """All *wanted* lines of a file that can be read, or of so many bytes of it.

    Raises ``OSError`` where the file can't be opened.
    """
    for number, raw in raw_lines(path, skipping, most=most, block_bytes=block_bytes):
        if wanted is not None and not wanted(number, raw):
            continue
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
            yield Read(number, 0, line)


def _misshapen(
    raw: bytes, number: int, nth: int, skipping: Skipping, error: Exception
) -> Iterator[Read]:
    """A line some of whose fields have other types than those that are known."""
    try:
        told = _decode_any(raw)
    except (msgspec.DecodeError, RecursionError):
        skipping.add("not-a-line", number, str(error))
        return
    line = _line_of(told)
    if line.is_link or not line.type:
        skipping.add("unknown-shape", number, str(error))
    if line.type:
        yield Read(number, nth, line)


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
    """Whether an object is a line of a transcript, not a piece of one."""
    return isinstance(told.get("type"), str) and any(
        isinstance(told.get(name), str) for name in ("uuid", "sessionId", "leafUuid", "messageId")
    )


def _line_of(told: Mapping[str, object]) -> Line:
    fields = _known_fields(Line, told, left_out="message")
    message = told.get("message")
    if isinstance(message, str):
        fields["message"] = message
    elif isinstance(message, dict):
        fields["message"] = _message_of(cast("dict[str, object]", message))
    return Line(**fields)  # pyright: ignore[reportArgumentType] - each value was converted to its field's type


def _message_of(told: Mapping[str, object]) -> Message:
    fields = _known_fields(Message, told, left_out="content")
    content = told.get("content")
    if isinstance(content, str):
        fields["content"] = content
    elif isinstance(content, list):
        blocks: list[Block | str] = []
        for piece in cast("list[object]", content):
            if isinstance(piece, str):
                blocks.append(piece)
            elif isinstance(piece, dict):
                known = _known_fields(Block, cast("dict[str, object]", piece))
                blocks.append(Block(**known))  # pyright: ignore[reportArgumentType] - as above
        fields["content"] = blocks
    return Message(**fields)  # pyright: ignore[reportArgumentType] - as above


def _known_fields(
    shape: type[msgspec.Struct], told: Mapping[str, object], *, left_out: str = ""
) -> dict[str, object]:
    """The fields of an object that have the types of a shape, or can be taken for them."""
    fields: dict[str, object] = {}
    for field in msgspec.structs.fields(shape):
        value = told.get(field.encode_name)
        if value is None or field.name == left_out:
            continue
        try:
            if field.type is msgspec.Raw:
                fields[field.name] = msgspec.Raw(msgspec.json.encode(value))
            else:
                fields[field.name] = msgspec.convert(value, field.type, strict=False)
        except (msgspec.ValidationError, msgspec.EncodeError, RecursionError):
            continue
    return fields
