"""A large home of Claude Code, imported as a user does: ``python -m bench.claude_import``.

The command runs as a process of its own on a local Neo4j of the benchmark's own: once and killed
half-way, once more to the end, and once again when nothing has changed. Memory is that of the
command and its reading processes, not of the database.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil
import typer
from rich.console import Console

from bench.claude_home import write_claude_home

LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Ran:
    """How a command went: its seconds, the memory it needed at most in each half, its report."""

    seconds: float
    first_half_mb: float
    second_half_mb: float
    report: Mapping[str, Any]


def main(sessions: int = 5_000, megabytes: int = 5_000, content: str = "full") -> None:
    """Measure, and print what was reached."""
    console = Console()
    with tempfile.TemporaryDirectory(prefix="lineage-bench-") as folder:
        home = Path(folder, "home")
        size = write_claude_home(home, sessions, megabytes)
        console.print(f"{sessions:,} sessions, {size / 1e9:.2f} GB")
        command = [sys.executable, "-m", "cli.main", "import", str(home), "--json"]
        command += ["--content", content]
        with database(Path(folder, "data")) as environment:
            whole = _run(command, environment)
            _tell(console, "import", whole)
            again = _run(command, environment)
            _tell(console, "import again, nothing changed", again)
            console.print(f"again / first: 1/{whole.seconds / again.seconds:.0f} (wanted: 1/20)")
        with database(Path(folder, "killed")) as environment:
            _kill(command, environment, after=whole.seconds / 2)
            rest = _run(command, environment)
            _tell(console, "gone on with after kill -9 half-way", rest)


@contextmanager
def database(data: Path) -> Generator[Mapping[str, str]]:
    """A running local Neo4j of the benchmark's own; the settings that name it."""
    environment = {**os.environ, "LINEAGE_DATA": str(data)}
    _database("start", environment)
    try:
        yield environment
    finally:
        _database("stop", environment)


def _database(verb: str, environment: Mapping[str, str]) -> None:
    subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "cli.main", "database", verb],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
    )


def _run(command: list[str], environment: Mapping[str, str]) -> Ran:
    began = time.perf_counter()
    process = subprocess.Popen(  # noqa: S603 - our own program
        command, env=environment, stdout=subprocess.PIPE, text=True
    )
    looks: list[int] = []
    while process.poll() is None:
        looks.append(_memory(process.pid))
        time.sleep(LOOK_SECONDS)
    seconds = time.perf_counter() - began
    out = process.stdout.read() if process.stdout else ""
    half = len(looks) // 2
    return Ran(
        seconds,
        max(looks[:half], default=0) / 1e6,
        max(looks[half:], default=0) / 1e6,
        json.loads(out),
    )


def _kill(command: list[str], environment: Mapping[str, str], *, after: float) -> None:
    process = subprocess.Popen(  # noqa: S603 - our own program
        command, env=environment, stdout=subprocess.DEVNULL
    )
    time.sleep(after)
    process.kill()
    process.wait()


def _memory(pid: int) -> int:
    """The bytes of the command and of its reading processes, not of the database it started."""
    try:
        process = psutil.Process(pid)
        readers = [
            child
            for child in process.children(recursive=True)
            if "resolvers.reading_process" in " ".join(child.cmdline())
        ]
        return sum(each.memory_info().rss for each in (process, *readers))
    except psutil.Error:
        return 0


def _tell(console: Console, name: str, ran: Ran) -> None:
    report = ran.report
    console.print(
        f"{name}: {ran.seconds:.1f} s, {report['bytes'] / 1e6 / ran.seconds:.0f} MB/s, at most "
        f"{ran.first_half_mb:.0f} MB in the first half and {ran.second_half_mb:.0f} MB in the "
        f"second; {report['threadsWritten']:,} threads written, {report['threadsUnchanged']:,} "
        f"unchanged ({report['threadsNotRead']:,} not read), {report['skipped']}"
    )


if __name__ == "__main__":
    typer.run(main)
