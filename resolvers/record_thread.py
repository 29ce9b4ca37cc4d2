"""Recording a thread that began somewhere else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.errors import BadInput
from graph.model import EdgeKind, Evidence, Proof
from graph.records import Batch, ParentRecord, SpawnRecord, ThreadRecord, WindowRecord
from resolvers.carry_out import carry_out
from resolvers.held_threads import existing, refuse_taken

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from datetime import datetime

    from graph.command_store import CommandGraph, CommandTransaction
    from graph.model import Actor, CapabilityRoot, RunId, ThreadId, Timestamp
    from graph.transfers import Provider
    from resolvers.carry_out import Accepted, Command, Refusal

EVIDENCE = Evidence(Proof.COMMAND, "recordThread")


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentOfThread:
    """What a thread hangs on: the parent that spawned it, or that it reviews or guards."""

    thread_id: ThreadId
    kind: EdgeKind = EdgeKind.SPAWN
    run_id: RunId | None = None
    call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadToRecord:
    """A thread as its application knows it when it begins."""

    thread_id: ThreadId
    provider: Provider | None = None
    model: str | None = None
    title: str | None = None
    history_mode: str | None = None
    thread_source: str | None = None
    service_name: str | None = None
    originator: str | None = None
    session_id: str | None = None
    created_by: Actor | None = None
    cwd: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    agent_path: str | None = None
    selected_capability_roots: tuple[CapabilityRoot, ...] = ()
    initial_window_id: str | None = None
    parent: ParentOfThread | None = None


async def record_thread(
    graph: CommandGraph,
    command: Command,
    thread: ThreadToRecord,
    *,
    clock: Callable[[], datetime],
) -> Accepted | Refusal:
    """Record a thread, and what it hangs on; its id must be free.

    ``BadInput`` for a Codex thread without its first context window, and for a parent of another
    kind than SPAWN and PARENT.
    """
    if thread.provider and thread.provider.driver == "codex" and not thread.initial_window_id:
        raise BadInput("A thread of codex needs the initialWindowId that it began with.")
    if thread.parent and thread.parent.kind not in (EdgeKind.SPAWN, EdgeKind.PARENT):
        raise BadInput("A thread hangs on its parent by SPAWN or PARENT; a fork is forkThread.")
    if thread.parent and thread.parent.thread_id == thread.thread_id:
        raise BadInput("A thread can't be its own parent.")

    async def work(transaction: CommandTransaction, at: Timestamp) -> Mapping[str, Any]:
        parent_id = thread.parent.thread_id if thread.parent else None
        held = await transaction.hold([thread.thread_id, *([parent_id] if parent_id else [])])
        if parent_id is not None:
            existing(held, parent_id)
        refuse_taken(held, thread.thread_id)
        originator = thread.originator or thread.service_name
        if originator is None and parent_id is not None:
            originator = held[parent_id].originator
        await transaction.record(Batch(threads=(_record(thread, originator, at),)))
        return {"threadId": thread.thread_id}

    return await carry_out(graph, command, work, clock=clock)


def _record(thread: ThreadToRecord, originator: str | None, at: Timestamp) -> ThreadRecord:
    parent = thread.parent
    spawn = child_of = None
    if parent is not None and parent.kind is EdgeKind.SPAWN:
        spawn = SpawnRecord(
            child_thread_id=thread.thread_id,
            parent_thread_id=parent.thread_id,
            run_id=parent.run_id,
            call_id=parent.call_id,
            at=at,
            evidence=EVIDENCE,
        )
    elif parent is not None:
        child_of = ParentRecord(
            parent_thread_id=parent.thread_id, run_id=parent.run_id, at=at, evidence=EVIDENCE
        )
    windows: tuple[WindowRecord, ...] = ()
    if thread.initial_window_id is not None:
        first = thread.initial_window_id
        windows = (WindowRecord(number=0, window_id=first, first_window_id=first),)
    return ThreadRecord(
        thread_id=thread.thread_id,
        driver=thread.provider and thread.provider.driver,
        provider_instance_id=thread.provider and thread.provider.instance_id,
        continuation_key=thread.provider and thread.provider.continuation_key,
        title=thread.title,
        model=thread.model,
        history_mode=thread.history_mode,
        thread_source=thread.thread_source,
        originator=originator,
        session_id=thread.session_id,
        created_by=thread.created_by,
        cwd=thread.cwd,
        agent_nickname=thread.agent_nickname,
        agent_role=thread.agent_role,
        agent_path=thread.agent_path,
        selected_capability_roots=thread.selected_capability_roots,
        created_at=at,
        updated_at=at,
        recency_at=at,
        windows=windows,
        spawn=spawn,
        child_of=child_of,
    )
