"""Rows out of columns."""

from __future__ import annotations

import time

from graph.columns import column_names, rows_of
from graph.model import Actor, Relationship, Run, RunId, RunKind, Thread, ThreadId

COUNT = 10_000


def test_a_row_has_its_value_of_each_column() -> None:
    """Words become members of their enum, what is not there the field's default."""
    names = column_names(Thread)
    values = {
        "threadId": ["a", "b"],
        "recorded": [True, False],
        "rootThreadId": ["a", "a"],
        "depth": [0, 1],
        "createdBy": ["AGENT", None],
        "relationshipToParent": [None, "SUBAGENT"],
        "runCount": [3, None],
    }

    rows = rows_of(Thread, [values.get(name, [None, None]) for name in names])

    assert rows == [
        Thread(
            thread_id=ThreadId("a"),
            recorded=True,
            root_thread_id=ThreadId("a"),
            depth=0,
            created_by=Actor.AGENT,
            run_count=3,
        ),
        Thread(
            thread_id=ThreadId("b"),
            recorded=False,
            root_thread_id=ThreadId("a"),
            depth=1,
            relationship_to_parent=Relationship.SUBAGENT,
        ),
    ]


def test_an_enum_that_must_be_there_is_converted_too() -> None:
    """The kind of a run is never absent."""
    values = {"runId": ["r"], "threadId": ["t"], "ordinal": [1], "kind": ["REVIEW"]}
    values |= {"status": ["completed"]}

    [row] = rows_of(Run, [values.get(name, [None]) for name in column_names(Run)])

    assert row == Run(
        run_id=RunId("r"),
        thread_id=ThreadId("t"),
        ordinal=1,
        kind=RunKind.REVIEW,
        status="completed",
    )


def test_no_rows_are_no_rows() -> None:
    """Empty columns are an empty list."""
    assert rows_of(Thread, [[] for _ in column_names(Thread)]) == []


def test_thousands_of_rows_are_made_at_once() -> None:
    """10,000 threads take about 25 ms; the bound leaves room for a busy machine."""
    columns: list[list[object]] = [["x"] * COUNT for _ in column_names(Thread)]
    for name in ("createdBy", "relationshipToParent"):
        columns[column_names(Thread).index(name)] = [None] * COUNT

    began = time.process_time()
    rows = rows_of(Thread, columns)

    assert len(rows) == COUNT
    assert time.process_time() - began < 0.25
