"""What a store promises about what threads hold: runs, items and context windows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import ContextWindow, Item, ItemId, Run, RunId, RunKind, ThreadId
from graph.questions import Page
from graph.records import ItemsRecord, WindowRecord
from tests.conformance.told import at, ids, item, run, tell, thread

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

A, B, NOBODY = ids("a", "b", "nobody")


def run_ids(page: Page[Run]) -> tuple[list[str], bool, bool]:
    """The ids of a page's runs, and whether there are more after and before them."""
    return [row.run_id for row in page.rows], page.has_next, page.has_previous


def positions(page: Page[Item]) -> tuple[list[int], bool, bool]:
    """The positions of a page's items, and whether there are more after and before them."""
    return [row.position for row in page.rows], page.has_next, page.has_previous


async def test_a_run_comes_back_as_it_was_told(store: ThreadGraph) -> None:
    """Every fact of the record, with the thread and the number of the run in it."""
    full = run(
        "a/2",
        5,
        native_turn_id="turn-2",
        kind=RunKind.COMPACTION,
        status="failed",
        rolled_back_at=at(9),
        driver="codex",
        provider_instance_id="work",
        model="gpt-5.2",
        completed_at=at(6),
        input_tokens=1,
        cached_input_tokens=2,
        output_tokens=3,
        reasoning_tokens=4,
        parent_run_id=RunId("p/1"),
        root_run_id=RunId("r/1"),
        trigger="user",
        error="no answer",
        rollout_id="rollout",
        native_ordinal=8,
    )
    await tell(store, thread("a", runs=(full, run("a/1", 1, driver="codex"))))

    found = await store.runs_by_id([RunId("a/1"), RunId("a/2"), RunId("a/3")])

    assert found == {
        "a/1": Run(
            run_id=RunId("a/1"),
            thread_id=A,
            ordinal=1,
            kind=RunKind.TURN,
            status="completed",
            driver="codex",
            started_at=at(1),
        ),
        "a/2": Run(
            run_id=RunId("a/2"),
            thread_id=A,
            ordinal=2,
            native_turn_id="turn-2",
            kind=RunKind.COMPACTION,
            status="failed",
            rolled_back_at=at(9),
            driver="codex",
            provider_instance_id="work",
            model="gpt-5.2",
            started_at=at(5),
            completed_at=at(6),
            input_tokens=1,
            cached_input_tokens=2,
            output_tokens=3,
            reasoning_tokens=4,
            parent_run_id=RunId("p/1"),
            root_run_id=RunId("r/1"),
            trigger="user",
            error="no answer",
        ),
    }


RUN_PAGES: list[tuple[bool, int, int | None, tuple[list[str], bool, bool]]] = [
    (True, 9, None, (["a/1", "a/2", "a/3", "a/4"], False, False)),
    (True, 2, None, (["a/1", "a/2"], True, False)),
    (True, 2, 2, (["a/3", "a/4"], False, True)),
    (True, 2, 4, ([], False, True)),
    (True, 2, 0, (["a/1", "a/2"], True, False)),
    (False, 9, None, (["a/2", "a/4"], False, False)),
    (False, 1, None, (["a/2"], True, False)),
    (False, 1, 1, (["a/2"], True, False)),
    (False, 1, 2, (["a/4"], False, True)),
    (False, 9, 3, (["a/4"], False, True)),
]


async def test_runs_come_in_pages_by_their_number(store: ThreadGraph) -> None:
    """Rolled-back runs keep their number, and are left out where they are not asked for."""
    gone = {"rolled_back_at": at(20)}
    await tell(
        store,
        thread(
            "a",
            runs=(run("a/1", 1, **gone), run("a/2", 2), run("a/3", 3, **gone), run("a/4", 4)),
        ),
        thread("b", runs=(run("b/1", 1),)),
    )

    for rolled_back, first, after, expected in RUN_PAGES:
        pages = await store.runs(
            [A, NOBODY], include_rolled_back=rolled_back, first=first, after=after
        )
        assert {name: run_ids(page) for name, page in pages.items()} == {
            "a": expected,
            "nobody": ([], False, False),
        }
    every = await store.count_runs([A, B, NOBODY], include_rolled_back=True)
    kept = await store.count_runs([A, B, NOBODY], include_rolled_back=False)
    assert every == {"a": 4, "b": 1, "nobody": 0}
    assert kept == {"a": 2, "b": 1, "nobody": 0}


