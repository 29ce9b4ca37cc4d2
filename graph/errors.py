"""Everything that can go wrong between a question and the graph.

LineageError
├── BadInput                  the caller's words can't be right; says which and why
│   ├── InvalidCursor         a cursor that is garbled or belongs to other arguments
│   └── IdTooLong             an id over 512 bytes, or a text too long for its index
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
    ├── LocalNeo4jNotInstalled   the packages that run it are missing
    ├── MavenUnreachable         its jars can't be downloaded
    ├── JarCorrupt               a download has another content than it must have
    ├── CacheFolderUnusable      the folder of its jars can't be read or written
    ├── DataFolderUnusable       the data folder can't be read or written
    ├── DataFolderInUse          another program has the data folder open
    ├── DataTooNew               the data was written by a newer Neo4j
    ├── DiskFull                 no room for the jars or the data
    ├── PortTaken                another program listens there
    ├── MemoryTooSmall           the machine has not enough memory free
    ├── LocalNeo4jFailed         it did not start, for another reason; its log says more
    ├── LocalNeo4jSilent         it runs, but does not answer
    └── LocalNeo4jGone           it ended before it could be used
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class LineageError(Exception):
    """The root of the tree: a sentence for people, and ids in the attributes of each leaf."""


class BadInput(LineageError):
    """What the caller sent can't be right."""


class InvalidCursor(BadInput):
    """A cursor that this service did not make, or made for other arguments."""


class IdTooLong(BadInput):
    """An id of more than 512 bytes, or another text that is too long for an index to hold."""

    def __init__(self, name: str, size: int, limit: int = 512) -> None:
        """Name the field *name*, its *size* in bytes and the *limit* that it is over."""
        super().__init__(f"{name} has {size} bytes; the most is {limit}.")
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


class LocalNeo4jNotInstalled(LocalNeo4jError):
    """The Python packages that a local Neo4j runs from are not installed."""

    def __init__(self, package: str) -> None:
        """Name the *package* that could not be imported."""
        super().__init__(
            f"A local Neo4j needs the package {package}, which is not installed. "
            "Install it with: pip install 'thread-lineage[local]'. "
            "Or set NEO4J_URI to use a Neo4j that runs already."
        )
        self.package = package


class MavenUnreachable(LocalNeo4jError):
    """The repository that the jars of Neo4j come from can't be reached or says no."""

    def __init__(self, maven_url: str, url: str, reason: str) -> None:
        """Name the repository *maven_url*, the file at *url*, and the *reason*."""
        super().__init__(
            f"Neo4j could not be downloaded from {maven_url} ({reason}). "
            "The first start needs it. "
            "Check the network and the proxy (HTTPS_PROXY), "
            "or set LINEAGE_MAVEN_URL to a mirror of Maven Central."
        )
        self.maven_url = maven_url
        self.url = url


class JarCorrupt(LocalNeo4jError):
    """The repository delivers another content than the one this program was made with."""

    def __init__(self, coordinates: str, url: str) -> None:
        """Name the jar and the *url* that it was downloaded from."""
        super().__init__(
            f"{url} is not the {coordinates} that it should be, so it was thrown away. "
            "If LINEAGE_MAVEN_URL is set, its mirror is wrong; if not, try again, "
            "and check what changes downloads on the way."
        )
        self.coordinates = coordinates
        self.url = url


class CacheFolderUnusable(LocalNeo4jError):
    """The folder in which the jars of Neo4j are kept can't be read or written."""

    def __init__(self, path: Path, cause: Exception | str) -> None:
        """Name the folder *path* and the *cause* as the system tells it."""
        super().__init__(
            f"Neo4j's jars can't be kept in {path}: {_words(cause)}. "
            "Give your user the right to write there, or set XDG_CACHE_HOME to another folder."
        )
        self.path = path


