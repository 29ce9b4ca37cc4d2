"""Opaque cursors: a place in one list, readable only with the arguments it was made for."""

from base64 import urlsafe_b64decode
from binascii import b2a_base64
from collections.abc import Iterable
from dataclasses import astuple, dataclass, is_dataclass
from hashlib import blake2b
from typing import Generic, TypeVar

import msgspec

from graph.errors import InvalidCursor

Position = TypeVar("Position")

DIGEST_BYTES = 8
LARGEST_NUMBER = 2**53 - 1

PACKER = msgspec.msgpack.Encoder()
URL_SAFE = bytes.maketrans(b"+/", b"-_")


@dataclass(frozen=True, slots=True)
class Cursors(Generic[Position]):
    """Writes and reads the cursors of one list."""

    position_type: type[Position]
    digest: bytes

    def write(self, position: Position) -> str:
        """The cursor of a place in this list."""
        return self.write_all((position,))[0]

    def write_all(self, positions: Iterable[Position]) -> list[str]:
        """The cursors of several places in this list."""
        digest, pack = self.digest, PACKER.encode
        return [
            b2a_base64(digest + pack(position), newline=False)
            .translate(URL_SAFE)
            .rstrip(b"=")
            .decode()
            for position in positions
        ]

    def read(self, cursor: str) -> Position:
        """The place that a cursor of this list names; ``InvalidCursor`` for any other text."""
        try:
            packed = urlsafe_b64decode(cursor.encode("ascii") + b"=" * (-len(cursor) % 4))
            digest, body = packed[:DIGEST_BYTES], packed[DIGEST_BYTES:]
            position = msgspec.msgpack.decode(body, type=self.position_type)
        except (ValueError, msgspec.DecodeError):
            raise InvalidCursor(f"{cursor[:80]!r} is no cursor of this service.") from None
        if digest != self.digest:
            raise InvalidCursor(
                "The cursor was made with other arguments. Go on with the arguments that it "
                "came from, or begin again without a cursor."
            )
        if self.write(position) != cursor or not _holds_plain_numbers(position):
            raise InvalidCursor(f"{cursor[:80]!r} is no cursor of this service.")
        return position


def cursors_of(position_type: type[Position], *arguments: object) -> Cursors[Position]:
    """The cursors of the list that *arguments* name: the list, its owner, and how it was asked."""
    written = msgspec.json.encode(arguments)
    return Cursors(position_type, blake2b(written, digest_size=DIGEST_BYTES).digest())


def _holds_plain_numbers(position: object) -> bool:
    parts: tuple[object, ...] = (position,)
    if is_dataclass(position) and not isinstance(position, type):
        parts = astuple(position)
    return all(not isinstance(part, int) or 0 <= part <= LARGEST_NUMBER for part in parts)
