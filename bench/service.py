"""The service as its users run it, on a database of the benchmark's."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import httpx

from graph.local_neo4j import LocalNeo4j

READY_SECONDS = 60


@contextmanager
def running_service(server: LocalNeo4j) -> Generator[str]:
    """The address of a service process on *server*, ended afterwards."""
    port = free_port()
    environment = os.environ | {
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database,
    }
    lineage = Path(sys.executable).with_name("lineage")
    with subprocess.Popen(  # noqa: S603 - our own command
        [lineage, "serve", "--port", str(port)], env=environment, stdout=subprocess.DEVNULL
    ) as service:
        try:
            address = f"http://127.0.0.1:{port}"
            await_ready(address)
            yield address
        finally:
            service.terminate()


def free_port() -> int:
    """A port that nothing listens on right now."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def await_ready(address: str) -> None:
    """Wait until a server says that it is ready."""
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            if httpx.get(f"{address}/health/ready").is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"No service became ready at {address} within {READY_SECONDS} s.")
