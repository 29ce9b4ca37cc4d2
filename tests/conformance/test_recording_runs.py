"""Recording runs: their numbers, what follows for the thread, and who names whom by a turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graph.model import ContextWindow, Run, RunId, RunKind, ThreadId
from graph.records import RunRecord, WindowRecord
from tests.conformance.told import at, ids, run, tell, thread, turned

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio


async def own_runs(store: ThreadGraph, thread_id: str) -> list[Run]:
    """All own runs of a thread."""
    pages = await store.runs(ids(thread_id), include_rolled_back=True, first=500, after=None)
    return list(pages[ThreadId(thread_id)].rows)


async def sums(store: ThreadGraph, thread_id: str) -> dict[str, Any]:
    """What follows from a thread's runs."""
    found = (await store.threads_by_id(ids(thread_id)))[ThreadId(thread_id)]
    return {
        "status": found.status,
        "started_at": found.started_at,
        "ended_at": found.ended_at,
        "run_count": found.run_count,
        "tokens": (
            found.input_tokens,
            found.cached_input_tokens,
            found.output_tokens,
            found.reasoning_tokens,
        ),
        "duration_ms": found.duration_ms,
    }


async def test_a_run_is_read_back_whole(store: ThreadGraph) -> None:
    """A run without a driver of its own has the thread's."""
    told = run(
        "a/1",
        1,
        native_turn_id="turn",
        kind=RunKind.REVIEW,
        status="failed",
        rolled_back_at=at(9),
        provider_instance_id="work",
        model="gpt",
        completed_at=at(5),
        input_tokens=1,
        cached_input_tokens=2,
        output_tokens=3,
        reasoning_tokens=4,
        parent_run_id=RunId("p/1"),
        root_run_id=RunId("p/0"),
        trigger="guardian_review",
        error="it broke",
    )

    await tell(store, thread("a", runs=(told,)))

    assert await own_runs(store, "a") == [
        Run(
            run_id=RunId("a/1"),
            thread_id=ThreadId("a"),
            ordinal=1,
            kind=RunKind.REVIEW,
            status="failed",
            native_turn_id="turn",
            rolled_back_at=at(9),
            driver="codex",
            provider_instance_id="work",
            model="gpt",
            started_at=at(1),
            completed_at=at(5),
            input_tokens=1,
            cached_input_tokens=2,
            output_tokens=3,
            reasoning_tokens=4,
            parent_run_id=RunId("p/1"),
            root_run_id=RunId("p/0"),
            trigger="guardian_review",
            error="it broke",
        )
    ]


async def test_runs_are_numbered_by_start_turn_and_id(store: ThreadGraph) -> None:
    """A run without a turn comes before one that has one, where both began at once."""
    told = (
        run("a/late", 3),
        run("a/z", 2, native_turn_id="a"),
        run("a/y", 2),
        run("a/x", 2, native_turn_id="b"),
        run("a/w", 2),
    )

    await tell(store, thread("a", runs=told))

    assert [(row.ordinal, row.run_id) for row in await own_runs(store, "a")] == [
        (1, "a/w"),
        (2, "a/y"),
        (3, "a/z"),
        (4, "a/x"),
        (5, "a/late"),
    ]


async def test_runs_never_leave_and_are_numbered_anew(store: ThreadGraph) -> None:
    """A later record adds runs, also before and between those that are there."""
    await tell(store, thread("a", runs=(run("a/2", 2), run("a/4", 4))))

    await tell(store, thread("a", runs=(run("a/1", 1), run("a/3", 3, status="failed"))))

    assert [(row.ordinal, row.run_id) for row in await own_runs(store, "a")] == [
        (1, "a/1"),
        (2, "a/2"),
        (3, "a/3"),
        (4, "a/4"),
    ]


async def test_a_later_record_of_a_run_replaces_it(store: ThreadGraph) -> None:
    """What it does not know any more is gone."""
    await tell(store, thread("a", runs=(run("a/1", 1, status="running", error="?"),)))

    await tell(store, thread("a", runs=(run("a/1", 1, completed_at=at(2)),)))

    [found] = await own_runs(store, "a")
    assert (found.status, found.error, found.completed_at) == ("completed", None, at(2))


async def test_the_sums_of_a_thread_are_over_all_its_runs(store: ThreadGraph) -> None:
    """Rolled-back runs were paid for, too; what is not known counts as nothing."""
    runs = (
        run("a/1", 1, completed_at=at(3), input_tokens=10, output_tokens=1, reasoning_tokens=5),
        run("a/2", 5, completed_at=at(6), input_tokens=20, rolled_back_at=at(7)),
        run("a/3", 8, cached_input_tokens=4),
    )
    await tell(store, thread("a", runs=runs[:2]))

    await tell(store, thread("a", runs=runs[2:]))

    assert await sums(store, "a") == {
        "status": "completed",
        "started_at": at(1),
        "ended_at": None,
        "run_count": 3,
        "tokens": (30, 4, 1, 5),
        "duration_ms": 3_000,
    }


async def test_a_thread_without_runs_has_no_status(store: ThreadGraph) -> None:
    """Nothing ran, nothing began, nothing was used."""
    await tell(store, thread("a"))

    assert await sums(store, "a") == {
        "status": None,
        "started_at": None,
        "ended_at": None,
        "run_count": 0,
        "tokens": (0, 0, 0, 0),
        "duration_ms": 0,
    }


