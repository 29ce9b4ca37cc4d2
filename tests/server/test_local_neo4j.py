"""The life of a local Neo4j: started, found, kept up, ended, killed, and started again."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import stat
import time
from typing import TYPE_CHECKING

import neo4j
import psutil
import pytest

from graph.errors import LocalNeo4jGone
from graph.local_neo4j import LocalNeo4j, ensure_running, lease, status, stop
from graph.local_neo4j_protocol import Home, read_record
from tests.server.processes import is_alive, running, wait_until

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Iterator
    from pathlib import Path

IDLE_SECONDS = 120.0
SHORT_SECONDS = 1.0

HOLD = """
import sys, time
from pathlib import Path
from graph.errors import LocalNeo4jGone
from graph.local_neo4j import ensure_running, lease
while True:
    try:
        server = ensure_running(Path(sys.argv[1]), idle_seconds=float(sys.argv[2]))
        with lease(server):
            print(server.pid, flush=True)
            time.sleep(600)
    except LocalNeo4jGone:
        pass
"""
"""Starts or finds a server, says its process id, and holds a lease until it is killed.

Where a machine is so slow that the server's idle time is over before it is held, it tries again.
"""


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One data folder for the module; what runs in it at the end is stopped."""
    folder = tmp_path_factory.mktemp("lineage with space")
    yield folder
    stop(folder)


@pytest.fixture
def server(data_dir: Path) -> LocalNeo4j:
    """The server of the module's folder, started again where a test has ended it."""
    return ensure_running(data_dir, idle_seconds=IDLE_SECONDS)


def remember(server: LocalNeo4j, word: str) -> None:
    """Write *word* into the graph."""
    with _driver(server) as driver:
        driver.execute_query("CREATE (:Word {word: $word})", word=word)


def recall(server: LocalNeo4j) -> list[str]:
    """Return all words in the graph, in order."""
    with _driver(server) as driver:
        records, _, _ = driver.execute_query("MATCH (w:Word) RETURN w.word AS word ORDER BY word")
    return [record["word"] for record in records]


def _driver(server: LocalNeo4j) -> neo4j.Driver:
    return neo4j.GraphDatabase.driver(  # pyright: ignore[reportUnknownMemberType] - untyped settings
        server.uri, auth=(server.user, server.password)
    )


def test_it_listens_on_loopback_only(server: LocalNeo4j) -> None:
    """Nobody on the network can reach the server."""
    connections = psutil.Process(server.pid).net_connections("inet")

    listening = {c.laddr.ip for c in connections if c.status == psutil.CONN_LISTEN}
    assert listening <= {"127.0.0.1", "::ffff:127.0.0.1"}
    assert listening


def test_only_the_user_can_read_password_and_data(server: LocalNeo4j) -> None:
    """The password is random and in a file of mode 0600, in a folder of mode 0700."""
    password = server.data_dir / "neo4j" / "password"

    assert stat.S_IMODE(password.stat().st_mode) == 0o600
    assert stat.S_IMODE(password.parent.stat().st_mode) == 0o700
    assert password.read_text() == server.password
    assert len(server.password) == 32
    assert server.password not in repr(server)


def test_no_one_gets_in_without_the_password(server: LocalNeo4j) -> None:
    """Authentication is on."""
    with (
        neo4j.GraphDatabase.driver(server.uri) as driver,  # pyright: ignore[reportUnknownMemberType] - untyped settings
        pytest.raises(neo4j.exceptions.AuthError),
    ):
        driver.verify_connectivity()  # pyright: ignore[reportUnknownMemberType] - untyped settings


def test_a_stranger_on_the_control_port_learns_nothing(server: LocalNeo4j) -> None:
    """Only who can read the record's token may ask, hold or stop the server."""
    connections = psutil.Process(server.pid).net_connections("inet")
    bolt = int(server.uri.rpartition(":")[2])
    ports = {c.laddr.port for c in connections if c.status == psutil.CONN_LISTEN} - {bolt}

    answers: list[bytes] = []
    for port in ports:
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.sendall(b'{"token": "guess", "wish": "stop"}\n')
            answers.append(connection.recv(1000))

    assert answers == [b""]
    assert is_alive(server.pid)


