"""Things measured in turn, so that a noisy machine is noisy for all of them alike."""

from __future__ import annotations

import statistics
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True, slots=True)
class Compared:
    """A measured thing beside its yardstick; median milliseconds of all rounds."""

    name: str
    ours_ms: float
    yardstick_ms: float

    @property
    def ratio(self) -> float:
        """How many times the yardstick's time ours takes."""
        return self.ours_ms / self.yardstick_ms


async def in_turn(
    things: Mapping[str, Callable[[], Awaitable[object]]], *, rounds: int
) -> dict[str, float]:
    """The median milliseconds of each thing, every round running each once; two warm-ups."""
    taken: dict[str, list[float]] = {name: [] for name in things}
    for number in range(-2, rounds):
        for name, thing in things.items():
            began = time.perf_counter()
            await thing()
            if number >= 0:
                taken[name].append((time.perf_counter() - began) * 1_000)
    return {name: statistics.median(times) for name, times in taken.items()}


def show(title: str, compared: Sequence[Compared]) -> None:
    """Print the ratios, and the times they come from."""
    table = Table(title=title)
    for heading in ("measured", "ours, ms", "yardstick, ms", "ratio"):
        table.add_column(heading, justify="left" if heading == "measured" else "right")
    for row in compared:
        table.add_row(
            row.name, f"{row.ours_ms:.1f}", f"{row.yardstick_ms:.1f}", f"{row.ratio:.2f}"
        )
    Console().print(table)
