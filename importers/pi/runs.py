"""Own prompts as runs, and own compactions as the context windows that they opened.

A run whose last answer was no end, or that has none, is *running* while its file still grows.
It was *interrupted* when a later run began, or when the last line of its file is older than
``IDLE_SECONDS`` at the time of the import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import RunId
from graph.records import RunRecord, WindowRecord
from importers.contract import IDLE_SECONDS
from importers.pi.driver import DRIVER
from importers.timestamps import seconds_between

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import ThreadId, Timestamp
    from importers.contract import ReadOptions
    from importers.pi.session import Session
    from importers.pi.story import Story
    from importers.pi.tree import Tree


def run_ids_of(thread_id: ThreadId, tree: Tree) -> dict[int, RunId]:
    """The run ids of the session's own prompts, by their place among all prompts."""
    return {place: RunId(f"{thread_id}/{tree.prompts[place].name}") for place in tree.own_prompts}


def runs_of(session: Session, options: ReadOptions, *, is_root: bool) -> Iterator[RunRecord]:
    """The runs of a session; those of one that nobody spawned are their own roots."""
    tree, story = session.tree, session.story
    for place, run_id in session.run_ids.items():
        prompt, work = tree.prompts[place], story.works[place]
        status = work.status or "interrupted"
        if work.status is None and place == len(tree.prompts) - 1 and _grows(story, options.now):
            status = "running"
        ended_at = None if status == "running" else max(prompt.at, work.last_at or prompt.at)
        yield RunRecord(
            run_id=run_id,
            native_turn_id=prompt.native_id,
            status=status,
            rolled_back_at=tree.left_at(prompt.index),
            driver=DRIVER,
            provider_instance_id=options.provider or DRIVER,
            model=work.model,
            started_at=prompt.at,
            completed_at=ended_at,
            input_tokens=work.input_tokens if work.has_usage else None,
            cached_input_tokens=work.cached_input_tokens if work.has_usage else None,
            output_tokens=work.output_tokens if work.has_usage else None,
            root_run_id=run_id if is_root else None,
            error=work.error,
        )


def windows_of(session: Session) -> Iterator[WindowRecord]:
    """A context window for each compaction, in the order of the file."""
    for number, compaction in enumerate(session.story.compactions, start=1):
        yield WindowRecord(
            number=number,
            run_id=session.run_ids.get(compaction.run),
            rolled_back=not session.tree.is_current(compaction.index),
        )


def _grows(story: Story, now: Timestamp | None) -> bool:
    """Whether the file was written to a short while ago."""
    at = story.written_at
    return now is not None and at is not None and seconds_between(at, now) <= IDLE_SECONDS
