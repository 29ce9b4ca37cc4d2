"""A session of OpenCode, wherever it is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.model import ThreadId
from importers.native_ids import is_usable

if TYPE_CHECKING:
    from importers.opencode.shapes import Info, Revert


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """What is said of a session outside its messages; times are milliseconds.

    *fork_source* and *fork_message* are what newer versions say of a fork: the session that it
    was made from, and the first message that it did not take.
    """

    session_id: ThreadId
    parent_id: ThreadId | None = None
    title: str | None = None
    directory: str | None = None
    version: str | None = None
    agent: str | None = None
    model: str | None = None
    branch: str | None = None
    created: int | None = None
    updated: int | None = None
    archived: int | None = None
    is_archived: bool = False
    revert: Revert | None = None
    fork_source: ThreadId | None = None
    fork_message: str | None = None
    first_title: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A message without what is in it: enough to tell a copy from what was said here."""

    message_id: str
    created: int


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a session; *left_at* is when the user went back behind it, in milliseconds."""

    message_id: str
    created: int
    info: Info
    left_at: int | None = None

    def left(self, at: int) -> Message:
        """The same message, left behind at that time."""
        return Message(self.message_id, self.created, self.info, at)


def session_name(name: object) -> ThreadId | None:
    """The session that an id names, where it is one."""
    return ThreadId(name) if is_usable(name) else None
