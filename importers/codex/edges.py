"""How a thread hangs together with others: forks, spawns, parents, referenced histories.

Five independent facts; none is taken from another. Where several places tell of one, the best
evidence is taken: the database, then the thread's own meta, then its source, then a rule.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from msgspec.structs import replace

from graph.model import Evidence, Proof, RunId
from graph.records import ForkRecord, HistoryBaseRecord, ParentRecord, SpawnCallRecord, SpawnRecord
from importers.codex.bases import last_turn, run_around, source_turns
from importers.codex.ids import thread_id
from importers.codex.run_ids import named_run_id
from importers.timestamps import timestamp

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import ThreadId, Timestamp
    from importers.codex.bases import BaseTurn
    from importers.codex.context import Context
    from importers.codex.history import History
    from importers.codex.origin import Origin
    from importers.codex.revisions import OutsideBase

BY_DATABASE = Evidence(proof=Proof.DATABASE, rule="thread_spawn_edges")
_BY_PARENT = Evidence(proof=Proof.FILE, rule="session_meta.parent_thread_id")
BY_SOURCE = Evidence(proof=Proof.FILE, rule="source.subagent.thread_spawn")
_BY_FORK_FIELD = Evidence(
    proof=Proof.INFERRED, rule="a subagent's forked_from_id without copied history"
)
_BY_FORKED_FROM = Evidence(proof=Proof.FILE, rule="session_meta.forked_from_id")
_BY_HISTORY_BASE = Evidence(proof=Proof.FILE, rule="session_meta.history_base")

_MANY_PARENT_TURNS = "guardian"
"""One guardian reviews many turns of its parent: none of them made it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edges:
    """What one thread states about others."""

    fork: ForkRecord | None = None
    spawn: SpawnRecord | None = None
    child_of: ParentRecord | None = None
    history_base: HistoryBaseRecord | None = None
    spawn_calls: tuple[SpawnCallRecord, ...] = ()


@dataclass(frozen=True, slots=True)
class _Parent:
    thread_id: ThreadId
    evidence: Evidence


def edges_of(context: Context, history: History, origin: Origin, made: Timestamp) -> Edges:
    """All edges that a thread states; *made* is when it was created."""
    parent = _parent(context, history, origin)
    spawn: SpawnRecord | None = None
    child_of: ParentRecord | None = None
    if parent is not None:
        run = _spawning_run(context, history, origin, parent)
        if origin.spawned or parent.evidence is BY_DATABASE:
            spawn = SpawnRecord(
                child_thread_id=context.thread_id,
                parent_thread_id=parent.thread_id,
                status=context.edge.status if context.edge is not None else "open",
                run_id=run,
                at=made,
                evidence=parent.evidence,
            )
        else:
            child_of = ParentRecord(
                parent_thread_id=parent.thread_id, run_id=run, at=made, evidence=parent.evidence
            )
    return Edges(
        fork=_fork(context, history, origin, made),
        spawn=spawn,
        child_of=child_of,
        history_base=_history_base(context, history),
        spawn_calls=tuple(_spawn_calls(history)),
    )


def _parent(context: Context, history: History, origin: Origin) -> _Parent | None:
    header = history.header
    parent: _Parent | None = None
    if context.edge is not None:
        parent = _Parent(context.edge.parent_thread_id, BY_DATABASE)
    elif header.parent_thread_id:
        parent = _Parent(thread_id(header.parent_thread_id), _BY_PARENT)
    elif origin.parent_thread_id is not None:
        parent = _Parent(origin.parent_thread_id, BY_SOURCE)
    elif header.forked_from_id and _is_overloaded(history, origin):
        parent = _Parent(thread_id(header.forked_from_id), _BY_FORK_FIELD)
    return None if parent is None or parent.thread_id == context.thread_id else parent


def _is_overloaded(history: History, origin: Origin) -> bool:
    """Whether ``forked_from_id`` names a parent: subagents wrote it so in May 2026."""
    header, first = history.header, history.first
    return bool(
        origin.is_subagent
        and header.forked_from_id
        and not header.parent_thread_id
        and header.history_base is None
        and not first.ancestors
        and not history.inherited
    )


def _spawning_run(
    context: Context, history: History, origin: Origin, parent: _Parent
) -> RunId | None:
    """The parent's run that made the thread: the parent of its first own turn."""
    told = history.header.parent_thread_id or origin.parent_thread_id
    if not history.turns or origin.delegate == _MANY_PARENT_TURNS:
        return None
    first = history.turns[0].turn
    if told is None or thread_id(told) != parent.thread_id:
        return None
    if first.parent_turn_id is not None:
        return named_run_id(parent.thread_id, first.parent_turn_id)
    if origin.delegate is None or first.turn_id is None:
        return None
    # Old versions wrote the start of a review's turn into the parent's file only.
    return run_around(first.turn_id, context.parent_files)


