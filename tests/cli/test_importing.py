"""Imports that are interrupted, run beside each other, or go on."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from bench.rollouts import write_home
from tests.cli.conftest import Lineage

THREADS = 1_500

pytestmark = pytest.mark.usefixtures("graph_settings")


@pytest.fixture
def large_home(tmp_path: Path) -> Path:
    """A home with more transcripts than one batch writes."""
    home = tmp_path / "codex"
    write_home(home, THREADS, turns=1, every=1)
    return home


def test_an_import_that_is_interrupted_is_gone_on_with(
    large_home: Path, lineage: Lineage, start_lineage: Callable[..., subprocess.Popen[str]]
) -> None:
    """Ctrl-C keeps what was written, says so, and leaves no process behind."""
    process = start_lineage("import", large_home, "--workers", "2")
    readers = wait_for_readers(process.pid)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    rest = json.loads(lineage("import", large_home, "--json").out)

    found, stopped = out.splitlines()
    assert found.startswith("codex  1,500 threads in 1,500 files, ")
    assert stopped == "Stopped. What was written stays; the same command goes on from there."
    assert process.returncode == 130
    assert rest["threadsWritten"] + rest["threadsUnchanged"] == THREADS
    assert still_running(readers) == []


def test_an_import_that_is_killed_leaves_no_process_behind(
    large_home: Path, start_lineage: Callable[..., subprocess.Popen[str]]
) -> None:
    """A reading process ends when nobody gives it work."""
    process = start_lineage("import", large_home, "--workers", "2")
    readers = wait_for_readers(process.pid)
    process.kill()
    process.communicate()

    assert still_running(readers) == []


def test_two_imports_at_once_give_one_graph(
    large_home: Path, lineage: Lineage, start_lineage: Callable[..., subprocess.Popen[str]]
) -> None:
    """Neither fails, nothing is there twice, and a third finds nothing to do."""
    both = [start_lineage("import", large_home, "--workers", "1", "--json") for _ in range(2)]
    reports = [json.loads(process.communicate(timeout=120)[0]) for process in both]
    third = json.loads(lineage("import", large_home, "--json").out)

    assert [process.returncode for process in both] == [0, 0]
    assert [report["threadsWritten"] + report["threadsUnchanged"] for report in reports] == [
        THREADS,
        THREADS,
    ]
    assert (third["threadsWritten"], third["threadsUnchanged"]) == (0, THREADS)


def test_a_followed_home_is_kept_up_with(
    codex_home: Callable[[str], Path], start_lineage: Callable[..., subprocess.Popen[str]]
) -> None:
    """One report for what was there, one for what came, and Ctrl-C ends it."""
    home = codex_home("codex-0.171.0/forks-paginated")
    other = codex_home("codex-0.171.0/single-paginated")
    process = start_lineage("import", home, "--watch", "--json")
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    for rollout in other.rglob("rollout-*.jsonl"):
        target = home / rollout.relative_to(other)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(rollout.read_bytes())
    second = json.loads(process.stdout.readline())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)

    assert first["threadsWritten"] == 7
    assert second["threadsWritten"] == 1
    assert process.returncode == 130


def wait_for_readers(parent: int) -> list[psutil.Process]:
    """The reading processes of an import, as soon as they read."""
    process = psutil.Process(parent)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        readers = process.children()
        if len(readers) == 2:
            time.sleep(1)
            return readers
        time.sleep(0.02)
    pytest.fail("The import started no reading processes.")


def still_running(readers: list[psutil.Process]) -> list[psutil.Process]:
    """Those of the processes that have not ended within ten seconds."""
    _, running = psutil.wait_procs(readers, timeout=10)
    return [reader for reader in running if reader.status() != psutil.STATUS_ZOMBIE]
