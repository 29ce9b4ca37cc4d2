"""Threads with their nearest relatives in one statement, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ChosenFields, ColumnRows
from graph.errors import BadInput
from graph.model import Thread, ThreadId
from graph.neo4j_reading_pages import once, page_of
from graph.neo4j_reading_relations import walked_types
from graph.neo4j_reading_standings import note_trees
from graph.questions import MAX_FAMILY_LEVELS, Family
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.questions import ChildrenQuestion, FamilyQuestion, Page
    from graph.runner import Runner
    from graph.standings import TreeNotes

NOT_ASKED: Mapping[str, Any] = {"types": [], "status": None, "limit": 0, "columns": []}


async def family(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    question: FamilyQuestion,
    notes: TreeNotes | None = None,
) -> Family:
    """The threads that are known, and their relatives; *notes* takes the trees of the threads."""
    more = ("root_thread_id",) if notes is not None and notes.thorough else ()
    levels = [(level.children, _chosen(level.fields, *more)) for level in question.levels]
    if len(levels) > MAX_FAMILY_LEVELS:
        raise BadInput(f"A family has at most {MAX_FAMILY_LEVELS} levels of children.")
    own, parent, root = (
        _chosen(fields, *more) for fields in (question.fields, question.parent, question.root)
    )
    asked = FamilyAsked(
        thread_ids=once(thread_ids),
        columns=own.properties(Thread),
        parent_columns=[] if question.parent is None else parent.properties(Thread),
        root_columns=[] if question.root is None else root.properties(Thread),
        levels=[_level(children, chosen) for children, chosen in levels]
        + [dict(NOT_ASKED)] * (MAX_FAMILY_LEVELS - len(levels)),
        with_trees=notes is not None,
    )
    answer = await runner.read_one(FAMILY, asked)
    if notes is not None:
        _note(notes, answer, asked, (own, parent, root), [chosen for _, chosen in levels])
    return Family(
        threads=_by_id(own, answer.columns),
        parents=_by_id(parent, answer.parent_columns),
        roots=_by_id(root, answer.root_columns),
        levels=[
            _pages(found, chosen, children.first)
            for found, (children, chosen) in zip(answer.levels, levels, strict=False)
        ],
    )


def _chosen(fields: Collection[str] | None, *more: str) -> ChosenFields:
    return ChosenFields({Thread: {*(fields or ()), *more}})


def _note(
    notes: TreeNotes,
    answer: FamilyFound,
    asked: FamilyAsked,
    single: Sequence[ChosenFields],
    levels: Sequence[ChosenFields],
) -> None:
    parts = (answer.columns, answer.parent_columns, answer.root_columns)
    rows = [
        chosen.rows(Thread, columns)
        for chosen, columns in zip(single, parts, strict=True)
        if columns
    ]
    rows += [
        chosen.rows(Thread, columns)
        for chosen, found in zip(levels, answer.levels, strict=False)
        for columns in zip(*found["columns"], strict=True)
    ]
    note_trees(notes, answer.trees, *rows)
    if len(answer.columns[0]) < len(asked.thread_ids):
        notes.told = False


def _level(children: ChildrenQuestion, chosen: ChosenFields) -> dict[str, Any]:
    if children.after is not None:
        raise BadInput("The children in a family begin with the first.")
    return {
        "types": walked_types(children.kinds, children.spawn_status),
        "status": children.spawn_status,
        "limit": children.first + 1,
        "columns": chosen.properties(Thread),
    }


def _by_id(chosen: ChosenFields, columns: list[list[Any]]) -> Mapping[ThreadId, Thread]:
    if not columns:
        return {}
    return {thread.thread_id: thread for thread in chosen.rows(Thread, columns)}


def _pages(
    found: Mapping[str, Any], chosen: ChosenFields, first: int
) -> Mapping[ThreadId, Page[Thread]]:
    fields = chosen.of(Thread)
    lists: list[Sequence[Sequence[Any]]] = list(zip(*found["columns"], strict=True))
    return {
        ThreadId(owner_id): page_of(
            ColumnRows(Thread, dict(zip(fields, columns, strict=True))),
            first,
            has_previous=False,
        )
        for owner_id, columns in zip(found["owner_ids"], lists, strict=True)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyAsked:
    """Whose relatives, and which."""

    thread_ids: list[str]
    columns: list[str]
    parent_columns: list[str]
    root_columns: list[str]
    levels: list[dict[str, Any]]
    with_trees: bool


class FamilyFound(msgspec.Struct, frozen=True):
    """The columns of each part; of a level also whose children they are.

    *trees* are the roots of the threads with the number and the id of their revision.
    """

    trees: list[tuple[ThreadId, int, str | None]]
    columns: list[list[Any]]
    parent_columns: list[list[Any]]
    root_columns: list[list[Any]]
    levels: list[dict[str, Any]]


FAMILY = reading("relations/family", FamilyAsked, FamilyFound)
