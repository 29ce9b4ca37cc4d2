"""What is known about a session besides its messages: what reading it needs to be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from importers.opencode.database import Database
from importers.opencode.storage import Storage

if TYPE_CHECKING:
    from graph.model import ThreadId
    from importers.opencode.session import Session

Place: TypeAlias = Database | Storage
"""Where a session is kept."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A message that was copied, and the one that it is a copy of, by the session that made it."""

    message_id: str
    owner_id: ThreadId
    original_id: str


@dataclass(frozen=True, slots=True)
class Origin:
    """The session that another was forked from, and the messages that came with it.

    *is_stated* tells that OpenCode itself says so.
    """

    source_id: ThreadId
    copies: tuple[Copy, ...] = ()
    is_stated: bool = False


@dataclass(frozen=True, slots=True)
class Context:
    """A session, where it is kept, and what other sessions say of it.

    *spawners* are those that it was spawned by, the direct one first, as far as they are kept in
    the same place.
    """

    session: Session
    place: Place
    origin: Origin | None = None
    spawners: tuple[ThreadId, ...] = ()
