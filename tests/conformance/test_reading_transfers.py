"""What a store promises about reading transfers, and about their edges in a lineage."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from graph.model import (
    EdgeKind,
    LineageEdge,
    RunId,
    SourcePoint,
    ThreadId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.questions import (
    Direction,
    LineageDirection,
    LineageQuestion,
    ThreadTransfersQuestion,
    TransferFilter,
    TransferPosition,
    TransfersQuestion,
    Truncation,
    TruncationReason,
)
from graph.records import Batch
from tests.conformance.told import (
    SEEN,
    at,
    forked,
    handed,
    ids,
    names,
    run,
    spawned,
    tell,
    thread,
)

if TYPE_CHECKING:
    from graph.questions import LineageGraph, Page
    from graph.store import ThreadGraph
    from graph.transfers import Transfer

pytestmark = pytest.mark.anyio

PENDING, CONSUMED = TransferStatus.PENDING, TransferStatus.CONSUMED
HANDED = (
    handed("t3", "a", "b", created_at=at(1)),
    handed("t1", "b", "a", created_at=at(2), status=PENDING, type=TransferType.MERGE_BACK),
    handed("t2", "a", "a", created_at=at(2)),
    handed("t4", "c", "b", created_at=at(3)),
)
"""In order: t3, t1, t2, t4."""


def told(page: Page[Transfer]) -> tuple[list[str], bool, bool]:
    """The ids of a page's transfers, and whether there are rows after and before it."""
    return [row.transfer_id for row in page.rows], page.has_next, page.has_previous


FILTERS: list[tuple[TransferFilter, list[str]]] = [
    (TransferFilter(), ["t3", "t1", "t2", "t4"]),
    (TransferFilter(ids=[TransferId("t4"), TransferId("t1")]), ["t1", "t4"]),
    (TransferFilter(ids=[]), []),
    (TransferFilter(types=[TransferType.MERGE_BACK]), ["t1"]),
    (TransferFilter(statuses=[CONSUMED]), ["t3", "t2", "t4"]),
    (TransferFilter(statuses=[]), []),
    (TransferFilter(source_thread_id=ThreadId("a")), ["t3", "t2"]),
    (TransferFilter(target_thread_id=ThreadId("b")), ["t3", "t4"]),
    (TransferFilter(thread_id=ThreadId("a")), ["t3", "t1", "t2"]),
    (TransferFilter(thread_id=ThreadId("a"), statuses=[CONSUMED]), ["t3", "t2"]),
    (TransferFilter(created_after=at(2), created_before=at(3)), ["t1", "t2"]),
    (TransferFilter(thread_id=ThreadId("c"), created_before=at(3)), []),
]


async def test_transfers_are_listed_by_their_conditions(store: ThreadGraph) -> None:
    """By time and id; the count is that of the whole list."""
    await store.record(Batch(transfers=HANDED))

    for asked, expected in FILTERS:
        page = await store.transfers(TransfersQuestion(filter=asked))
        assert told(page) == (expected, False, False), asked
        assert await store.count_transfers(asked) == len(expected), asked


async def test_pages_of_transfers_are_the_list(store: ThreadGraph) -> None:
    """Of any size, of all transfers and of one thread's."""
    await store.record(Batch(transfers=HANDED))

    for first in (1, 2, 3):
        for asked, expected in FILTERS:
            found: list[str] = []
            after: TransferPosition | None = None
            more = True
            while more:
                page = await store.transfers(
                    TransfersQuestion(filter=asked, first=first, after=after)
                )
                assert page.has_previous == bool(found)
                found += [row.transfer_id for row in page.rows]
                more = page.has_next
                after = (
                    TransferPosition(page.rows[-1].created_at, page.rows[-1].transfer_id)
                    if (more)
                    else after
                )
            assert found == expected


async def test_the_transfers_of_threads_go_in_and_out(store: ThreadGraph) -> None:
    """Without a direction at both ends, each once; an unknown thread has none."""
    await store.record(Batch(transfers=HANDED))
    question = ThreadTransfersQuestion(first=2)

    both = await store.thread_transfers(ids("a", "nobody"), question)
    later = await store.thread_transfers(
        ids("a"), replace(question, after=TransferPosition(at(2), TransferId("t1")))
    )
    into = await store.thread_transfers(ids("b"), replace(question, direction=Direction.IN))
    out = await store.thread_transfers(ids("b"), replace(question, direction=Direction.OUT))
    pending = await store.count_thread_transfers(
        ids("a", "b", "c"), replace(question, statuses=[PENDING])
    )

    assert {owner: told(page) for owner, page in both.items()} == {
        "a": (["t3", "t1"], True, False),
        "nobody": ([], False, False),
    }
    assert told(later[ThreadId("a")]) == (["t2"], False, True)
    assert told(into[ThreadId("b")]) == (["t3", "t4"], False, False)
    assert told(out[ThreadId("b")]) == (["t1"], False, False)
    assert pending == {"a": 1, "b": 1, "c": 0}


