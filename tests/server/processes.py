"""Looking at processes from outside, as the tests of the local Neo4j do."""

from __future__ import annotations

import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

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


@contextmanager
def running(
    program: str, *arguments: object, times: int = 1
) -> Generator[tuple[subprocess.Popen[str], ...]]:
    """New processes that run *program* and whose output can be read; none outlives the context."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    with ExitStack() as stack:
        processes: list[subprocess.Popen[str]] = []
        for _ in range(times):
            process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - a program of the tests
            processes.append(stack.enter_context(process))
            stack.callback(process.kill)
        yield tuple(processes)
