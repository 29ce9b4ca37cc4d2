"""The content of a message: text as it is, or a list of blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from importers.pi.shapes import Block

if TYPE_CHECKING:
    from collections.abc import Sequence

_decode_blocks = msgspec.json.Decoder(list[Block] | str).decode
_decode = msgspec.json.Decoder().decode


def blocks_of(content: msgspec.Raw) -> Sequence[Block]:
    """The blocks of a content; those that have no known shape are left out."""
    try:
        known = _decode_blocks(content)
    except (msgspec.DecodeError, RecursionError):
        return _known_blocks(content)
    return (Block(type="text", text=known),) if isinstance(known, str) else known


def content_text(content: msgspec.Raw) -> str:
    """The text of a content, its blocks joined by a line break."""
    return "\n".join(block.text for block in blocks_of(content) if block.text is not None)


def _known_blocks(content: msgspec.Raw) -> Sequence[Block]:
    try:
        told: object = _decode(content)
    except (msgspec.DecodeError, RecursionError):
        return ()
    if not isinstance(told, list):
        return ()
    pieces = cast("list[object]", told)
    return [block for piece in pieces if (block := _block(piece)) is not None]


def _block(piece: object) -> Block | None:
    if isinstance(piece, str):
        return Block(type="text", text=piece)
    try:
        return msgspec.convert(piece, Block)
    except msgspec.ValidationError:
        return None
