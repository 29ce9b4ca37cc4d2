"""A process that reads transcripts for an import: tasks come in, findings go out.

It ends when its standard input does, so it never outlives the import that started it.
"""

from __future__ import annotations

import os
import pickle
import sys
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from resolvers.reading import Finding, ReadingTask, read_task

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = (sys.executable, "-P", "-m", "resolvers.reading_process")
"""``-P``: a folder of the same name where the user stands must not be imported."""

LENGTH_BYTES = 8
FRAME_BYTES = 256 * 1024
"""Findings are sent together up to about this size; a larger one goes alone."""

DECODER = msgspec.msgpack.Decoder(list[Finding])
ENCODER = msgspec.msgpack.Encoder()


def framed(content: bytes) -> bytes:
    """The content behind its length; an empty one says that a task is done."""
    return len(content).to_bytes(LENGTH_BYTES) + content


def encode_task(task: ReadingTask) -> bytes:
    """The task as a reading process takes it."""
    return pickle.dumps(task, pickle.HIGHEST_PROTOCOL)


def encode_findings(task: ReadingTask) -> Iterator[bytes]:
    """What the task finds, in packs that ``DECODER`` reads."""
    pack: list[msgspec.Raw] = []
    size = 0
    for finding in read_task(task):
        encoded = ENCODER.encode(finding)
        pack.append(msgspec.Raw(encoded))
        size += len(encoded)
        if size >= FRAME_BYTES:
            yield ENCODER.encode(pack)
            pack, size = [], 0
    if pack:
        yield ENCODER.encode(pack)


def answer(tasks: BinaryIO, findings: BinaryIO) -> None:
    """Say that it is ready, then read every task that comes and send what it finds."""
    findings.write(framed(b""))
    findings.flush()
    while head := tasks.read(LENGTH_BYTES):
        content = tasks.read(int.from_bytes(head))
        task: ReadingTask = pickle.loads(content)  # noqa: S301 - from the process that started this
        findings.writelines(framed(pack) for pack in encode_findings(task))
        findings.write(framed(b""))
        findings.flush()


def main() -> None:
    """Answer until nobody gives work or takes findings any more."""
    try:
        answer(sys.stdin.buffer, sys.stdout.buffer)
    except BrokenPipeError:
        # The import is gone, killed perhaps: what is left in the buffer is for nobody.
        os._exit(1)


if __name__ == "__main__":
    main()