class DataFolderUnusable(LocalNeo4jError):
    """The data folder can't be read or written by this user."""

    def __init__(self, path: Path, cause: Exception | str) -> None:
        """Name the folder *path* and the *cause* as the system tells it."""
        super().__init__(
            f"The data folder {path} can't be used: {_words(cause)}. "
            "Give your user the right to write there, or choose another with --data."
        )
        self.path = path


class DataFolderInUse(LocalNeo4jError):
    """Another program than this one has the data of the folder open."""

    def __init__(self, path: Path) -> None:
        """Name the folder *path*."""
        super().__init__(
            f"Another Neo4j has the data in {path} open. Stop it, or choose another with --data."
        )
        self.path = path


class DataTooNew(LocalNeo4jError):
    """The data was written by a newer Neo4j than the one this program starts."""

    def __init__(self, path: Path, found: str | None, known: str) -> None:
        """Name the folder, the version *found* in it if that is known, and the *known* one."""
        super().__init__(
            f"The data in {path} was written by {f'Neo4j {found}' if found else 'a newer Neo4j'}; "
            f"this program starts {known}, which can't read it. "
            "Use the newer thread-lineage that wrote it, or choose another folder with --data."
        )
        self.path = path
        self.found = found
        self.known = known


class DiskFull(LocalNeo4jError):
    """There is no room left for the jars or the data."""

    def __init__(self, path: Path, needed: int) -> None:
        """Name the folder *path* and how many bytes are *needed* at least."""
        super().__init__(
            f"The disk that holds {path} is full: "
            f"at least {-(-needed // 1_000_000)} MB are needed. "
            "Free some room, or choose a folder on another disk."
        )
        self.path = path
        self.needed = needed


class PortTaken(LocalNeo4jError):
    """Another program listens on the port that was asked for."""

    def __init__(self, port: int) -> None:
        """Name the *port*."""
        super().__init__(
            f"Port {port} is taken by another program. "
            "Choose another with --port or LINEAGE_DATABASE_PORT, "
            "or leave it out to get a free one."
        )
        self.port = port


class MemoryTooSmall(LocalNeo4jError):
    """The machine has not enough memory free for Neo4j."""

    def __init__(self, needed: int, free: int, log: Path) -> None:
        """Say how many bytes are *needed* and *free*, and name the *log* of the attempt."""
        super().__init__(
            f"Neo4j could not get the memory it needs, about {needed // 1_000_000} MB; "
            f"{free // 1_000_000} MB are free. Close other programs, raise the limit of this "
            f"shell if it has one (ulimit -v), or set NEO4J_URI to a Neo4j elsewhere. Log: {log}"
        )
        self.needed = needed
        self.free = free
        self.log = log


class LocalNeo4jFailed(LocalNeo4jError):
    """The local Neo4j did not start, for a reason that no other error names."""

    def __init__(self, reason: str, log: Path) -> None:
        """Tell the *reason* in a few words and name the *log* that says more."""
        super().__init__(f"The local Neo4j did not start: {reason}. Log: {log}")
        self.reason = reason
        self.log = log


class LocalNeo4jSilent(LocalNeo4jError):
    """A server has the data folder, but does not answer."""

    def __init__(self, path: Path, pid: int | None, log: Path) -> None:
        """Name the folder *path*, the process that has it and the *log* that it writes."""
        super().__init__(
            f"The local Neo4j of {path} (process {pid or 'unknown'}) does not answer. "
            f"End it with: lineage database stop. Log: {log}"
        )
        self.path = path
        self.pid = pid
        self.log = log


class LocalNeo4jGone(LocalNeo4jError):
    """The local Neo4j ended before it could be used."""

    def __init__(self, path: Path) -> None:
        """Name the data folder *path* that has no server now."""
        super().__init__(f"The local Neo4j of {path} has ended. Run the command again.")
        self.path = path


def _words(cause: Exception | str) -> str:
    """The system's words alone, without number and path."""
    return str(getattr(cause, "strerror", None) or cause)
