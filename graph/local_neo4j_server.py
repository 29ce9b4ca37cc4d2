"""The process of a local Neo4j: started by `graph.local_neo4j`, ends by itself when idle."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, assert_never

import anyio
import anyio.abc
import anyio.to_thread
import msgspec
from anyio.streams.buffered import BufferedByteReceiveStream

from graph.local_neo4j_jvm import EmbeddedNeo4j, StartFailure
from graph.local_neo4j_protocol import (
    FULL,
    HOST,
    LINE_LIMIT,
    Answer,
    Failure,
    FailureKind,
    Home,
    NotStarted,
    Order,
    Outcome,
    Phase,
    Record,
    Request,
    Started,
    Taken,
    Wish,
    take_lock,
    write_private,
)
from graph.neo4j_jars import read_lock

LOCK_SECONDS = 0.5
REQUEST_SECONDS = 5.0
START_SECONDS = 180.0
STOP_SECONDS = 60.0
WATCH_SECONDS = 1.0
LOG_BYTES = 1_000_000
FULL_DISK_BYTES = 1_000_000
GREETING = 1


def main() -> NoReturn:
    """Run a server as the first argument orders, and say on standard output what became of it."""
    order = msgspec.json.decode(sys.argv[1], type=Order)
    if hasattr(os, "fork") and os.fork():
        os._exit(0)  # the server is nobody's child, so no starter has to wait for it
    starter = os.dup(GREETING)
    home = Home(Path(order.data_dir))
    lock = take_lock(home, LOCK_SECONDS)  # released by the end of this process alone
    if lock is None:
        _tell(starter, Taken())
        os._exit(0)
    home.record.unlink(missing_ok=True)  # of a server that was killed
    _write_to_log(home)
    try:
        anyio.run(_Server(order, home, starter).run)
    except BaseException:  # noqa: BLE001 - logged, and the process ends
        traceback.print_exc()
    finally:
        os._exit(0)  # Java's threads would keep the process; all data is on disk


def _write_to_log(home: Home) -> None:
    descriptor = os.open(home.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    if os.fstat(descriptor).st_size > LOG_BYTES:
        os.ftruncate(descriptor, 0)
    os.dup2(descriptor, sys.stdout.fileno())
    os.dup2(descriptor, sys.stderr.fileno())


def _tell(starter: int, outcome: Outcome) -> None:
    """Say to the starter, if it still lives, what became of its order.

    It listens until nobody can say more: on bad news, until this process is gone.
    """
    with suppress(BrokenPipeError):
        os.write(starter, msgspec.json.encode(outcome))
    if isinstance(outcome, Started):
        os.close(starter)


class _Server:
    """One Neo4j, the connections that keep it alive, and its end."""

    def __init__(self, order: Order, home: Home, starter: int) -> None:
        lock = read_lock(order.release)
        jars = [Path(order.cache_dir) / jar.path for jar in lock.jars]
        self._order = order
        self._home = home
        self._starter = starter
        self._version = lock.neo4j
        self._neo4j = EmbeddedNeo4j(home, jars, lock.neo4j)
        self._token = secrets.token_urlsafe(32)
        self._phase = Phase.STARTING
        self._started_at = time.time()
        self._idle_seconds = order.idle_seconds
        self._idle_since = time.monotonic()
        self._leases = 0
        self._ending = anyio.Event()
        self._failure: Failure | None = None

    async def run(self) -> None:
        listener = await anyio.create_tcp_listener(local_host=HOST)
        port = listener.extra(anyio.abc.SocketAttribute.local_port)  # noqa: S610 - not Django
        record = Record(pid=os.getpid(), control_port=port, token=self._token)
        write_private(self._home.record, msgspec.json.encode(record))
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(listener.serve, self._serve)
            tasks.start_soon(self._heed_signals)
            await self._start(tasks)
            if self._failure is None:
                tasks.start_soon(self._watch)
                await self._ending.wait()
                self._phase = Phase.STOPPING
                with anyio.move_on_after(STOP_SECONDS):
                    await anyio.to_thread.run_sync(self._neo4j.stop, abandon_on_cancel=True)
            self._home.record.unlink(missing_ok=True)
            tasks.cancel_scope.cancel()

    async def _start(self, tasks: anyio.abc.TaskGroup) -> None:
        with anyio.move_on_after(START_SECONDS) as patience:
            tasks.start_soon(self._watch_disk, patience)
            try:
                await anyio.to_thread.run_sync(self._start_neo4j, abandon_on_cancel=True)
                self._phase = Phase.READY
            except StartFailure as error:
                self._failure = error.failure
        if patience.cancelled_caught and self._has_room():
            words = f"it is not ready after {START_SECONDS:.0f} s"
            self._failure = Failure(FailureKind.OTHER, words)
        elif patience.cancelled_caught:
            self._failure = Failure(FailureKind.DISK_FULL, str(self._home.path))
        if self._failure is None:
            self._idle_since = time.monotonic()
            _tell(self._starter, Started(self._answer()))
        else:
            self._phase = Phase.FAILED
            _tell(self._starter, NotStarted(self._failure))

    def _start_neo4j(self) -> None:
        try:
            self._refuse_newer_data()
            password = _password(self._home)
            self._home.version.write_text(self._version, encoding="utf-8")
            self._neo4j.start(
                port=self._order.port,
                password=password,
                heap_bytes=self._order.heap_bytes,
                page_cache_bytes=self._order.page_cache_bytes,
                full_compiler=self._order.full_compiler,
            )
        except OSError as error:
            kind = FailureKind.DISK_FULL if error.errno in FULL else FailureKind.UNUSABLE
            raise StartFailure(Failure(kind, str(error))) from error

    def _refuse_newer_data(self) -> None:
        try:
            found = self._home.version.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            return
        if _order_of(found) > _order_of(self._version):
            raise StartFailure(Failure(FailureKind.TOO_NEW, found))

    async def _serve(self, connection: anyio.abc.SocketStream) -> None:
        async with connection:
            try:
                with anyio.fail_after(REQUEST_SECONDS):
                    received = BufferedByteReceiveStream(connection)
                    line = await received.receive_until(b"\n", LINE_LIMIT)
                request = msgspec.json.decode(line, type=Request)
                if secrets.compare_digest(request.token.encode(), self._token.encode()):
                    await self._grant(request, connection)
            except (
                anyio.BrokenResourceError,
                anyio.DelimiterNotFound,
                anyio.IncompleteRead,
                anyio.EndOfStream,
                msgspec.DecodeError,
                TimeoutError,
            ):
                return

    async def _grant(self, request: Request, connection: anyio.abc.SocketStream) -> None:
        match request.wish:
            case Wish.STATUS:
                await self._say(connection)
            case Wish.STOP:
                self._ending.set()
                await self._say(connection)
            case Wish.FIND:
                self._use(request)
                await self._say(connection)
            case Wish.LEASE:
                self._use(request)
                self._leases += 1
                try:
                    await self._say(connection)
                    while await connection.receive():
                        pass
                finally:
                    self._leases -= 1
                    self._idle_since = time.monotonic()
            case _:
                assert_never(request.wish)

    def _use(self, request: Request) -> None:
        self._idle_since = time.monotonic()
        if request.idle_seconds is not None:
            self._idle_seconds = request.idle_seconds

    async def _say(self, connection: anyio.abc.SocketStream) -> None:
        await connection.send(msgspec.json.encode(self._answer()) + b"\n")

    def _answer(self) -> Answer:
        idle_left = self._idle_since + self._idle_seconds - time.monotonic()
        return Answer(
            phase=self._phase,
            pid=os.getpid(),
            version=self._version,
            port=self._neo4j.port,
            started_at=self._started_at,
            idle_seconds=self._idle_seconds,
            idle_left_seconds=None if self._leases else max(idle_left, 0.0),
            leases=self._leases,
        )

    async def _watch_disk(self, patience: anyio.CancelScope) -> None:
        """Give a start up when the disk is full: Neo4j would wait for room without a word."""
        while self._phase is Phase.STARTING:
            await anyio.sleep(WATCH_SECONDS)
            if not self._has_room():
                patience.cancel()
                return

    def _has_room(self) -> bool:
        return shutil.disk_usage(self._home.path).free > FULL_DISK_BYTES

    async def _watch(self) -> None:
        """End the server when nobody has used it for long, or its folder is gone."""
        while self._phase is Phase.READY:
            await anyio.sleep(min(WATCH_SECONDS, self._idle_seconds / 4 + 0.05))
            idle = time.monotonic() - self._idle_since
            if self._leases == 0 and idle >= self._idle_seconds:
                self._phase = Phase.STOPPING
                self._ending.set()
            if not self._home.record.exists():
                self._ending.set()

    async def _heed_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
            async for _ in signals:
                self._ending.set()


def _order_of(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".") if part.isdecimal())


def _password(home: Home) -> str:
    """Return the password in its file, which only this user can read; make one if need be."""
    try:
        home.password.chmod(0o600)
        return home.password.read_text(encoding="utf-8").strip()
    except FileNotFoundError:
        password = secrets.token_urlsafe(24)
        write_private(home.password, password.encode())
        return password


if __name__ == "__main__":
    main()
