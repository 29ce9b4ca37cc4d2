"""The files of one conversation, gone through once: its links, and what other lines tell.

A link's parent may stand later in the file, in another file, or nowhere. So the parents are
only looked up when all lines were seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.claude_code.entries import Entry, Kind, content_hash, entry_of
from importers.claude_code.moments import latest, moment_of
from importers.claude_code.shapes import CONTEXT_REFERENCE, CONTROL_TYPES, LINK_TYPES
from importers.claude_code.texts import raw_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from graph.model import Timestamp
    from importers.claude_code.lines import Read
    from importers.claude_code.shapes import Line
    from importers.raw_lines import Skipping

NO_MESSAGE = "00000000-0000-0000-0000-000000000000"
"""What a rewind writes as the last message: that there is none to look up."""


@dataclass(slots=True)
class Told:
    """What the lines tell of the conversation as a whole.

    *control_at* is the time of the first line that has one and is no link, *control_place* the
    number of links before it. *sessions* are the sessions that links name, each with the place
    from which on. *context_of* names the session whose context an agent began with, *queued* is
    a hash of what was typed first.
    """

    custom_title: str | None = None
    ai_title: str | None = None
    summaries: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    control_at: Timestamp | None = None
    control_place: int = 0
    last_control_at: Timestamp | None = None
    last_link_at: Timestamp | None = None
    sessions: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    context_of: str | None = None
    queued: int | None = None
    links_aside: int = 0


@dataclass(slots=True)
class Transcript:
    """The links of a conversation in the order of its files.

    *named* are parents that were not there yet when their child was read; *rootless* links that
    name none, with whether the user said so; *continued* what a compaction goes on from.
    """

    entries: list[Entry] = field(default_factory=list[Entry])
    places: dict[str, int] = field(default_factory=dict[str, int])
    named: dict[int, str] = field(default_factory=dict[int, str])
    rootless: dict[int, bool] = field(default_factory=dict[int, bool])
    continued: dict[int, str] = field(default_factory=dict[int, str])
    told: Told = field(default_factory=Told)
    _was_rewound: bool = False
    _is_under_way: bool = False

    def read(
        self,
        reads: Iterable[Read],
        file: int,
        skipping: Skipping,
        is_own: Callable[[Line], bool],
    ) -> None:
        """Add the lines of the next file; *is_own* knows the links of this conversation."""
        for read in reads:
            line = read.line
            if line.type not in LINK_TYPES and line.type not in CONTROL_TYPES:
                skipping.add("unknown-line-type", read.number, line.type)
            if not line.is_link:
                self._take_control(line)
            elif not is_own(line):
                self.told.links_aside += 1
            elif line.uuid in self.places:
                # Old versions wrote what they copied twice; the first is the one with a parent.
                skipping.add("repeated-line", read.number, str(line.uuid))
            else:
                self._take_link(read, file)

    def place(self, uuid: str) -> int | None:
        """The place of a link; of a repeated one, that of the first."""
        found = self.places.get(uuid)
        if found is None:
            return None
        first = self.entries[found].same_as
        return found if first < 0 else first

    def _take_link(self, read: Read, file: int) -> None:
        line = read.line
        place = len(self.entries)
        entry = entry_of(read, file)
        self._spare(entry)
        self.entries.append(entry)
        self.places[entry.uuid] = place
        parent = line.parent_uuid or None
        if parent is None or parent == entry.uuid:
            self.rootless[place] = self._was_rewound
        elif (known := self.places.get(parent)) is not None:
            entry.parent = known
        else:
            self.named[place] = parent
        if entry.kind is Kind.BOUNDARY and line.logical_parent_uuid:
            self.continued[place] = line.logical_parent_uuid
        self._was_rewound = False
        self._note(line, place)

    def _spare(self, entry: Entry) -> None:
        """Drop what nobody asks for, since there are as many links as lines."""
        told, at = self.told, entry.at
        if at is not None:
            told.last_link_at = latest(told.last_link_at, at)
        if entry.kind is Kind.OTHER and self._is_under_way:
            entry.at = None
        elif (
            entry.is_talk and at is not None and (told.control_at is None or at >= told.control_at)
        ):
            self._is_under_way = True
        answer = entry.answer
        before = self.entries[-1].answer if self.entries else None
        if answer is None or before is None or answer.message_id != before.message_id:
            return
        answer.message_id = before.message_id
        if answer.usage is not None:
            before.usage = None

    def _take_control(self, line: Line) -> None:
        told = self.told
        at = moment_of(line)
        if at is not None:
            if told.control_at is None:
                told.control_at, told.control_place = at, len(self.entries)
            told.last_control_at = latest(told.last_control_at, at)
        told.custom_title = line.custom_title or told.custom_title
        told.ai_title = line.ai_title or told.ai_title
        if line.type == "summary" and line.summary and line.leaf_uuid:
            told.summaries.append((line.leaf_uuid, line.summary))
        elif line.type == "last-prompt" and line.explicit and line.leaf_uuid == NO_MESSAGE:
            self._was_rewound = True
        elif line.type == "queue-operation" and told.queued is None:
            told.queued = content_hash(raw_text(line.content))
        elif line.type == CONTEXT_REFERENCE:
            told.context_of = line.parent_session_id or told.context_of

    def _note(self, line: Line, place: int) -> None:
        told = self.told
        told.cwd = told.cwd or line.cwd
        told.git_branch = line.git_branch or told.git_branch
        told.version = line.version or told.version
        told.entrypoint = line.entrypoint or told.entrypoint
        if line.session_id and (not told.sessions or told.sessions[-1][1] != line.session_id):
            told.sessions.append((place, line.session_id))
