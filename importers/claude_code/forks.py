"""The fork edge of a session that began with another's history, and where it left it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from graph.model import Evidence, Proof, RunId, ThreadId
from graph.records import ForkRecord, HistoryBaseRecord
from importers.claude_code.copies import BY_PARENT
from importers.claude_code.entries import NONE
from importers.claude_code.sources import Original, original_of, run_holding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from importers.claude_code.conversation import Conversation
    from importers.claude_code.turns import Turn

BY_CONTEXT_REFERENCE = Evidence(proof=Proof.FILE, rule="fork-context-ref")


def fork_of(conversation: Conversation) -> ForkRecord | None:
    """The fork edge; ``None`` where nothing was copied, or nobody knows from where."""
    source = conversation.copied.source
    if source is None or source == conversation.context.session:
        return None
    record = ForkRecord(
        source_thread_id=ThreadId(source),
        at=conversation.began_at,
        evidence=conversation.copied.evidence,
    )
    if conversation.copied.evidence is BY_PARENT:
        return _with_continued_point(conversation, record)
    point = _point(conversation)
    if point is None:
        return record
    found = _original(conversation, point)
    return replace(
        record,
        point_native_turn_id=found.uuid if found is not None else None,
        kept_through_run_id=_kept_through(conversation, point),
    )


def history_base_of(conversation: Conversation) -> HistoryBaseRecord | None:
    """The conversation whose context an agent began with, without a copy of it."""
    context = conversation.context
    named = conversation.transcript.told.context_of
    if named is None:
        return None
    base = ThreadId(named)
    if named == context.session and context.parent is not None:
        base = context.parent
    if base == context.thread_id:
        return None
    return HistoryBaseRecord(thread_id=base, evidence=BY_CONTEXT_REFERENCE)


def _with_continued_point(conversation: Conversation, record: ForkRecord) -> ForkRecord:
    continued = conversation.context.continued
    if continued is None:
        return record
    found = run_holding(conversation.context, continued.file.session, continued.uuid)
    return replace(record, point_native_turn_id=found.uuid if found is not None else None)


def _point(conversation: Conversation) -> Turn | None:
    """The last run that was copied, unless the fork went on from another one."""
    turns, count = conversation.turns, conversation.copied.count
    copied = [turn for turn in turns if turn.is_copied]
    if not copied:
        return None
    last = copied[-1]
    if count >= len(conversation.entries):
        return last
    above = conversation.entries[count].parent
    run = conversation.entries[above].run if above != NONE else NONE
    left = next((turn for turn in _upwards(conversation, run) if turn.is_copied), None)
    if left is None or any(turn is left for turn in _upwards(conversation, turns.index(last))):
        return last
    return left


def _kept_through(conversation: Conversation, point: Turn) -> RunId | None:
    """The last inherited run that is still on the current way, where the fork left some."""
    if point.is_current or point.is_elsewhere or not conversation.own_entries:
        return None
    run = conversation.turns.index(point)
    kept = next((turn for turn in _upwards(conversation, run) if turn.is_current), None)
    if kept is None:
        return RunId("")
    found = _original(conversation, kept)
    if found is None:
        return None
    return RunId(f"{_maker(conversation, kept) or found.session}/{found.uuid}")


def _original(conversation: Conversation, turn: Turn) -> Original | None:
    if not turn.is_elsewhere:
        return original_of(conversation, turn)
    source = conversation.copied.source
    if source is None:
        return None
    # Of what a compaction left out, the last copied message knows the way in the source.
    last = conversation.entries[conversation.copied.count - 1]
    return run_holding(conversation.context, source, last.uuid)


def _maker(conversation: Conversation, turn: Turn) -> str | None:
    """The session that a copied run was made in, where its answers say so."""
    made = [
        entry.facts.made_in
        for entry in conversation.entries[turn.place : conversation.copied.count]
        if entry.facts is not None
        and entry.facts.made_in
        and entry.run != NONE
        and conversation.turns[entry.run] is turn
    ]
    return made[0] if made else None


def _upwards(conversation: Conversation, run: int) -> Iterator[Turn]:
    while run != NONE:
        yield conversation.turns[run]
        run = conversation.turns[run].parent
