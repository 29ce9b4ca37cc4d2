"""Generated threads: a wide family, a long chain and a small one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from graph.model import Evidence, Proof, ThreadId, Timestamp
from graph.records import Batch, ForkRecord, SpawnRecord, ThreadRecord
from graph.store import ThreadGraph

EVIDENCE = Evidence(Proof.FILE, "generated")
BATCH = 2_000


def wide(descendants: int) -> Iterator[ThreadRecord]:
    """A root with *descendants* below it: children, each with nine of its own."""
    root = ThreadId("wide")
    yield thread(root)
    for number in range(descendants):
        first = number - number % 10
        above = root if number == first else ThreadId(f"wide-{first:06}")
        yield thread(ThreadId(f"wide-{number:06}"), spawned_by=above)


def chain(depth: int) -> Iterator[ThreadRecord]:
    """Forks of forks, *depth* of them below the first thread."""
    yield thread(ThreadId("chain-000000"))
    for number in range(1, depth + 1):
        above = ThreadId(f"chain-{number - 1:06}")
        yield thread(ThreadId(f"chain-{number:06}"), forked_from=above)


def family(number: int, children: int = 5) -> Iterator[ThreadRecord]:
    """A parent, a child of it and that child's *children*."""
    parent = ThreadId(f"family-{number}")
    middle = ThreadId(f"family-{number}-middle")
    yield thread(parent)
    yield thread(middle, spawned_by=parent)
    for child in range(children):
        yield thread(ThreadId(f"family-{number}-child-{child}"), spawned_by=middle)


def thread(
    thread_id: ThreadId,
    *,
    spawned_by: ThreadId | None = None,
    forked_from: ThreadId | None = None,
) -> ThreadRecord:
    """A thread with the fields that a list shows, below whatever is given."""
    at = Timestamp("2026-11-30T12:40:56.335766Z")
    spawn = fork = None
    if spawned_by is not None:
        spawn = SpawnRecord(
            child_thread_id=thread_id, parent_thread_id=spawned_by, evidence=EVIDENCE
        )
    if forked_from is not None:
        fork = ForkRecord(source_thread_id=forked_from, evidence=EVIDENCE)
    return ThreadRecord(
        thread_id=thread_id,
        driver="codex",
        provider_instance_id="codex",
        title=f"Title of {thread_id}",
        model="gpt-6",
        source_kind="cli",
        cwd="/home/dev/project",
        created_at=at,
        updated_at=at,
        recency_at=at,
        spawn=spawn,
        fork=fork,
    )


async def record_all(graph: ThreadGraph, threads: Iterator[ThreadRecord]) -> None:
    """Record the threads in batches, parents before children as they come."""
    some: list[ThreadRecord] = []
    for one in threads:
        some.append(one)
        if len(some) == BATCH:
            await _record(graph, some)
            some = []
    await _record(graph, some)


async def _record(graph: ThreadGraph, threads: Sequence[ThreadRecord]) -> None:
    if threads:
        await graph.record(Batch(threads=tuple(threads)))
