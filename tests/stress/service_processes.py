"""Whole service processes on the tests' Neo4j, to be told things, and to be killed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cli.settings import Settings
from tests.server.processes import wait_until

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from tests.conftest import Neo4jServer

SETTINGS = {name.upper() for name in Settings.model_fields}


@dataclass(frozen=True, slots=True)
class ServiceProcess:
    """A ``lineage serve`` of its own; what it says goes into a file."""

    process: subprocess.Popen[bytes]
    said_in: Path

    @property
    def said(self) -> str:
        """What it said until now."""
        return self.said_in.read_text("utf-8")

    @property
    def address(self) -> str:
        """Where it answers; waits until it does."""

        def answers() -> bool:
            return self.process.poll() is not None or "/graphql" in self.said

        assert wait_until(answers), self.said
        found = re.search(r"(http://\S+)/graphql", self.said)
        assert found is not None, self.said
        return found[1]

    def kill(self) -> None:
        """End it in the middle of whatever it does, as a crash does."""
        self.process.kill()
        self.process.wait()


@contextmanager
def service_processes(
    server: Neo4jServer, folder: Path, *, number: int
) -> Generator[list[ServiceProcess]]:
    """New services on *server* that start at the same time; none outlives the context."""
    surroundings = {name: told for name, told in os.environ.items() if name not in SETTINGS}
    surroundings |= {
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database,
        "COLUMNS": "500",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONUNBUFFERED": "1",
    }
    services: list[ServiceProcess] = []
    try:
        for one in range(number):
            said_in = folder / f"service-{one}.txt"
            with said_in.open("wb") as file:
                process = subprocess.Popen(
                    [sys.executable, "-m", "cli.main", "serve", "--port", "0"],
                    stdout=file,
                    stderr=subprocess.STDOUT,
                    env=surroundings,
                    cwd=folder,
                )
            services.append(ServiceProcess(process, said_in))
        yield services
    finally:
        for service in services:
            service.kill()