@pytest.mark.parametrize(
    ("last", "status", "ended_at"),
    [
        (run("a/2", 4, status="failed", completed_at=at(5)), "failed", at(5)),
        (run("a/2", 4, status="running"), "running", None),
        (run("a/2", 4, status="preparing"), "preparing", None),
        (run("a/2", 4, status="queued", completed_at=at(5)), "queued", at(5)),
        (
            run("a/2", 4, status="running", rolled_back_at=at(6), completed_at=at(5)),
            "completed",
            at(5),
        ),
    ],
)
async def test_the_status_is_that_of_the_last_run_not_rolled_back(
    store: ThreadGraph,
    last: RunRecord,
    status: str,
    ended_at: str | None,
) -> None:
    """The end is open while a run is active; a rolled-back one is not, but was the last."""
    await tell(store, thread("a", runs=(run("a/1", 1, completed_at=at(2)), last)))

    found = await sums(store, "a")

    assert (found["status"], found["ended_at"]) == (status, ended_at)


async def test_a_thread_of_which_all_was_rolled_back_has_the_last_status(
    store: ThreadGraph,
) -> None:
    """Something ran, after all."""
    runs = (
        run("a/1", 1, status="completed", rolled_back_at=at(9)),
        run("a/2", 2, status="interrupted", rolled_back_at=at(9)),
    )

    await tell(store, thread("a", runs=runs))

    assert (await sums(store, "a"))["status"] == "interrupted"


async def test_windows_are_kept_by_number(store: ThreadGraph) -> None:
    """A later record replaces a window and leaves those that it does not name."""
    await tell(store, thread("a", windows=(WindowRecord(number=0), WindowRecord(number=1))))

    later = WindowRecord(
        number=1,
        window_id="w1",
        first_window_id="w0",
        previous_window_id="w0",
        run_id=RunId("a/1"),
        rolled_back=True,
    )
    await tell(store, thread("a", windows=(later,)))

    assert await store.context_windows(ids("a")) == {
        "a": [
            ContextWindow(thread_id=ThreadId("a"), number=0),
            ContextWindow(
                thread_id=ThreadId("a"),
                number=1,
                window_id="w1",
                first_window_id="w0",
                previous_window_id="w0",
                run_id=RunId("a/1"),
                rolled_back=True,
            ),
        ]
    }


# ── Runs that name others ───────────────────────────────────────────────────────────────


async def named(store: ThreadGraph, run_id: str) -> tuple[str | None, str | None]:
    """The parent and the root of a run."""
    found = (await store.runs_by_id([RunId(run_id)]))[RunId(run_id)]
    return found.parent_run_id, found.root_run_id


@pytest.mark.parametrize("late", [False, True])
async def test_a_run_named_by_its_turn_is_found(store: ThreadGraph, *, late: bool) -> None:
    """In whichever thread it stands, and also when it arrives later."""
    child = thread(
        "c", runs=(turned("c", "t2", parent_native_turn_id="t1", root_native_turn_id="t1"),)
    )
    parent = thread("p", runs=(turned("p", "t1"),))

    for record in (child, parent) if late else (parent, child):
        await tell(store, record)

    assert await named(store, "c/t2") == ("p/t1", "p/t1")


async def test_a_run_that_is_not_there_is_not_known(store: ThreadGraph) -> None:
    """Neither is one of another driver."""
    await tell(
        store,
        thread("p", driver="pi", runs=(turned("p", "t1"),)),
        thread("c", runs=(turned("c", "t2", parent_native_turn_id="t1"),)),
    )

    assert await named(store, "c/t2") == (None, None)


async def test_a_run_whose_own_turn_is_the_root_is_its_root(store: ThreadGraph) -> None:
    """Also where a fork's run has the same turn."""
    await tell(
        store,
        thread("a", runs=(turned("a", "t1", root_native_turn_id="t1"),)),
        thread("b", runs=(turned("b", "t1", root_native_turn_id="t1"),)),
    )

    assert await named(store, "a/t1") == (None, "a/t1")
    assert await named(store, "b/t1") == (None, "b/t1")


async def test_of_several_runs_with_a_turn_the_smallest_id_is_meant(store: ThreadGraph) -> None:
    """Whichever arrived first."""
    await tell(store, thread("m", runs=(turned("m", "t1"),)))
    await tell(store, thread("c", runs=(turned("c", "t2", parent_native_turn_id="t1"),)))

    await tell(store, thread("b", runs=(turned("b", "t1"),)))

    assert await named(store, "c/t2") == ("b/t1", None)


async def test_a_run_named_by_its_id_is_not_looked_for(store: ThreadGraph) -> None:
    """The id wins over the turn, whether the run is there or not."""
    child = turned(
        "c",
        "t2",
        parent_run_id=RunId("x/9"),
        parent_native_turn_id="t1",
        root_run_id=RunId("x/8"),
        root_native_turn_id="t1",
    )
    await tell(store, thread("c", runs=(child,)))

    await tell(store, thread("p", runs=(turned("p", "t1"),)))

    assert await named(store, "c/t2") == ("x/9", "x/8")
