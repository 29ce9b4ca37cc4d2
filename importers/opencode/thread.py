"""From all that is known of a session to its record."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.model import Actor, Evidence, Proof, RunId
from graph.records import ForkRecord, SpawnRecord, ThreadRecord
from importers.kept_text import one_line
from importers.opencode.calls import call_records
from importers.opencode.database import Database
from importers.opencode.driver import DRIVER
from importers.opencode.moments import moment
from importers.opencode.runs import runs_of, windows_of
from importers.timestamps import EPOCH

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graph.model import Timestamp
    from importers.contract import ReadOptions
    from importers.opencode.calls import Callers, TaskCall
    from importers.opencode.context import Context
    from importers.opencode.conversation import Conversation
    from importers.opencode.runs import Works

PREVIEW_CHARACTERS = 160
TITLE_CHARACTERS = 500

AGENT_THREAD = "subagent"
AGENT_SOURCE = "subAgentThreadSpawn"
"""The words by which lists tell the threads of agents from those of people."""

_AGENT_TITLE = re.compile(r"\(@([\w-]+) subagent\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldSession:
    """A session as it was read, without its items; *names_source* is what its calls name."""

    context: Context
    told: Conversation
    works: Works
    run_ids: dict[int, RunId]
    calls: Sequence[TaskCall]
    callers: Callers
    preview: str | None
    names_source: bool
    inherited: frozenset[str]


def session_record(
    read: ToldSession, options: ReadOptions, clean: Callable[[str], str]
) -> ThreadRecord:
    """The record of a session, without its items."""
    session = read.context.session
    is_agent = session.parent_id is not None
    created_at = _created_at(read)
    updated_at = max(created_at, moment(session.updated) or created_at)
    return ThreadRecord(
        thread_id=session.session_id,
        native_thread_id=session.session_id,
        driver=DRIVER,
        provider_instance_id=options.provider or DRIVER,
        title=clean(session.title[:TITLE_CHARACTERS]) if session.title else None,
        preview=clean(one_line(read.preview, PREVIEW_CHARACTERS)) if read.preview else None,
        model=read.works.model or session.model,
        thread_source=AGENT_THREAD if is_agent else None,
        source_kind=AGENT_SOURCE if is_agent else None,
        created_by=Actor.AGENT if is_agent else Actor.USER,
        cwd=session.directory,
        git_branch=session.branch,
        cli_version=session.version,
        ephemeral=False,
        agent_role=_agent_role(read) if is_agent else None,
        source_file=read.context.place.original,
        created_at=created_at,
        updated_at=updated_at,
        recency_at=max(created_at, moment(read.works.said_at) or created_at),
        archived=session.is_archived,
        archived_at=(moment(session.archived) or updated_at) if session.is_archived else None,
        runs=tuple(runs_of(read.told, read.works, read.run_ids, read.callers, options)),
        windows=tuple(windows_of(read.told, read.run_ids, read.inherited)),
        fork=fork_of(read, created_at),
        spawn=spawn_of(read.context, created_at),
        spawn_calls=tuple(call_records(read.calls)),
    )


def fork_of(read: ToldSession, created_at: Timestamp) -> ForkRecord | None:
    """The fork edge; ``None`` where the session is no fork, or nobody knows of what."""
    origin = read.context.origin
    if origin is None:
        return None
    originals = {
        copy.message_id: RunId(f"{copy.owner_id}/{copy.original_id}") for copy in origin.copies
    }
    prompts = [
        message
        for place in read.told.prompts
        if (message := read.told.messages[place]).message_id in originals
    ]
    point = originals[prompts[-1].message_id] if prompts else None
    kept = [message for message in prompts if message.left_at is None]
    kept_through: RunId | None = None
    if len(kept) < len(prompts):
        kept_through = originals[kept[-1].message_id] if kept else RunId("")
    return ForkRecord(
        source_thread_id=origin.source_id,
        point_run_id=point,
        kept_through_run_id=kept_through,
        at=created_at,
        evidence=_evidence(read),
    )


def spawn_of(context: Context, created_at: Timestamp) -> SpawnRecord | None:
    """The spawn edge of a session that another one made."""
    session = context.session
    if session.parent_id is None or session.parent_id == session.session_id:
        return None
    is_database = isinstance(context.place, Database)
    return SpawnRecord(
        child_thread_id=session.session_id,
        parent_thread_id=session.parent_id,
        at=created_at,
        evidence=Evidence(
            proof=Proof.DATABASE if is_database else Proof.FILE,
            rule="session.parent_id" if is_database else "session parentID",
        ),
    )


def _evidence(read: ToldSession) -> Evidence:
    origin = read.context.origin
    if origin is not None and origin.is_stated:
        return Evidence(proof=Proof.DATABASE, rule="session.fork_session_id")
    if read.names_source:
        proof = Proof.DATABASE if isinstance(read.context.place, Database) else Proof.FILE
        return Evidence(proof=proof, rule="copied tasks name the source")
    return Evidence(proof=Proof.INFERRED, rule="copied messages")


def _created_at(read: ToldSession) -> Timestamp:
    session, messages = read.context.session, read.told.messages
    first = messages[0].created if messages else None
    return moment(session.created) or moment(first) or moment(session.updated) or EPOCH


def _agent_role(read: ToldSession) -> str | None:
    """The kind of agent; older versions have it in the title only."""
    session = read.context.session
    match = _AGENT_TITLE.search(session.title or "")
    return session.agent or (match[1] if match is not None else None)
