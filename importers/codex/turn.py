"""What is known of one turn, and of one compaction, of a rollout file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graph.model import Timestamp
    from importers.codex.shapes import TokenUsage

PROMPT_CHARACTERS = 400
"""How much of a turn's first prompt is kept for previews."""


@dataclass(slots=True, eq=False)
class Turn:
    """One turn of a file; *line* is where it begins, *hidden_line* the marker that hid it."""

    turn_id: str | None
    line: int
    ordinal: int | None
    at: Timestamp | None
    implicit: bool = False
    review: bool = False
    status: str | None = None
    ended_at: Timestamp | None = None
    error: str | None = None
    model: str | None = None
    trigger: str | None = None
    parent_turn_id: str | None = None
    root_turn_id: str | None = None
    prompt: str | None = None
    worked: bool = False
    compacted: bool = False
    recorded_usage: TokenUsage | None = None
    counted_usage: TokenUsage | None = None
    hidden_line: int | None = None
    hidden_at: Timestamp | None = None

    @property
    def is_open(self) -> bool:
        """Whether nothing has closed it yet."""
        return self.status is None

    @property
    def usage(self) -> TokenUsage | None:
        """The tokens it cost, by the best evidence."""
        return self.recorded_usage or self.counted_usage


@dataclass(frozen=True, slots=True)
class Compaction:
    """One compaction line; *counted* is how many the file holds up to and with this one."""

    line: int
    turn: Turn | None
    counted: int
    number: int | None
    window_id: object
    first_window_id: object
    previous_window_id: object
