"""Everything that can go wrong between a question and the graph.

LineageError
├── BadInput                  the caller's words can't be right; says which and why
│   ├── InvalidCursor         a cursor that is garbled or belongs to other arguments
│   └── IdTooLong             an id over 512 bytes
├── LimitExceeded             more was asked for than one answer may hold
├── ThreadNotFound            the named thread was never seen
├── ThreadConflict            the same thread id is already taken by another driver
├── SourceError               what an importer was pointed at can't be read
│   ├── SourceNotFound        no such file or folder
│   └── SourceNotRecognized   it is there, but no importer knows it
├── StoreError                the graph database
│   ├── StoreUnavailable      can't be reached, or refuses for the moment; trying again may help
│   ├── StoreTimeout          the transaction took too long
│   ├── StoreAccessDenied     wrong user or password
│   ├── StoreDatabaseMissing  the server has no database of that name
│   ├── SchemaTooNew          migrated by a newer version of this program
│   ├── SchemaChanged         an applied migration's file was edited afterwards
│   └── StatementFailed       our own Cypher is wrong
└── LocalNeo4jError           the Neo4j that the service starts by itself
"""

from __future__ import annotations


class LineageError(Exception):
    """The root of the tree: a sentence for people, and ids in the attributes of each leaf."""


class BadInput(LineageError):
    """What the caller sent can't be right."""


class InvalidCursor(BadInput):
    """A cursor that this service did not make, or made for other arguments."""


class IdTooLong(BadInput):
    """An id of more than 512 bytes, which no index can hold."""

    def __init__(self, name: str, size: int) -> None:
        """Name the field *name* and its *size* in bytes."""
        super().__init__(f"{name} has {size} bytes; the most is 512.")
        self.name = name
        self.size = size


class LimitExceeded(LineageError):
    """More was asked for than one answer may hold."""

    def __init__(self, name: str, asked: int, limit: int) -> None:
        """Say that *name* was *asked* for where *limit* is the most."""
        super().__init__(f"{name} is {asked}; the most is {limit}.")
        self.name = name
        self.asked = asked
        self.limit = limit


class ThreadNotFound(LineageError):
    """The named thread was never seen, not even as the end of an edge."""

    def __init__(self, thread_id: str) -> None:
        """Name the thread that is not there."""
        super().__init__(f"No thread has the id {thread_id!r}.")
        self.thread_id = thread_id


class ThreadConflict(LineageError):
    """The same thread id is already taken by another driver."""

    def __init__(self, thread_id: str, driver: str, recorded_driver: str) -> None:
        """Name the thread, the *driver* that claims it and the one that has it."""
        super().__init__(
            f"Thread {thread_id!r} of {driver} has the id of a thread of {recorded_driver}."
        )
        self.thread_id = thread_id
        self.driver = driver
        self.recorded_driver = recorded_driver


class SourceError(LineageError):
    """What an importer was pointed at can't be read."""

    def __init__(self, path: str, message: str) -> None:
        """Name the *path* and say in *message* what is wrong and what to do."""
        super().__init__(message)
        self.path = path


class SourceNotFound(SourceError):
    """No such file or folder."""


class SourceNotRecognized(SourceError):
    """The file or folder is there, but no importer knows it."""


class StoreError(LineageError):
    """The graph database could not do what was asked."""


class StoreUnavailable(StoreError):
    """The database can't be reached, or refuses for the moment; trying again may help."""


class StoreTimeout(StoreError):
    """The transaction took longer than it may."""


class StoreAccessDenied(StoreError):
    """The database does not accept this user and password, or this user may not do that."""


class StoreDatabaseMissing(StoreError):
    """The server has no database of the configured name."""

    def __init__(self, database: str) -> None:
        """Name the *database* that is not there."""
        super().__init__(f"The Neo4j server has no database named {database!r}.")
        self.database = database


class SchemaTooNew(StoreError):
    """The database was migrated by a newer version of this program."""

    def __init__(self, found: int, known: int) -> None:
        """Say that version *found* is there where this program knows *known*."""
        super().__init__(
            f"The graph has schema version {found}, this program knows {known} at most. "
            "Use the newer thread-lineage that wrote it."
        )
        self.found = found
        self.known = known


class SchemaChanged(StoreError):
    """A migration that was applied long ago has been edited since."""

    def __init__(self, name: str) -> None:
        """Name the migration file whose checksum differs."""
        super().__init__(
            f"The migration {name} was applied with another text. "
            "Applied migrations are never edited: add a new one."
        )
        self.name = name


class StatementFailed(StoreError):
    """The database does not accept one of our own statements: a fault of this program."""


class LocalNeo4jError(LineageError):
    """The Neo4j that the service starts by itself could not be started or found."""
