"""Sessions in a database of OpenCode, read from a private copy.

Versions differ in their tables and columns: each is asked for only where it is there, and what
can't be read of one table leaves the others alone.
"""

from __future__ import annotations

from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from graph.model import ThreadId
from importers.native_ids import MAX_NATIVE_ID_BYTES, is_usable
from importers.opencode.decoding import decode_info, json_field
from importers.opencode.rewinds import (
    Beginning,
    Rewinds,
    beginning_of,
    removed_marks_of,
    rewinds_of,
)
from importers.opencode.session import Mark, Message, Session, session_name
from importers.opencode.shapes import ModelField, Revert
from importers.opencode.snapshots import UNREADABLE, connect
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Generator, Iterator, Sequence

Value = TypeVar("Value")

_EVENT_COLUMNS = frozenset({"id", "aggregate_id", "seq", "type", "data"})
SESSION_TABLES = ("session", "session_v2")

_decode_model = msgspec.json.Decoder(ModelField).decode
_decode_revert = msgspec.json.Decoder(Revert).decode


@dataclass(frozen=True, slots=True)
class Database:
    """A database: the copy that is read, and the file that it was copied from."""

    copy: str
    original: str

    @contextmanager
    def open(self) -> Generator[DatabaseReader]:
        """A reader of the copy. Raises one of ``UNREADABLE`` where it can't be read."""
        with closing(connect(self.copy)) as connection:
            yield DatabaseReader(connection, tables_of(connection), Skipping(self.original))


@dataclass(frozen=True, slots=True)
class DatabaseReader:
    """Answers from an open database; *tables* has the columns of each.

    What can't be read of a table is left out; *faults* says of which.
    """

    connection: sqlite3.Connection
    tables: dict[str, frozenset[str]]
    faults: Skipping

    @property
    def session_table(self) -> str | None:
        """The table of sessions, where there is one that can be read."""
        return next((name for name in SESSION_TABLES if "id" in self.tables.get(name, ())), None)

    @property
    def holds_sessions(self) -> bool:
        """Whether this is a database of OpenCode."""
        return self.session_table is not None and "session_id" in self.tables.get("message", ())

    def sessions(self) -> Iterator[Session]:
        """All sessions."""
        table = self.session_table
        if table is None:
            return
        branches = self._branches()
        for row in self._rows("session", f"SELECT * FROM {table}"):  # noqa: S608 - one of two names
            session_id = session_name(row.get("id"))
            if session_id is not None:
                yield _session(session_id, row, branches)

    def marks(self) -> Iterator[tuple[ThreadId, Mark]]:
        """All messages of all sessions, those of a session together and in order."""
        created = self._message_time
        statement = f"SELECT session_id, id, {created} FROM message ORDER BY session_id, 3, id"  # noqa: S608 - one of two expressions
        for session_id, message_id, time in self._told("message", statement):
            if isinstance(session_id, str) and isinstance(message_id, str):
                yield ThreadId(session_id), Mark(message_id, _whole(time))

    def message_counts(self) -> dict[ThreadId, tuple[int, int]]:
        """How many messages each session has, and a number that grows when one changes."""
        updated = "max(time_updated)" if "time_updated" in self.tables["message"] else "0"
        statement = f"SELECT session_id, count(*), {updated} FROM message GROUP BY session_id"  # noqa: S608 - one of two expressions
        return {
            ThreadId(str(session_id)): (count, _whole(changed))
            for session_id, count, changed in self._told("message", statement)
        }

    def changes(self) -> dict[ThreadId, int]:
        """A number for each session that grows whenever anything of it changes."""
        if {"aggregate_id", "seq"} <= self.tables.get("event_sequence", frozenset()):
            statement = "SELECT aggregate_id, seq FROM event_sequence"
        elif {"session_id", "time_updated"} <= self.tables.get("part", frozenset()):
            statement = (
                "SELECT session_id, max(time_updated) + count(*) FROM part GROUP BY session_id"
            )
        else:
            return {}
        return {
            ThreadId(str(session_id)): _whole(changed)
            for session_id, changed in self._told("part", statement)
        }

    def beginning(self, session_id: ThreadId) -> Beginning:
        """What the first events of a session say of it."""
        return self._of_events(lambda: beginning_of(self.connection, session_id), Beginning())

    def rewinds(self, session: Session) -> Rewinds:
        """What was taken back in a session, as far as its events tell."""
        return self._of_events(lambda: rewinds_of(self.connection, session), Rewinds())

    def removed_marks(self) -> dict[ThreadId, list[Mark]]:
        """The messages that were taken back and are gone, by session."""
        nothing: dict[ThreadId, list[Mark]] = {}
        return self._of_events(lambda: removed_marks_of(self.connection), nothing)

    def messages(self, session_id: ThreadId, skipping: Skipping) -> Iterator[Message]:
        """The messages of a session that are there, in order."""
        created = self._message_time
        statement = f"SELECT id, {created}, data FROM message WHERE session_id = ? ORDER BY 2, id"  # noqa: S608 - one of two expressions
        for message_id, time, data in self._told("message", statement, (session_id,)):
            if not is_usable(message_id):
                skipping.add("bad-id", detail=str(message_id)[:MAX_NATIVE_ID_BYTES])
                continue
            info = decode_info(data, message_id, skipping)
            if info is not None:
                yield Message(message_id, _whole(time), info)

    def parts(self, message_id: str, session_id: ThreadId) -> Iterator[tuple[str, str | bytes]]:
        """The parts of a message, each with its id, in order."""
        if not {"id", "message_id", "data"} <= self.tables.get("part", frozenset()):
            return
        statement = "SELECT id, data FROM part WHERE message_id = ? ORDER BY id"
        for part_id, data in self._told("part", statement, (message_id,)):
            if is_usable(part_id):
                yield part_id, data

    @property
    def _has_events(self) -> bool:
        return self.tables.get("event", frozenset()) >= _EVENT_COLUMNS

    @property
    def _message_time(self) -> str:
        if "time_created" in self.tables["message"]:
            return "time_created"
        return "json_extract(data, '$.time.created')"

    def _branches(self) -> dict[str, str]:
        if not {"id", "branch"} <= self.tables.get("workspace", frozenset()):
            return {}
        return {
            str(row["id"]): str(row["branch"])
            for row in self._rows("workspace", "SELECT id, branch FROM workspace")
            if row["branch"]
        }

    def _of_events(self, ask: Callable[[], Value], otherwise: Value) -> Value:
        """What the events say, as far as they can be read."""
        if not self._has_events:
            return otherwise
        try:
            return ask()
        except UNREADABLE as error:
            self._note("event", error)
            return otherwise

    def _told(
        self, table: str, statement: str, values: Sequence[str] = ()
    ) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement, up to the first that can't be read."""
        try:
            yield from self.connection.execute(statement, values)
        except UNREADABLE as error:
            self._note(table, error)

    def _rows(self, table: str, statement: str) -> Iterator[dict[str, object]]:
        try:
            cursor = self.connection.execute(statement)
            names = [column[0] for column in cursor.description]
            for row in cursor:
                yield dict(zip(names, row, strict=True))
        except UNREADABLE as error:
            self._note(table, error)

    def _note(self, table: str, error: Exception) -> None:
        if not any(skip.detail.startswith(f"{table}: ") for skip in self.faults.skips):
            self.faults.add("unreadable-table", detail=f"{table}: {error}")


