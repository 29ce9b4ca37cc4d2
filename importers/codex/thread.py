"""From all that is known of a thread to its record: the file's word, the database's, rules.

The file says what a thread is (identity, source, edges); the database, which Codex patches
later, says what it is called and where it stands (title, name, preview, folder, git, archived).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import CapabilityRoot, Timestamp
from graph.records import ThreadRecord
from importers.codex.edges import edges_of
from importers.codex.ids import thread_id
from importers.codex.origin import Origin, origin_of
from importers.codex.runs import runs_of, windows_of
from importers.kept_text import one_line
from importers.timestamps import from_milliseconds, timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable

    from importers.codex.context import Context
    from importers.codex.database import ThreadRow
    from importers.codex.history import History
    from importers.codex.shapes import Git, Meta
    from importers.contract import ReadOptions
    from importers.kept_text import TextKeeper

DRIVER = "codex"
LEGACY = "legacy"
PREVIEW_CHARACTERS = 160
TITLE_CHARACTERS = 500


def thread_record(
    context: Context, history: History, options: ReadOptions, texts: TextKeeper
) -> ThreadRecord:
    """The record of a thread that has files, without its items."""
    header, row = history.header, context.row
    origin = origin_of(header.source)
    created_at = _created_at(context, history)
    readable = history.first.readable
    provider = options.provider or DRIVER
    edges = edges_of(context, history, origin, created_at)
    runs = tuple(
        runs_of(history, driver=DRIVER, provider=provider, created_at=created_at, now=options.now)
        if readable
        else ()
    )
    last_at = max((rollout.last_at or "" for rollout in history.revisions.rollouts), default="")
    updated_at = latest(created_at, last_at, row.updated_at if row else None)
    archived = _is_archived(context, history)
    git = history.revisions.current_rollout.git or history.first.git
    preview = texts.clean(_preview(history, row))
    return ThreadRecord(
        thread_id=context.thread_id,
        native_thread_id=header.id,
        driver=DRIVER,
        provider_instance_id=provider,
        title=told(row.title if row else None, texts),
        name=told((row.name if row else None) or context.name, texts),
        preview=preview or None,
        model=_model(history) or (row.model if row else None),
        history_mode=header.history_mode or LEGACY,
        thread_source=header.thread_source or (row.thread_source if row else None),
        source=origin.text,
        source_kind=origin.kind,
        originator=header.originator or (row.originator if row else None),
        session_id=thread_id(header.session_id) if header.session_id else None,
        created_by=origin.created_by,
        cwd=(row.cwd if row else None) or header.cwd,
        git_branch=(row.git_branch if row else None) or (git.branch if git else None),
        git_commit=(row.git_sha if row else None) or (git.commit_hash if git else None),
        git_repository=_repository(row, git),
        cli_version=header.cli_version or (row.cli_version if row else None),
        ephemeral=False,
        memory_mode=(row.memory_mode if row else None) or _memory_mode(history),
        multi_agent_version=_multi_agent_version(history),
        agent_nickname=header.agent_nickname or origin.agent_nickname,
        agent_role=_agent_role(header, origin, row),
        agent_path=header.agent_path or origin.agent_path,
        selected_capability_roots=_roots(header),
        source_file=_readable(history.revisions.current_rollout.path),
        created_at=created_at,
        updated_at=updated_at,
        recency_at=latest(
            created_at,
            *(run.started_at for run in runs[-1:]),
            row.recency_at if row else None,
        ),
        archived=archived,
        archived_at=_archived_at(row, updated_at) if archived else None,
        unlisted=not preview or (edges.fork is not None and edges.fork.attached),
        runs=runs,
        windows=tuple(windows_of(history)) if readable else (),
        fork=edges.fork,
        spawn=edges.spawn,
        child_of=edges.child_of,
        history_base=edges.history_base,
        spawn_calls=edges.spawn_calls if readable else (),
    )


def latest(*times: str | None) -> Timestamp:
    """The latest of the times that are known; at least one is."""
    return Timestamp(max(at for at in times if at))


def told(text: str | None, texts: TextKeeper) -> str | None:
    """A title or name, when there is one, without secrets and of a sensible length."""
    return texts.clean(text[:TITLE_CHARACTERS]) if text else None


def _created_at(context: Context, history: History) -> Timestamp:
    """When the thread was made, by the best of what is always there in one form or another."""
    file = context.files[0]
    return (
        timestamp(history.header.timestamp)
        or (context.row.created_at if context.row is not None else None)
        or history.first.header_at
        or timestamp(file.stamp)
        or from_milliseconds(file.modified_ns // 1_000_000)
        or Timestamp("1970-01-01T00:00:00.000000Z")
    )


def _readable(path: str) -> str:
    """A path as text that can be kept: not every file name is."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _is_archived(context: Context, history: History) -> bool:
    current = history.revisions.current_rollout.path
    in_folder = any(file.archived for file in context.files if file.path == current)
    return in_folder or (context.row is not None and context.row.archived)


def _archived_at(row: ThreadRow | None, updated_at: Timestamp) -> Timestamp:
    """The archive folder does not say when: then it is the last that is known to have happened."""
    return (row.archived_at if row is not None else None) or updated_at


def _preview(history: History, row: ThreadRow | None) -> str:
    if row is not None and row.preview is not None:
        return one_line(row.preview, PREVIEW_CHARACTERS)
    if row is not None and row.first_user_message:
        return one_line(row.first_user_message, PREVIEW_CHARACTERS)
    for own in history.turns:
        if own.turn.prompt:
            return one_line(own.turn.prompt, PREVIEW_CHARACTERS)
    return ""


def _model(history: History) -> str | None:
    return next((own.turn.model for own in reversed(history.turns) if own.turn.model), None)


def _repository(row: ThreadRow | None, git: Git | None) -> str | None:
    return (row.git_origin_url if row else None) or (git.repository_url if git else None)


def _memory_mode(history: History) -> str | None:
    return _newest(rollout.memory_mode for rollout in history.revisions.rollouts)


def _multi_agent_version(history: History) -> str | None:
    rollouts = history.revisions.rollouts
    return _newest(rollout.multi_agent_version for rollout in rollouts) or _newest(
        rollout.context_multi_agent_version for rollout in rollouts
    )


def _newest(values: Iterable[str | None]) -> str | None:
    newest: str | None = None
    for value in values:
        newest = value or newest
    return newest


def _agent_role(header: Meta, origin: Origin, row: ThreadRow | None) -> str | None:
    return (
        header.agent_role
        or header.agent_type
        or origin.agent_role
        or (row.agent_role if row is not None else None)
        or origin.delegate
    )


def _roots(header: Meta) -> tuple[CapabilityRoot, ...]:
    return tuple(
        CapabilityRoot(
            id=root.id,
            environment_id=root.location.environment_id,
            path=root.location.path,
        )
        for root in header.selected_capability_roots or ()
    )
