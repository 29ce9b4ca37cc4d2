"""Looking at processes from outside, as the tests of the local Neo4j do."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable

PATIENCE_SECONDS = 120.0


def is_alive(pid: int) -> bool:
    """Whether process *pid* runs."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    return False


def wait_until(is_so: Callable[[], bool]) -> bool:
    """Return whether *is_so* comes true within some patience."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not (answer := is_so()) and time.monotonic() < deadline:
        time.sleep(0.1)
    return answer


def run_python(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Return a new process that runs *program* and whose output can be read."""
    return subprocess.Popen(  # noqa: S603 - a program of the tests
        [sys.executable, "-c", program, *map(str, arguments)],
        stdout=subprocess.PIPE,
        text=True,
    )
