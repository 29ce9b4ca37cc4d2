"""A session as it was read: its header, its tree, and what happened in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph.model import RunId, Timestamp
    from importers.pi.context import Context
    from importers.pi.shapes import Line
    from importers.pi.story import Story
    from importers.pi.tree import Tree


@dataclass(frozen=True, slots=True)
class Session:
    """A session as it was read; *run_ids* are those of its own prompts, by their place."""

    context: Context
    header: Line | None
    tree: Tree
    story: Story
    run_ids: Mapping[int, RunId]
    born: Timestamp
