"""An import that follows real programs, and what it wrote beside what a fresh one writes."""

from __future__ import annotations

import json
import signal
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import anyio
from neo4j import GraphDatabase

from cli.importing import now
from graph.neo4j_store import open_neo4j
from importers.contract import ReadOptions
from importers.known import known_importers
from resolvers.find_transcripts import Selection, find_transcripts
from resolvers.unchanged_sources import standings_of, unchanged_sources
from tests.neo4j_stores import EMPTY, address_of

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

    from tests.cli.conftest import Lineage
    from tests.conftest import Neo4jServer

PATIENCE_SECONDS = 240
LOOK_SECONDS = 0.3

NODES = """
MATCH (n) WHERE NOT n:Migration AND NOT n:TurnLock
RETURN labels(n)[0] AS label, properties(n) AS properties
"""

EDGES = """
MATCH (a)-[e]->(b)
RETURN properties(a) AS start, type(e) AS type, properties(e) AS properties, properties(b) AS end
"""

ORIGINS = frozenset({"FORKED_FROM", "HISTORY_BASE", "SPAWNED_BY", "CHILD_OF"})

OF_THE_WAY = frozenset({"revision", "revisionId", "sourceFingerprint", "importDigest"})
"""What tells how often something was written, and not what is there."""


@dataclass(frozen=True, slots=True)
class Follower:
    """``lineage import --watch`` without a path, in a process of its own."""

    process: subprocess.Popen[str]
    server: Neo4jServer

    def catches_up(self, threads: int) -> None:
        """Wait until so many threads are there and all that was written is in the graph."""
        give_up = time.monotonic() + PATIENCE_SECONDS
        while (found := anyio.run(self._behind)) != (threads, 0):
            assert self.process.poll() is None, "The follower ended."
            assert time.monotonic() < give_up, f"(threads, behind) is {found}"
            time.sleep(LOOK_SECONDS)

    async def _behind(self) -> tuple[int, int]:
        """How many threads are on disk, and how many of them the graph has not as they are."""
        threads = behind = 0
        selection = Selection()
        importers = [each for each in known_importers() if each.default_paths()]
        if not importers:
            return 0, 0
        async with open_neo4j(address_of(self.server)) as graph:
            for found in await find_transcripts(importers, selection):
                sources = found.plan.sources
                standings = standings_of(sources, found.importer, ReadOptions(now=now()))
                threads += len(sources)
                behind += len(sources) - len(await unchanged_sources(graph, standings))
        return threads, behind

    def end(self) -> None:
        """End it as a user does."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=PATIENCE_SECONDS)


def assert_same_as_fresh(server: Neo4jServer, lineage: Lineage) -> dict[str, int]:
    """Compare the graph with that of an import into an empty one; gives the kinds of its edges."""
    followed = _everything(server)
    _ask(server, EMPTY)
    lineage("import", "--json")
    fresh = _everything(server)

    only_followed, only_fresh = set(followed) - set(fresh), set(fresh) - set(followed)
    differences = f"only followed: {sorted(only_followed)}\nonly fresh: {sorted(only_fresh)}"
    assert followed == fresh, differences
    return Counter(edge["type"] for edge in _ask(server, EDGES) if edge["type"] in ORIGINS)


def _everything(server: Neo4jServer) -> list[str]:
    """All nodes and edges of a graph, each as a line of text, in order."""
    nodes = [[row["label"], _told(row["properties"])] for row in _ask(server, NODES)]
    edges = [
        [_told(row["start"]), row["type"], _told(row["properties"]), _told(row["end"])]
        for row in _ask(server, EDGES)
    ]
    return sorted(json.dumps(each, sort_keys=True) for each in [*nodes, *edges])


def _told(properties: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if name not in OF_THE_WAY}


def _ask(server: Neo4jServer, text: str) -> list[dict[str, Any]]:
    auth = (server.user, server.password)
    with (
        GraphDatabase.driver(server.uri, auth=auth) as driver,  # pyright: ignore[reportUnknownMemberType] - untyped settings
        driver.session(database=server.database) as session,  # pyright: ignore[reportUnknownMemberType] - untyped settings
    ):
        run = cast("Callable[[str], Any]", session.run)
        return cast("list[dict[str, Any]]", run(text).data())
