"""The jars of one Neo4j release: named by a lock, downloaded once, checked every time."""

from __future__ import annotations

import errno
import hashlib
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from enum import StrEnum
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import httpx
import msgspec
import platformdirs

from graph.errors import (
    CacheFolderUnusable,
    DiskFull,
    JarCorrupt,
    LocalNeo4jNotInstalled,
    MavenUnreachable,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

DOWNLOADS_AT_ONCE = 16
ATTEMPTS = 3
FORGOTTEN_AFTER_SECONDS = 24 * 3600
TIMEOUT = httpx.Timeout(30.0, connect=10.0)


class Release(StrEnum):
    """The lines of Neo4j releases that this program has a lock for, oldest first."""

    LONG_TERM = "5.26"
    NEWEST = "2026"


class Jar(msgspec.Struct, frozen=True):
    """One jar: its Maven coordinates, where a repository keeps it, and what it must contain."""

    coordinates: str
    path: str
    sha256: str
    size: int


class JarLock(msgspec.Struct, frozen=True):
    """All jars that one version of Neo4j runs from."""

    neo4j: str
    jars: tuple[Jar, ...]


class OnProgress(Protocol):
    """Told how far the download is; called from several threads, one at a time."""

    def __call__(self, done: int, total: int) -> None:
        """Hear that *done* of *total* bytes are there."""
        ...


def read_lock(release: Release) -> JarLock:
    """Return the committed lock of *release*."""
    path = Path(__file__).with_name(f"neo4j-{release}.lock.json")
    return msgspec.json.decode(path.read_bytes(), type=JarLock)


def default_cache_dir() -> Path:
    """Return the folder in which this user's downloaded jars are kept."""
    return Path(platformdirs.user_cache_dir("thread-lineage", appauthor=False)) / "neo4j-jars"


def default_maven_url() -> str:
    """Return the address of Maven Central."""
    try:
        from jgo.constants import MAVEN_CENTRAL_URL  # noqa: PLC0415 - costs 0.3 s, seldom needed
    except ImportError as error:
        raise LocalNeo4jNotInstalled("jgo") from error
    return MAVEN_CENTRAL_URL


def fetch_jars(
    lock: JarLock,
    *,
    cache_dir: Path | None = None,
    maven_url: str | None = None,
    on_progress: OnProgress | None = None,
) -> tuple[Path, ...]:
    """Return the path of every jar in *lock*, each with the right content.

    What is missing or wrong in *cache_dir* is downloaded; when nothing is, no network is used and
    *on_progress* is not called. Several processes may do this at once.
    """
    folder = cache_dir or default_cache_dir()
    with ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool:
        paths = [folder / jar.path for jar in lock.jars]
        right = pool.map(_is_right, paths, lock.jars)
        wanted = [jar for jar, is_right in zip(lock.jars, right, strict=True) if not is_right]
        if wanted:
            _download_all(pool, wanted, folder, maven_url or default_maven_url(), on_progress)
    return tuple(paths)


def _is_right(path: Path, jar: Jar) -> bool:
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != jar.size:
                return False
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CacheFolderUnusable(path.parent, error) from error


def _download_all(
    pool: ThreadPoolExecutor,
    jars: Sequence[Jar],
    folder: Path,
    maven_url: str,
    on_progress: OnProgress | None,
) -> None:
    tally = _Tally(sum(jar.size for jar in jars), on_progress)
    tally.add(0)
    _forget_halves(folder)
    with httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client:
        futures = [pool.submit(_download, client, jar, folder, maven_url, tally) for jar in jars]
        try:
            for future in futures:
                future.result()
        finally:
            for future in futures:
                future.cancel()
            tally.stop()
            for future in futures:
                if not future.cancelled():
                    future.exception()


class _Tally:
    """The sum of what all downloads have brought so far."""

    def __init__(self, total: int, on_progress: OnProgress | None) -> None:
        self._total = total
        self._done = 0
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self.stopped = False

    def add(self, count: int) -> None:
        with self._lock:
            self._done += count
            if self._on_progress is not None and not self.stopped:
                self._on_progress(self._done, self._total)

    def stop(self) -> None:
        with self._lock:
            self.stopped = True


def _download(client: httpx.Client, jar: Jar, folder: Path, maven_url: str, tally: _Tally) -> None:
    path = folder / jar.path
    url = f"{maven_url.rstrip('/')}/{jar.path}"
    half = path.with_name(f"{path.name}.{os.getpid()}.{threading.get_ident()}.half")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        half.write_bytes(_get(client, url, maven_url, tally))
        if not _is_right(half, jar):
            raise JarCorrupt(jar.coordinates, url)
        half.replace(path)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(folder, jar.size) from error
        raise CacheFolderUnusable(folder, error) from error
    finally:
        with suppress(OSError):
            half.unlink(missing_ok=True)


def _get(client: httpx.Client, url: str, maven_url: str, tally: _Tally) -> bytes:
    """Return what *url* holds; nothing when the others have failed already."""
    for attempt in range(1, ATTEMPTS + 1):
        content = bytearray()
        try:
            with client.stream("GET", url) as response:
                response.raise_for_status()
                for chunk in response.iter_bytes():
                    if tally.stopped:
                        return b""
                    content += chunk
                    tally.add(len(chunk))
        except httpx.HTTPError as error:
            tally.add(-len(content))
            if attempt == ATTEMPTS or tally.stopped or _is_final(error):
                raise MavenUnreachable(maven_url, url, str(error)) from error
            time.sleep(attempt / 2)
        else:
            return bytes(content)
    raise AssertionError(url)  # the last attempt has returned or raised


def _is_final(error: httpx.HTTPError) -> bool:
    """Whether asking again can't help: the address is wrong, or the repository says no."""
    if isinstance(error, httpx.HTTPStatusError):
        response = error.response
        return response.is_client_error and response.status_code != HTTPStatus.TOO_MANY_REQUESTS
    return isinstance(error, httpx.UnsupportedProtocol)


def _forget_halves(folder: Path) -> None:
    """Delete what killed processes left half downloaded long ago."""
    limit = time.time() - FORGOTTEN_AFTER_SECONDS
    for half in folder.rglob("*.half"):
        with suppress(OSError):
            if half.stat().st_mtime < limit:
                half.unlink()
