"""One conversation as it was read: its links, its runs, and what of it is its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from graph.model import RunId
from importers.claude_code.chain import link
from importers.claude_code.context import Form
from importers.claude_code.copies import Copied, copied_part
from importers.claude_code.entries import NONE
from importers.claude_code.moments import latest
from importers.claude_code.transcript import Transcript
from importers.claude_code.turns import turns_of
from importers.raw_lines import Skipping
from importers.timestamps import EPOCH, from_milliseconds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.model import Timestamp
    from importers.claude_code.context import Context, TranscriptFile
    from importers.claude_code.entries import Entry
    from importers.claude_code.lines import Read
    from importers.claude_code.shapes import Line
    from importers.claude_code.turns import Turn

ReadFile: TypeAlias = Callable[["TranscriptFile", Skipping], Iterable["Read"]]
"""Gives the lines of a file."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that is told by a conversation's files."""

    context: Context
    transcript: Transcript
    turns: Sequence[Turn]
    copied: Copied
    began_at: Timestamp

    @property
    def entries(self) -> Sequence[Entry]:
        """The links, in the order of the files."""
        return self.transcript.entries

    @property
    def own_entries(self) -> Sequence[Entry]:
        """The links that were not copied."""
        return self.transcript.entries[self.copied.count :]

    @property
    def last_at(self) -> Timestamp | None:
        """When something of its own was last written."""
        return latest(self.transcript.told.last_control_at, self.transcript.told.last_link_at)

    def own_run(self, entry: Entry) -> RunId | None:
        """The run that a link belongs to, where it is one of this conversation's own."""
        if entry.run == NONE or self.turns[entry.run].is_copied:
            return None
        return self.run_id(self.turns[entry.run])

    def run_id(self, turn: Turn) -> RunId:
        """The id of an own run."""
        return RunId(f"{self.context.thread_id}/{turn.name}")


def conversation_of(
    context: Context, read_file: ReadFile, skippings: Sequence[Skipping]
) -> Conversation:
    """Read a conversation; a file that can't be opened is left out and counted."""
    transcript = Transcript()
    is_own = links_of(context)
    for place, (file, skipping) in enumerate(zip(context.files, skippings, strict=True)):
        try:
            transcript.read(read_file(file, skipping), place, skipping, is_own)
        except OSError as error:
            skipping.add("unreadable-file", detail=error.strerror or str(error))
    order = link(transcript, skippings[0])
    copied = copied_part(context, transcript)
    began_at = _began_at(context, transcript, copied.count)
    turns = turns_of(transcript.entries, order, copied.count, began_at)
    return Conversation(context, transcript, turns, copied, began_at)


def links_of(context: Context) -> Callable[[Line], bool]:
    """What knows the links of a conversation among those of its file, asked in their order."""
    if context.form is Form.AGENT:
        return lambda _: True
    if context.form is Form.SESSION:
        return lambda line: not line.is_sidechain
    members: set[str] = set()

    def is_member(line: Line) -> bool:
        if not line.is_sidechain or not line.uuid:
            return False
        if line.uuid != context.sidechain_root and line.parent_uuid not in members:
            return False
        members.add(line.uuid)
        return True

    return is_member


def _began_at(context: Context, transcript: Transcript, copied: int) -> Timestamp:
    """When the first line that was not copied was written."""
    told, entries = transcript.told, transcript.entries
    if told.control_at is not None and told.control_place <= copied:
        return told.control_at
    own = next((entry.at for entry in entries[copied:] if entry.at is not None), None)
    last = next((entry.at for entry in reversed(entries[:copied]) if entry.at is not None), None)
    modified = from_milliseconds(context.files[0].modified_ns // 1_000_000)
    return own or told.control_at or last or modified or EPOCH
