"""Compactions and the context windows that they open."""

from __future__ import annotations

from graph.model import RunId
from graph.records import WindowRecord
from tests.unit.importers.codex_home import (
    CodexHome,
    Written,
    compacted,
    completed,
    event,
    meta,
    started,
    uuid,
)

THREAD = uuid(0)
ONE, TWO = uuid(1), uuid(2)
FIRST, SECOND = uuid(10), uuid(11)
RUN_ONE, RUN_TWO = RunId(f"{THREAD}/{ONE}"), RunId(f"{THREAD}/{TWO}")


def windows_of(home: CodexHome, first: Written, lines: list[Written]) -> list[WindowRecord]:
    """The windows of a thread with this meta and these lines."""
    home.rollout(THREAD, [first, *lines])
    return list(home.read().threads[THREAD].windows)


def compaction(turn_id: str, **fields: object) -> list[Written]:
    """A turn that compacts."""
    return [started(turn_id), compacted(**fields), completed(turn_id)]


def test_the_first_window_is_that_of_the_meta(home: CodexHome) -> None:
    """An id that is no time-ordered uuid names no window."""
    windows = windows_of(home, meta(THREAD, context_window={"window_id": FIRST}), [])
    none = windows_of(home, meta(THREAD, context_window={"window_id": "w1"}), [])

    assert windows == [WindowRecord(number=0, window_id=FIRST, first_window_id=FIRST)]
    assert none == []


def test_a_compaction_opens_a_window(home: CodexHome) -> None:
    """With the ids that Codex gave the chain, and the run it happened in."""
    windows = windows_of(
        home,
        meta(THREAD),
        compaction(
            ONE,
            window_number=1,
            window_id=SECOND,
            first_window_id=FIRST,
            previous_window_id=FIRST,
        ),
    )

    assert windows == [
        WindowRecord(
            number=1,
            window_id=SECOND,
            first_window_id=FIRST,
            previous_window_id=FIRST,
            run_id=RUN_ONE,
        )
    ]


def test_an_old_numeric_window_id_is_a_number(home: CodexHome) -> None:
    """And without any number the compactions of the file are counted."""
    windows = windows_of(
        home, meta(THREAD), [*compaction(ONE, window_id=4), *compaction(TWO, window_id=None)]
    )

    assert windows == [
        WindowRecord(number=4, run_id=RUN_ONE),
        WindowRecord(number=2, run_id=RUN_TWO),
    ]


def test_a_rolled_back_compaction_is_kept_and_marked(home: CodexHome) -> None:
    """A later one with its number takes it over; no two windows have the same."""
    windows = windows_of(
        home,
        meta(THREAD),
        [
            *compaction(ONE, window_number=1),
            event("thread_rolled_back", num_turns=1),
            *compaction(TWO, window_number=1),
        ],
    )

    assert windows == [
        WindowRecord(number=1, run_id=RUN_TWO),
        WindowRecord(number=2, run_id=RUN_ONE, rolled_back=True),
    ]


def test_an_inherited_compaction_is_the_sources(home: CodexHome) -> None:
    """A fork's copied lines open no window of its own, but count for the numbers of old files."""
    source = uuid(-100)
    windows = windows_of(
        home,
        meta(THREAD, forked_from_id=source),
        [meta(source), *compaction(uuid(-50)), *compaction(ONE)],
    )

    assert windows == [WindowRecord(number=2, run_id=RUN_ONE)]
