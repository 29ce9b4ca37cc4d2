"""From the paths that a user names to the sessions that are to be read.

All sessions of a place are looked at, also when only some are to be imported: a fork can't be
told without the session that it came from.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from graph.errors import SourceNotFound, SourceNotRecognized
from importers.contract import Plan, Skip, Source
from importers.fingerprints import fingerprint_of
from importers.opencode.context import Context, Place
from importers.opencode.copies import CopyIndex, copied_marks
from importers.opencode.driver import DRIVER
from importers.opencode.finding import Found, find, open_database
from importers.opencode.moments import moment
from importers.opencode.session import Mark
from importers.opencode.snapshots import UNREADABLE
from importers.opencode.storage import Storage, StorageReader
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from graph.model import ThreadId
    from importers.opencode.database import Database, DatabaseReader
    from importers.opencode.session import Session
    from importers.opencode.snapshots import Snapshots

MAX_SPAWNERS = 64
_MESSAGE_BYTES = 4_096
"""What a message weighs, for the progress of an import, where nothing better is known."""


@dataclass(slots=True)
class _Kept:
    """A session with where it is kept, and what changes when it does."""

    session: Session
    place: Place
    state: object = None
    size: int = _MESSAGE_BYTES


@dataclass(slots=True)
class _Sessions:
    """All sessions of the places that were named, each once."""

    skips: list[Skip]
    kept: dict[ThreadId, _Kept] = field(default_factory=dict["ThreadId", _Kept])
    chosen: set[ThreadId] = field(default_factory=set["ThreadId"])
    files: int = 0

    def add(self, kept: _Kept, *, chosen: bool) -> None:
        """Remember a session; a database's word counts more than a file's, then the newer."""
        session_id = kept.session.session_id
        known = self.kept.get(session_id)
        if known is None or _rank(kept) > _rank(known):
            self.kept[session_id] = kept
        if chosen:
            self.chosen.add(session_id)


def plan_paths(paths: Sequence[Path], snapshots: Snapshots) -> Plan:
    """The sessions below the paths, each once, in the order in which they were made."""
    skips: list[Skip] = []
    sessions = _Sessions(skips)
    places: dict[str, Place] = {}
    for named in paths:
        path = named.absolute()
        if not path.exists():
            raise SourceNotFound(str(named), f"There is no file or folder {named}.")
        found = find(path, skips)
        for file in found.databases:
            database = open_database(file, snapshots, skips)
            if database is not None and _add_database(sessions, database):
                places[database.original] = database
        for storage in found.storages:
            places[storage.original] = storage
            _add_storage(sessions, storage, found)
    if not sessions.chosen:
        _refuse(paths, places, skips)
    index = _index(sessions, list(places.values()))
    ordered = sorted((sessions.kept[session_id] for session_id in sessions.chosen), key=_made)
    return Plan(
        driver=DRIVER,
        sources=tuple(_source(kept, sessions, index) for kept in ordered),
        skips=tuple(skips),
        files=sessions.files,
    )


def _add_database(sessions: _Sessions, database: Database) -> bool:
    """Add all sessions of a database; false where it can't be read."""
    sessions.files += 1
    try:
        with database.open() as reader:
            counts, changes = reader.message_counts(), reader.changes()
            size = Path(database.copy).stat().st_size
            share = size // max(sum(count for count, _ in counts.values()), 1)
            for session in reader.sessions():
                count, changed = counts.get(session.session_id, (0, 0))
                state = (count, changed, changes.get(session.session_id))
                told = _with_events(reader, session)
                sessions.add(_Kept(told, database, state, (count + 1) * (share or 1)), chosen=True)
            sessions.skips.extend(reader.faults.skips)
    except UNREADABLE as error:
        sessions.skips.append(
            Skip(path=database.original, reason="unreadable-database", detail=str(error))
        )
        return False
    return True


def _with_events(reader: DatabaseReader, session: Session) -> Session:
    """What the session's first events add to its row.

    For a while the source of a fork stood where the spawner stands: an event tells them apart.
    """
    told = reader.beginning(session.session_id)
    source = told.forked_from
    if source is None:
        return replace(session, first_title=told.title)
    return replace(
        session,
        first_title=told.title,
        fork_source=session.fork_source or source,
        parent_id=None if session.parent_id == source else session.parent_id,
    )


