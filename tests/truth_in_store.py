"""What a store tells of a sample home, in the facts that the truth is told in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.model import EdgeKind, RunKind, Thread, ThreadId
from graph.questions import LineageDirection, LineageQuestion
from tests.truth import ForkFact, ParentFact, RunFact, ThreadFact

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.store import ThreadGraph

FOLLOWED = 1_000


async def observed(store: ThreadGraph, thread_ids: Sequence[str]) -> dict[str, ThreadFact]:
    """What a store tells of the threads, in the words of the truth; absent ones are left out."""
    ids = [ThreadId(thread_id) for thread_id in thread_ids]
    threads = await store.threads_by_id(ids)
    parents = await _parents(store, threads)
    forks = await store.fork_origins(ids)
    runs = await store.runs(ids, include_rolled_back=True, first=FOLLOWED, after=None)
    history = await store.history(ids, include_rolled_back=True, first=FOLLOWED, after=None)
    windows = await store.context_windows(ids)
    facts: dict[str, ThreadFact] = {}
    for thread_id in ids:
        thread = threads.get(thread_id)
        if thread is None or not thread.recorded:
            continue
        fork = forks.get(thread_id)
        facts[thread_id] = ThreadFact(
            archived=thread.archived_at is not None,
            history_mode=thread.history_mode or "",
            session_id=thread.session_id or "",
            parent=parents.get(thread_id),
            fork=ForkFact(
                source_thread_id=fork.thread_id,
                point_run_id=fork.point.run_id if fork.point is not None else None,
                context_only=fork.context_only,
                attached=fork.attached,
            )
            if fork is not None
            else None,
            attached_to=thread.attached_to_thread_id,
            runs=tuple(
                RunFact(
                    run_id=run.run_id,
                    status=run.status,
                    rolled_back=run.rolled_back_at is not None,
                    compaction=run.kind is RunKind.COMPACTION,
                    root_run_id=run.root_run_id,
                    parent_run_id=run.parent_run_id,
                )
                for run in runs[thread_id].rows
            ),
            inherited=tuple(
                row.run.run_id for row in history[thread_id].rows if row.run.thread_id != thread_id
            ),
            compactions=tuple(
                (window.run_id or "", window.rolled_back)
                for window in windows[thread_id]
                if window.number > 0
            ),
        )
    return facts


async def _parents(
    store: ThreadGraph, threads: Mapping[ThreadId, Thread]
) -> dict[ThreadId, ParentFact]:
    above = {
        thread.agent_parent_thread_id
        for thread in threads.values()
        if thread.agent_parent_thread_id is not None
    }
    spawns = await store.spawn_edges(sorted(above), status=None, first=FOLLOWED, after=None)
    facts = {
        edge.child_thread_id: ParentFact(
            kind=EdgeKind.SPAWN,
            thread_id=edge.parent_thread_id,
            run_id=edge.run_id,
            call_id=edge.call_id,
            status=edge.status,
        )
        for page in spawns.values()
        for edge in page.rows
    }
    for thread_id, thread in threads.items():
        parent = thread.agent_parent_thread_id
        if parent is not None and thread_id not in facts:
            facts[thread_id] = ParentFact(
                kind=EdgeKind.PARENT,
                thread_id=parent,
                run_id=await _parent_run(store, parent, thread_id),
                call_id=None,
                status=None,
            )
    return facts


async def _parent_run(store: ThreadGraph, parent: ThreadId, child: ThreadId) -> str | None:
    graph = await store.lineage(
        LineageQuestion(thread_id=parent, direction=LineageDirection.DESCENDANTS, max_depth=1)
    )
    return next(
        (
            edge.run_id
            for edge in graph.edges
            if edge.kind is EdgeKind.PARENT and edge.to_thread_id == child
        ),
        None,
    )