def tables_of(connection: sqlite3.Connection) -> dict[str, frozenset[str]]:
    """The columns of each table of a database."""
    tables: dict[str, set[str]] = {}
    statement = (
        "SELECT t.name, c.name FROM sqlite_master AS t, pragma_table_info(t.name) AS c "
        "WHERE t.type = 'table'"
    )
    for table, column in connection.execute(statement):
        tables.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in tables.items()}


def _session(session_id: ThreadId, row: dict[str, object], branches: dict[str, str]) -> Session:
    archived = row.get("time_archived")
    model = json_field(row.get("model"), _decode_model)
    return Session(
        session_id=session_id,
        parent_id=session_name(row.get("parent_id")),
        title=_text(row.get("title")),
        directory=_text(row.get("directory")),
        version=_text(row.get("version")),
        agent=_text(row.get("agent")),
        model=(model.id or model.modelID) if model is not None else None,
        branch=branches.get(str(row.get("workspace_id"))),
        created=_milliseconds(row.get("time_created")),
        updated=_milliseconds(row.get("time_updated")),
        archived=_milliseconds(archived),
        is_archived=archived is not None,
        revert=json_field(row.get("revert"), _decode_revert),
        fork_source=session_name(row.get("fork_session_id")),
        fork_message=_text(row.get("fork_message_id")) or _text(row.get("fork_boundary")),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _milliseconds(value: object) -> int | None:
    return int(value) if isinstance(value, int | float) else None


def _whole(value: object) -> int:
    return int(value) if isinstance(value, int | float) else 0
