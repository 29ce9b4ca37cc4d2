"""All that a person asks first about one thread."""

from __future__ import annotations

import pytest

from graph.errors import ThreadNotFound
from graph.model import EdgeKind, Evidence, Proof, RunId, ThreadId, Timestamp
from graph.records import (
    Batch,
    ForkRecord,
    HistoryBaseRecord,
    RunRecord,
    SpawnRecord,
    ThreadRecord,
)
from resolvers.continue_thread import CannotContinue, ContinueCommand
from resolvers.show_thread import ThreadFacts, show_thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

AT = Timestamp("2026-11-30T12:00:00.000000Z")
FILE = Evidence(Proof.FILE, "test")
ROOT, FORK, CHILD = ThreadId("root"), ThreadId("fork"), ThreadId("child")


def thread(
    thread_id: ThreadId,
    *,
    fork: ForkRecord | None = None,
    spawn: SpawnRecord | None = None,
    base: HistoryBaseRecord | None = None,
) -> ThreadRecord:
    """A thread with two runs."""
    return ThreadRecord(
        thread_id=thread_id,
        driver="codex",
        provider_instance_id="codex",
        created_at=AT,
        updated_at=AT,
        recency_at=AT,
        runs=tuple(
            RunRecord(run_id=RunId(f"{thread_id}/{number}"), status="completed", started_at=AT)
            for number in range(2)
        ),
        fork=fork,
        spawn=spawn,
        history_base=base,
    )


@pytest.fixture
async def store() -> MemoryStore:
    """A root with a fork that goes on from its history, and a child of that fork."""
    store = MemoryStore()
    fork = ForkRecord(source_thread_id=ROOT, point_run_id=RunId("root/0"), evidence=FILE)
    base = HistoryBaseRecord(thread_id=ROOT, evidence=FILE)
    spawn = SpawnRecord(child_thread_id=CHILD, parent_thread_id=FORK, evidence=FILE)
    threads = (thread(ROOT), thread(FORK, fork=fork, base=base), thread(CHILD, spawn=spawn))
    await store.record(Batch(threads=threads))
    return store


def relatives(facts: ThreadFacts) -> tuple[list[tuple[EdgeKind, ThreadId]], ...]:
    """What is above and below, by kind and id."""
    return tuple(
        [(each.edge.kind, each.thread.thread_id) for each in side]
        for side in (facts.above, facts.below)
    )


async def test_a_thread_is_shown_between_what_it_came_from_and_what_came_of_it(
    store: MemoryStore,
) -> None:
    """One level up and down, by what the edges mean."""
    facts = await show_thread(store, FORK)

    assert relatives(facts) == (
        [(EdgeKind.FORK, ROOT), (EdgeKind.HISTORY_BASE, ROOT)],
        [(EdgeKind.SPAWN, CHILD)],
    )
    assert [run.run_id for run in facts.runs] == ["fork/0", "fork/1"]
    assert (facts.run_count, facts.item_count, facts.more_below) == (2, 0, False)
    assert facts.continuation == ContinueCommand("codex resume fork")


async def test_a_root_has_nothing_above_it(store: MemoryStore) -> None:
    """An empty list, no error."""
    facts = await show_thread(store, ROOT)

    assert relatives(facts) == (
        [],
        [(EdgeKind.FORK, FORK), (EdgeKind.HISTORY_BASE, FORK)],
    )


async def test_a_placeholder_is_shown_as_far_as_it_is_known() -> None:
    """Its place in the graph, and that it can't be continued."""
    store = MemoryStore()
    fork = ForkRecord(source_thread_id=ROOT, evidence=FILE)
    await store.record(Batch(threads=(thread(FORK, fork=fork),)))

    facts = await show_thread(store, ROOT)

    assert not facts.thread.recorded
    assert relatives(facts) == ([], [(EdgeKind.FORK, FORK)])
    assert isinstance(facts.continuation, CannotContinue)


async def test_a_thread_that_was_never_seen_is_not_found(store: MemoryStore) -> None:
    """Not even as the end of an edge."""
    with pytest.raises(ThreadNotFound):
        await show_thread(store, ThreadId("nobody"))
