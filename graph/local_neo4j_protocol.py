"""What a local Neo4j's server process, its starters and its users say to each other.

One server holds the lock of its folder for as long as it lives, and answers on a loopback port
that its record names. Each connection brings one request, a line of JSON, and gets one answer. A
lease is the connection itself: it lasts until its socket closes, also when its holder is killed.
"""

from __future__ import annotations

import errno
import os
import shutil
import socket
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING

import msgspec

from graph.errors import DataFolderUnusable, DiskFull
from graph.neo4j_jars import Release

if TYPE_CHECKING:
    from pathlib import Path

    from filelock import BaseFileLock

HOST = "127.0.0.1"
USER = "neo4j"
DATABASE = "neo4j"
CONNECT_SECONDS = 5.0
LINE_LIMIT = 65_536
START_DISK_BYTES = 100_000_000
"""What a new data folder and its first hours need."""

FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What the system says when a disk has no room, or no more for this user."""


class Home:
    """The folder of one local Neo4j, and where everything in it is."""

    def __init__(self, data_dir: Path) -> None:
        """Stand for the Neo4j of *data_dir*; nothing is created."""
        self.data_dir = data_dir
        self.path = data_dir / "neo4j"
        self.lock = self.path / "server.lock"
        self.record = self.path / "server.json"
        self.password = self.path / "password"
        self.version = self.path / "version"
        self.configuration = self.path / "neo4j.conf"
        self.log = self.path / "logs" / "server.log"
        self.temporary = self.path / "tmp"


class Order(msgspec.Struct, frozen=True):
    """What a starter asks a new server process to be."""

    data_dir: str
    release: Release
    cache_dir: str
    port: int | None
    idle_seconds: float
    heap_bytes: int
    page_cache_bytes: int
    full_compiler: bool


class FailureKind(StrEnum):
    """Why a server did not start, as far as a user can do something about it."""

    PORT_TAKEN = "port_taken"
    DISK_FULL = "disk_full"
    UNUSABLE = "unusable"
    IN_USE = "in_use"
    TOO_NEW = "too_new"
    MEMORY = "memory"
    NOT_INSTALLED = "not_installed"
    OTHER = "other"


class Failure(msgspec.Struct, frozen=True):
    """Why a server did not start, with the system's own words; for TOO_NEW, with the version."""

    kind: FailureKind
    detail: str


class Phase(StrEnum):
    """Where a server is in its life."""

    STARTING = "starting"
    READY = "ready"
    STOPPING = "stopping"
    FAILED = "failed"


class Answer(msgspec.Struct, frozen=True):
    """What a server says about itself."""

    phase: Phase
    pid: int
    version: str
    port: int
    started_at: float
    idle_seconds: float
    idle_left_seconds: float | None
    leases: int


class Taken(msgspec.Struct, frozen=True, tag="taken"):
    """A new server process found that another one has the folder, and ended."""


class Started(msgspec.Struct, frozen=True, tag="started"):
    """A new server process answers questions now."""

    answer: Answer


class NotStarted(msgspec.Struct, frozen=True, tag="not_started"):
    """A new server process could not start, and ended."""

    failure: Failure


Outcome = Taken | Started | NotStarted


class Record(msgspec.Struct, frozen=True):
    """What a running server leaves in its folder, so that it can be found and asked."""

    pid: int
    control_port: int
    token: str


class Wish(StrEnum):
    """What can be asked of a server; all of it is answered at once."""

    FIND = "find"  # the idle time begins anew
    LEASE = "lease"  # the same, and the server does not idle out while the connection lasts
    STATUS = "status"  # changes nothing
    STOP = "stop"  # the end begins; it is over when the lock is free


class Request(msgspec.Struct, frozen=True):
    """One question to a server, with the token that shows the right to ask."""

    token: str
    wish: Wish
    idle_seconds: float | None = None


def make_home(home: Home) -> None:
    """Create the folder, for this user's eyes only, with room for a start."""
    try:
        home.data_dir.mkdir(parents=True, exist_ok=True)
        home.path.mkdir(mode=0o700, exist_ok=True)
        home.path.chmod(0o700)
        home.log.parent.mkdir(mode=0o700, exist_ok=True)
        home.log.touch(mode=0o600)
        free = shutil.disk_usage(home.path).free
    except OSError as error:
        if error.errno in FULL:
            raise DiskFull(home.data_dir, START_DISK_BYTES) from error
        raise DataFolderUnusable(home.data_dir, error) from error
    if free < START_DISK_BYTES:
        raise DiskFull(home.data_dir, START_DISK_BYTES)


def take_lock(home: Home, seconds: float) -> BaseFileLock | None:
    """Return the lock of *home*, or None when a server has it for longer than *seconds*.

    The operating system releases it when its process ends, however that happens.
    """
    import filelock  # noqa: PLC0415 - of the extra `local`, absent where none is wanted

    lock = filelock.FileLock(home.lock, fallback_to_soft=False, preserve_lock_file=True)
    try:
        lock.acquire(timeout=seconds)
    except filelock.Timeout:
        return None
    except (OSError, NotImplementedError) as error:
        raise DataFolderUnusable(home.data_dir, error) from error
    return lock


def read_record(home: Home) -> Record | None:
    """Return the record that the last server left, or None; it may be of one that is gone."""
    try:
        return msgspec.json.decode(home.record.read_bytes(), type=Record)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None


def ask(
    record: Record, wish: Wish, *, timeout: float | None, idle_seconds: float | None = None
) -> tuple[Answer, socket.socket] | None:
    """Return the server's answer and the open connection, or None when nobody answers.

    The caller closes the connection.
    """
    request = Request(token=record.token, wish=wish, idle_seconds=idle_seconds)
    try:
        connection = socket.create_connection((HOST, record.control_port), CONNECT_SECONDS)
    except OSError:
        return None
    try:
        connection.settimeout(timeout)
        connection.sendall(msgspec.json.encode(request) + b"\n")
        return msgspec.json.decode(_read_line(connection), type=Answer), connection
    except (OSError, msgspec.DecodeError):
        connection.close()
        return None


def _read_line(connection: socket.socket) -> bytes:
    line = bytearray()
    while not line.endswith(b"\n") and len(line) < LINE_LIMIT:
        received = connection.recv(4096)
        if not received:
            break
        line += received
    return bytes(line)


def write_private(path: Path, content: bytes) -> None:
    """Put *content* in the file *path*, whole or not at all, for this user's eyes only."""
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    with suppress(FileNotFoundError):
        new.unlink()
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, not a path
        file.write(content)
        file.flush()
        os.fsync(descriptor)
    new.replace(path)