def test_the_status_says_who_uses_it_and_for_how_long_it_stays(server: LocalNeo4j) -> None:
    """While a lease is held no idle time runs, and asking does not count as use."""
    with lease(server):
        held = status(server.data_dir)
    free = status(server.data_dir)

    assert held is not None
    assert (held.server, held.leases, held.idle_left_seconds) == (server, 1, None)
    assert free is not None
    assert free.idle_left_seconds is not None
    assert 0 < free.idle_left_seconds <= free.idle_seconds == IDLE_SECONDS
    assert free.memory_bytes > 100_000_000


def test_a_killed_server_starts_again_with_its_data(server: LocalNeo4j, data_dir: Path) -> None:
    """What was committed survives kill -9, and what the killed server left hinders nobody."""
    remember(server, "kept")
    os.kill(server.pid, signal.SIGKILL)

    again = ensure_running(data_dir, idle_seconds=IDLE_SECONDS)

    assert again.pid != server.pid
    assert recall(again) == ["kept"]


def test_it_can_be_stopped_and_started_with_a_new_password(
    server: LocalNeo4j, data_dir: Path
) -> None:
    """Stopping waits for the end; a lost password file is replaced, and the new one counts."""
    was_stopped = stop(data_dir)
    is_over = not is_alive(server.pid)
    is_stopped_twice = stop(data_dir)
    (data_dir / "neo4j" / "password").unlink()

    again = ensure_running(data_dir, idle_seconds=IDLE_SECONDS)

    assert (was_stopped, is_over, is_stopped_twice) == (True, True, False)
    assert again.password != server.password
    assert "kept" in recall(again)


def test_a_server_that_hangs_can_be_stopped(server: LocalNeo4j, data_dir: Path) -> None:
    """Stopping kills a server that does not answer."""
    os.kill(server.pid, signal.SIGSTOP)

    was_stopped = stop(data_dir, patience_seconds=1)

    assert was_stopped
    assert not is_alive(server.pid)


def test_who_starts_at_once_shares_one_server_that_ends_after_the_last(tmp_path: Path) -> None:
    """It stays up past its idle time while one holds it; who is killed holds it no more."""
    with running(HOLD, tmp_path, SHORT_SECONDS, times=3) as (early_victim, victim, holder):
        assert wait_until((tmp_path / "neo4j" / "server.json").exists)
        early_victim.kill()

        pids = {int(_line(victim)), int(_line(holder))}
        victim.kill()
        time.sleep(3 * SHORT_SECONDS)
        (pid,) = pids
        was_kept = is_alive(pid)

    assert was_kept
    assert wait_until(lambda: not is_alive(pid))
    assert status(tmp_path) is None


def test_a_first_start_that_is_killed_can_be_repeated(tmp_path: Path) -> None:
    """Half a database is no obstacle. SIGTERM ends a server in order, and no record is left."""
    with running(HOLD, tmp_path, IDLE_SECONDS) as (starter,):
        assert wait_until((tmp_path / "neo4j" / "data" / "databases").exists)
        half_started = read_record(Home(tmp_path))
        assert half_started is not None
        os.kill(half_started.pid, signal.SIGKILL)
        starter.communicate()

    server = ensure_running(tmp_path, idle_seconds=IDLE_SECONDS)
    remember(server, "first")
    os.kill(server.pid, signal.SIGTERM)

    assert server.pid != half_started.pid
    assert wait_until(lambda: not is_alive(server.pid))
    assert read_record(Home(tmp_path)) is None


def test_a_server_ends_when_its_folder_is_deleted(server: LocalNeo4j, data_dir: Path) -> None:
    """Nothing runs on without a folder to be found in; a lease on what is gone says so."""
    shutil.rmtree(data_dir / "neo4j", ignore_errors=True)

    assert wait_until(lambda: not is_alive(server.pid))
    with pytest.raises(LocalNeo4jGone), lease(server):
        pass


def _line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()
