"""What a store promises about the order and the pages of the thread list."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from graph.model import ThreadId
from graph.questions import ThreadFilter, ThreadOrder, ThreadPosition, ThreadsQuestion
from tests.conformance.told import at, ids, names, shown, spawned, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

TIMED = (
    thread("a", created_at=at(1), updated_at=at(9), recency_at=at(5)),
    thread("b", created_at=at(2), updated_at=at(8), recency_at=at(5)),
    thread("c", created_at=at(2), updated_at=at(7), recency_at=at(4)),
    thread("d", created_at=at(2), updated_at=at(6), recency_at=at(6)),
    thread("e", created_at=at(3), updated_at=at(6), recency_at=at(1)),
)


def place(second: int, thread_id: str) -> ThreadPosition:
    """A place in a list."""
    return ThreadPosition(at(second), ThreadId(thread_id))


ORDERS = {
    ThreadOrder.CREATED_DESC: [*"edcba"],
    ThreadOrder.CREATED_ASC: [*"abcde"],
    ThreadOrder.UPDATED_DESC: [*"abced"],
    ThreadOrder.UPDATED_ASC: [*"decba"],
    ThreadOrder.RECENCY_DESC: [*"dbace"],
    ThreadOrder.RECENCY_ASC: [*"ecabd"],
}
FILTERS = (
    ThreadFilter(),
    ThreadFilter(include_deleted=True),
    ThreadFilter(ids=ids("e", "d", "c", "b", "a", "f")),
)
"""Three ways to the same threads."""


async def test_a_list_has_six_orders(store: ThreadGraph) -> None:
    """Equal times follow the id in the same direction, however the threads were selected."""
    await tell(store, *TIMED)

    for asked in FILTERS:
        wholes = {
            order: await store.threads(ThreadsQuestion(filter=asked, order=order))
            for order in ThreadOrder
        }
        ends = {
            order: await store.threads(
                ThreadsQuestion(filter=asked, order=order, first=2, backward=True)
            )
            for order in ThreadOrder
        }

        assert {order: shown(page) for order, page in wholes.items()} == {
            order: (expected, False, False) for order, expected in ORDERS.items()
        }
        assert {order: shown(page) for order, page in ends.items()} == {
            order: (expected[-2:], False, True) for order, expected in ORDERS.items()
        }


CREATED = ThreadOrder.CREATED_ASC


PAGES: list[tuple[ThreadsQuestion, tuple[list[str], bool, bool]]] = [
    (ThreadsQuestion(order=CREATED, first=2), (["a", "b"], True, False)),
    (ThreadsQuestion(order=CREATED, first=5), ([*"abcde"], False, False)),
    (ThreadsQuestion(order=CREATED, first=2, after=place(2, "b")), (["c", "d"], True, True)),
    (ThreadsQuestion(order=CREATED, first=2, after=place(2, "d")), (["e"], False, True)),
    (ThreadsQuestion(order=CREATED, first=2, after=place(3, "e")), ([], False, True)),
    (
        ThreadsQuestion(order=CREATED, first=2, before=place(2, "c"), backward=True),
        (["a", "b"], True, False),
    ),
    (
        ThreadsQuestion(order=CREATED, first=2, before=place(3, "e"), backward=True),
        (["c", "d"], True, True),
    ),
    (
        ThreadsQuestion(order=CREATED, first=2, before=place(1, "a"), backward=True),
        ([], True, False),
    ),
    (
        ThreadsQuestion(
            order=CREATED, first=9, after=place(1, "a"), before=place(2, "d"), backward=True
        ),
        (["b", "c"], True, False),
    ),
    (
        ThreadsQuestion(order=CREATED, first=9, after=place(1, "a"), before=place(2, "d")),
        (["b", "c"], False, True),
    ),
    (
        ThreadsQuestion(order=CREATED, first=1, after=place(1, "a"), before=place(2, "d")),
        (["b"], True, True),
    ),
    (
        ThreadsQuestion(order=CREATED, first=2, after=place(2, "d"), before=place(2, "b")),
        ([], False, True),
    ),
    (
        ThreadsQuestion(order=CREATED, first=2, after=place(0, "zzz")),
        (["a", "b"], True, False),
    ),
    (
        ThreadsQuestion(order=CREATED, first=2, after=place(2, "bb")),
        (["c", "d"], True, True),
    ),
    (
        ThreadsQuestion(order=CREATED, first=2, before=place(9, "a"), backward=True),
        (["d", "e"], False, True),
    ),
]


async def test_a_page_begins_and_ends_where_it_is_told(store: ThreadGraph) -> None:
    """A place need not be that of a thread; a page knows whether there is more on either side."""
    await tell(store, *TIMED)

    for asked in FILTERS:
        found = [
            (question, shown(await store.threads(replace(question, filter=asked))))
            for question, _ in PAGES
        ]
        assert found == PAGES


async def test_pages_show_every_thread_once_in_both_directions(store: ThreadGraph) -> None:
    """Going on from the last row of a page, or back from the first, misses and repeats nothing."""
    await tell(store, *(thread(f"t{n:02d}", created_at=at(n % 3)) for n in range(11)))

    for order in ThreadOrder:
        forward, backward = await turned(store, order)

        assert sorted(forward) == [f"t{n:02d}" for n in range(11)]
        assert backward == forward


async def turned(store: ThreadGraph, order: ThreadOrder) -> tuple[list[str], list[str]]:
    """The ids of a list, page after page from its beginning and from its end."""
    time = {"CREATED": "created_at", "UPDATED": "updated_at", "RECENCY": "recency_at"}[
        order.split("_")[0]
    ]

    forward: list[str] = []
    after: ThreadPosition | None = None
    more = True
    while more:
        page = await store.threads(ThreadsQuestion(order=order, first=4, after=after))
        forward += names(page.rows)
        after = ThreadPosition(getattr(page.rows[-1], time), page.rows[-1].thread_id)
        more = page.has_next
    backward: list[str] = []
    before: ThreadPosition | None = None
    more = True
    while more:
        page = await store.threads(
            ThreadsQuestion(order=order, first=4, before=before, backward=True)
        )
        backward = names(page.rows) + backward
        before = ThreadPosition(getattr(page.rows[0], time), page.rows[0].thread_id)
        more = page.has_previous
    return forward, backward


async def test_conditions_on_the_time_of_the_order_bound_the_pages(store: ThreadGraph) -> None:
    """What a condition leaves out is neither shown nor counted as more."""
    await tell(store, *TIMED)
    middle = ThreadFilter(created_after=at(2), created_before=at(3))

    page = await store.threads(ThreadsQuestion(filter=middle, first=2, after=place(2, "d")))
    last = await store.threads(ThreadsQuestion(filter=middle, first=2, backward=True))

    assert shown(page) == (["c", "b"], False, True)
    assert shown(last) == (["c", "b"], False, True)


async def test_a_relation_is_paged_like_any_list(store: ThreadGraph) -> None:
    """The children of a thread in the order of their times."""
    await tell(
        store, *(spawned(name, by="top", created_at=at(n)) for n, name in enumerate("dcba"))
    )
    asked = ThreadFilter(parent_thread_id=ThreadId("top"))

    first = await store.threads(ThreadsQuestion(filter=asked, first=3))
    second = await store.threads(ThreadsQuestion(filter=asked, first=3, after=place(1, "c")))

    assert shown(first) == (["a", "b", "c"], True, False)
    assert shown(second) == (["d"], False, True)
