"""Reading one conversation of a plan: its record first, then its items.

A conversation's files are gone through twice, for what happened and for the items. Small files
are decoded once and kept; of large ones nothing is kept but the chain, so that memory stays flat.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.claude_code.context import Context, Form
from importers.claude_code.conversation import conversation_of
from importers.claude_code.heads import NO_MESSAGES
from importers.claude_code.items import ItemReader, telling_lines
from importers.claude_code.lines import read_lines
from importers.claude_code.thread import thread_record
from importers.contract import ReadEnd
from importers.kept_text import TextKeeper
from importers.parts import Reading, parts_of
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from importers.claude_code.context import TranscriptFile
    from importers.claude_code.conversation import Conversation
    from importers.claude_code.lines import Read
    from importers.contract import Part, ReadOptions, Skip, Source

KEPT_BYTES = 8 * 1024 * 1024
"""Files up to this size, all together, are decoded once and kept."""


@dataclass(slots=True)
class _Lines:
    """The lines of files, for the first and the second time."""

    are_kept: bool
    _kept: dict[str, list[Read]] = field(default_factory=dict[str, "list[Read]"])

    def first(self, file: TranscriptFile, skipping: Skipping) -> Iterable[Read]:
        """The lines of a file; what can't be read is counted."""
        lines = read_lines(file.path, skipping, most=file.size)
        if not self.are_kept:
            return lines
        return self._kept.setdefault(file.path, list(lines))

    def second(self, file: TranscriptFile, wanted: Callable[[int, bytes], bool]) -> Iterable[Read]:
        """The same lines, all or those that are wanted; none of a file that is gone."""
        kept = self._kept.pop(file.path, None)
        if kept is not None or self.are_kept:
            return kept or ()
        return _while_there(file, wanted)


def read_conversation(source: Source, options: ReadOptions) -> Iterator[Part]:
    """The records of one conversation, and what was left out of its files."""
    context = source.context
    if not isinstance(context, Context):
        msg = "This source is of another importer's plan."
        raise TypeError(msg)
    skippings = tuple(Skipping(file.path) for file in context.files)
    lines = _Lines(sum(file.size for file in context.files) <= KEPT_BYTES)
    conversation = conversation_of(context, lines.first, skippings)

    def skips() -> list[Skip]:
        return [skip for skipping in skippings for skip in skipping.skips]

    if not conversation.entries:
        if not skips():
            skippings[0].add(NO_MESSAGES)
        yield ReadEnd(thread_id=context.thread_id, skips=tuple(skips()))
        return
    _note(conversation, skippings[0])
    keeper = TextKeeper(options)
    reader = ItemReader(conversation, keeper)
    yield from parts_of(
        Reading(
            thread=thread_record(conversation, options, keeper.clean),
            items=reader.read(
                lines.second(file, telling_lines(conversation, place))
                for place, file in enumerate(context.files)
            ),
            counter=reader,
            skips=skips,
            bytes_read=sum(file.size for file in context.files),
        )
    )


def _note(conversation: Conversation, skipping: Skipping) -> None:
    """Count what the files as a whole do not let us know."""
    context, copied = conversation.context, conversation.copied
    aside = conversation.transcript.told.links_aside
    if aside and context.form is Form.SESSION and not context.has_sidechains:
        skipping.add("agent-lines-in-session", detail=f"{aside} lines of agents without a file")
    if copied.count and copied.source is None and context.form is Form.SESSION:
        skipping.add(
            "unknown-source", detail=f"{copied.count} lines of a session that is not here"
        )


def _while_there(file: TranscriptFile, wanted: Callable[[int, bytes], bool]) -> Iterator[Read]:
    try:
        yield from read_lines(file.path, Skipping(file.path), most=file.size, wanted=wanted)
    except OSError:
        return
