"""@neo4j/graphql 7.6.3 on the database of a benchmark, as its documentation sets it up.

It needs Node.js, which comes with ``make install``, and npm's registry the first time.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from bench.service import free_port
from graph.local_neo4j import LocalNeo4j
from tests.node_programs import installed

FOLDER = Path(__file__).parent / "neo4j_graphql"
READY_SECONDS = 60
LEVEL = "threadId title status"


@contextmanager
def running_rival(server: LocalNeo4j) -> Generator[str]:
    """The address of a process of it on *server*, ended afterwards."""
    node, port = installed(FOLDER), free_port()
    environment = os.environ | {
        "NODE_ENV": "production",
        "NEO4J_URI": server.uri,
        "NEO4J_USER": server.user,
        "NEO4J_PASSWORD": server.password,
        "NEO4J_DATABASE": server.database,
    }
    command = [node, "server.js", str(port)]
    with subprocess.Popen(command, cwd=FOLDER, env=environment) as process:  # noqa: S603 - our own
        try:
            address = f"http://127.0.0.1:{port}"
            _await_answer(address)
            yield address
        finally:
            process.terminate()


def rival_lineage(fields: str) -> str:
    """The question for a thread and all below it."""
    return (
        "query($id: String!) { threads(where: {threadId: {eq: $id}})"
        f" {{ lineage {{ {fields} }} }} }}"
    )


def rival_levels(levels: int, each: int) -> str:
    """The question for so many levels of children, so many of each thread."""
    inner = LEVEL
    for _ in range(levels):
        inner = f"{LEVEL} children(limit: {each}, sort: [{{threadId: ASC}}]) {{ {inner} }}"
    return f"query($id: String!) {{ threads(where: {{threadId: {{eq: $id}}}}) {{ {inner} }} }}"


RIVAL_SMALL = (
    "query($id: String!) { threads(where: {threadId: {eq: $id}}) { threadId title status"
    " parent { threadId title } children(limit: 5, sort: [{threadId: ASC}]) { threadId title } } }"
)


def as_ours(data: Mapping[str, Any]) -> dict[str, Any]:
    """The data of its answer in the form that our service gives it."""
    (thread,) = data["threads"]
    if "lineage" in thread:
        return {"lineage": {"nodes": thread["lineage"]}}
    return {"thread": _thread(thread)}


def _thread(thread: Mapping[str, Any]) -> dict[str, Any]:
    told = dict(thread)
    if "parent" in told:
        told["parent"] = next(iter(told["parent"]), None)
    if "children" in told:
        told["children"] = {"edges": [{"node": _thread(child)} for child in told["children"]]}
    return told


def _await_answer(address: str) -> None:
    end = time.monotonic() + READY_SECONDS
    while time.monotonic() < end:
        try:
            if httpx.post(address, json={"query": "{ __typename }"}).is_success:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise TimeoutError(f"@neo4j/graphql did not answer at {address} within {READY_SECONDS} s.")
