"""From all that is known of a conversation to its record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import Actor
from graph.records import ThreadRecord
from importers.claude_code.context import DRIVER, Form
from importers.claude_code.entries import Kind
from importers.claude_code.forks import fork_of, history_base_of
from importers.claude_code.moments import latest
from importers.claude_code.runs import runs_of, windows_of
from importers.claude_code.spawns import spawn_calls_of, spawn_of
from importers.kept_text import one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from importers.claude_code.conversation import Conversation
    from importers.contract import ReadOptions

PREVIEW_CHARACTERS = 160
TITLE_CHARACTERS = 500
AGENT_SOURCE = "subAgentThreadSpawn"
"""The kind of source that lists of threads know agents by."""

_TALK = frozenset({Kind.PROMPT, Kind.ANSWER, Kind.LETTER})


def thread_record(
    conversation: Conversation, options: ReadOptions, clean: Callable[[str], str]
) -> ThreadRecord:
    """The record of a conversation, without its items."""
    context, told = conversation.context, conversation.transcript.told
    agent, is_session = context.agent, context.form is Form.SESSION
    began_at = conversation.began_at
    said_at = [entry.at for entry in conversation.own_entries if entry.kind in _TALK]
    title = (agent.task if agent is not None else None) or told.ai_title or _summary(conversation)
    return ThreadRecord(
        thread_id=context.thread_id,
        native_thread_id=_native_id(conversation),
        driver=DRIVER,
        provider_instance_id=options.provider or DRIVER,
        title=_text(title, clean),
        name=_text(told.custom_title, clean),
        preview=_text(_preview(conversation), clean),
        model=_model(conversation),
        thread_source=None if is_session else "subagent",
        source_kind=None if is_session else AGENT_SOURCE,
        originator=told.entrypoint,
        session_id=context.session if is_session else None,
        created_by=Actor.USER if is_session else Actor.AGENT,
        cwd=told.cwd,
        git_branch=told.git_branch,
        cli_version=told.version,
        ephemeral=False,
        agent_nickname=agent.name if agent is not None else None,
        agent_role=agent.role if agent is not None else None,
        source_file=context.files[0].path,
        created_at=began_at,
        updated_at=latest(began_at, conversation.last_at) or began_at,
        recency_at=latest(began_at, *said_at) or began_at,
        runs=tuple(runs_of(conversation, options, clean)),
        windows=tuple(windows_of(conversation)),
        fork=fork_of(conversation) if is_session else None,
        spawn=spawn_of(conversation),
        history_base=history_base_of(conversation),
        spawn_calls=tuple(spawn_calls_of(conversation)),
    )


def _native_id(conversation: Conversation) -> str | None:
    context = conversation.context
    if context.form is Form.SESSION:
        return context.session
    return context.agent.agent_id if context.agent is not None else None


def _text(text: str | None, clean: Callable[[str], str]) -> str | None:
    return (clean(text[:TITLE_CHARACTERS]) or None) if text else None


def _summary(conversation: Conversation) -> str | None:
    """The last summary of this conversation; those of others stand in its file, too."""
    places = conversation.transcript.places
    for leaf, summary in reversed(conversation.transcript.told.summaries):
        if leaf in places:
            return summary
    return None


def _preview(conversation: Conversation) -> str | None:
    """What was said first, in the conversation's own part where it has one."""
    for own in (True, False):
        for turn in conversation.turns:
            if turn.is_copied != own and turn.preview:
                return one_line(turn.preview, PREVIEW_CHARACTERS) or None
    return None


def _model(conversation: Conversation) -> str | None:
    turns = conversation.turns
    own = (turn.model for turn in reversed(turns) if turn.model and not turn.is_copied)
    return next(own, next((turn.model for turn in reversed(turns) if turn.model), None))
