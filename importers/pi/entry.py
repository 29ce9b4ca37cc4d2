"""An entry at its place in a session's tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from graph.model import Timestamp
    from importers.pi.shapes import Line

NO_RUN = -1


class Entry(NamedTuple):
    """An entry: its place in the file, that of its run among all prompts, and what it says."""

    place: int
    run: int
    line: Line
    at: Timestamp | None
    is_own: bool
