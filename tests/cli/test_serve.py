"""Serving: the address, the sample data, and how it ends."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.cli.conftest import Lineage

SAMPLE = "codex-0.171.0/forks-paginated"

pytestmark = pytest.mark.usefixtures("graph_settings")


@contextmanager
def serving(process: subprocess.Popen[str]) -> Generator[str]:
    """The address that a service prints; it is ended at the end."""
    said: list[str] = []
    with process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                said.append(line)
                if found := re.search(r"http://\S+", line):
                    yield found[0]
                    break
            else:
                pytest.fail("".join(said))
        finally:
            process.kill()


def test_the_address_that_is_printed_answers(
    start_lineage: Callable[..., subprocess.Popen[str]], codex_home: Callable[[str], Path]
) -> None:
    """GraphQL, GraphiQL and health, over the sample that an empty graph was given."""
    process = start_lineage("serve", "--port", "0", "--import-if-empty", codex_home(SAMPLE))
    with serving(process) as address:
        answer = httpx.post(address, json={"query": "{threads {totalCount}}"})
        page = httpx.get(address, headers={"accept": "text/html"})
        ready = httpx.get(address.replace("/graphql", "/health/ready"))
        led_here = httpx.get(address, headers={"host": "evil.example"})
        access = httpx.post(address, json={"query": "{access {canWrite}}"})

    assert led_here.status_code == 400
    assert access.json() == {"data": {"access": {"canWrite": True}}}
    assert answer.json() == {"data": {"threads": {"totalCount": 7}}}
    assert (page.status_code, ready.status_code) == (200, 200)
    assert "<html" in page.text


def test_a_graph_that_is_not_empty_gets_no_sample(
    lineage: Lineage,
    start_lineage: Callable[..., subprocess.Popen[str]],
    codex_home: Callable[[str], Path],
) -> None:
    """Whoever has own conversations is not given others."""
    assert lineage("import", codex_home("codex-0.171.0/single-paginated")).code == 0
    process = start_lineage(
        "serve", "--port=0", "--read-only", "--import-if-empty", codex_home(SAMPLE)
    )
    with serving(process) as address:
        answer = httpx.post(address, json={"query": "{threads {totalCount} access {canWrite}}"})

    assert answer.json() == {"data": {"threads": {"totalCount": 1}, "access": {"canWrite": False}}}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_cleanly(
    start_lineage: Callable[..., subprocess.Popen[str]], number: signal.Signals
) -> None:
    """At once, with exit code 0, and without a word of complaint."""
    process = start_lineage("serve", "--port", "0")
    with serving(process) as address:
        httpx.get(address)
        process.send_signal(number)
        began = time.monotonic()
        code = process.wait(10)
        rest = process.stdout.read() if process.stdout else ""

    assert code == 0
    assert time.monotonic() - began < 5
    assert "Traceback" not in rest
    assert "Error" not in rest


def test_a_port_that_is_taken_is_told(lineage: Lineage) -> None:
    """With what to do."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = lineage("serve", "--port", str(port))

    assert (ended.code, ended.out) == (2, "")
    assert ended.err == (
        f"Error: Can't serve on 127.0.0.1 port {port}: Address already in use. "
        "Choose another with --port (0 takes a free one) or --host.\n"
    )
