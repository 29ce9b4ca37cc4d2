"""The thread that a person means by the beginning of an id."""

from __future__ import annotations

import pytest

from graph.errors import ThreadNotFound
from graph.model import ThreadId, Timestamp
from graph.records import Batch, ThreadRecord
from resolvers.find_thread import AmbiguousThread, find_thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

AT = Timestamp("2026-11-30T12:00:00.000000Z")


@pytest.fixture
async def store() -> MemoryStore:
    """Some threads with ids that begin alike."""
    store = MemoryStore()
    ids = ["ab", "abc", "abd", "x1", *(f"many{number}" for number in range(9))]
    threads = tuple(
        ThreadRecord(
            thread_id=ThreadId(thread_id),
            driver="codex",
            provider_instance_id="codex",
            created_at=AT,
            updated_at=AT,
            recency_at=AT,
        )
        for thread_id in ids
    )
    await store.record(Batch(threads=threads))
    return store


async def test_a_whole_id_is_meant_even_when_others_begin_with_it(store: MemoryStore) -> None:
    """The exact id wins."""
    assert await find_thread(store, "ab") == "ab"


async def test_a_beginning_that_only_one_id_has_is_enough(store: MemoryStore) -> None:
    """Long ids need not be typed."""
    assert await find_thread(store, "x") == "x1"


async def test_a_beginning_that_several_ids_have_names_them(store: MemoryStore) -> None:
    """Nothing is guessed."""
    with pytest.raises(AmbiguousThread) as raised:
        await find_thread(store, "a")

    assert str(raised.value) == "Several threads' ids begin with 'a':\n  ab\n  abc\n  abd"


async def test_of_many_candidates_only_a_few_are_shown(store: MemoryStore) -> None:
    """A screen is not filled."""
    with pytest.raises(AmbiguousThread) as raised:
        await find_thread(store, "many")

    assert str(raised.value).splitlines()[1:] == [
        "  many0",
        "  many1",
        "  many2",
        "  many3",
        "  many4",
        "  …",
    ]


@pytest.mark.parametrize("words", ["nothing", "AB", ""])
async def test_a_thread_that_is_not_there_is_not_found(store: MemoryStore, words: str) -> None:
    """Ids are compared exactly; no words mean no thread."""
    with pytest.raises(ThreadNotFound):
        await find_thread(store, words)
