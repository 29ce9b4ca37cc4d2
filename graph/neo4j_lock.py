"""Write the lock of a Neo4j version: `python -m graph.neo4j_lock 5.26.30`."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import httpx
import msgspec
from jgo.maven import Artifact, MavenContext
from jgo.parse import Coordinate

from graph.neo4j_download import DOWNLOADS_AT_ONCE, TIMEOUT
from graph.neo4j_jars import Jar, JarLock, Release, default_maven_url

ROOTS = ("neo4j", "neo4j-bolt")
RUN_SCOPES = frozenset({"compile", "runtime"})


def write_lock(version: str, folder: Path) -> Path:
    """Resolve Neo4j *version* at Maven Central and return the lock file written to *folder*.

    Every jar is downloaded, compared with the repository's own checksum and hashed.
    """
    maven_url = default_maven_url()
    artifacts = {_path(artifact): artifact for artifact in _resolve(version, maven_url)}
    with (
        httpx.Client(timeout=TIMEOUT, follow_redirects=True) as client,
        ThreadPoolExecutor(DOWNLOADS_AT_ONCE) as pool,
    ):
        futures = [
            pool.submit(_pin, client, maven_url, path, artifact)
            for path, artifact in sorted(artifacts.items())
        ]
        lock = JarLock(neo4j=version, jars=tuple(future.result() for future in futures))
    release = next(line for line in Release if version.startswith(f"{line}."))
    target = folder / f"neo4j-{release}.lock.json"
    target.write_bytes(msgspec.json.format(msgspec.json.encode(lock), indent=1) + b"\n")
    return target


def _resolve(version: str, maven_url: str) -> list[Artifact]:
    with tempfile.TemporaryDirectory() as cache:
        context = MavenContext(repo_cache=Path(cache), remote_repos={"central": maven_url})
        roots = [
            context.create_dependency(
                replace(Coordinate.parse(f"org.neo4j:{name}:{version}"), scope="compile")
            )
            for name in ROOTS
        ]
        inputs, transitive = context.resolver.resolve(roots)
    needed = [dependency for dependency in transitive if dependency.scope in RUN_SCOPES]
    return [dependency.artifact for dependency in [*inputs, *needed]]


def _path(artifact: Artifact) -> str:
    folder = f"{artifact.groupId.replace('.', '/')}/{artifact.artifactId}/{artifact.version}"
    classifier = f"-{artifact.classifier}" if artifact.classifier else ""
    return f"{folder}/{artifact.artifactId}-{artifact.version}{classifier}.{artifact.packaging}"


def _pin(client: httpx.Client, maven_url: str, path: str, artifact: Artifact) -> Jar:
    content = client.get(f"{maven_url}/{path}").raise_for_status().content
    stated = client.get(f"{maven_url}/{path}.sha1").raise_for_status().text.split()[0]
    if hashlib.sha1(content, usedforsecurity=False).hexdigest() != stated:
        raise ValueError(f"{path} differs from the checksum beside it")
    names = (artifact.groupId, artifact.artifactId, artifact.version, artifact.classifier)
    return Jar(
        coordinates=":".join(name for name in names if name),
        path=path,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
    )


if __name__ == "__main__":
    for asked in sys.argv[1:]:
        print(write_lock(asked, Path(__file__).parent))  # noqa: T201 - a tool for developers