def _fork(
    context: Context, history: History, origin: Origin, made: Timestamp
) -> ForkRecord | None:
    header = history.header
    outside = history.revisions.reaches[0].outside
    if header.forked_from_id:
        if _is_overloaded(history, origin):
            return None
        source, evidence = thread_id(header.forked_from_id), _BY_FORKED_FROM
    elif outside is not None:
        source, evidence = _owner_of_base(context, history, outside), _BY_HISTORY_BASE
    else:
        return None
    if source == context.thread_id:
        return None
    row = context.row
    record = ForkRecord(
        source_thread_id=source,
        context_only=origin.is_subagent,
        attached=bool(header.attached_thread or (row and row.attached_thread_parent_id)),
        at=made,
        evidence=evidence,
    )
    if outside is not None:
        return _with_referenced_point(context, history, record, outside)
    return _with_copied_point(context, history, record)


def _with_referenced_point(
    context: Context, history: History, record: ForkRecord, outside: OutsideBase
) -> ForkRecord:
    files = {file.rollout_id: file for file in context.bases}
    point = last_turn(outside, files)
    kept: RunId | None = None
    now = history.revisions.current_reach.outside
    if now is not None and now != outside:
        kept_turn = last_turn(now, files)
        if kept_turn is not None and kept_turn != point:
            kept = _base_run(kept_turn, record.source_thread_id) or RunId("")
    return replace(
        record,
        point_run_id=point.run_id if point is not None else None,
        point_native_turn_id=point.turn_id if point is not None and not point.run_id else None,
        base_rollout_id=outside.rollout_id,
        base_end_ordinal=outside.end_ordinal,
        kept_through_run_id=kept,
    )


def _base_run(turn: BaseTurn, source: ThreadId) -> RunId | None:
    if turn.run_id is not None or turn.turn_id is None:
        return turn.run_id
    return named_run_id(source, turn.turn_id)


def _with_copied_point(context: Context, history: History, record: ForkRecord) -> ForkRecord:
    inherited = history.inherited
    own_from = history.owned(history.first).own_from
    at_copy = [
        turn for turn in inherited if turn.hidden_line is None or turn.hidden_line >= own_from
    ]
    now = [turn for turn in at_copy if turn.hidden_line is None]
    point = (inherited if record.context_only else at_copy)[-1:]
    if not point:
        return replace(record, point_run_id=_cut_run(history, record))
    turn = point[0]
    kept: RunId | None = None
    if len(now) < len(at_copy) and not record.context_only:
        kept = RunId("")
        if now and now[-1].turn_id is not None:
            owner = history.owner_of(now[-1], record.source_thread_id)
            kept = named_run_id(owner, now[-1].turn_id)
    return replace(
        record,
        point_run_id=None
        if turn.turn_id
        else _counted_run(context, record, inherited.index(turn)),
        point_native_turn_id=turn.turn_id,
        kept_through_run_id=kept,
    )


def _cut_run(history: History, record: ForkRecord) -> RunId | None:
    """A spawn that copied no turn was cut in the turn that spawned it."""
    if not record.context_only or not history.turns:
        return None
    turn_id = history.turns[0].turn.parent_turn_id
    return named_run_id(record.source_thread_id, turn_id) if turn_id else None


def _counted_run(context: Context, record: ForkRecord, index: int) -> RunId | None:
    """A copied turn without an id is the source's run at the same place."""
    source = source_turns(context.source_files, record.at)
    runs = source.run_ids if source is not None else ()
    return runs[index] if index < len(runs) else None


def _history_base(context: Context, history: History) -> HistoryBaseRecord | None:
    outside = history.revisions.current_reach.outside
    if outside is None:
        return None
    owner = _owner_of_base(context, history, outside)
    if owner == context.thread_id:
        return None
    return HistoryBaseRecord(
        thread_id=owner, end_ordinal=outside.end_ordinal, evidence=_BY_HISTORY_BASE
    )


def _owner_of_base(context: Context, history: History, outside: OutsideBase) -> ThreadId:
    """The thread of a rollout: by its file, else the fork source, else the rollout's own id."""
    for file in context.bases:
        if file.rollout_id == outside.rollout_id:
            return file.thread_id
    source = history.header.forked_from_id
    return thread_id(source or outside.rollout_id)


def _spawn_calls(history: History) -> Iterator[SpawnCallRecord]:
    for rollout in history.revisions.rollouts:
        own_from = history.owned(rollout).own_from
        for call in rollout.story.spawn_calls.calls:
            run = history.run_of(call.turn)
            if call.line < own_from or run is None or not (call.child or call.path):
                continue
            yield SpawnCallRecord(
                call_id=call.call_id,
                run_id=run,
                child_thread_id=thread_id(call.child) if call.child else None,
                agent_path=call.path,
                at=timestamp(call.at),
            )
