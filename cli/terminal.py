"""The terminal: where answers go, where everything else goes, and which colour means what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import msgspec
from rich.console import Console
from rich.theme import Theme

THEME = Theme(
    {
        "fork": "magenta",
        "spawn": "cyan",
        "child": "yellow",
        "root": "bold",
        "completed": "green",
        "active": "blue",
        "interrupted": "yellow",
        "failed": "red",
        "faint": "dim",
        "asked": "bold reverse",
    }
)

ANSWERS = Console(theme=THEME, highlight=False)
"""Standard output: only what was asked for, so that it can be piped."""

REMARKS = Console(theme=THEME, highlight=False, stderr=True)
"""Standard error: progress, hints and errors."""

STATUS_STYLES = {
    "completed": "completed",
    "interrupted": "interrupted",
    "cancelled": "interrupted",
    "failed": "failed",
    "preparing": "active",
    "queued": "active",
    "starting": "active",
    "running": "active",
    "waiting": "active",
}


def print_json(value: object) -> None:
    """Print a value as one line of JSON, at once."""
    text = msgspec.json.encode(value, enc_hook=_listed).decode()
    print(text, flush=True)  # noqa: T201 - exactly this text


def _listed(value: object) -> list[object]:
    """Rows that the graph makes when they are looked at, as a list."""
    if isinstance(value, Sequence):
        return list(cast("Sequence[object]", value))
    raise NotImplementedError(f"{type(value)} is not told in JSON.")


def status_style(status: str | None) -> str:
    """The colour of a run's status; words that are not known have none."""
    return STATUS_STYLES.get(status or "", "")


def counted(number: int, noun: str) -> str:
    """The number with its noun, in the plural where that is due."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def first_line(text: str | None, width: int) -> str:
    """The first line of a text, without control characters, cut at *width* with an ellipsis."""
    line = next(iter((text or "").strip().splitlines()), "")
    line = "".join(character if character.isprintable() else " " for character in line)
    return line if len(line) <= width else f"{line[: width - 1].rstrip()}…"
