"""Recording threads: what a record replaces, what it leaves, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from graph.errors import BadInput, IdTooLong
from graph.model import Actor, CapabilityRoot, Thread, ThreadId
from graph.records import Batch, ImportState, ItemsRecord, Recorded, SpawnRecord, ThreadRecord
from tests.conformance.answers import plain
from tests.conformance.told import SEEN, at, forked, ids, item, run, spawned, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

LONG = "x" * 513

FULL = ThreadRecord(
    thread_id=ThreadId("a"),
    native_thread_id="native",
    driver="codex",
    provider_instance_id="work",
    title="A title",
    name="A name",
    preview="The first words",
    model="gpt",
    history_mode="paginated",
    thread_source="user",
    source='{"subagent":"review"}',
    source_kind="subAgentReview",
    originator="codex_cli",
    session_id="a-session",
    created_by=Actor.AGENT,
    cwd="/home/someone",
    git_branch="main",
    git_commit="abc",
    git_repository="git@example.org:x",
    cli_version="0.171.0",
    ephemeral=False,
    memory_mode="disabled",
    multi_agent_version="v2",
    agent_nickname="Nick",
    agent_role="explorer",
    agent_path="/root/explorer",
    selected_capability_roots=(CapabilityRoot(id="plugin@1", environment_id="local", path="/é"),),
    source_file="sessions/a.jsonl",
    created_at=at(1),
    updated_at=at(2),
    recency_at=at(3),
    archived=True,
    archived_at=at(4),
)


async def test_a_recorded_thread_is_read_back_whole(store: ThreadGraph) -> None:
    """Every field of the record is a field of the thread; capability roots as canonical JSON."""
    await tell(store, FULL)

    found = plain(await store.threads_by_id(ids("a")))

    assert found == {
        "a": Thread(
            thread_id=ThreadId("a"),
            recorded=True,
            root_thread_id=ThreadId("a"),
            depth=0,
            native_thread_id="native",
            title="A title",
            name="A name",
            preview="The first words",
            driver="codex",
            provider_instance_id="work",
            model="gpt",
            history_mode="paginated",
            thread_source="user",
            source='{"subagent":"review"}',
            source_kind="subAgentReview",
            originator="codex_cli",
            session_id="a-session",
            created_by=Actor.AGENT,
            cwd="/home/someone",
            git_branch="main",
            git_commit="abc",
            git_repository="git@example.org:x",
            cli_version="0.171.0",
            ephemeral=False,
            memory_mode="disabled",
            multi_agent_version="v2",
            agent_nickname="Nick",
            agent_role="explorer",
            agent_path="/root/explorer",
            selected_capability_roots='[{"environmentId":"local","id":"plugin@1","path":"/é"}]',
            source_file="sessions/a.jsonl",
            created_at=at(1),
            updated_at=at(2),
            recency_at=at(3),
            archived_at=at(4),
        )
    }


async def test_a_later_record_replaces_the_fields_of_the_thread(store: ThreadGraph) -> None:
    """What a later import does not know any more is gone, too."""
    later = thread("a", title="Another title", updated_at=at(9))
    await tell(store, FULL)

    await tell(store, later)

    assert plain(await store.threads_by_id(ids("a"))) == {
        "a": Thread(
            thread_id=ThreadId("a"),
            recorded=True,
            root_thread_id=ThreadId("a"),
            depth=0,
            title="Another title",
            driver="codex",
            provider_instance_id="codex",
            session_id="a",
            created_at=at(0),
            updated_at=at(9),
            recency_at=at(0),
        )
    }


async def test_a_known_digest_changes_nothing(store: ThreadGraph) -> None:
    """The record is not even compared: the digest speaks for it, and no revision moves."""
    await tell(store, thread("a", title="first", digest="d1"), thread("b", digest="d1"))
    before = await store.threads_by_id(ids("a", "b"))

    again = await store.record(
        Batch(threads=(thread("a", title="second", digest="d1"), thread("b", digest="d1")))
    )

    assert again == Recorded(unchanged=2)
    assert await store.threads_by_id(ids("a", "b")) == before


async def test_another_digest_is_written(store: ThreadGraph) -> None:
    """Only what changed is written, the rest of the batch is counted as unchanged."""
    await tell(store, thread("a", digest="d1"), thread("b", digest="d1"))

    again = await store.record(
        Batch(threads=(thread("a", digest="d1"), thread("b", title="new", digest="d2")))
    )

    assert again == Recorded(written=1, unchanged=1)
    assert (await store.threads_by_id(ids("b")))[ThreadId("b")].title == "new"


async def test_an_import_that_is_not_complete_remembers_no_digest(store: ThreadGraph) -> None:
    """Its file has to be read again, wherever the import was cut off."""
    items = ItemsRecord(items=(item("a/0", 0),), settled=1, complete=False)

    await tell(store, thread("a", items=items, digest="d1"))

    assert await store.import_states(ids("a", "b")) == {
        "a": ImportState(
            thread_id=ThreadId("a"), driver="codex", digest=None, item_count=1, settled_items=1
        )
    }


async def test_the_thread_of_another_driver_is_a_conflict(store: ThreadGraph) -> None:
    """It is counted and left out whole; the rest of the batch is written."""
    await tell(store, thread("a", title="of codex"))
    before = await store.threads_by_id(ids("a"))
    claim = spawned("a", "b", driver="pi", title="of pi", runs=(run("a/1", 1),))

    recorded = await store.record(Batch(threads=(claim, thread("c", driver="pi"))))

    assert recorded == Recorded(written=1, conflicts=(ThreadId("a"),))
    assert await store.threads_by_id(ids("a")) == before
    assert await store.count_runs(ids("a"), include_rolled_back=True) == {"a": 0}
    assert set(await store.threads_by_id(ids("a", "b", "c"))) == {"a", "c"}


async def test_the_end_of_an_edge_becomes_a_placeholder(store: ThreadGraph) -> None:
    """It has its id and its place and nothing else, until a record fills it in."""
    await tell(store, spawned("child", "parent"))

    found = plain(await store.threads_by_id(ids("parent", "nobody")))

    assert found == {
        "parent": Thread(
            thread_id=ThreadId("parent"),
            recorded=False,
            root_thread_id=ThreadId("parent"),
            depth=0,
        )
    }
    assert await store.import_states(ids("parent")) == {}


async def test_a_record_fills_a_placeholder_in(store: ThreadGraph) -> None:
    """It keeps its children, and any driver may claim it."""
    await tell(store, spawned("child", "parent"))

    recorded = await store.record(Batch(threads=(thread("parent", driver="pi"),)))

    found = await store.threads_by_id(ids("parent", "child"))
    assert recorded == Recorded(written=1)
    assert found[ThreadId("parent")].recorded
    assert found[ThreadId("parent")].driver == "pi"
    assert found[ThreadId("parent")].session_id == "parent"
    assert found[ThreadId("child")].root_thread_id == "parent"


async def test_an_edge_to_the_thread_itself_is_ignored(store: ThreadGraph) -> None:
    """Also from the batch's own spawns, where it does not even make a placeholder."""
    itself = SpawnRecord(
        child_thread_id=ThreadId("c"), parent_thread_id=ThreadId("c"), evidence=SEEN
    )

    await store.record(Batch(threads=(forked("a", "a"), spawned("b", "b")), spawns=(itself,)))

    found = await store.threads_by_id(ids("a", "b", "c"))
    assert {thread_id: row.parent_thread_id for thread_id, row in found.items()} == {
        "a": None,
        "b": None,
    }


