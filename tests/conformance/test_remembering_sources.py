"""What a store remembers of the sources that threads were read from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import ThreadId
from graph.records import ItemsRecord
from tests.conformance.told import forked, ids, item, spawned, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

A = ThreadId("a")


async def fingerprints(store: ThreadGraph, *names: str) -> dict[str, str | None]:
    """What is remembered of the threads."""
    states = await store.import_states(ids(*names))
    return {thread_id: state.fingerprint for thread_id, state in states.items()}


async def test_a_source_is_remembered_until_the_thread_is_recorded_anew(
    store: ThreadGraph,
) -> None:
    """Whatever the new record says, the source may have been another one."""
    await tell(store, thread("a", digest="d1"), thread("b", digest="d1"))
    await store.remember_sources(dict.fromkeys(ids("a", "b"), "one"))
    remembered = await fingerprints(store, "a", "b")

    await tell(store, thread("a", digest="d2"), thread("b", digest="d1"))

    assert remembered == {"a": "one", "b": "one"}
    assert await fingerprints(store, "a", "b") == {"a": None, "b": "one"}


async def test_remembering_again_replaces(store: ThreadGraph) -> None:
    """The last word counts."""
    await tell(store, thread("a", digest="d1"))
    await store.remember_sources({A: "one"})

    await store.remember_sources({A: "two"})

    assert await fingerprints(store, "a") == {"a": "two"}


async def test_finishing_the_items_anew_forgets_the_source(store: ThreadGraph) -> None:
    """They are those of another state of it."""
    await tell(store, thread("a", digest="d1"))
    await store.remember_sources({A: "one"})

    await store.finish_items(A, count=0, settled=0, digest="d2")

    assert await fingerprints(store, "a") == {"a": None}


async def test_what_is_not_complete_or_not_recorded_is_passed_over(store: ThreadGraph) -> None:
    """Such a source has to be read again; a placeholder has none."""
    parts = ItemsRecord(items=(item("a/0", 0),), complete=False)
    await tell(store, thread("a", items=parts), spawned("b", "placeholder", digest="d1"))

    await store.remember_sources(dict.fromkeys(ids("a", "b", "placeholder", "unknown"), "one"))
    await store.remember_sources({})

    assert await fingerprints(store, "a", "b", "placeholder", "unknown") == {"a": None, "b": "one"}


async def test_remembering_moves_no_revision(store: ThreadGraph) -> None:
    """Nothing that a lineage shows has changed."""
    await tell(store, thread("a", digest="d1"))
    before = await store.threads_by_id([A])

    await store.remember_sources({A: "one"})

    assert await store.threads_by_id([A]) == before


async def test_the_threads_that_edges_lead_to_and_nobody_recorded_are_named(
    store: ThreadGraph,
) -> None:
    """Each once, by id, whatever kinds of edges lead to it."""
    fork = forked("c", "nobody").fork
    await tell(store, spawned("c", "gone", fork=fork), forked("d", "c"), thread("e"))

    states = await store.import_states(ids("c", "d", "e"))

    assert {thread_id: state.unrecorded for thread_id, state in states.items()} == {
        "c": ("gone", "nobody"),
        "d": (),
        "e": (),
    }
