"""What a store promises about recording transfers: ends, repeats, proofs and revisions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from graph.errors import BadInput, IdTooLong
from graph.model import (
    Actor,
    Evidence,
    NativeRef,
    Proof,
    RunId,
    SourcePoint,
    Strength,
    ThreadId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.questions import LineageQuestion, ThreadTransfersQuestion
from graph.records import Batch, TransferRecord
from graph.transfers import (
    Handoff,
    HandoffId,
    HandoffKind,
    Provider,
    Resolution,
    Strategy,
    Transfer,
    TransferStep,
)
from tests.conformance.told import SEEN, at, forked, handed, ids, run, spawned, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

ONE = TransferId("one")


async def hand(store: ThreadGraph, *transfers: TransferRecord) -> None:
    """Record transfers, in one batch."""
    await store.record(Batch(transfers=transfers))


async def versions(store: ThreadGraph, *thread_ids: str) -> list[str]:
    """The versions of the trees of threads."""
    asked = [LineageQuestion(thread_id=ThreadId(thread_id)) for thread_id in thread_ids]
    return [(await store.lineage(question)).version for question in asked]


async def changed(store: ThreadGraph, batch: Batch, *thread_ids: str) -> list[bool]:
    """Whether the trees of threads are others after a batch."""
    before = await versions(store, *thread_ids)
    await store.record(batch)
    after = await versions(store, *thread_ids)
    return [one != other for one, other in zip(before, after, strict=True)]


async def test_a_transfer_is_read_as_it_was_told(store: ThreadGraph) -> None:
    """With its points, providers, resolution and steps; what it carries is read apart."""
    point = SourcePoint(
        thread_id=ThreadId("a"),
        run_id=RunId("a/1"),
        native_turn_ref=NativeRef(driver="codex", native_id="1", strength=Strength.STRONG),
    )
    base = SourcePoint(thread_id=ThreadId("a"), run_id=RunId("a/0"))
    provider = Provider(instance_id="work", driver="codex", continuation_key="key")
    resolution = Resolution(
        strategy=Strategy.DELTA_CONTEXT,
        native_thread_ref=NativeRef(driver="codex", native_id="n", strength=Strength.WEAK),
        handoff_id=HandoffId("h"),
    )
    handoff = Handoff(
        handoff_id=HandoffId("h"),
        transfer_id=ONE,
        kind=HandoffKind.DELTA_CONTEXT,
        payload='{"messages":[]}',
        text="nothing",
        tokens=2,
        item_ids=("i1", "i2"),
        created_at=at(3),
    )
    steps = (
        TransferStep(status=TransferStatus.PENDING, at=at(2)),
        TransferStep(
            status=TransferStatus.RESOLVED_PORTABLE, at=at(4), run_id=RunId("b/1"), reason="why"
        ),
    )
    told = TransferRecord(
        transfer_id=ONE,
        type=TransferType.MERGE_BACK,
        status=TransferStatus.RESOLVED_PORTABLE,
        source_thread_id=ThreadId("a"),
        target_thread_id=ThreadId("b"),
        source_point=point,
        base_point=base,
        source_provider=provider,
        target_provider=provider,
        target_run_id=RunId("b/1"),
        replaces=TransferId("zero"),
        evidence=SEEN,
        created_by=Actor.USER,
        created_at=at(2),
        error="an error",
        resolution=resolution,
        handoff=handoff,
        task="a task",
        result_text="a result",
        outcome="completed",
        steps=steps,
    )

    await tell(store, thread("a", runs=(run("a/1", 1),)), thread("b", runs=(run("b/1", 2),)))
    await hand(store, told)

    assert await store.transfers_by_id([ONE, TransferId("unknown")]) == {
        ONE: Transfer(
            transfer_id=ONE,
            type=TransferType.MERGE_BACK,
            status=TransferStatus.RESOLVED_PORTABLE,
            source_thread_id=ThreadId("a"),
            target_thread_id=ThreadId("b"),
            source_point=point,
            base_point=base,
            source_provider=provider,
            target_provider=provider,
            target_run_id=RunId("b/1"),
            replaces=TransferId("zero"),
            evidence=str(SEEN),
            created_by=Actor.USER,
            created_at=at(2),
            updated_at=at(4),
            error="an error",
            resolution=resolution,
            task="a task",
            result_text="a result",
            outcome="completed",
            steps=steps,
        )
    }
    assert await store.handoffs([ONE, TransferId("unknown")]) == {ONE: handoff}


async def test_a_transfer_without_steps_has_one(store: ThreadGraph) -> None:
    """Its status, taken when it was consumed."""
    await hand(store, handed("one", "a", "b", consumed_at=at(5)))

    [transfer] = (await store.transfers_by_id([ONE])).values()
    assert transfer.steps == (TransferStep(status=TransferStatus.CONSUMED, at=at(5)),)
    assert transfer.updated_at == at(5)


async def test_an_end_that_is_not_there_is_a_placeholder(store: ThreadGraph) -> None:
    """It has a place of its own and is filled in when it is told."""
    await hand(store, handed("one", "a", "b"))

    threads = await store.threads_by_id(ids("a", "b"))
    assert {at: (row.recorded, row.root_thread_id) for at, row in threads.items()} == {
        "a": (False, "a"),
        "b": (False, "b"),
    }

    await tell(store, thread("a", title="told"))
    threads = await store.threads_by_id(ids("a"))
    assert [(row.recorded, row.title) for row in threads.values()] == [(True, "told")]


async def test_the_same_transfer_again_changes_nothing(store: ThreadGraph) -> None:
    """No revision moves."""
    await hand(store, handed("one", "a", "b"))

    again = await changed(store, Batch(transfers=(handed("one", "a", "b"),)), "a", "b")

    assert again == [False, False]


async def test_a_transfer_changes_the_trees_of_both_ends(store: ThreadGraph) -> None:
    """Those of threads far below a root, too, and no other tree."""
    await tell(store, thread("a"), spawned("b", by="a"), thread("c"), forked("d", of="c"))
    await tell(store, thread("e"))

    both = await changed(store, Batch(transfers=(handed("one", "b", "d"),)), "a", "c", "e")

    assert both == [True, True, False]


async def test_a_transfer_can_get_other_ends(store: ThreadGraph) -> None:
    """A record of the same proof replaces it whole; the trees of all four ends change."""
    await hand(store, handed("one", "a", "b"))
    await tell(store, thread("c"), thread("d"))

    moved = await changed(store, Batch(transfers=(handed("one", "c", "d"),)), "a", "b", "c", "d")

    assert moved == [True, True, True, True]
    [transfer] = (await store.transfers_by_id([ONE])).values()
    assert (transfer.source_thread_id, transfer.target_thread_id) == ("c", "d")
    found = await store.count_thread_transfers(ids("a", "c"), ThreadTransfersQuestion())
    assert found == {"a": 0, "c": 1}


async def test_a_weaker_proof_replaces_no_transfer(store: ThreadGraph) -> None:
    """Neither the transfer nor a revision changes."""
    told = handed("one", "a", "b", evidence=Evidence(Proof.COMMAND, "said"))
    guessed = handed("one", "a", "b", evidence=Evidence(Proof.INFERRED, "guessed"))
    await hand(store, told)

    weaker = await changed(store, Batch(transfers=(guessed,)), "a", "b")

    assert weaker == [False, False]
    [transfer] = (await store.transfers_by_id([ONE])).values()
    assert transfer.evidence == "command: said"


async def test_a_thread_changes_the_tree_that_a_hand_off_shows_it_in(store: ThreadGraph) -> None:
    """The other end of a hand-off is part of both trees; what else is below it is not."""
    await tell(store, thread("a"), thread("b"), spawned("c", by="b"))
    await hand(store, handed("one", "a", "b"))

    end = await changed(store, Batch(threads=(thread("b", title="new"),)), "a", "b")
    below = await changed(store, Batch(threads=(spawned("c", by="b", title="new"),)), "a", "b")

    assert end == [True, True]
    assert below == [False, True]


async def test_a_thread_can_hand_over_to_itself(store: ThreadGraph) -> None:
    """It goes in and out, and stands once in a list of both."""
    await tell(store, thread("a"))

    itself = await changed(store, Batch(transfers=(handed("one", "a", "a"),)), "a")

    assert itself == [True]
    found = await store.count_thread_transfers(ids("a"), ThreadTransfersQuestion())
    assert found == {"a": 1}


async def test_a_transfer_stands_once_in_a_batch(store: ThreadGraph) -> None:
    """``BadInput``, and nothing is written."""
    with pytest.raises(BadInput):
        await hand(store, handed("one", "a", "b"), handed("one", "a", "c"))

    assert await store.threads_by_id(ids("a")) == {}


@pytest.mark.parametrize("field", ["transfer_id", "source_thread_id", "target_thread_id"])
async def test_an_id_that_is_too_long_is_refused(store: ThreadGraph, field: str) -> None:
    """Before anything is written."""
    with pytest.raises(IdTooLong):
        await hand(store, replace(handed("one", "a", "b"), **{field: "x" * 513}))

    assert await store.threads_by_id(ids("a", "b")) == {}
