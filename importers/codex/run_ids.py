"""The ids of runs and items: a function of the thread and of what stands in its files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import RunId

if TYPE_CHECKING:
    from graph.model import ThreadId
    from importers.codex.turn import Turn


def run_id(owner: ThreadId, rollout_id: str, turn: Turn) -> RunId:
    """The id of a thread's own turn; without an id of Codex's, by the line where it began."""
    return RunId(f"{owner}/{turn.turn_id or line_name(owner, rollout_id, turn.line)}")


def named_run_id(owner: ThreadId, turn_id: str) -> RunId:
    """The id of a thread's turn that is known by Codex's id only."""
    return RunId(f"{owner}/{turn_id}")


def line_name(owner: ThreadId, rollout_id: str, line: int) -> str:
    """The name of a line; those of a thread's later rollouts say which one they mean."""
    place = f"line-{line}"
    return place if rollout_id == owner else f"{rollout_id}:{place}"