def _add_storage(sessions: _Sessions, storage: Storage, found: Found) -> None:
    named = set(found.sessions)
    with storage.open() as reader:
        for path in reader.session_files():
            skipping = Skipping(str(path))
            session = reader.session(path, skipping)
            is_chosen = (
                path in named
                if named
                else found.folder is None or path.is_relative_to(found.folder)
            )
            if is_chosen:
                sessions.files += 1
                sessions.skips.extend(skipping.skips)
            if session is not None:
                state = reader.state(session.session_id)
                size = state[0] * _MESSAGE_BYTES + state[1]
                sessions.add(_Kept(session, storage, state, size), chosen=is_chosen)


def _index(sessions: _Sessions, places: Sequence[Place]) -> CopyIndex:
    """What was copied from where: first what was copied at all, then who made it."""
    index = CopyIndex({at: kept.session for at, kept in sessions.kept.items()})
    for expecting in (True, False):
        if not expecting and index.is_empty:
            break
        for place in places:
            try:
                for session, marks in _marks(sessions, place, starts_only=expecting):
                    if expecting:
                        index.expect(session, marks)
                    else:
                        index.tell(session.session_id, marks)
            except UNREADABLE as error:
                sessions.skips.append(
                    Skip(path=place.original, reason="unreadable-database", detail=str(error))
                )
    return index


def _marks(
    sessions: _Sessions, place: Place, *, starts_only: bool
) -> Iterator[tuple[Session, Iterable[Mark]]]:
    """The messages of each session of a place, also those that were taken back."""
    if isinstance(place, Storage):
        with place.open() as reader:
            for kept in list(sessions.kept.values()):
                if kept.place == place:
                    yield kept.session, _stored_marks(reader, kept.session, starts_only)
        return
    with place.open() as reader:
        removed = reader.removed_marks()
        for session_id, group in groupby(reader.marks(), key=_first):
            kept = sessions.kept.get(session_id)
            if kept is not None and kept.place == place:
                marks = [mark for _, mark in group]
                if session_id in removed:
                    marks = sorted([*marks, *removed[session_id]], key=_mark_order)
                yield kept.session, marks


def _stored_marks(
    reader: StorageReader,
    session: Session,
    starts_only: bool,  # noqa: FBT001 - said at the call
) -> Iterable[Mark]:
    if starts_only:
        first = reader.first_mark(session)
        if first is None or not list(copied_marks(session, [first])):
            return ()
    return reader.marks_of(session)


def _source(kept: _Kept, sessions: _Sessions, index: CopyIndex) -> Source:
    session = kept.session
    context = Context(
        session=session,
        place=kept.place,
        origin=index.origin(session),
        spawners=tuple(_spawners(kept, sessions)),
    )
    place = kept.place.original
    return Source(
        thread_id=session.session_id,
        paths=(place,),
        size=kept.size,
        fingerprint=fingerprint_of(session, kept.state, context.spawners, context.origin, place),
        changed_at=moment(session.updated),
        cwd=session.directory,
        context=context,
    )


def _spawners(kept: _Kept, sessions: _Sessions) -> Iterator[ThreadId]:
    seen = {kept.session.session_id}
    parent = kept.session.parent_id
    while parent is not None and parent not in seen and len(seen) <= MAX_SPAWNERS:
        above = sessions.kept.get(parent)
        if above is None or above.place != kept.place:
            return
        yield parent
        seen.add(parent)
        parent = above.session.parent_id


def _refuse(paths: Sequence[Path], places: dict[str, Place], skips: Sequence[Skip]) -> None:
    """Say that there is nothing, unless it is OpenCode's and merely empty."""
    if places:
        return
    named = ", ".join(str(path) for path in paths)
    reasons = sorted({f"{skip.reason}: {skip.detail or skip.path}" for skip in skips})
    found = f" ({'; '.join(reasons[:3])})" if reasons else ""
    raise SourceNotRecognized(
        named,
        f"No sessions of OpenCode in {named}{found}. Name OpenCode's data folder, a database "
        "or the folder 'storage'.",
    )


def _rank(kept: _Kept) -> tuple[bool, int]:
    return not isinstance(kept.place, Storage), kept.session.updated or 0


def _made(kept: _Kept) -> tuple[int, str]:
    return kept.session.created or 0, kept.session.session_id


def _first(pair: tuple[ThreadId, Mark]) -> ThreadId:
    return pair[0]


def _mark_order(mark: Mark) -> tuple[int, str]:
    return mark.created, mark.message_id
