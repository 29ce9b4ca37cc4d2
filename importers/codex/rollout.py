"""One rollout file, read for what it says about its thread; its items are read elsewhere."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.codex.shapes import ContextLine, MetaLine
from importers.codex.story import Story
from importers.timestamps import timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph.model import Timestamp
    from importers.codex.lines import Line
    from importers.codex.shapes import Git, Meta

HISTORY_MODES = frozenset({None, "legacy", "paginated"})
"""The history modes whose files can be read; without a word it is ``legacy``."""


@dataclass(slots=True)
class Rollout:
    """What a rollout file says; *header* is its first meta, the one that counts.

    *ancestors* are the threads whose metas were copied into it, the nearest first. Of the own
    metas the newest value of *memory_mode*, *multi_agent_version* and *git* is kept: a later
    one may lack what it does not change.
    """

    path: str
    rollout_id: str
    header: Meta | None = None
    header_at: Timestamp | None = None
    ancestors: list[str] = field(default_factory=list[str])
    memory_mode: str | None = None
    multi_agent_version: str | None = None
    context_multi_agent_version: str | None = None
    git: Git | None = None
    first_ordinal: int | None = None
    last_written: str | None = None
    story: Story = field(default_factory=Story)

    @property
    def last_at(self) -> Timestamp | None:
        """When the last line was written."""
        return timestamp(self.last_written)

    @property
    def readable(self) -> bool:
        """Whether the file is a thread's, in a history mode that is known."""
        return self.header is not None and self.header.history_mode in HISTORY_MODES


def read_rollout(path: str, rollout_id: str, lines: Iterable[Line]) -> Rollout:
    """What the lines of a file say; those before its first meta are no thread's."""
    rollout = Rollout(path, rollout_id)
    take = rollout.story.take
    for number, line in lines:
        if isinstance(line, MetaLine):
            _take_meta(rollout, line)
        elif rollout.header is not None:
            take(number, line)
            if isinstance(line, ContextLine) and line.payload.multi_agent_version:
                rollout.context_multi_agent_version = line.payload.multi_agent_version
        rollout.last_written = line.timestamp or rollout.last_written
    return rollout


def _take_meta(rollout: Rollout, line: MetaLine) -> None:
    meta = line.payload
    header = rollout.header
    if header is None:
        rollout.header = header = meta
        rollout.header_at = timestamp(line.timestamp)
        rollout.first_ordinal = line.ordinal
    if meta.id != header.id:
        if meta.id not in rollout.ancestors:
            rollout.ancestors.append(meta.id)
        return
    rollout.memory_mode = meta.memory_mode or rollout.memory_mode
    rollout.multi_agent_version = meta.multi_agent_version or rollout.multi_agent_version
    rollout.git = meta.git or rollout.git