def hand_off(transfer_id: str, source: str, target: str, **known: object) -> LineageEdge:
    """The edge of a hand-off."""
    facts: dict[str, object] = {"status": "CONSUMED", "at": at(0), **known}
    return LineageEdge(
        kind=EdgeKind.TRANSFER,
        from_thread_id=ThreadId(source),
        to_thread_id=ThreadId(target),
        transfer_id=TransferId(transfer_id),
        transfer_type=TransferType.PROVIDER_HANDOFF,
        evidence=str(SEEN),
        **facts,  # type: ignore[arg-type]
    )


def asked(
    thread_id: str, direction: LineageDirection = LineageDirection.WHOLE_TREE
) -> LineageQuestion:
    """The whole of a lineage."""
    return LineageQuestion(thread_id=ThreadId(thread_id), direction=direction)


async def pages_of(store: ThreadGraph, question: LineageQuestion) -> list[LineageGraph]:
    """All pages of a lineage, each from where the one before it ended."""
    pages = [await store.lineage(question)]
    while pages[-1].truncated is not None:
        pages.append(await store.lineage(replace(question, after=pages[-1].end)))
    return pages


async def test_a_transfer_within_a_tree_is_an_edge_of_it(store: ThreadGraph) -> None:
    """With its run and times; forks and spawns are no edges of their own."""
    point = SourcePoint(thread_id=ThreadId("b"), run_id=RunId("b/1"))
    await tell(store, thread("a"), forked("b", of="a", runs=(run("b/1", 1, completed_at=at(2)),)))
    merged = handed(
        "m",
        "b",
        "a",
        type=TransferType.MERGE_BACK,
        status=PENDING,
        source_point=point,
        consumed_at=None,
        created_at=at(7),
        item_count=3,
    )
    fork = handed("f", "a", "b", type=TransferType.FORK)
    await store.record(Batch(transfers=(merged, fork, handed("s", "a", "a"))))

    graph = await store.lineage(asked("b"))

    assert names(graph.nodes) == ["a", "b"]
    assert list(graph.edges)[1:] == [
        hand_off("s", "a", "a"),
        LineageEdge(
            kind=EdgeKind.TRANSFER,
            from_thread_id=ThreadId("b"),
            to_thread_id=ThreadId("a"),
            status="PENDING",
            transfer_id=TransferId("m"),
            transfer_type=TransferType.MERGE_BACK,
            item_count=3,
            run_id=RunId("b/1"),
            at=at(7),
            point_at=at(2),
            evidence=str(SEEN),
        ),
    ]
    assert [edge.edge_id for edge in graph.edges][1:] == ["TRANSFER:s", "TRANSFER:m"]


async def test_a_hand_off_between_trees_is_an_edge_of_both(store: ThreadGraph) -> None:
    """The other end is a node, one hop further, and nothing of its tree follows."""
    await tell(store, thread("a"), spawned("b", by="a"), thread("x"), spawned("y", by="x"))
    await store.record(Batch(transfers=(handed("one", "b", "x"),)))

    source = await store.lineage(asked("a"))
    target = await store.lineage(asked("y"))
    up = await store.lineage(asked("x", LineageDirection.ANCESTORS))

    assert names(source.nodes) == ["a", "b", "x"]
    assert names(target.nodes) == ["x", "b", "y"]
    assert names(up.nodes) == ["x", "b"]
    assert [list(graph.edges)[-1] for graph in (source, target, up)] == [
        hand_off("one", "b", "x")
    ] * 3
    assert (source.version[0], target.version[0]) == ("a", "x")


async def test_the_other_end_of_a_hand_off_counts_like_any_node(store: ThreadGraph) -> None:
    """For the most nodes and for the depth; pages are the parts of the whole."""
    await tell(store, thread("b"), spawned("c", by="b"), spawned("d", by="c"), thread("a"))
    await tell(store, thread("z"), forked("y", of="z"))
    await store.record(
        Batch(transfers=(handed("1", "b", "a"), handed("2", "d", "a"), handed("3", "a", "y")))
    )

    whole = await store.lineage(asked("d"))
    near = await store.lineage(replace(asked("b"), max_depth=0))

    assert names(whole.nodes) == ["b", "a", "c", "d"]
    assert [edge.edge_id for edge in whole.edges] == [
        "SPAWN:b:c",
        "SPAWN:c:d",
        "TRANSFER:1",
        "TRANSFER:2",
    ]
    assert (names(near.nodes), near.truncated) == (["b"], Truncation(TruncationReason.DEPTH, 0))
    for max_nodes, shares in ((1, [0, 1, 1, 2]), (2, [1, 3]), (3, [2, 2])):
        pages = await pages_of(store, replace(asked("b"), max_nodes=max_nodes))
        assert [name for page in pages for name in names(page.nodes)] == names(whole.nodes)
        assert [len(page.edges) for page in pages] == shares


async def test_a_hand_off_within_a_tree_brings_nothing_in(store: ThreadGraph) -> None:
    """Its edge needs both ends among what the walk finds."""
    await tell(store, thread("a"), spawned("b", by="a"), spawned("c", by="a"))
    await store.record(Batch(transfers=(handed("one", "b", "c"),)))

    below = await store.lineage(asked("b", LineageDirection.DESCENDANTS))
    whole = await store.lineage(asked("b"))

    assert (names(below.nodes), list(below.edges)) == (["b"], [])
    assert list(whole.edges)[-1] == hand_off("one", "b", "c")
