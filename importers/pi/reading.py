"""Reading one session of a plan: its record first, then its items.

A session's file is gone through twice, for what happened and for the items, and once more where
some of its entries were copied or stand before their parents. Small files are decoded once and
kept; of large ones nothing is kept but the tree, so that memory stays flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.model import Timestamp
from importers.contract import ReadEnd, Skip
from importers.kept_text import TextKeeper
from importers.parts import Reading, parts_of
from importers.pi.context import Context
from importers.pi.items import KNOWN_ROLES, ItemReader
from importers.pi.lines import HEADER, KNOWN_TYPES, read_lines
from importers.pi.origin import copied_from
from importers.pi.runs import run_ids_of
from importers.pi.session import Session
from importers.pi.story import Story, tell
from importers.pi.thread import session_record, session_transfers
from importers.pi.tree import build_tree
from importers.raw_lines import Skipping
from importers.timestamps import from_milliseconds

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from importers.contract import Part, ReadOptions, Source
    from importers.pi.files import SessionFile
    from importers.pi.lines import Read
    from importers.pi.shapes import Line
    from importers.pi.tree import Tree

KEPT_BYTES = 8 * 1024 * 1024
"""Files up to this size are decoded once and kept."""

_EPOCH = Timestamp("1970-01-01T00:00:00.000000Z")


@dataclass(slots=True)
class _Lines:
    """The lines of one file, as often as they are asked for; skips are those of the first time."""

    file: SessionFile
    skipping: Skipping
    _kept: list[Read] | None = field(default=None)

    def all(self) -> Iterable[Read]:
        """Every line that can be read."""
        if self._kept is not None:
            return self._kept
        if self.file.size <= KEPT_BYTES:
            self._kept = list(read_lines(self.file.path, self.file.size, self.skipping))
            return self._kept
        return read_lines(self.file.path, self.file.size, self.skipping)

    def entries(self, tree: Tree) -> Iterator[tuple[int, Read]]:
        """The entries of the tree, each with its place in it.

        What was written since the tree was built is left for the next time.
        """
        again = self._kept
        if again is None:
            again = read_lines(self.file.path, self.file.size, Skipping(self.file.path))
        index = 0
        for read in again:
            if index >= len(tree):
                return
            if read.line.type != HEADER and (read.number, read.nth) not in tree.dropped:
                yield index, read
                index += 1


@dataclass(slots=True)
class _Watch:
    """Lets lines through, keeps the header, and counts what is not known."""

    skipping: Skipping
    header: Line | None = None

    def over(self, reads: Iterable[Read]) -> Iterator[Read]:
        """The same lines."""
        for read in reads:
            line = read.line
            if line.type == HEADER:
                self._header(read)
            elif line.type not in KNOWN_TYPES:
                self.skipping.add("unknown-entry-type", read.number, line.type)
            elif line.message is not None and line.message.role not in KNOWN_ROLES:
                self.skipping.add("unknown-message-role", read.number, line.message.role)
            yield read

    def _header(self, read: Read) -> None:
        if self.header is None:
            self.header = read.line
        elif self.header.id != read.line.id:
            # The same header twice was once a fault of pi's, and nothing is lost by it.
            self.skipping.add("another-session-header", read.number, str(read.line.id))


def read_session(source: Source, options: ReadOptions) -> Iterator[Part]:
    """The records of one session, and what was left out of its file."""
    context = source.context
    if not isinstance(context, Context):
        msg = "This source is of another importer's plan."
        raise TypeError(msg)
    file = context.file
    skipping = Skipping(file.path)
    lines, watch = _Lines(file, skipping), _Watch(skipping)
    born = file.born or from_milliseconds(file.modified_ns // 1_000_000) or _EPOCH
    try:
        copied = copied_from(context)
        story = Story()
        tree = build_tree(
            watch.over(lines.all()),
            skipping,
            born=born,
            is_copied=copied,
            on_entry=story.take if copied is None else None,
        )
        if copied is not None or not tree.is_whole:
            story = tell(tree, lines.entries(tree))
    except OSError as error:
        detail = error.strerror or str(error)
        skip = Skip(path=file.path, reason="unreadable-file", detail=detail)
        yield ReadEnd(thread_id=file.thread_id, skips=(skip,))
        return
    if file.origin_path is not None and not context.ancestors:
        skipping.add("unknown-parent-session", 1, file.origin_path)
    keeper = TextKeeper(options)
    run_ids = run_ids_of(file.thread_id, tree)
    reader = ItemReader(file.thread_id, tree, run_ids, keeper)
    session = Session(context, watch.header, tree, story, run_ids, born)
    yield from parts_of(
        Reading(
            thread=session_record(session, options, keeper.clean),
            transfers=session_transfers(session, options),
            items=reader.read(lines.entries(tree)),
            counter=reader,
            skips=lambda: skipping.skips,
            bytes_read=file.size,
        )
    )
