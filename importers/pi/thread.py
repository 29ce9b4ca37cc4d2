"""From all that is known of a session to its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import Actor
from graph.records import ThreadRecord
from importers.pi.driver import DRIVER
from importers.pi.origin import fork_of, hand_off_of, spawn_of
from importers.pi.runs import runs_of, windows_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from graph.records import TransferRecord
    from importers.contract import ReadOptions
    from importers.pi.session import Session

NAME_CHARACTERS = 500
AGENT_THREAD = "subagent"
AGENT_SOURCE = "subAgentThreadSpawn"
"""The words by which lists tell the threads of agents from those of people."""


def session_record(
    session: Session, options: ReadOptions, clean: Callable[[str], str]
) -> ThreadRecord:
    """The record of a session, without its items."""
    context, story = session.context, session.story
    spawn = spawn_of(context)
    provider = options.provider or DRIVER
    preview = story.preview or story.inherited_preview
    return ThreadRecord(
        thread_id=context.file.thread_id,
        native_thread_id=context.file.thread_id,
        driver=DRIVER,
        provider_instance_id=provider,
        name=clean(story.name[:NAME_CHARACTERS]) if story.name else None,
        preview=clean(preview) if preview else None,
        model=story.model,
        thread_source=None if spawn is None else AGENT_THREAD,
        source_kind=None if spawn is None else AGENT_SOURCE,
        created_by=Actor.USER if spawn is None else Actor.AGENT,
        cwd=session.header.cwd if session.header is not None else None,
        ephemeral=False,
        source_file=context.file.path,
        created_at=session.born,
        updated_at=max(session.born, story.written_at or session.born),
        recency_at=max(session.born, story.said_at or session.born),
        runs=tuple(runs_of(session, options, is_root=spawn is None)),
        windows=tuple(windows_of(session)),
        fork=fork_of(context, session.tree),
        spawn=spawn,
    )


def session_transfers(session: Session, options: ReadOptions) -> tuple[TransferRecord, ...]:
    """The hand-off that the session began with, if it did."""
    hand_off = hand_off_of(
        session.context,
        session.tree,
        session.header,
        session.born,
        options.provider or DRIVER,
    )
    return () if hand_off is None else (hand_off,)
