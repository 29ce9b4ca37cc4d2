"""Threads with their nearest relatives, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.errors import BadInput
from graph.model import EdgeKind, Thread, ThreadId
from graph.questions import ChildrenQuestion, FamilyLevel, FamilyQuestion
from graph.records import Batch
from tests.conformance.answers import plain
from tests.conformance.told import forked, ids, spawned, thread

if TYPE_CHECKING:
    from collections.abc import Collection

    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

EVERY_FIELD = Thread.__struct_fields__


async def composed(
    store: ThreadGraph, thread_ids: Collection[ThreadId], question: FamilyQuestion
) -> object:
    """What the single methods answer to the same question."""
    threads = await store.threads_by_id(thread_ids)
    parents = [row.parent_thread_id for row in threads.values() if row.parent_thread_id]
    roots = [row.root_thread_id for row in threads.values()]
    owners, levels = list(threads), list[object]()
    for level in question.levels:
        pages = await store.children(owners, level.children)
        levels.append(pages)
        owners = [row.thread_id for page in pages.values() for row in page.rows]
    return plain(
        {
            "threads": threads,
            "parents": {} if question.parent is None else await store.threads_by_id(parents),
            "roots": {} if question.root is None else await store.threads_by_id(roots),
            "levels": levels,
        }
    )


async def at_once(
    store: ThreadGraph, thread_ids: Collection[ThreadId], question: FamilyQuestion
) -> object:
    """What a family answers, as plain values."""
    family = await store.family(thread_ids, question)
    return plain(
        {
            "threads": family.threads,
            "parents": family.parents,
            "roots": family.roots,
            "levels": family.levels,
        }
    )


def children(*kinds: EdgeKind, first: int = 50) -> FamilyLevel:
    """A level of children with all their fields."""
    asked = ChildrenQuestion(kinds=kinds or ChildrenQuestion().kinds, first=first)
    return FamilyLevel(children=asked, fields=EVERY_FIELD)


async def tell(store: ThreadGraph) -> None:
    """Nine generations, of which the second has two threads that share a child."""
    line = [spawned(f"g{n}", by=f"g{n - 1}") for n in range(2, 10)]
    both = forked("both", of="g1")
    shared = spawned("shared", by="g1")
    await store.record(
        Batch(
            threads=(
                thread("g0"),
                spawned("g1", by="g0"),
                forked("other", of="g0"),
                *line,
                both,
                shared,
                spawned("common", by="g1", status="closed"),
                forked("common-fork", of="other"),
            )
        )
    )


async def test_a_family_is_what_the_single_methods_answer(store: ThreadGraph) -> None:
    """Eight levels, each with its own kinds and length; unknown threads are left out."""
    await tell(store)
    question = FamilyQuestion(
        fields=EVERY_FIELD,
        parent=EVERY_FIELD,
        root=EVERY_FIELD,
        levels=[children(first=1), children(first=2), children(EdgeKind.SPAWN)] + [children()] * 5,
    )
    asked = ids("g0", "g1", "other", "unknown")

    assert await at_once(store, asked, question) == await composed(store, asked, question)


async def test_a_child_of_several_threads_is_there_for_each(store: ThreadGraph) -> None:
    """A thread that two of a level have spawned and forked owns its children once."""
    await store.record(
        Batch(
            threads=(
                thread("top"),
                spawned("left", by="top"),
                spawned("right", by="top"),
                spawned("child", by="left", fork=forked("child", of="right").fork),
                spawned("below", by="child"),
            )
        )
    )
    question = FamilyQuestion(fields=(), levels=[children(), children(), children()])

    family = await store.family(ids("top"), question)

    assert [
        {owner: [row.thread_id for row in page.rows] for owner, page in level.items()}
        for level in family.levels
    ] == [
        {"top": ["left", "right"]},
        {"left": ["child"], "right": ["child"]},
        {"child": ["below"]},
    ]


async def test_each_part_carries_its_own_fields(store: ThreadGraph) -> None:
    """The title of the parent, the depth of the children, and only what is asked."""
    await store.record(
        Batch(
            threads=(
                thread("top", title="The top"),
                spawned("middle", by="top", title="The middle"),
                spawned("low", by="middle", title="The low"),
            )
        )
    )
    question = FamilyQuestion(
        fields=("title",),
        parent=("title",),
        levels=[FamilyLevel(children=ChildrenQuestion(), fields=("depth",))],
    )

    family = await store.family(ids("middle"), question)

    assert [row.title for row in family.threads.values()] == ["The middle"]
    assert {key: row.title for key, row in family.parents.items()} == {"top": "The top"}
    (page,) = family.levels[0].values()
    assert [(row.thread_id, row.depth, row.title) for row in page.rows] == [("low", 2, None)]
    assert family.roots == {}


async def test_a_family_has_bounds(store: ThreadGraph) -> None:
    """Nine levels are refused, and so is a level that begins at a place."""
    nine = FamilyQuestion(fields=(), levels=[children()] * 9)
    placed = FamilyLevel(children=ChildrenQuestion(after=ThreadId("x")), fields=())

    for question in (nine, FamilyQuestion(fields=(), levels=[placed])):
        with pytest.raises(BadInput):
            await store.family(ids("top"), question)
