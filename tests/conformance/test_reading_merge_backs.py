"""What a store promises about what forks could bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import (
    RunId,
    SourcePoint,
    ThreadId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.questions import BroughtPosition, MergeBackSums
from graph.records import Batch, ItemsRecord
from graph.transfers import Handoff, HandoffId, HandoffKind, Resolution, Strategy
from tests.conformance.told import (
    at,
    forked,
    handed,
    ids,
    item,
    reviewing,
    run,
    spawned,
    tell,
    thread,
    turned,
)

if TYPE_CHECKING:
    from graph.questions import BroughtItem, Page
    from graph.records import ItemRecord, TransferRecord
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

SOURCE = thread("a", runs=(turned("a", "t1", 1), turned("a", "t2", 2)))


def said(name: str, position: int, turn: str, **known: object) -> ItemRecord:
    """A message of the user in a turn of ``f``."""
    facts = {"role": "user", "text": name, "run_id": RunId(f"f/{turn}"), **known}
    return item(name, position, **facts)


FORK = forked(
    "f",
    of="a",
    point="a/t1",
    runs=(
        turned("f", "t3", 3),
        turned("f", "t4", 4, rolled_back_at=at(9)),
        turned("f", "t5", 5, status="failed"),
        turned("f", "t6", 6, status="cancelled"),
        turned("f", "t7", 7),
        turned("f", "t8", 8, status="interrupted"),
    ),
    items=ItemsRecord(
        items=(
            said("asked", 0, "t3"),
            said("thought", 1, "t3", kind="reasoning", role="assistant"),
            said("told", 2, "t3", role="assistant"),
            said("system", 3, "t3", role="system"),
            said("gone", 4, "t4"),
            said("changed", 5, "t5", kind="file_change", role="tool", text="b.py\na.py"),
            said("ran", 6, "t5", kind="command", role="tool"),
            said("cancelled", 7, "t6"),
            said("planned", 8, "t7", kind="plan"),
            said("again", 9, "t7", kind="file_change", role="tool", text="a.py"),
            said("silent", 10, "t7", text=""),
            said("void", 11, "t7", text=None),
            said("late", 12, "t8"),
            said("elsewhere", 13, "t9"),
        )
    ),
)


def brought(page: Page[BroughtItem]) -> list[str]:
    """The items of a page by name."""
    return [row.item.item_id for row in page.rows]


async def tip(store: ThreadGraph, thread_id: str, run_id: str | None = None) -> str | None:
    """The run up to which a thread brings back what it did."""
    asked = None if run_id is None else RunId(run_id)
    found = await store.merge_back_deltas(ids(thread_id), run_id=asked)
    return found[ThreadId(thread_id)].tip_run_id if found else None


async def test_a_fork_brings_back_its_own_runs_up_to_its_tip(store: ThreadGraph) -> None:
    """From the fork point to the newest stable run, without what was rolled back or cancelled."""
    await tell(store, SOURCE, FORK)

    found = await store.merge_back_deltas(ids("f", "a", "nobody"))

    assert found.keys() == {"f"}
    delta = found[ThreadId("f")]
    assert (delta.fork_thread_id, delta.into_thread_id) == ("f", "a")
    assert delta.base == SourcePoint(thread_id=ThreadId("a"), run_id=RunId("a/t1"))
    assert delta.tip_run_id == "f/t7"
    assert [told.run_id for told in delta.runs] == ["f/t3", "f/t5", "f/t7"]


async def test_only_what_was_said_and_done_comes_back(store: ThreadGraph) -> None:
    """Messages of the two who speak, plans, commands, errors, interrupts and changes of files."""
    await tell(store, SOURCE, FORK)
    tips = [RunId("f/t7"), RunId("f/t3"), RunId("nothing")]

    sums = await store.merge_back_sums(tips)
    pages = await store.merge_back_items(tips, first=3, after=None)
    later = await store.merge_back_items(tips[:1], first=3, after=BroughtPosition(6))

    assert sums == {
        "f/t7": MergeBackSums(item_count=6, files_changed=["a.py", "b.py"]),
        "f/t3": MergeBackSums(item_count=2, files_changed=[]),
    }
    assert {tip: (brought(page), page.has_next) for tip, page in pages.items()} == {
        "f/t7": (["asked", "told", "changed"], True),
        "f/t3": (["asked", "told"], False),
    }
    (page,) = later.values()
    assert brought(page) == ["planned", "again"]
    assert (page.has_next, page.has_previous) == (False, True)


async def test_several_tips_can_be_named_at_once(store: ThreadGraph) -> None:
    """Each with its fork; what is no tip of that fork is absent."""
    other = forked("g", of="a", point="a/t2", runs=(turned("g", "t3", 3), turned("g", "t4", 4)))
    await tell(store, SOURCE, FORK, other)
    f, g = ids("f", "g")
    asked = [(f, RunId("f/t3")), (f, RunId("f/t7")), (g, RunId("g/t3")), (g, RunId("f/t7"))]

    found = await store.merge_back_deltas_to([*asked, (f, RunId("f/t4")), (f, RunId("none"))])

    assert found == {
        (fork, run): (await store.merge_back_deltas([fork], run_id=run))[fork]
        for fork, run in asked[:3]
    }


def carried(name: str, *item_ids: str, **known: object) -> TransferRecord:
    """A merge-back of ``f`` into ``a`` that was consumed and carried these items."""
    handoff = Handoff(
        handoff_id=HandoffId(f"{name} carries"),
        transfer_id=TransferId(name),
        kind=HandoffKind.DELTA_CONTEXT,
        payload="{}",
        text="",
        tokens=0,
        item_ids=item_ids,
        created_at=at(9),
    )
    facts: dict[str, object] = {
        "type": TransferType.MERGE_BACK,
        "status": TransferStatus.CONSUMED,
        "consumed_at": at(9),
        "handoff": handoff,
        "resolution": Resolution(
            strategy=Strategy.DELTA_CONTEXT, handoff_id=HandoffId(f"{name} carries")
        ),
        **known,
    }
    return handed(name, str(facts.pop("of", "f")), str(facts.pop("into", "a")), **facts)


async def test_what_was_delivered_is_counted_apart(store: ThreadGraph) -> None:
    """Each item once; only what a consumed merge-back of the two threads carried is delivered."""
    await tell(store, SOURCE, FORK)
    await store.record(
        Batch(
            transfers=(
                carried("first", "asked", "changed", "late"),
                carried("second", "asked"),
                carried("pending", "told", status=TransferStatus.RESOLVED_PORTABLE),
                carried("elsewhere", "told", into="b"),
                carried("other", "told", type=TransferType.PROVIDER_HANDOFF),
            )
        )
    )
    tips = [RunId("f/t7"), RunId("f/t3")]

    sums = await store.merge_back_sums(tips)
    pages = await store.merge_back_items(tips, first=2, after=None)
    later = await store.merge_back_items(tips[:1], first=9, after=BroughtPosition(2))

    assert sums == {
        "f/t7": MergeBackSums(item_count=4, already_delivered=2, files_changed=["a.py"]),
        "f/t3": MergeBackSums(item_count=1, already_delivered=1, files_changed=[]),
    }
    assert {tip: (brought(page), page.has_next) for tip, page in pages.items()} == {
        "f/t7": (["told", "ran"], True),
        "f/t3": (["told"], False),
    }
    assert brought(later[RunId("f/t7")]) == ["ran", "planned", "again"]


async def test_what_a_run_received_that_was_rolled_back_is_to_deliver_again(
    store: ThreadGraph,
) -> None:
    """A run that is not known counts as kept."""
    gone = turned("a", "t3", 3, rolled_back_at=at(9))
    await tell(store, thread("a", runs=(*SOURCE.runs, gone)), FORK)
    await store.record(
        Batch(
            transfers=(
                carried("gone", "asked", target_run_id=RunId("a/t3")),
                carried("kept", "told", target_run_id=RunId("a/t2")),
                carried("unseen", "planned", target_run_id=RunId("a/t9")),
            )
        )
    )

    sums = await store.merge_back_sums([RunId("f/t7")])

    assert sums[RunId("f/t7")].already_delivered == 2


async def test_what_was_delivered_to_a_fork_comes_along(store: ThreadGraph) -> None:
    """Before what was said in the run that received it, each item once, in pages as in one.

    What a run received that is no part of the conversation, or behind the tip, does not come.
    """
    fork = forked(
        "f",
        of="a",
        point="a/t1",
        runs=(
            *(turned("f", f"t{second}", second) for second in (3, 5, 6, 7)),
            turned("f", "t4", 4, rolled_back_at=at(9)),
        ),
        items=ItemsRecord(
            items=(said("one", 0, "t3"), said("two", 1, "t5"), said("three", 2, "t7"))
        ),
    )
    file = item("file", 6, kind="file_change", text="g.py")
    told = (*(item(f"g{n}", n, role="user", text=f"g{n}") for n in range(6)), file)
    await tell(store, SOURCE, fork, forked("g", of="f", items=ItemsRecord(items=told)))

    def received(name: str, turn: str, *item_ids: str, second: int = 0) -> TransferRecord:
        run_id = RunId(f"f/{turn}")
        edge = {"of": "g", "into": "f", "target_run_id": run_id, "created_at": at(second)}
        return carried(name, *item_ids, **edge)

    await store.record(
        Batch(
            transfers=(
                received("b", "t5", "g2", "g1"),
                received("a", "t5", "file", "g2", "lost", "one", second=1),
                received("c", "t6", "g3"),
                received("d", "t4", "g4"),
                received("e", "t7", "g5"),
                carried("delivered", "g1", "two"),
            )
        )
    )
    tips = [RunId("f/t7"), RunId("f/t6")]

    sums = await store.merge_back_sums(tips)
    pages = await store.merge_back_items(tips, first=99, after=None)
    paged: list[str] = []
    after: BroughtPosition | None = None
    for place in range(6):
        page = (await store.merge_back_items(tips[:1], first=1, after=after))[tips[0]]
        assert (page.has_previous, page.has_next) == (place > 0, place < 5)
        paged += brought(page)
        after = page.rows[0].place

    assert {tip: brought(page) for tip, page in pages.items()} == {
        "f/t7": ["one", "g2", "file", "g5", "three", "g3"],
        "f/t6": ["one", "g2", "file", "g3"],
    }
    assert paged == brought(pages[tips[0]])
    assert sums == {
        "f/t7": MergeBackSums(item_count=6, already_delivered=2, files_changed=["g.py"]),
        "f/t6": MergeBackSums(item_count=4, already_delivered=2, files_changed=["g.py"]),
    }


async def test_a_tip_can_be_named(store: ThreadGraph) -> None:
    """It has to be the fork's own, completed or waiting, and not rolled back."""
    waiting = turned("f", "t9", 9, status="waiting")
    await tell(store, SOURCE, forked("f", of="a", point="a/t1", runs=(*FORK.runs, waiting)))

    named = [await tip(store, "f", f"f/t{number}") for number in range(3, 10)]

    assert named == ["f/t3", None, None, None, "f/t7", None, "f/t9"]
    assert await tip(store, "f", "a/t1") is None
    assert await tip(store, "f", "nothing") is None


