"""Rows out of columns."""

from __future__ import annotations

import time

import pytest

from graph.columns import ChosenFields, ColumnPairs, column_names, rows_of
from graph.model import Actor, Relationship, Run, RunId, RunKind, Thread, ThreadId
from graph.questions import Columnar, Descendant

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


def test_a_column_is_given_as_it_came() -> None:
    """Words stay text, and what is not there is the field's default; no row is made for it."""
    chosen = ChosenFields({Thread: ("title", "created_by", "run_count")})
    columns = [["a", "b"], ["A", None], ["AGENT", None], [3, None]]

    rows = chosen.rows(Thread, columns)[1:]

    assert chosen.properties(Thread) == ["threadId", "title", "createdBy", "runCount"]
    assert isinstance(rows, Columnar)
    assert (rows.column("title"), rows.column("created_by")) == ([None], [None])
    assert (rows.column("run_count"), rows.column("thread_id")) == ([0], ["b"])
    with pytest.raises(KeyError):
        rows.column("depth")


def test_fields_without_a_column_are_blank() -> None:
    """They hold their default, or a value of their type that says nothing."""
    rows = ChosenFields({Run: ()}).rows(Run, [["r"], [4]])

    assert list(rows) == [
        Run(run_id=RunId("r"), thread_id=ThreadId(""), ordinal=4, kind=RunKind.TURN, status="")
    ]


def test_rows_are_a_list() -> None:
    """They have a length, places, parts and equals like any other."""
    rows = ChosenFields({Thread: ()}).rows(Thread, [["a", "b", "c"]])

    assert (len(rows), rows[1].thread_id, [row.thread_id for row in rows[::-1]]) == (
        3,
        "b",
        ["c", "b", "a"],
    )
    assert rows == list(rows)
    assert rows[:2] == rows[0:2] != rows


def test_pairs_are_made_when_they_are_looked_at() -> None:
    """What stands beside the rows is a column like theirs."""
    rows = ChosenFields({Thread: ()}).rows(Thread, [["a", "b"]])

    pairs = ColumnPairs(Descendant, rows, "depth", [1, 2])

    assert (pairs.column("depth"), pairs[1:].column("thread_id")) == ([1, 2], ["b"])
    assert pairs == [Descendant(rows[0], 1), Descendant(rows[1], 2)]
