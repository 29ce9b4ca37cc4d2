"""A lineage as lines of text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from msgspec.structs import replace

from cli.tree_drawing import draw_tree
from graph.model import Evidence, Proof, ThreadId, Timestamp
from graph.questions import LineageQuestion
from graph.records import Batch, ForkRecord, ParentRecord, SpawnRecord, ThreadRecord
from tests.conformance.told import handed
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

FILE = Evidence(Proof.FILE, "test")


def thread(thread_id: str, *edges: ForkRecord | SpawnRecord | ParentRecord) -> ThreadRecord:
    """A thread that is named after its id and made in the order of the ids."""
    at = Timestamp(f"2026-11-30T12:00:00.{int(thread_id, 36):06}Z")
    record = ThreadRecord(
        thread_id=ThreadId(thread_id),
        driver="codex",
        provider_instance_id="codex",
        title=f"About {thread_id}",
        created_at=at,
        updated_at=at,
        recency_at=at,
    )
    for edge in edges:
        match edge:
            case ForkRecord():
                record = replace(record, fork=edge)
            case SpawnRecord():
                record = replace(record, spawn=edge)
            case ParentRecord():
                record = replace(record, child_of=edge)
    return record


def fork_of(thread_id: str, *, context_only: bool = False) -> ForkRecord:
    """Forked from that thread."""
    return ForkRecord(
        source_thread_id=ThreadId(thread_id), context_only=context_only, evidence=FILE
    )


def spawned_by(parent: str, child: str, status: str = "open") -> SpawnRecord:
    """Spawned by that thread."""
    return SpawnRecord(
        child_thread_id=ThreadId(child),
        parent_thread_id=ThreadId(parent),
        status=status,
        evidence=FILE,
    )


async def drawn(
    *threads: ThreadRecord, asked: str, width: int = 1_000, max_nodes: int = 1_000
) -> list[str]:
    """The tree of *asked*, without colours."""
    store = MemoryStore()
    await store.record(Batch(threads=threads))
    lineage = await store.lineage(LineageQuestion(thread_id=ThreadId(asked), max_nodes=max_nodes))
    return [line.plain for line in draw_tree(lineage, ThreadId(asked), width=width)]


async def test_a_tree_has_a_line_a_thread_with_why_it_hangs_there() -> None:
    """Parents before children, siblings by creation."""
    lines = await drawn(
        thread("a"),
        thread("b", spawned_by("a", "b", "closed")),
        thread("c", spawned_by("b", "c")),
        thread("d", fork_of("a")),
        replace(
            thread("e", ParentRecord(parent_thread_id=ThreadId("d"), evidence=FILE)),
            agent_role="review",
        ),
        asked="c",
    )

    assert lines == [
        "About a  a",
        "├─ spawn closed  About b  b",
        "│  └─ spawn  About c  c",
        "└─ fork  About d  d",
        "   └─ review  About e  e",
    ]


async def test_a_subagent_shows_the_name_that_its_parent_calls_it_by() -> None:
    """Its title is often that of the task alone."""
    child = replace(thread("b", spawned_by("a", "b")), agent_nickname="Ada")

    lines = await drawn(thread("a"), child, asked="a")

    assert lines[1] == "└─ spawn  Ada: About b  b"


async def test_a_further_edge_is_named_on_the_line() -> None:
    """A spawned thread that copied its parent's context is drawn once."""
    lines = await drawn(
        thread("a"),
        thread("b", spawned_by("a", "b"), fork_of("a", context_only=True)),
        thread("c", spawned_by("a", "c"), fork_of("b")),
        asked="a",
    )

    assert lines == [
        "About a  a",
        "├─ spawn  About b  with a copy of its context  b",
        "└─ spawn  About c  also fork of b  c",
    ]


async def test_a_placeholder_is_drawn_as_not_imported() -> None:
    """Only its id and its place are known."""
    lines = await drawn(thread("b", fork_of("a")), asked="b")

    assert lines == ["not imported  a", "└─ fork  About b  b"]


async def test_a_cycle_is_drawn_once_from_its_root() -> None:
    """Every thread has one line, and drawing ends."""
    lines = await drawn(
        thread("b", spawned_by("c", "b"), fork_of("a")),
        thread("a"),
        thread("c", spawned_by("b", "c")),
        asked="a",
    )

    assert lines == [
        "About a  a",
        "└─ fork  About b  also spawn of c  b",
        "   └─ spawn  About c  c",
    ]


async def test_a_branch_that_is_too_deep_for_the_width_is_counted() -> None:
    """A chain of hundreds must not become one letter a line."""
    chain = [thread("a"), *(thread(b, fork_of(a)) for a, b in pairwise("abcdefgh"))]

    lines = await drawn(*chain, asked="a", width=60 + 2 * 3)

    assert lines == [
        "About a  a",
        "└─ fork  About b  b",
        "   └─ fork  About c  c",
        "      └─ 5 more below: lineage tree c --below",
    ]


async def test_a_chain_of_a_thousand_is_drawn() -> None:
    """Neither deep nor slow recursion."""
    names = [f"t{number:04}" for number in range(1_000)]
    chain = [thread(names[0]), *(thread(b, fork_of(a)) for a, b in pairwise(names))]

    lines = await drawn(*chain, asked=names[0], width=4_000)

    assert len(lines) == 1_000
    assert lines[-1] == f"{'   ' * 998}└─ fork  About t0999  t0999"


async def test_a_title_that_would_move_the_cursor_is_shown_without_that() -> None:
    """What stands in a transcript must not control the terminal."""
    lines = await drawn(replace(thread("a"), title="\x1b[2Jred\talert\nsecond line"), asked="a")

    assert lines == [" [2Jred alert  a"]


async def test_a_hand_off_is_drawn_below_the_thread_that_it_came_from() -> None:
    """In the tree of the other end the other way round; the further ones are named."""
    store = MemoryStore()
    await store.record(
        Batch(
            threads=(thread("a"), thread("b", spawned_by("a", "b")), thread("c")),
            transfers=(handed("1", "b", "c"), handed("2", "a", "c"), handed("3", "a", "a")),
        )
    )

    source = await lines_of(store, "b")
    target = await lines_of(store, "c")

    assert source == [
        "About a  a",
        "├─ spawn  About b  b",
        "└─ handed over to  About c  also handed over from b  c",
    ]
    assert target == [
        "About c  also handed over from b  c",
        "└─ handed over from  About a  a",
        "   └─ spawn  About b  b",
    ]


async def lines_of(store: MemoryStore, thread_id: str) -> list[str]:
    """The lines of the whole tree of a thread."""
    lineage = await store.lineage(LineageQuestion(thread_id=ThreadId(thread_id)))
    return [line.plain for line in draw_tree(lineage, ThreadId(thread_id), width=200)]