async def test_an_item_comes_back_as_it_was_told(store: ThreadGraph) -> None:
    """Every fact of the record, with its thread; text is kept letter by letter."""
    full = item(
        "a/i1",
        0,
        run_id=RunId("a/1"),
        kind="command",
        role="tool",
        text="ls\n\ttab, 'quotes' and ☃ 𝄞",
        text_bytes=300_000,
        truncated=True,
        status="completed",
        at=at(3),
    )
    await tell(store, thread("a", items=ItemsRecord(items=(full, item("a/i2", 1)))))

    pages = await store.items([A], first=5, after=None)

    assert pages == {
        "a": Page(
            [
                Item(
                    item_id=ItemId("a/i1"),
                    thread_id=A,
                    position=0,
                    run_id=RunId("a/1"),
                    kind="command",
                    role="tool",
                    text="ls\n\ttab, 'quotes' and ☃ 𝄞",
                    text_bytes=300_000,
                    truncated=True,
                    status="completed",
                    at=at(3),
                ),
                Item(item_id=ItemId("a/i2"), thread_id=A, position=1, kind="message"),
            ]
        )
    }


ITEM_PAGES: list[tuple[int, int | None, tuple[list[int], bool, bool]]] = [
    (9, None, ([0, 1, 2, 3, 4], False, False)),
    (2, None, ([0, 1], True, False)),
    (2, 0, ([1, 2], True, True)),
    (2, 2, ([3, 4], False, True)),
    (2, 4, ([], False, True)),
]


async def test_items_come_in_pages_by_position(store: ThreadGraph) -> None:
    """Each thread has its own page and count; an unknown thread has an empty one."""
    items = ItemsRecord(items=tuple(item(f"a/i{n}", n) for n in range(5)))
    await tell(store, thread("a", items=items), thread("b"))

    for first, after, expected in ITEM_PAGES:
        pages = await store.items([A, B, NOBODY], first=first, after=after)
        assert {name: positions(page) for name, page in pages.items()} == {
            "a": expected,
            "b": ([], False, False),
            "nobody": ([], False, False),
        }
    assert await store.count_items([A, B, NOBODY]) == {"a": 5, "b": 0, "nobody": 0}


async def test_the_items_of_a_run_are_those_that_name_it(store: ThreadGraph) -> None:
    """By their position in the thread, in pages."""
    items = tuple(
        item(f"a/i{n}", n, run_id=None if n == 0 else RunId(f"a/{n % 2}")) for n in range(7)
    )
    await tell(store, thread("a", items=ItemsRecord(items=items)))
    asked = [RunId("a/0"), RunId("a/1"), RunId("a/9")]

    first = await store.items_of_runs(asked, first=2, after=None)
    second = await store.items_of_runs(asked, first=2, after=3)
    counts = await store.count_items_of_runs(asked)

    assert {name: positions(page) for name, page in first.items()} == {
        "a/0": ([2, 4], True, False),
        "a/1": ([1, 3], True, False),
        "a/9": ([], False, False),
    }
    assert {name: positions(page) for name, page in second.items()} == {
        "a/0": ([4, 6], False, True),
        "a/1": ([5], False, True),
        "a/9": ([], False, False),
    }
    assert counts == {"a/0": 3, "a/1": 3, "a/9": 0}


async def test_context_windows_come_by_number(store: ThreadGraph) -> None:
    """All windows of each thread that is asked."""
    await tell(
        store,
        thread(
            "a",
            windows=(
                WindowRecord(number=1, window_id="w1", previous_window_id="w0"),
                WindowRecord(number=0, window_id="w0"),
                WindowRecord(
                    number=2,
                    window_id="w2",
                    first_window_id="w0",
                    previous_window_id="w1",
                    run_id=RunId("a/1"),
                    rolled_back=True,
                ),
            ),
        ),
    )

    found = await store.context_windows([A, NOBODY])

    assert found == {
        "a": [
            ContextWindow(thread_id=A, number=0, window_id="w0"),
            ContextWindow(thread_id=A, number=1, window_id="w1", previous_window_id="w0"),
            ContextWindow(
                thread_id=A,
                number=2,
                window_id="w2",
                first_window_id="w0",
                previous_window_id="w1",
                run_id=RunId("a/1"),
                rolled_back=True,
            ),
        ],
        "nobody": [],
    }


async def test_a_thread_that_was_imported_has_no_checkpoints(store: ThreadGraph) -> None:
    """Transcripts hold none; each thread that is asked has an empty page."""
    await tell(store, thread("a"))

    pages = await store.checkpoints([A, ThreadId("nobody")], first=5, after=None)
    counts = await store.count_checkpoints([A, ThreadId("nobody")])

    assert {name: [*page.rows] for name, page in pages.items()} == {"a": [], "nobody": []}
    assert counts == {"a": 0, "nobody": 0}
