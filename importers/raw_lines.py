"""Transcript files as lines of bytes: over-long and torn ones are counted and left out.

A file is read in blocks, so that neither its size nor the size of one line matters.
"""

from __future__ import annotations

import io
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import zstandard

from importers.contract import Skip

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

MAX_LINE_BYTES = 64 * 1024 * 1024
BLOCK_BYTES = 1024 * 1024
COMPRESSED_SUFFIX = ".zst"

RawLine: TypeAlias = tuple[int, bytes]
"""The number of a line, from 1, and what stands in it."""

_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Skipping:
    """The skips of one file, as they happen."""

    path: str
    skips: list[Skip] = field(default_factory=list[Skip])

    def add(self, reason: str, line: int | None = None, detail: str = "") -> None:
        """Count what was left out, and why."""
        self.skips.append(Skip(path=self.path, line=line, reason=reason, detail=detail))


def raw_lines(
    path: str, skipping: Skipping, *, most: int | None = None, block_bytes: int = BLOCK_BYTES
) -> Iterator[RawLine]:
    """The lines of a file, plain or compressed, without blank ones and over-long ones.

    Of a plain file at most so many bytes are read: what came to it since it was looked at is
    left for the next time.

    Raises ``OSError`` where the file can't be opened; what goes wrong later is a skip.
    """
    with open(path, "rb") as file:  # noqa: PTH123 - two objects a file count with 100,000 files
        packed = path.endswith(COMPRESSED_SUFFIX)
        stream = _decompressed(file) if packed else file
        try:
            yield from _split(_blocks(stream, block_bytes, None if packed else most), skipping)
        except zstandard.ZstdError as error:
            skipping.add("broken-compression", detail=str(error))
        except OSError as error:
            skipping.add("unreadable-file", detail=error.strerror or str(error))


def _decompressed(file: BinaryIO) -> BinaryIO:
    reader = zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True)
    return io.BufferedReader(reader, BLOCK_BYTES)


def _blocks(stream: BinaryIO, block_bytes: int, most: int | None) -> Iterator[bytes]:
    left = most
    while block := stream.read(block_bytes if left is None else min(block_bytes, left)):
        if left is not None:
            left -= len(block)
        yield block


def _split(blocks: Iterable[bytes], skipping: Skipping) -> Iterator[RawLine]:
    number = 0
    begun: list[bytes] = []
    begun_bytes = 0
    for block in blocks:
        first, *others = block.split(b"\n")
        begun_bytes += len(first)
        if begun_bytes <= MAX_LINE_BYTES:
            begun.append(first)
        else:
            # The rest of an over-long line is passed over without being held.
            begun.clear()
        if not others:
            continue
        *whole, last = others
        number += 1
        yield from _line(b"".join(begun), number, begun_bytes, skipping)
        for raw in whole:
            number += 1
            if raw and not raw.isspace():
                yield number, raw
        begun = [last]
        begun_bytes = len(last)
    for last_number, raw in _line(b"".join(begun), number + 1, begun_bytes, skipping):
        if raw.rstrip().endswith(b"}"):
            yield last_number, raw
        else:
            # The program is in the middle of writing it, or died there.
            skipping.add("torn-line", last_number)


def _line(raw: bytes, number: int, size: int, skipping: Skipping) -> Iterator[RawLine]:
    if size > MAX_LINE_BYTES:
        limit = MAX_LINE_BYTES // 1024 // 1024
        skipping.add("line-too-long", number, f"{size} bytes; the most is {limit} MiB")
        return
    if number == 1:
        raw = raw.removeprefix(_BOM)
    if raw and not raw.isspace():
        yield number, raw
