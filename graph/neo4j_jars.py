"""The jars of one Neo4j release: named by a lock, downloaded once, checked every time."""

from __future__ import annotations

import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec
import platformdirs

from graph.errors import CacheFolderUnusable, LocalNeo4jNotInstalled

CHECKS_AT_ONCE = 4


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
    paths = tuple(folder / jar.path for jar in lock.jars)
    with ThreadPoolExecutor(CHECKS_AT_ONCE) as pool:
        found = pool.map(is_right, paths, lock.jars)
        wanted = [jar for jar, is_there in zip(lock.jars, found, strict=True) if not is_there]
    if wanted:
        # The HTTP client takes a moment to import, and is seldom needed.
        from graph.neo4j_download import download_jars  # noqa: PLC0415

        download_jars(wanted, folder, maven_url or default_maven_url(), on_progress)
    return paths


def is_right(path: Path, jar: Jar) -> bool:
    """Whether the file *path* is there and has the content of *jar*."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size != jar.size:
                return False
            return hashlib.file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return False
    except OSError as error:
        raise CacheFolderUnusable(path.parent, error) from error
