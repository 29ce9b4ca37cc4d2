"""The ids in a session's file, as they are compared with those of another session.

A copy keeps the ids of what it copies. Two files that begin with the same messages are a
session and its copy, or two copies; which is which is told by how they were written.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from importers.claude_code.context import Birth
from importers.claude_code.moments import is_clearly_older
from importers.claude_code.shapes import CONTROL_TYPES, ForkedFrom, Moment
from importers.raw_lines import Skipping, raw_lines
from importers.timestamps import moment

if TYPE_CHECKING:
    from graph.model import Timestamp
    from importers.claude_code.context import Relative, TranscriptFile

MAX_KEPT_LINKS = 300_000
"""How many links of files are remembered in a process, so that a family is read only once."""

BACKGROUND = "bg"

_PROVED = frozenset({Birth.HERE, Birth.COPIED})


class _Key(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    type: str = ""
    uuid: str | None = None
    is_sidechain: bool | None = None
    timestamp: Moment = None
    forked_from: ForkedFrom | None = None
    request_session_id: str | None = None
    session_kind: str | None = None


_decode_key = msgspec.json.Decoder(_Key).decode


@dataclass(slots=True)
class Trace:
    """The links of a file in order.

    *began_at* is when the program began to write it, where a line before the first link says so.
    *unbroken* is how many stand at the front with nothing else between them, as copied ones do.
    *sources* are the sessions that its lines name, *moved* the ids that copies had before they
    got new ones, *in_background* how many at the front were written by a background session,
    *copied* how many at the front are known to be of another session.
    """

    session: str
    birth: Birth
    began_at: Timestamp | None = None
    uuids: list[str] = field(default_factory=list[str])
    times: list[Timestamp | None] = field(default_factory=list["Timestamp | None"])
    known: set[str] = field(default_factory=set[str])
    unbroken: int = 0
    sources: set[str] = field(default_factory=set[str])
    moved: dict[str, tuple[str, str]] = field(default_factory=dict[str, tuple[str, str]])
    in_background: int = 0
    copied: int = 0

    def shared_with(self, other: Trace) -> int:
        """How many links at the front stand in the other file, too."""
        for place, uuid in enumerate(self.uuids):
            if uuid not in other.known:
                return place
        return len(self.uuids)

    def is_copy_of(self, other: Trace) -> bool:
        """Whether this is the copy, of two sessions that begin with the same messages.

        Exactly one of two sessions is the other's copy. What a line says goes before how the
        file was written, and that before times and numbers, which only decide somehow.
        """
        mine, theirs = self.shared_with(other), other.shared_with(self)
        judged = (
            _whether(other.session in self.sources, self.session in other.sources),
            _younger(self.began_at, other.began_at),
            _whether(self.birth > other.birth, self.birth < other.birth)
            if {self.birth, other.birth} & _PROVED
            else None,
            _whether(self.in_background >= mine > 0, other.in_background >= theirs > 0),
            _whether(mine > theirs, theirs > mine),
            _whether(self.unbroken >= mine, other.unbroken >= theirs),
            _whether(theirs == len(other.uuids), mine == len(self.uuids)),
            _whether(self.birth > other.birth, self.birth < other.birth),
            _younger(self._own_time(mine), other._own_time(theirs)),
            _whether(
                len(self.uuids) - mine > len(other.uuids) - theirs,
                len(self.uuids) - mine < len(other.uuids) - theirs,
            ),
            self.session > other.session,
        )
        return next(verdict for verdict in judged if verdict is not None)

    def _own_time(self, shared: int) -> Timestamp | None:
        return next((at for at in self.times[shared:] if at is not None), None)


@dataclass(slots=True)
class Traces:
    """Reads traces of files, those that did not change only once."""

    _kept: OrderedDict[TranscriptFile, Trace] = field(
        default_factory=OrderedDict["TranscriptFile", Trace]
    )
    _links: int = 0

    def trace(self, relative: Relative) -> Trace:
        """The trace of a file; an empty one where it can't be read."""
        known = self._kept.get(relative.file)
        if known is not None:
            self._kept.move_to_end(relative.file)
            known.birth = relative.birth
            return known
        read = _read(relative)
        self._kept[relative.file] = read
        self._links += len(read.uuids)
        while self._links > MAX_KEPT_LINKS and len(self._kept) > 1:
            _, dropped = self._kept.popitem(last=False)
            self._links -= len(dropped.uuids)
        return read


def _read(relative: Relative) -> Trace:
    reader = _Reader(Trace(relative.file.session, relative.birth))
    file = relative.file
    try:
        for _, raw in raw_lines(file.path, Skipping(file.path), most=file.size):
            try:
                reader.take(_decode_key(raw))
            except (msgspec.DecodeError, RecursionError):
                continue
    except OSError:
        return reader.trace
    return reader.trace


@dataclass(slots=True)
class _Reader:
    """Takes a file's lines in order; the flags say what held of all links so far."""

    trace: Trace
    is_unbroken: bool = True
    is_background: bool = True
    is_older: bool = True

    def take(self, key: _Key) -> None:
        """Go on with the next line."""
        trace, at = self.trace, moment(key.timestamp)
        if not key.uuid or key.type in CONTROL_TYPES:
            if trace.uuids:
                self.is_unbroken = False
            elif trace.began_at is None:
                trace.began_at = at
            return
        if key.is_sidechain or key.uuid in trace.known:
            return
        trace.known.add(key.uuid)
        trace.uuids.append(key.uuid)
        trace.times.append(at)
        trace.unbroken += self.is_unbroken
        self.is_background = self.is_background and key.session_kind == BACKGROUND
        trace.in_background += self.is_background
        self.is_older = self.is_older and self._is_older(at)
        if self._note_source(key, key.uuid) or self.is_older:
            trace.copied = len(trace.uuids)

    def _is_older(self, at: Timestamp | None) -> bool:
        began_at = self.trace.began_at
        if len(self.trace.uuids) == 1:
            return is_clearly_older(at, began_at)
        return began_at is not None and at is not None and at < began_at

    def _note_source(self, key: _Key, uuid: str) -> bool:
        """Whether the line names another session as the one that it was copied from."""
        origin = key.forked_from
        sources = {key.request_session_id, origin.session_id if origin is not None else None}
        named = {name for name in sources if name and name != self.trace.session}
        self.trace.sources.update(named)
        if origin is not None and origin.session_id and origin.message_uuid not in {None, uuid}:
            self.trace.moved[uuid] = (origin.session_id, str(origin.message_uuid))
        return bool(named)


def _whether(this: bool, other: bool) -> bool | None:  # noqa: FBT001 - two sides of one question
    """The verdict of a test that both sides may pass; ``None`` where it tells nothing."""
    return None if this == other else this


def _younger(mine: Timestamp | None, theirs: Timestamp | None) -> bool | None:
    """Who went on later is the copy; who did not go on at all tells nothing."""
    if mine is None or theirs is None or mine == theirs:
        return None
    return mine > theirs
