"""The first lines of transcripts: whose they are, and what they prove about where they began."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from importers.claude_code.context import Birth
from importers.claude_code.lines import read_lines
from importers.claude_code.moments import is_clearly_older, moment_of
from importers.claude_code.shapes import CONTEXT_REFERENCE, CONTROL_TYPES, LINK_TYPES
from importers.contract import Skip
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import Timestamp
    from importers.claude_code.lines import Read
    from importers.claude_code.shapes import Line
    from importers.file_tree import FoundFile

NO_MESSAGES = "no-messages"
"""Why a file that is Claude Code's holds no conversation: nobody has said anything in it."""

_BLOCK_BYTES = 64 * 1024
_MOST_LINES = 1_000
"""How many lines are looked through for the first link."""

_MOST_STRANGE_LINES = 50
"""How many lines may be strange before a file is one of another program."""

_MOST_LINKS = 64
"""How many links are looked through for the session that a copy was made from."""

_OLD_VERSIONS = ("0.", "1.")


@dataclass(frozen=True, slots=True)
class Head:
    """What the first lines say.

    *first_uuid* and *parent_uuid* are those of the first link, *names* the other sessions that
    the first links name as those they were copied from, or speak for.
    """

    session: str | None = None
    agent_id: str | None = None
    is_agent: bool = False
    first_uuid: str | None = None
    parent_uuid: str | None = None
    began_at: Timestamp | None = None
    birth: Birth = Birth.UNKNOWN
    names: tuple[str, ...] = ()
    may_have_sidechains: bool = False
    cwd: str | None = None


@dataclass(slots=True)
class Heads:
    """Reads the heads of files, those that did not change only once.

    It forgets everything when it is sent to another process.
    """

    _known: dict[str, tuple[FoundFile, Head | Skip]] = field(
        default_factory=dict[str, tuple["FoundFile", "Head | Skip"]]
    )

    def __reduce__(self) -> tuple[type[Heads], tuple[()]]:
        return Heads, ()

    def is_known(self, file: FoundFile) -> bool:
        """Whether a file is one of Claude Code's."""
        head = self.head(file)
        return isinstance(head, Head) or head.reason == NO_MESSAGES

    def head(self, file: FoundFile) -> Head | Skip:
        """The head of a file, or why it is no transcript."""
        known = self._known.get(file.path)
        if known is not None and known[0] == file:
            return known[1]
        head = read_head(file)
        self._known[file.path] = (file, head)
        return head


def read_head(file: FoundFile) -> Head | Skip:
    """The head of a file, or why it is no transcript."""
    if file.size == 0:
        return Skip(path=file.path, reason="empty-file")
    try:
        reads = read_lines(file.path, Skipping(file.path), block_bytes=_BLOCK_BYTES)
        return _head(islice(reads, _MOST_LINES), file)
    except OSError as error:
        detail = error.strerror or str(error)
        return Skip(path=file.path, reason="unreadable-file", detail=detail)


def is_transcript(line: Line) -> bool:
    """Whether a line can only be one of Claude Code's."""
    if line.type in LINK_TYPES:
        return bool(line.uuid and (line.session_id or line.agent_id or line.message is not None))
    if line.type in CONTROL_TYPES:
        return bool(line.session_id or line.leaf_uuid or line.message_id or line.agent_id)
    return bool(line.uuid and line.session_id)


@dataclass(slots=True)
class _Before:
    """What was seen before the first link."""

    is_known: bool = False
    is_reference: bool = False
    has_sidechain: bool = False
    control_at: Timestamp | None = None
    snapshots_of: set[str] = field(default_factory=set[str])

    def take(self, line: Line) -> bool:
        """Whether this line is the first link of the file's own conversation."""
        if not is_transcript(line):
            return False
        self.is_known = True
        if line.is_link:
            if line.is_sidechain and not line.agent_id:
                self.has_sidechain = True
                return False
            return True
        self.is_reference = self.is_reference or line.type == CONTEXT_REFERENCE
        self.control_at = self.control_at or moment_of(line)
        if line.message_id:
            self.snapshots_of.add(line.message_id)
        return False


def _head(reads: Iterator[Read], file: FoundFile) -> Head | Skip:
    before = _Before()
    for nth, read in enumerate(reads):
        if before.take(read.line):
            return _head_of(read.line, before, reads, Path(file.path).stem)
        if nth >= _MOST_STRANGE_LINES and not before.is_known:
            break
    if before.has_sidechain:
        return Head(may_have_sidechains=True)
    if before.is_known:
        return Skip(path=file.path, reason=NO_MESSAGES)
    return Skip(path=file.path, reason="not-a-transcript", detail="no line of Claude Code")


def _head_of(first: Line, before: _Before, reads: Iterator[Read], own: str) -> Head:
    began_at = moment_of(first)
    birth = Birth.UNKNOWN
    if before.control_at is not None and began_at is not None:
        # The program's own lines say when it began to write: what is older was copied.
        is_older = is_clearly_older(began_at, before.control_at)
        birth = Birth.COPIED if is_older else Birth.HERE
    elif first.uuid in before.snapshots_of:
        birth = Birth.PERHAPS_HERE
    names: dict[str, None] = {}
    if birth is not Birth.HERE or first.forked_from is not None:
        names = dict.fromkeys(_names(first, reads, own))
        birth = Birth.COPIED if names else birth
    return Head(
        session=first.session_id,
        agent_id=first.agent_id,
        is_agent=before.is_reference or bool(first.is_sidechain and first.agent_id),
        first_uuid=first.uuid,
        parent_uuid=first.parent_uuid or None,
        began_at=began_at,
        birth=birth,
        names=tuple(names),
        may_have_sidechains=not first.version or first.version.startswith(_OLD_VERSIONS),
        cwd=first.cwd,
    )


def _names(first: Line, reads: Iterator[Read], own: str) -> Iterator[str]:
    links = (read.line for read in reads if read.line.is_link)
    for line in (first, *islice(links, _MOST_LINKS)):
        if line.forked_from is not None and line.forked_from.session_id:
            named = line.forked_from.session_id
        else:
            named = line.request_session_id
        if named and named != own:
            yield named
        elif line.type == "assistant":
            return
