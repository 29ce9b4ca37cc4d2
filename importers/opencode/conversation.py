"""The messages of a session in order, and the runs that they make up.

A run is a message that somebody typed, with the answers that name it. What OpenCode itself
writes in the user's name (the start of a compaction, words put between, the frame of a command
that the user ran) belongs to the run before, and so does what answers it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.opencode.decoding import decode_head, decode_part

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graph.model import ThreadId
    from importers.opencode.database import DatabaseReader
    from importers.opencode.rewinds import Rewinds
    from importers.opencode.session import Message, Session
    from importers.opencode.shapes import Part
    from importers.opencode.storage import StorageReader
    from importers.raw_lines import Skipping

NO_RUN = -1
_TYPED = frozenset({"text", "file", "agent", "subtask"})


@dataclass(frozen=True, slots=True)
class Heads:
    """What must be known of a message's parts before their content matters."""

    is_typed: bool = False
    count: int = 0


@dataclass(slots=True)
class Conversation:
    """A session's messages in order; *run_of* has, for each, the place of its run's prompt.

    *compacts* are the places of the summaries that compactions ended in.
    """

    session_id: ThreadId
    messages: list[Message] = field(default_factory=list["Message"])
    run_of: list[int] = field(default_factory=list[int])
    prompts: list[int] = field(default_factory=list[int])
    compacts: list[int] = field(default_factory=list[int])
    rewinds: Rewinds | None = None

    def parts_of(
        self, reader: DatabaseReader | StorageReader, message: Message, skipping: Skipping
    ) -> Iterator[tuple[str, Part]]:
        """The parts of a message that can be read, in order."""
        for part_id, data in self._raw_parts(reader, message):
            part = decode_part(data, part_id, skipping)
            if part is not None:
                yield part_id, part

    def heads_of(self, reader: DatabaseReader | StorageReader, message: Message) -> Heads:
        """What the parts of a message are."""
        heads = [decode_head(data) for _, data in self._raw_parts(reader, message)]
        return Heads(
            is_typed=any(
                head is not None
                and head.type in _TYPED
                and not head.synthetic
                and not head.ignored
                for head in heads
            ),
            count=len(heads),
        )

    def _raw_parts(
        self, reader: DatabaseReader | StorageReader, message: Message
    ) -> Iterable[tuple[str, str | bytes]]:
        kept = self.rewinds.parts.get(message.message_id) if self.rewinds is not None else None
        if kept is not None:
            return sorted(kept.items())
        return reader.parts(message.message_id, self.session_id)


def converse(
    reader: DatabaseReader | StorageReader, session: Session, skipping: Skipping
) -> Conversation:
    """The conversation of a session, with what was taken back at its place."""
    rewinds = reader.rewinds(session)
    told = Conversation(session.session_id, rewinds=rewinds)
    there = reader.messages(session.session_id, skipping)
    told.messages = sorted([*there, *rewinds.removed], key=_order)
    _leave(told, session, rewinds)
    answered = {
        message.info.parentID
        for message in told.messages
        if message.info.role == "assistant" and message.info.summary is not True
    }
    places: dict[str, int] = {}
    compacted: set[str | None] = set()
    current = NO_RUN
    for place, message in enumerate(told.messages):
        if message.info.role == "user":
            heads = told.heads_of(reader, message)
            if heads.is_typed or (not heads.count and message.message_id in answered):
                current = place
                told.prompts.append(place)
            run = current
        else:
            run = places.get(message.info.parentID or "", current)
            if _is_summary(message) and message.info.parentID not in compacted:
                told.compacts.append(place)
                compacted.update({message.info.parentID} - {None})
        places[message.message_id] = run
        told.run_of.append(run)
    return told


def _is_summary(message: Message) -> bool:
    """Whether this is what a compaction made of all that was said before."""
    info = message.info
    return info.summary is True and info.error is None and bool(info.time.completed)


def _leave(told: Conversation, session: Session, rewinds: Rewinds) -> None:
    """Mark what a revert hides that was not carried out yet."""
    revert = session.revert
    if revert is None or revert.messageID is None:
        return
    hidden = False
    at = rewinds.reverted_at or session.updated or 0
    for place, message in enumerate(told.messages):
        if message.message_id == revert.messageID:
            hidden = True
            if revert.partID is not None:
                # Of this one, only the parts from there on are hidden.
                continue
        if hidden and message.left_at is None:
            told.messages[place] = message.left(at)


def _order(message: Message) -> tuple[int, str]:
    return message.created, message.message_id
