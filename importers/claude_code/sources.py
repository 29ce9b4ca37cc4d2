"""Runs of other sessions, found by the ids that copied lines had or name."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from graph.model import ThreadId
from importers.claude_code.context import Birth, Context, Form, Relative
from importers.claude_code.conversation import Conversation, conversation_of
from importers.claude_code.copies import known_traces
from importers.claude_code.entries import NONE
from importers.claude_code.finding import session_file
from importers.claude_code.lines import read_lines
from importers.native_ids import is_usable
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from importers.claude_code.context import TranscriptFile
    from importers.claude_code.lines import Read
    from importers.claude_code.turns import Turn

MAX_SOURCES = 32
"""How far a chain of copies is followed."""


class Original(NamedTuple):
    """Where a copied message was first written."""

    session: str
    uuid: str


def original_of(conversation: Conversation, turn: Turn) -> Original | None:
    """The first writing of the message that a copied run begins with."""
    facts = conversation.entries[turn.place].facts
    source = conversation.copied.source
    if facts is not None and facts.old_uuid is not None and facts.forked_from is not None:
        return _first(conversation.context, Original(facts.forked_from, facts.old_uuid))
    if source is None or turn.native_id is None:
        return None
    return _first(conversation.context, Original(source, turn.native_id))


def run_holding(context: Context, session: str, uuid: str) -> Original | None:
    """The run of another session, or of one that it was copied from, that holds a message."""
    seen: set[str] = {context.session}
    while session not in seen and len(seen) <= MAX_SOURCES:
        seen.add(session)
        file = _file(context, session)
        if file is None:
            return None
        source = _other(context, file)
        place = source.transcript.place(uuid)
        run = source.entries[place].run if place is not None else NONE
        if run == NONE:
            return None
        turn = source.turns[run]
        if not turn.is_copied:
            return Original(session, turn.name)
        if not turn.is_elsewhere:
            return original_of(source, turn)
        if source.copied.source is None:
            return None
        session = source.copied.source
    return None


def _first(context: Context, copy: Original) -> Original:
    """Follow copies that got new ids back to the message that was copied first."""
    for _ in range(MAX_SOURCES):
        file = _file(context, copy.session)
        if file is None:
            return copy
        moved = known_traces().trace(Relative(file, Birth.UNKNOWN)).moved.get(copy.uuid)
        if moved is None or not is_usable(moved[1]):
            return copy
        copy = Original(*moved)
    return copy


def _file(context: Context, session: str) -> TranscriptFile | None:
    known = (*context.named, *(relative.file for relative in context.relatives))
    if context.continued is not None:
        known = (*known, context.continued.file)
    for file in known:
        if file.session == session:
            return file
    return session_file(context, session)


def _other(context: Context, file: TranscriptFile) -> Conversation:
    other = Context(
        thread_id=ThreadId(file.session),
        form=Form.SESSION,
        session=file.session,
        files=(file,),
        root=context.root,
    )
    return conversation_of(other, _lines, (Skipping(file.path),))


def _lines(file: TranscriptFile, skipping: Skipping) -> Iterator[Read]:
    return read_lines(file.path, skipping, most=file.size)
