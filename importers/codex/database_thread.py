"""The record of a thread of which only the database tells: its file was lost or not yet made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import Evidence, Proof, Timestamp
from graph.records import ForkRecord, SpawnRecord, ThreadRecord
from importers.codex.edges import BY_DATABASE, BY_SOURCE
from importers.codex.ids import thread_id
from importers.codex.origin import Origin, origin_of
from importers.codex.thread import DRIVER, LEGACY, PREVIEW_CHARACTERS, latest, told
from importers.kept_text import one_line

if TYPE_CHECKING:
    from importers.codex.context import Context
    from importers.codex.database import ThreadRow
    from importers.contract import ReadOptions
    from importers.kept_text import TextKeeper

_NEVER = Timestamp("1970-01-01T00:00:00.000000Z")
_BY_ATTACHMENT = Evidence(proof=Proof.DATABASE, rule="threads.attached_thread_parent_id")


def database_thread(
    context: Context, row: ThreadRow, options: ReadOptions, texts: TextKeeper
) -> ThreadRecord:
    """The record of a thread that has no file: its facts and edges, without runs and items."""
    origin = origin_of(row.source)
    created_at = row.created_at or row.updated_at or _NEVER
    updated_at = latest(created_at, row.updated_at)
    preview = texts.clean(
        one_line(row.preview or row.first_user_message or "", PREVIEW_CHARACTERS)
    )
    return ThreadRecord(
        thread_id=context.thread_id,
        native_thread_id=context.thread_id,
        driver=DRIVER,
        provider_instance_id=options.provider or DRIVER,
        title=told(row.title, texts),
        name=told(row.name or context.name, texts),
        preview=preview or None,
        model=row.model,
        history_mode=row.history_mode or LEGACY,
        thread_source=row.thread_source,
        source=origin.text,
        source_kind=origin.kind,
        originator=row.originator,
        created_by=origin.created_by,
        cwd=row.cwd,
        git_branch=row.git_branch,
        git_commit=row.git_sha,
        git_repository=row.git_origin_url,
        cli_version=row.cli_version,
        ephemeral=False,
        memory_mode=row.memory_mode,
        agent_nickname=row.agent_nickname or origin.agent_nickname,
        agent_role=row.agent_role or origin.agent_role or origin.delegate,
        agent_path=row.agent_path or origin.agent_path,
        created_at=created_at,
        updated_at=updated_at,
        recency_at=latest(created_at, row.recency_at),
        archived=row.archived,
        archived_at=(row.archived_at or updated_at) if row.archived else None,
        unlisted=not preview or row.attached_thread_parent_id is not None,
        fork=_attachment(context, row, created_at),
        spawn=_spawn(context, origin, created_at),
    )


def _spawn(context: Context, origin: Origin, made: Timestamp) -> SpawnRecord | None:
    edge = context.edge
    parent = edge.parent_thread_id if edge is not None else origin.parent_thread_id
    if parent is None or parent == context.thread_id:
        return None
    return SpawnRecord(
        child_thread_id=context.thread_id,
        parent_thread_id=parent,
        status=edge.status if edge is not None else "open",
        at=made,
        evidence=BY_SOURCE if edge is None else BY_DATABASE,
    )


def _attachment(context: Context, row: ThreadRow, made: Timestamp) -> ForkRecord | None:
    if not row.attached_thread_parent_id:
        return None
    owner = thread_id(row.attached_thread_parent_id)
    if owner == context.thread_id:
        return None
    return ForkRecord(source_thread_id=owner, attached=True, at=made, evidence=_BY_ATTACHMENT)