@pytest.mark.parametrize(
    ("record", "name"),
    [
        (thread(LONG), "threadId"),
        (thread("a", runs=(run(LONG, 1),)), "runId"),
        (thread("a", items=ItemsRecord(items=(item(LONG, 0),))), "itemId"),
        (forked("a", LONG), "sourceThreadId"),
        (spawned("a", LONG), "parentThreadId"),
        (thread("é" * 257), "threadId"),
    ],
)
async def test_an_id_over_512_bytes_is_refused(
    store: ThreadGraph, record: ThreadRecord, name: str
) -> None:
    """No index holds it, so nothing of the batch is written."""
    with pytest.raises(IdTooLong) as refused:
        await tell(store, thread("fine"), record)

    assert refused.value.name == name
    assert await store.threads_by_id(ids("fine")) == {}


async def test_an_id_of_512_bytes_is_taken(store: ThreadGraph) -> None:
    """The limit itself is allowed, in every place."""
    long = "x" * 512

    await tell(store, thread(long, runs=(run(long, 1),)), spawned("a", long))

    assert set(await store.threads_by_id([ThreadId(long)])) == {long}


async def test_a_thread_twice_in_a_batch_is_refused(store: ThreadGraph) -> None:
    """Which of the two is meant would be a guess."""
    with pytest.raises(BadInput):
        await tell(store, thread("a", title="one"), thread("a", title="two"))

    assert not await store.has_threads()


async def test_an_empty_batch_changes_nothing(store: ThreadGraph) -> None:
    """Nothing was told."""
    recorded = await store.record(Batch())

    assert recorded == Recorded()
    assert not await store.has_threads()


async def test_recording_a_batch_twice_changes_nothing(store: ThreadGraph) -> None:
    """Not even the spawn edges that stand beside the threads."""
    batch = Batch(
        threads=(
            msgspec.structs.replace(spawned("a", "p"), digest="d"),
            thread("b", digest="d"),
        ),
        spawns=(
            SpawnRecord(
                child_thread_id=ThreadId("b"), parent_thread_id=ThreadId("p"), evidence=SEEN
            ),
        ),
    )
    await store.record(batch)
    before = await store.threads_by_id(ids("a", "b", "p"))

    again = await store.record(batch)

    assert again == Recorded(unchanged=2)
    assert await store.threads_by_id(ids("a", "b", "p")) == before
