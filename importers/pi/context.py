"""What is known about a session besides its own file: what reading it needs to be told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.model import ThreadId, Timestamp
    from importers.pi.files import SessionFile


@dataclass(frozen=True, slots=True)
class Ancestor:
    """A session that this one came from; *path* is ``None`` where its file is not there."""

    thread_id: ThreadId
    path: str | None = None
    born: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """The file of a session, and what other files say of it.

    *ancestors* are the sessions that headers lead back to, the direct one first. *spawner* is
    the session whose folder the file lies in.
    """

    file: SessionFile
    ancestors: tuple[Ancestor, ...] = ()
    spawner: ThreadId | None = None
