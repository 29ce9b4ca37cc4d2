"""Which sessions are forks, and of which others: OpenCode does not say, but it can be told.

A fork copies messages with their times and gives them new ids. So a message that is older than
its session, while its id is not, was copied; and the message of the same time elsewhere, which
is not older than *its* session, is the one that was copied.

The direct source is the session that made the last copied message, unless the title says
otherwise: each fork counts up the number that the source's title ends with.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.opencode.context import Copy, Origin
from importers.opencode.moments import made_at

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from graph.model import ThreadId
    from importers.opencode.session import Mark, Session

_FORK_TITLE = re.compile(r"(.+) \(fork #(\d+)\)", re.DOTALL)


def copied_marks(session: Session, marks: Iterable[Mark]) -> Iterator[Mark]:
    """The messages at the front of a session that were copied into it."""
    born = session.created
    for mark in marks:
        if born is None or mark.created >= born:
            return
        made = made_at(mark.message_id, born)
        if made is not None and made < born:
            # Its id is as old as it says: somebody put the clock back.
            return
        yield mark


@dataclass(slots=True)
class CopyIndex:
    """Finds originals: told of all sessions first, then asked.

    Messages are told twice: those of forks with ``expect``, then those of all with ``tell``.
    """

    sessions: Mapping[ThreadId, Session]
    _copied: dict[ThreadId, tuple[Mark, ...]] = field(
        default_factory=dict["ThreadId", "tuple[Mark, ...]"]
    )
    _wanted: set[int] = field(default_factory=set[int])
    _owners: dict[int, list[tuple[ThreadId, str]]] = field(
        default_factory=dict[int, list["tuple[ThreadId, str]"]]
    )

    def expect(self, session: Session, marks: Iterable[Mark]) -> None:
        """Note the copied messages of a session."""
        copied = tuple(copied_marks(session, marks))
        if copied:
            self._copied[session.session_id] = copied
            self._wanted.update(mark.created for mark in copied)

    @property
    def is_empty(self) -> bool:
        """Whether nothing was copied anywhere."""
        return not self._wanted

    def tell(self, session_id: ThreadId, marks: Iterable[Mark]) -> None:
        """Note which of the wanted messages a session made itself."""
        copied = {mark.message_id for mark in self._copied.get(session_id, ())}
        for mark in marks:
            if mark.created in self._wanted and mark.message_id not in copied:
                self._owners.setdefault(mark.created, []).append((session_id, mark.message_id))

    def origin(self, session: Session) -> Origin | None:
        """Where a session came from; ``None`` where that can't be told."""
        copies = tuple(self._copies(session))
        stated = session.fork_source
        if stated is not None and stated != session.session_id:
            return Origin(stated, copies, is_stated=True)
        if not copies:
            return None
        return Origin(self._source(session, copies[-1].owner_id), copies)

    def _copies(self, session: Session) -> Iterator[Copy]:
        """The copied messages as far as their originals are known, from the first one on."""
        before: ThreadId | None = None
        for mark in self._copied.get(session.session_id, ()):
            owners = [
                owner
                for owner in self._owners.get(mark.created, ())
                if owner[0] != session.session_id and self._is_older(owner[0], session)
            ]
            if not owners:
                return
            # Others may have said something in the same millisecond.
            owner = next((owner for owner in owners if owner[0] == before), min(owners))
            before = owner[0]
            yield Copy(mark.message_id, *owner)

    def _source(self, session: Session, owner: ThreadId) -> ThreadId:
        """The session that was forked: the owner of the last message, or a fork that has it."""
        wanted = _source_title(session.first_title or session.title)
        if wanted is None or wanted in self._titles(owner):
            return owner
        last = self._copied[session.session_id][-1].created
        forks = [
            other
            for other, marks in self._copied.items()
            if other != session.session_id
            and self._is_older(other, session)
            and wanted in self._titles(other)
            and any(mark.created == last for mark in marks)
        ]
        return forks[0] if len(forks) == 1 else owner

    def _titles(self, session_id: ThreadId) -> Collection[str | None]:
        """The titles that a session is known to have had."""
        session = self.sessions.get(session_id)
        return () if session is None else (session.first_title, session.title)

    def _is_older(self, session_id: ThreadId, than: Session) -> bool:
        other = self.sessions.get(session_id)
        return other is not None and _age(other) < _age(than)


def title_depth(title: str | None) -> tuple[str, int] | None:
    """What stands before the number of a fork's title, and that number."""
    match = _FORK_TITLE.fullmatch(title or "")
    return (match[1], int(match[2])) if match is not None else None


def _source_title(title: str | None) -> str | None:
    """The title that a fork of this title was made from."""
    told = title_depth(title)
    if told is None:
        return None
    base, depth = told
    return base if depth == 1 else f"{base} (fork #{depth - 1})"


def _age(session: Session) -> tuple[int, Sequence[str]]:
    return session.created or 0, session.session_id
