"""The jars of a local Neo4j: what is downloaded, when, and what is never used."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from http import HTTPStatus
from multiprocessing import get_context
from typing import TYPE_CHECKING

import pytest

from graph.errors import CacheFolderUnusable, JarCorrupt, MavenUnreachable
from graph.neo4j_jars import Jar, JarLock, Release, fetch_jars, read_lock

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENTS = {f"org/example/jar{number}.jar": bytes([number]) * 300_000 for number in range(20)}
LOCK = JarLock(
    neo4j="1.2.3",
    jars=tuple(
        Jar(
            coordinates=f"org.example:{path}",
            path=path,
            sha256=hashlib.sha256(content).hexdigest(),
            size=len(content),
        )
        for path, content in CONTENTS.items()
    ),
)
FIRST = "org/example/jar0.jar"


class Mirror:
    """A repository on this machine, which counts what is asked and can be told to fail."""

    def __init__(self) -> None:
        self.contents = dict(CONTENTS)
        self.failures: Counter[str] = Counter()
        self.asked: Counter[str] = Counter()
        self.url = ""

    def answer(self, path: str) -> tuple[HTTPStatus, bytes]:
        """Return the status and content for one request."""
        self.asked[path] += 1
        if self.failures[path]:
            self.failures[path] -= 1
            return HTTPStatus.SERVICE_UNAVAILABLE, b""
        if path not in self.contents:
            return HTTPStatus.NOT_FOUND, b""
        return HTTPStatus.OK, self.contents[path]


@pytest.fixture
def mirror() -> Iterator[Mirror]:
    """A repository that has all jars."""
    mirror = Mirror()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, content = mirror.answer(self.path.removeprefix("/maven2/"))
            self.send_response(status)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - as above
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        mirror.url = f"http://127.0.0.1:{server.server_port}/maven2"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield mirror
        server.shutdown()
        thread.join()


def fetch(mirror_url: str, folder: Path) -> list[bytes]:
    """Return the content of every jar in the lock."""
    return [path.read_bytes() for path in fetch_jars(LOCK, cache_dir=folder, maven_url=mirror_url)]


def test_all_jars_are_downloaded_once_and_then_none(mirror: Mirror, tmp_path: Path) -> None:
    """What is cached is used for ever, also when the network is gone."""
    first = fetch(mirror.url, tmp_path)
    again = fetch("http://127.0.0.1:1/gone", tmp_path)

    assert first == again == list(CONTENTS.values())
    assert mirror.asked == Counter(dict.fromkeys(CONTENTS, 1))


def test_progress_is_told_from_nothing_to_the_whole(mirror: Mirror, tmp_path: Path) -> None:
    """Progress never goes back and ends with the total; with nothing to do none is told."""
    total = sum(map(len, CONTENTS.values()))
    told: list[tuple[int, int]] = []

    for _ in range(2):
        fetch_jars(
            LOCK,
            cache_dir=tmp_path,
            maven_url=mirror.url,
            on_progress=lambda done, total: told.append((done, total)),
        )

    assert told == sorted(told)
    assert told[0] == (0, total)
    assert told[-1] == (total, total)


@pytest.mark.parametrize("damage", [b"", b"short", bytes([9]) * 300_000])
def test_a_damaged_jar_is_downloaded_again(mirror: Mirror, tmp_path: Path, damage: bytes) -> None:
    """Every use compares every jar with its hash."""
    fetch(mirror.url, tmp_path)
    (tmp_path / FIRST).write_bytes(damage)

    contents = fetch(mirror.url, tmp_path)

    assert contents == list(CONTENTS.values())
    assert mirror.asked[FIRST] == 2


def test_a_mirror_with_another_content_is_refused(mirror: Mirror, tmp_path: Path) -> None:
    """What a mirror has changed is thrown away, and the error names the address."""
    mirror.contents[FIRST] = bytes([9]) * 300_000

    with pytest.raises(JarCorrupt) as caught:
        fetch(mirror.url, tmp_path)

    assert caught.value.url == f"{mirror.url}/{FIRST}"
    assert not (tmp_path / FIRST).exists()
    assert list(tmp_path.rglob("*.half")) == []


def test_a_short_failure_of_the_mirror_is_overcome(mirror: Mirror, tmp_path: Path) -> None:
    """A server that fails twice is asked a third time."""
    mirror.failures[FIRST] = 2

    contents = fetch(mirror.url, tmp_path)

    assert contents == list(CONTENTS.values())
    assert mirror.asked[FIRST] == 3


def test_a_mirror_that_lacks_a_jar_is_named(mirror: Mirror, tmp_path: Path) -> None:
    """A refusal is final; what was downloaded meanwhile is kept for the next time."""
    del mirror.contents[FIRST]

    with pytest.raises(MavenUnreachable, match="404") as caught:
        fetch(mirror.url, tmp_path)

    assert (caught.value.maven_url, mirror.asked[FIRST]) == (mirror.url, 1)


def test_several_processes_may_download_at_once(mirror: Mirror, tmp_path: Path) -> None:
    """Each jar appears whole or not at all."""
    with ProcessPoolExecutor(3, mp_context=get_context("spawn")) as pool:
        futures = [pool.submit(fetch, mirror.url, tmp_path) for _ in range(3)]
        contents = [future.result() for future in futures]

    assert contents == [list(CONTENTS.values())] * 3
    assert list(tmp_path.rglob("*.half")) == []


def test_a_cache_folder_that_can_not_be_written_is_named(mirror: Mirror, tmp_path: Path) -> None:
    """The error says which folder it is."""
    taken = tmp_path / "file"
    taken.touch()

    with pytest.raises(CacheFolderUnusable) as caught:
        fetch(mirror.url, taken)

    assert taken in (caught.value.path, *caught.value.path.parents)


@pytest.mark.parametrize("release", list(Release))
def test_each_release_has_a_lock(release: Release) -> None:
    """A lock names the version, and for each jar all that is needed to fetch and check it."""
    lock = read_lock(release)

    assert lock.neo4j.startswith(f"{release}.")
    assert len({jar.path for jar in lock.jars}) == len(lock.jars)
    assert all(len(jar.sha256) == 64 and jar.size > 0 for jar in lock.jars)
    assert f"org.neo4j:neo4j-bolt:{lock.neo4j}" in {jar.coordinates for jar in lock.jars}
