"""The lineage of a thread, nodes and edges in one statement, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, ColumnRows, column_names, rows_of
from graph.errors import ThreadNotFound
from graph.model import (
    EdgeKind,
    LineageEdge,
    RunId,
    Thread,
    ThreadId,
    Timestamp,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.neo4j_reading_relations import EDGE_TYPES, walked_types
from graph.neo4j_reading_standings import note_trees
from graph.questions import (
    EVERYTHING,
    DescendantPosition,
    LineageDirection,
    LineageGraph,
    Truncation,
    TruncationReason,
)
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.questions import LineageQuestion
    from graph.runner import Runner
    from graph.standings import TreeNotes


async def lineage(
    runner: Runner,
    question: LineageQuestion,
    chosen: ChosenFields = ALL_FIELDS,
    notes: TreeNotes | None = None,
) -> LineageGraph:
    """The nodes and edges of a lineage; *notes* takes the tree that they rest on."""
    more = ("root_thread_id",) if notes is not None and notes.thorough else ()
    answer = await _ask(runner, question, chosen, more)
    found = chosen.rows(Thread, answer.columns, *more)
    if notes is not None:
        root_id, revision = answer.root_id, answer.revision
        note_trees(notes, [(root_id, revision, answer.revision_id)], found)
        with_points = question.edges and "point_at" in chosen.of(LineageEdge)
        if question.after is not None or answer.deeper or with_points:
            notes.told = False
    nodes = found[: question.max_nodes]
    truncated = None
    if len(found) > question.max_nodes:
        truncated = Truncation(TruncationReason.NODES, question.max_nodes)
    elif answer.deeper:
        truncated = Truncation(TruncationReason.DEPTH, question.max_depth)
    ids = nodes.column("thread_id")
    end = None
    if ids:
        end = DescendantPosition(answer.depths[len(ids) - 1], ids[-1])
    return LineageGraph(nodes, _edges(answer, ids, chosen), truncated, end, answer.version)


async def _ask(
    runner: Runner, question: LineageQuestion, chosen: ChosenFields, more: Sequence[str]
) -> LineagePage:
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
        columns=chosen.properties(Thread, *more),
        with_edges=question.edges,
        with_points="point_at" in chosen.of(LineageEdge),
        edge_columns=_edge_properties(chosen.of(LineageEdge)),
        transfer_columns=column_names(StoredTransferEdge),
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
            with_edges=up.with_edges,
            with_points=up.with_points,
            edge_columns=up.edge_columns,
            transfer_columns=up.transfer_columns,
        )
        rows = await runner.read(DOWNWARD, down)
    if not rows:
        raise ThreadNotFound(question.thread_id)
    return rows[0]


def _edges(
    answer: LineagePage, ids: Sequence[ThreadId], chosen: ChosenFields
) -> ColumnRows[LineageEdge]:
    """The edges with one end on this page and the other here or on an earlier page."""
    here = set(ids)
    known = here.union(answer.earlier)
    kinds = [EDGE_KINDS[edge_type] for edge_type in answer.edge_types]
    places = {
        (kind, origin, newer): at
        for at, (kind, origin, newer) in enumerate(
            zip(kinds, answer.origin_ids, answer.newer_ids, strict=True)
        )
        if newer in known and origin in known and (newer in here or origin in here)
    }
    order = [places[ends] for ends in sorted(places)]
    fields = chosen.of(LineageEdge)
    stored = dict(zip(_edge_properties(fields), answer.edge_columns, strict=True))
    columns: dict[str, Sequence[Any]] = {
        "kind": kinds,
        "from_thread_id": answer.origin_ids,
        "to_thread_id": answer.newer_ids,
        "point_at": answer.points_at,
    }
    for name, (column, *others) in PROPERTIES_OF_FIELDS.items():
        if name in fields:
            columns[name] = stored[column]
            for other in others:
                columns[name] = list(map(_first, columns[name], stored[other]))
    told = {
        name: [column[at] for at in order] for name, column in columns.items() if name in fields
    }
    handed = _transfer_edges(answer, here, known)
    if handed:
        # Their kind sorts last.
        unknown = [None] * len(order)
        told = {
            name: [*told.get(name, unknown), *(getattr(edge, name) for edge in handed)]
            for name in fields
        }
    return ColumnRows(LineageEdge, told)


def _transfer_edges(
    answer: LineagePage, here: Collection[ThreadId], known: Collection[ThreadId]
) -> list[LineageEdge]:
    """The edges that are transfers, in their order."""
    edges = {
        transfer.transfer_id: transfer.edge(point_at)
        for transfer, point_at in zip(
            rows_of(StoredTransferEdge, answer.transfer_columns),
            answer.transfer_points_at,
            strict=True,
        )
        if transfer.source_thread_id in known
        and transfer.target_thread_id in known
        and (transfer.source_thread_id in here or transfer.target_thread_id in here)
    }
    return sorted(
        edges.values(),
        key=lambda edge: (edge.from_thread_id, edge.to_thread_id, edge.transfer_id),
    )


def _first(value: object, other: object) -> object:
    return value or other


def _edge_properties(fields: Sequence[str]) -> list[str]:
    """The properties of relationships that the fields of their rows are made of."""
    return [name for field in fields for name in PROPERTIES_OF_FIELDS.get(field, ())]


EDGE_KINDS = {edge_type: kind for kind, edge_type in EDGE_TYPES.items()}

PROPERTIES_OF_FIELDS: Mapping[str, tuple[str, ...]] = {
    "status": ("status",),
    "context_only": ("contextOnly",),
    "transfer_id": ("transferId",),
    "run_id": ("runId", "pointRunId"),
    "at": ("at",),
    "evidence": ("evidence",),
}
"""The properties that a field of an edge is made of: the first that is there."""

EDGE_PROPERTIES = tuple(name for names in PROPERTIES_OF_FIELDS.values() for name in names)


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
    with_edges: bool
    with_points: bool
    edge_columns: list[str]
    transfer_columns: list[str]


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
    with_edges: bool
    with_points: bool
    edge_columns: list[str]
    transfer_columns: list[str]


class LineagePage(msgspec.Struct, frozen=True):
    """The threads of a page and what they are connected with.

    *earlier* are the ids of all that stand before the page, *deeper* says that the walk met
    threads below the greatest depth. The edges' columns are the properties that were asked for.
    """

    root_id: ThreadId
    revision: int
    revision_id: str | None
    earlier: list[ThreadId]
    depths: list[int]
    columns: list[list[Any]]
    deeper: bool
    edge_types: list[str]
    newer_ids: list[ThreadId]
    origin_ids: list[ThreadId]
    points_at: list[str | None]
    edge_columns: list[list[Any]]
    transfer_points_at: list[Timestamp | None]
    transfer_columns: list[list[Any]]

    @property
    def version(self) -> str:
        """The tree and its revision."""
        return f"{self.root_id}:{self.revision}"


class StoredTransferEdge(msgspec.Struct, frozen=True, rename="camel"):
    """The properties of a transfer that its edge tells."""

    transfer_id: TransferId
    type: TransferType
    status: TransferStatus
    source_thread_id: ThreadId
    target_thread_id: ThreadId
    created_at: Timestamp
    evidence: str
    source_run_id: RunId | None = None
    consumed_at: Timestamp | None = None
    item_count: int | None = None

    def edge(self, point_at: Timestamp | None) -> LineageEdge:
        """The edge; *point_at* is when the run of the source point ended."""
        return LineageEdge(
            kind=EdgeKind.TRANSFER,
            from_thread_id=self.source_thread_id,
            to_thread_id=self.target_thread_id,
            status=self.status,
            transfer_id=self.transfer_id,
            transfer_type=self.type,
            item_count=self.item_count,
            run_id=self.source_run_id,
            at=self.consumed_at or self.created_at,
            point_at=point_at,
            evidence=self.evidence,
        )


UPWARD = reading("lineage/upward", Upward, LineagePage)
DOWNWARD = reading("lineage/downward", Downward, LineagePage)
