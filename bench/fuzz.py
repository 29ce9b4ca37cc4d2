"""Damage real files of all tools and read them: ``python -m bench.fuzz``.

Finds crashes, records that no graph could hold, and good lines that are lost beside bad ones. A
trial is repeated by its number: ``python -m bench.fuzz --first 4711 --trials 1``.
"""

from __future__ import annotations

import faulthandler
import sys
import tempfile
import time
import traceback
from pathlib import Path

import typer
from rich.console import Console
from rich.progress import track

from tests.fuzzing import Fuzzer

HANG_SECONDS = 60
SLOW_SECONDS = 2
MOST_FINDINGS = 20
TOLD_TRIALS = 1_000


def main(trials: int = 100_000, first: int = 0) -> None:
    """Try so many damages, and say what was found; nothing found is 0, else the exit code is 1."""
    console = Console()
    found: list[int] = []
    slow: list[int] = []
    began = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="lineage-fuzz-") as folder:
        fuzzer = Fuzzer(Path(folder))
        for number in track(range(first, first + trials), "Damaging files", console=console):
            # What hangs is shown where it does, and ends the run.
            faulthandler.dump_traceback_later(HANG_SECONDS, exit=True)
            started = time.perf_counter()
            try:
                fuzzer.tried(number)
            except Exception:  # noqa: BLE001 - every kind of it is what is looked for
                traceback.print_exc()
                found.append(number)
            if time.perf_counter() - started > SLOW_SECONDS:
                slow.append(number)
            if not console.is_terminal and number % TOLD_TRIALS == 0:
                console.print(f"{number:,}, {time.perf_counter() - began:.0f} s, found {found}")
            if len(found) >= MOST_FINDINGS:
                break
        faulthandler.cancel_dump_traceback_later()
    seconds = time.perf_counter() - began
    console.print(f"{trials:,} trials from number {first} on in {seconds:.0f} s")
    console.print(f"found: {found or 'nothing'}; slower than {SLOW_SECONDS} s: {slow or 'none'}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    typer.run(main)
