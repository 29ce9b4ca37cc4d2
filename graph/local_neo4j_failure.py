"""What a server's failure to start is called in the tree of errors."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never

from graph.errors import (
    DataFolderInUse,
    DataFolderUnusable,
    DataTooNew,
    DiskFull,
    LocalNeo4jError,
    LocalNeo4jFailed,
    LocalNeo4jNotInstalled,
    MemoryTooSmall,
    PortTaken,
)
from graph.local_neo4j_memory import plan_memory
from graph.local_neo4j_protocol import START_DISK_BYTES, Failure, FailureKind, Home
from graph.neo4j_jars import read_lock

if TYPE_CHECKING:
    from graph.local_neo4j_protocol import Order

MEMORY_WORDS = ("Could not reserve", "insufficient memory", "OutOfMemoryError", "Cannot allocate")


def error_of(  # noqa: PLR0911 - one for each kind
    home: Home, order: Order, failure: Failure
) -> LocalNeo4jError:
    """Return the error that tells a user what *failure* means and what to do."""
    match failure.kind:
        case FailureKind.PORT_TAKEN:
            return PortTaken(order.port or 0)
        case FailureKind.DISK_FULL:
            return DiskFull(home.data_dir, START_DISK_BYTES)
        case FailureKind.UNUSABLE:
            return DataFolderUnusable(home.data_dir, failure.detail)
        case FailureKind.IN_USE:
            return DataFolderInUse(home.data_dir)
        case FailureKind.TOO_NEW:
            known = read_lock(order.release).neo4j
            return DataTooNew(home.data_dir, found=failure.detail or None, known=known)
        case FailureKind.MEMORY:
            memory = plan_memory(order.heap_bytes)
            return MemoryTooSmall(memory.needed_bytes, memory.free_bytes, home.log)
        case FailureKind.NOT_INSTALLED:
            return LocalNeo4jNotInstalled(failure.detail)
        case FailureKind.OTHER:
            return LocalNeo4jFailed(failure.detail, home.log)
        case _:
            assert_never(failure.kind)


def failure_of_silence(home: Home, log_start: int) -> Failure:
    """Return why a server process ended without a word, from what it logged after *log_start*."""
    with home.log.open("rb") as log:
        log.seek(log_start)
        text = log.read().decode(errors="replace")
    if any(words in text for words in MEMORY_WORDS):
        return Failure(FailureKind.MEMORY, text)
    return Failure(FailureKind.OTHER, "its process ended without a word, or was killed")
