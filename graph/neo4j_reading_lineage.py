"""The lineage of a thread, nodes and edges in one statement, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import column_names, rows_of
from graph.errors import ThreadNotFound
from graph.model import LineageEdge, Thread, ThreadId
from graph.neo4j_reading_relations import EDGE_TYPES, walked_types
from graph.questions import (
    DescendantPosition,
    LineageDirection,
    LineageGraph,
    Truncation,
    TruncationReason,
)
from graph.statements import reading

if TYPE_CHECKING:
    from graph.questions import LineageQuestion
    from graph.runner import Runner

EVERYTHING = 2**31 - 1


async def lineage(runner: Runner, question: LineageQuestion) -> LineageGraph:
    """The nodes and edges of a lineage."""
    answer = await _ask(runner, question)
    found = rows_of(Thread, answer.columns)
    nodes = found[: question.max_nodes]
    truncated = None
    if len(found) > question.max_nodes:
        truncated = Truncation(TruncationReason.NODES, question.max_nodes)
    elif answer.deeper:
        truncated = Truncation(TruncationReason.DEPTH, question.max_depth)
    end = None
    if nodes:
        end = DescendantPosition(answer.depths[len(nodes) - 1], nodes[-1].thread_id)
    return LineageGraph(nodes, _edges(answer, nodes), truncated, end, answer.version)


async def _ask(runner: Runner, question: LineageQuestion) -> LineagePage:
    limit = question.max_nodes + 1
    after = question.after
    up = Upward(
        thread_id=question.thread_id,
        types=walked_types(question.kinds),
        max_depth=question.max_depth,
        walk_limit=limit if after is None else EVERYTHING,
        after_depth=-1 if after is None else after.depth,
        after_id="" if after is None else after.thread_id,
        limit=limit,
        columns=column_names(Thread),
        edge_columns=list(EDGE_PROPERTIES),
    )
    if question.direction is LineageDirection.ANCESTORS:
        rows = await runner.read(UPWARD, up)
    else:
        down = Downward(
            thread_id=up.thread_id,
            whole_tree=question.direction is LineageDirection.WHOLE_TREE,
            types=up.types,
            max_depth=up.max_depth,
            walk_limit=up.walk_limit,
            after_depth=up.after_depth,
            after_id=up.after_id,
            limit=up.limit,
            columns=up.columns,
            edge_columns=up.edge_columns,
        )
        rows = await runner.read(DOWNWARD, down)
    if not rows:
        raise ThreadNotFound(question.thread_id)
    return rows[0]


def _edges(answer: LineagePage, nodes: list[Thread]) -> list[LineageEdge]:
    """The edges with one end on this page and the other here or on an earlier page."""
    here = {node.thread_id for node in nodes}
    known = here.union(answer.earlier)
    rows = zip(
        answer.edge_types,
        answer.newer_ids,
        answer.origin_ids,
        answer.points_at,
        *answer.edge_columns,
        strict=True,
    )
    edges = {
        (edge_type, origin_id, newer_id): LineageEdge(
            kind=EDGE_KINDS[edge_type],
            from_thread_id=origin_id,
            to_thread_id=newer_id,
            status=status,
            context_only=context_only,
            transfer_id=transfer_id,
            run_id=run_id or point_run_id,
            at=at,
            point_at=point_at,
            evidence=evidence,
        )
        for (
            edge_type,
            newer_id,
            origin_id,
            point_at,
            status,
            context_only,
            transfer_id,
            run_id,
            point_run_id,
            at,
            evidence,
        ) in rows
        if newer_id in known and origin_id in known and (newer_id in here or origin_id in here)
    }
    return sorted(
        edges.values(), key=lambda edge: (edge.kind, edge.from_thread_id, edge.to_thread_id)
    )


EDGE_KINDS = {edge_type: kind for kind, edge_type in EDGE_TYPES.items()}

EDGE_PROPERTIES = (
    "status",
    "contextOnly",
    "transferId",
    "runId",
    "pointRunId",
    "at",
    "evidence",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Upward:
    """What stands above a thread, behind which place."""

    thread_id: str
    types: list[str]
    max_depth: int
    walk_limit: int
    after_depth: int
    after_id: str
    limit: int
    columns: list[str]
    edge_columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Downward:
    """What hangs below a thread or, *whole_tree*, below its root, behind which place."""

    thread_id: str
    whole_tree: bool
    types: list[str]
    max_depth: int
    walk_limit: int
    after_depth: int
    after_id: str
    limit: int
    columns: list[str]
    edge_columns: list[str]


class LineagePage(msgspec.Struct, frozen=True):
    """The threads of a page and what they are connected with.

    *earlier* are the ids of all that stand before the page, *deeper* says that the walk met
    threads below the greatest depth. The edges' columns are those of ``EDGE_PROPERTIES``.
    """

    version: str
    earlier: list[ThreadId]
    depths: list[int]
    columns: list[list[Any]]
    deeper: bool
    edge_types: list[str]
    newer_ids: list[ThreadId]
    origin_ids: list[ThreadId]
    points_at: list[str | None]
    edge_columns: list[list[Any]]


UPWARD = reading("lineage/upward", Upward, LineagePage)
DOWNWARD = reading("lineage/downward", Downward, LineagePage)