async def test_without_a_stable_run_there_is_nothing_to_bring_back(store: ThreadGraph) -> None:
    """While a run is active, without a completed one, and without the tool's name for it."""
    await tell(
        store,
        SOURCE,
        forked("active", of="a", point="a/t1", runs=(turned("active", "t3", 3),)),
        forked("failed", of="a", point="a/t1", runs=(turned("failed", "t4", 4, status="failed"),)),
        forked("nameless", of="a", point="a/t1", runs=(run("nameless/line-1", 5),)),
        forked("empty", of="a", point="a/t1"),
    )
    before = await tip(store, "active")
    running = turned("active", "t6", 6, status="running")
    await tell(store, forked("active", of="a", point="a/t1", runs=(running,)))

    assert before == "active/t3"
    for name in ("active", "failed", "nameless", "empty"):
        assert await tip(store, name) is None


async def test_only_a_fork_with_a_known_point_brings_back(store: ThreadGraph) -> None:
    """Not a spawn, also one that copied its parent's context, a review, or an unknown point."""
    copied = forked("x", of="a", point="a/t1", edge={"context_only": True}).fork
    await tell(
        store,
        SOURCE,
        spawned("s", by="a", fork=copied, runs=(turned("s", "t3", 3),)),
        reviewing("r", of="a", runs=(turned("r", "t4", 4),)),
        forked("p", of="a", runs=(turned("p", "t5", 5),)),
        forked("u", of="unseen", point="unseen/t1", runs=(turned("u", "t6", 6),)),
    )

    found = await store.merge_back_deltas(ids("s", "r", "p", "u", "unseen"))

    assert found.keys() == {"u"}
    assert found[ThreadId("u")].base == SourcePoint(
        thread_id=ThreadId("unseen"), run_id=RunId("unseen/t1")
    )
