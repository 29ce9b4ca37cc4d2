"""Which links of a session were copied into it from another, and from which.

Claude Code has copied histories in many ways. Newer copies say on their lines where they are
from; older ones keep the lines as they were, with their ids and times, or with the old session's
id. What was copied stands at the front of the file and belongs to the session it was made in.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from graph.model import Evidence, Proof
from importers.claude_code.context import Birth, Form, Relative
from importers.claude_code.entries import Kind
from importers.claude_code.finding import session_file
from importers.claude_code.moments import is_clearly_older
from importers.claude_code.traces import Traces

if TYPE_CHECKING:
    from collections.abc import Iterable

    from importers.claude_code.context import Context, TranscriptFile
    from importers.claude_code.entries import Entry
    from importers.claude_code.traces import Trace
    from importers.claude_code.transcript import Transcript

BY_FORKED_FROM = Evidence(proof=Proof.FILE, rule="forkedFrom")
BY_REQUEST = Evidence(proof=Proof.FILE, rule="requestSessionId")
BY_NEAREST = Evidence(proof=Proof.FILE, rule="requestSessionId and messages with the same ids")
BY_FIRST_LINES = Evidence(proof=Proof.FILE, rule="sessionId of the first lines")
BY_PARENT = Evidence(proof=Proof.FILE, rule="parentUuid in another session")
BY_SHARED_IDS = Evidence(proof=Proof.INFERRED, rule="messages with the same ids")


@dataclass(frozen=True, slots=True)
class Copied:
    """What of a conversation is not its own: so many links at the front, from that session."""

    count: int = 0
    source: str | None = None
    evidence: Evidence = BY_SHARED_IDS


@cache
def known_traces() -> Traces:
    """The traces that were read in this process."""
    return Traces()


def copied_part(context: Context, transcript: Transcript) -> Copied:
    """The copied part of a conversation; nothing of most."""
    if context.form is not Form.SESSION:
        return Copied(_repeated_call(context, transcript))
    if not transcript.entries:
        return Copied()
    said = _said(context, transcript)
    count = max(said.count, _older(transcript))
    if said.source is None and context.continued is not None:
        return Copied(count, context.continued.file.session, BY_PARENT)
    if said.evidence is not BY_FORKED_FROM and context.birth is not Birth.HERE:
        compared = _compared(context, transcript, said, count)
        if compared is not None:
            return compared
    return Copied(count, said.source, said.evidence)


def _said(context: Context, transcript: Transcript) -> Copied:
    """What the copied lines themselves say."""
    entries, own = transcript.entries, context.session
    stamped = [
        place
        for place, entry in enumerate(entries)
        if entry.file == 0 and _source_of(entry) not in {None, own}
    ]
    foreign = _foreign_front(transcript, own)
    if not stamped:
        if foreign is None:
            return Copied()
        return Copied(foreign[0], foreign[1], BY_FIRST_LINES)
    count = max(stamped[-1] + 1, foreign[0] if foreign is not None else 0)
    first, last = entries[stamped[0]], entries[stamped[-1]]
    if _is_forked(first) and _is_forked(last):
        # A copy of a copy names its own source on the first line, older ones perhaps later.
        return Copied(count, _source_of(first), BY_FORKED_FROM)
    return Copied(count, _source_of(last), BY_REQUEST)


def _source_of(entry: Entry) -> str | None:
    return entry.facts.source if entry.facts is not None else None


def _is_forked(entry: Entry) -> bool:
    return entry.facts is not None and entry.facts.forked_from is not None


def _foreign_front(transcript: Transcript, own: str) -> tuple[int, str] | None:
    """The links at the front that name another session, where later ones name this one."""
    before: str | None = None
    for place, session in transcript.told.sessions:
        if session == own:
            return (place, before) if before is not None else None
        before = session
    return None


def _older(transcript: Transcript) -> int:
    """How many links are older than the file: the program's own first line says when it began."""
    told, entries = transcript.told, transcript.entries
    if told.control_at is None or told.control_place != 0:
        return 0
    typed = entries[0].facts
    is_first_typed = typed is not None and typed.content != 0 and typed.content == told.queued
    if is_first_typed or not is_clearly_older(entries[0].at, told.control_at):
        # Where what was typed first stands first, nothing was copied but a clock put back.
        return 0
    count = 0
    for place, entry in enumerate(entries):
        if entry.at is not None and entry.at >= told.control_at:
            break
        if entry.at is not None:
            count = place + 1
    return count


def _compared(context: Context, transcript: Transcript, said: Copied, count: int) -> Copied | None:
    """What the files of related sessions show; ``None`` where they add nothing."""
    is_open = _may_be_copied(transcript, count)
    others = {relative.file: relative for relative in context.relatives}
    if said.source is not None:
        if not is_open and not _has_prompt(transcript.entries[said.count : count]):
            # Every copied prompt has an answer that names its maker: nobody is nearer.
            return None
        named = _named_file(context, said.source) if is_open else None
        if named is not None:
            others.setdefault(named, Relative(named, Birth.UNKNOWN))
    if not others:
        return None
    traces = known_traces()
    mine = traces.trace(Relative(context.files[0], context.birth))
    copied_from = [
        (mine.shared_with(trace), trace)
        for relative in others.values()
        if (trace := traces.trace(relative)).session != context.session and mine.is_copy_of(trace)
    ]
    return _nearest(copied_from, transcript, said, count)


def _nearest(
    copied_from: Iterable[tuple[int, Trace]], transcript: Transcript, said: Copied, known: int
) -> Copied | None:
    best: tuple[int, Trace] | None = None
    for shared, trace in copied_from:
        if best is None or shared > best[0] or (shared == best[0] and best[1].is_copy_of(trace)):
            best = (shared, trace)
    if best is None or best[0] == 0:
        return None
    shared, trace = best
    count = max(known, shared)
    if said.source is None:
        return Copied(count, trace.session, BY_SHARED_IDS)
    if trace.session == said.source:
        return Copied(count, said.source, said.evidence)
    # A nearer source has something of its own that somebody said, and that was copied here.
    if _has_prompt(transcript.entries[max(said.count, trace.copied) : shared]):
        return Copied(count, trace.session, BY_NEAREST)
    return Copied(count, said.source, said.evidence)


def _may_be_copied(transcript: Transcript, count: int) -> bool:
    """Whether a prompt behind the known part may still be copied: no own answer shows its end."""
    told = transcript.told
    if told.control_at is not None and told.control_place == 0:
        return False
    return _has_prompt(transcript.entries[count:])


def _has_prompt(entries: Iterable[Entry]) -> bool:
    return any(entry.kind is Kind.PROMPT for entry in entries)


def _named_file(context: Context, session: str) -> TranscriptFile | None:
    for file in context.named:
        if file.session == session:
            return file
    return session_file(context, session)


def _repeated_call(context: Context, transcript: Transcript) -> int:
    """An agent that began with its parent's context repeats the call that started it."""
    call_id = context.agent.call_id if context.agent is not None else None
    if transcript.told.context_of is None or call_id is None:
        return 0
    for place, entry in enumerate(transcript.entries):
        calls = entry.facts.spawn_calls if entry.facts is not None else ()
        if any(call.call_id == call_id for call in calls):
            return place + 1
        if entry.kind is Kind.ANSWER:
            return 0
    return 0
