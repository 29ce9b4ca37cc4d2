"""What was taken back in a session, as the events of its database tell.

A revert hides messages, and the next prompt removes them for good. The events keep them: what
the message and its parts last were, when they were removed, and the revert before that.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from graph.model import ThreadId
from importers.opencode.decoding import json_field
from importers.opencode.moments import made_at
from importers.opencode.session import Mark, Message
from importers.opencode.shapes import Info, PartHead, SessionInfo

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from importers.opencode.session import Session

_OF_TYPE = (
    "SELECT id, seq, data FROM event WHERE aggregate_id = ? AND type >= ? AND type < ? "
    "ORDER BY seq"
)


class _SessionEvent(msgspec.Struct, frozen=True):
    info: SessionInfo = SessionInfo()
    parentID: str | None = None  # noqa: N815 - OpenCode's name


class _MessageEvent(msgspec.Struct, frozen=True):
    info: Info = Info()
    messageID: str | None = None  # noqa: N815 - OpenCode's name


class _PartEvent(msgspec.Struct, frozen=True):
    part: PartHead = PartHead()
    partID: str | None = None  # noqa: N815 - OpenCode's name


class _RawPart(msgspec.Struct, frozen=True):
    part: msgspec.Raw = msgspec.Raw(b"null")


_session_event = msgspec.json.Decoder(_SessionEvent).decode
_message_event = msgspec.json.Decoder(_MessageEvent).decode
_part_event = msgspec.json.Decoder(_PartEvent).decode
_raw_part = msgspec.json.Decoder(_RawPart).decode


@dataclass(frozen=True, slots=True)
class _Reverted:
    """A revert as an event: from this place in the order on, since then."""

    seq: int
    message_id: str
    at: int | None


@dataclass(slots=True)
class Rewinds:
    """The *removed* messages with their *parts*, and when the last revert was made."""

    removed: list[Message] = field(default_factory=list[Message])
    parts: dict[str, dict[str, bytes]] = field(default_factory=dict[str, dict[str, bytes]])
    reverted_at: int | None = None


@dataclass(frozen=True, slots=True)
class Beginning:
    """How a session began: its first title, and the session that it was forked from.

    Only newer versions say the latter.
    """

    title: str | None = None
    forked_from: ThreadId | None = None


def rewinds_of(connection: sqlite3.Connection, session: Session) -> Rewinds:
    """What the events of a session tell."""
    rewinds = Rewinds()
    session_id = session.session_id
    near = session.updated or session.created or 0
    removals = {
        told.messageID: (seq, made_at(event_id, near))
        for event_id, seq, data in _events(connection, session_id, "message.removed")
        if (told := json_field(data, _message_event)) is not None and told.messageID
    }
    if session.revert is None and not removals:
        return rewinds
    reverts = list(_reverts(connection, session_id))
    if session.revert is not None:
        rewinds.reverted_at = next(
            (
                revert.at
                for revert in reversed(reverts)
                if revert.message_id == session.revert.messageID
            ),
            None,
        )
    for message_id, (seq, removed_at) in removals.items():
        message = _last_of(connection, session_id, message_id)
        if message is not None:
            left_at = _reverted_at(reverts, seq, message_id) or removed_at or near
            rewinds.removed.append(Message(message_id, _created(message, near), message, left_at))
    _collect_parts(connection, session_id, rewinds)
    return rewinds


def beginning_of(connection: sqlite3.Connection, session_id: ThreadId) -> Beginning:
    """What the first events of a session say of it."""
    title: str | None = None
    source: str | None = None
    for _, _, data in _events(connection, session_id, "session.created"):
        told = json_field(data, _session_event)
        title = told.info.title if told is not None else title
    for _, _, data in _events(connection, session_id, "session.forked"):
        told = json_field(data, _session_event)
        source = (told.parentID or told.info.parentID) if told is not None else source
    return Beginning(title, ThreadId(source) if source else None)


def removed_marks_of(connection: sqlite3.Connection) -> dict[ThreadId, list[Mark]]:
    """The removed messages of all sessions, with the times at which they were written."""
    statement = (
        "SELECT DISTINCT aggregate_id FROM event "
        "WHERE type >= 'message.removed' AND type < 'message.removed/'"
    )
    marks: dict[ThreadId, list[Mark]] = {}
    for (session_id,) in connection.execute(statement).fetchall():
        owner = ThreadId(str(session_id))
        for event_id, _, data in _events(connection, owner, "message.removed"):
            told = json_field(data, _message_event)
            if told is None or not told.messageID:
                continue
            info = _last_of(connection, owner, told.messageID)
            if info is not None:
                created = _created(info, made_at(event_id, 0) or 0)
                marks.setdefault(owner, []).append(Mark(told.messageID, created))
    return marks


def _events(
    connection: sqlite3.Connection, session_id: ThreadId, kind: str
) -> Iterator[tuple[str, int, object]]:
    """The events of a kind, of whatever version of it."""
    for event_id, seq, data in connection.execute(_OF_TYPE, (session_id, kind, f"{kind}/")):
        yield str(event_id), int(seq), data


def _reverts(connection: sqlite3.Connection, session_id: ThreadId) -> Iterator[_Reverted]:
    """Each revert once, when it was made; the updates after it only repeat it."""
    current: str | None = None
    for _, seq, data in _events(connection, session_id, "session.updated"):
        told = json_field(data, _session_event)
        if told is None:
            continue
        revert = told.info.revert
        named = revert.messageID if revert is not None else None
        if named is not None and named != current:
            at = told.info.time.updated
            yield _Reverted(seq, named, None if at is None else int(at))
        current = named


def _reverted_at(reverts: list[_Reverted], seq: int, message_id: str) -> int | None:
    """When the revert was made that a removal carried out."""
    for revert in reversed(reverts):
        if revert.seq < seq:
            return revert.at if revert.message_id <= message_id else None
    return None


def _last_of(connection: sqlite3.Connection, session_id: ThreadId, message_id: str) -> Info | None:
    """What a message last was; ``None`` where no event says it, or it is still there."""
    statement = "SELECT 1 FROM message WHERE id = ?"
    if connection.execute(statement, (message_id,)).fetchone() is not None:
        return None
    statement = (
        "SELECT data FROM event WHERE aggregate_id = ? AND type >= 'message.updated' "
        "AND type < 'message.updated/' AND instr(data, ?) ORDER BY seq DESC"
    )
    for (data,) in connection.execute(statement, (session_id, message_id)):
        told = json_field(data, _message_event)
        if told is not None and told.info.id == message_id:
            return told.info
    return None


def _created(info: Info, near: int) -> int:
    if info.time.created is not None:
        return int(info.time.created)
    return made_at(info.id or "", near) or near


def _collect_parts(connection: sqlite3.Connection, session_id: ThreadId, rewinds: Rewinds) -> None:
    """What the parts of the removed messages last were."""
    wanted = {message.message_id for message in rewinds.removed}
    if not wanted:
        return
    gone = {
        told.partID
        for _, _, data in _events(connection, session_id, "message.part.removed")
        if (told := json_field(data, _part_event)) is not None and told.partID
    }
    for _, _, data in _events(connection, session_id, "message.part.updated"):
        told = json_field(data, _part_event)
        if told is None or told.part.messageID not in wanted or told.part.id in gone:
            continue
        raw = json_field(data, _raw_part)
        if raw is not None and told.part.id is not None:
            parts = rewinds.parts.setdefault(str(told.part.messageID), {})
            parts[told.part.id] = bytes(raw.part)
