"""The real programs, and an import that follows them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.cli.live.following import Follower
from tests.node_programs import give_up, installed

if TYPE_CHECKING:
    import subprocess

    from tests.conftest import Neo4jServer

PROGRAMS = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def node_modules() -> Path:
    """What npm installed of the programs, before a test has a home of its own."""
    installed(PROGRAMS)
    return PROGRAMS / "node_modules"


@pytest.fixture
def program(node_modules: Path) -> Callable[[str], Path]:
    """A program by its place below ``node_modules``; the test is skipped where it can't be had."""

    def at(place: str) -> Path:
        path = node_modules / place
        if not path.exists():
            give_up(f"{place} is not there for this system.")
        return path

    return at


@pytest.fixture
def follower(
    graph_settings: None,  # noqa: ARG001 - where it writes to
    neo4j_server: Neo4jServer,
    start_lineage: Callable[..., subprocess.Popen[str]],
) -> Iterator[Follower]:
    """An import that follows whatever tools there are, from before there is anything."""
    process = start_lineage("import", "--watch")
    yield Follower(process, neo4j_server)
    if process.poll() is None:
        process.kill()
        process.communicate()
