"""Many downloads at once from a Maven repository, each one checked."""

from __future__ import annotations

import errno
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http import HTTPStatus
from typing import TYPE_CHECKING

import httpx

from graph.errors import CacheFolderUnusable, DiskFull, JarCorrupt, MavenUnreachable
from graph.neo4j_jars import is_right

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from graph.neo4j_jars import Jar, OnProgress

DOWNLOADS_AT_ONCE = 16
ATTEMPTS = 3
FORGOTTEN_AFTER_SECONDS = 24 * 3600
TIMEOUT = httpx.Timeout(30.0, connect=10.0)


def download_jars(
    jars: Sequence[Jar], folder: Path, maven_url: str, on_progress: OnProgress | None
) -> None:
    """Put *jars* into *folder*, each whole and with the right content or not at all."""
    tally = _Tally(sum(jar.size for jar in jars), on_progress)
    tally.add(0)
    _forget_halves(folder)
    with (
        httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client,
        ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool,
    ):
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
        self.total = total
        self._done = 0
        self._on_progress = on_progress
        self._lock = threading.Lock()
        self.stopped = False

    def add(self, count: int) -> None:
        with self._lock:
            self._done += count
            if self._on_progress is not None and not self.stopped:
                self._on_progress(self._done, self.total)

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
        if not is_right(half, jar):
            raise JarCorrupt(jar.coordinates, url)
        half.replace(path)
    except OSError as error:
        if error.errno in {errno.ENOSPC, errno.EDQUOT}:
            raise DiskFull(folder, tally.total) from error
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
