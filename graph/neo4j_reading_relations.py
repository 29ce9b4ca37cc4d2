"""How threads are related, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields, ColumnPairs, ColumnRows
from graph.errors import BadInput
from graph.model import (
    EdgeKind,
    ForkOrigin,
    HistoryBase,
    RunId,
    SourcePoint,
    SpawnEdge,
    Thread,
    ThreadId,
    Timestamp,
)
from graph.neo4j_reading_pages import (
    ColumnsOf,
    CountOf,
    PageOf,
    counts_of,
    once,
    page_of,
    pages_of,
)
from graph.questions import WALKED_KINDS, Descendant
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.questions import ChildrenQuestion, DescendantsQuestion, Page
    from graph.runner import Runner

EDGE_TYPES = {
    EdgeKind.FORK: "FORKED_FROM",
    EdgeKind.SPAWN: "SPAWNED_BY",
    EdgeKind.PARENT: "CHILD_OF",
    EdgeKind.HISTORY_BASE: "HISTORY_BASE",
}

SPAWN_ENDS = ("parent_thread_id", "child_thread_id")
PROPERTIES_OF_SPAWNS = dict(
    zip(SpawnEdge.__struct_fields__, SpawnEdge.__struct_encode_fields__, strict=True)
)


def walked_types(kinds: Collection[EdgeKind], spawn_status: str | None = None) -> list[str]:
    """The relationship types that a walk follows; ``BadInput`` where it has no meaning."""
    if not set(kinds) <= set(WALKED_KINDS):
        raise BadInput("A walk follows FORK, SPAWN and PARENT edges only.")
    if spawn_status is not None and set(kinds) != {EdgeKind.SPAWN}:
        raise BadInput("A spawn status needs kinds: [SPAWN].")
    return [EDGE_TYPES[kind] for kind in WALKED_KINDS if kind in kinds]


async def ancestors(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    kinds: Collection[EdgeKind] = WALKED_KINDS,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Sequence[Thread]]:
    """All threads above each thread."""
    asked = Ancestors(
        thread_ids=once(thread_ids),
        types=walked_types(kinds),
        columns=chosen.properties(Thread),
    )
    return {
        ThreadId(answer.owner_id): chosen.rows(Thread, answer.columns)
        for answer in await runner.read(ANCESTORS, asked)
    }


async def descendants(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    question: DescendantsQuestion,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[Descendant]]:
    """A page of what hangs below each thread."""
    after = question.after
    asked = Descendants(
        thread_ids=once(thread_ids),
        types=walked_types(question.kinds, question.spawn_status),
        status=question.spawn_status,
        max_depth=question.max_depth,
        after_depth=0 if after is None else after.depth,
        after_id="" if after is None else after.thread_id,
        limit=question.first + 1,
        columns=chosen.properties(Thread),
    )
    return {
        ThreadId(answer.owner_id): page_of(
            ColumnPairs(Descendant, chosen.rows(Thread, answer.columns), "depth", answer.depths),
            question.first,
            has_previous=answer.has_previous,
        )
        for answer in await runner.read(DESCENDANTS, asked)
    }


async def count_descendants(
    runner: Runner, thread_ids: Collection[ThreadId], question: DescendantsQuestion
) -> Mapping[ThreadId, int]:
    """How many descendants each thread has."""
    asked = CountDescendants(
        thread_ids=once(thread_ids),
        types=walked_types(question.kinds, question.spawn_status),
        status=question.spawn_status,
        max_depth=question.max_depth,
    )
    return counts_of(ThreadId, await runner.read(COUNT_DESCENDANTS, asked))


async def children(
    runner: Runner,
    thread_ids: Collection[ThreadId],
    question: ChildrenQuestion,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[Thread]]:
    """A page of the direct children of each thread."""
    asked = Children(
        thread_ids=once(thread_ids),
        types=walked_types(question.kinds, question.spawn_status),
        status=question.spawn_status,
        after=question.after or "",
        limit=question.first + 1,
        columns=chosen.properties(Thread),
    )
    return pages_of(Thread, ThreadId, await runner.read(CHILDREN, asked), question.first, chosen)


async def count_children(
    runner: Runner, thread_ids: Collection[ThreadId], question: ChildrenQuestion
) -> Mapping[ThreadId, int]:
    """How many direct children each thread has."""
    asked = CountChildren(
        thread_ids=once(thread_ids),
        types=walked_types(question.kinds, question.spawn_status),
        status=question.spawn_status,
    )
    return counts_of(ThreadId, await runner.read(COUNT_CHILDREN, asked))


async def spawn_edges(  # noqa: PLR0913 - the store's question in its parts, and what of it is read
    runner: Runner,
    thread_ids: Collection[ThreadId],
    *,
    status: str | None,
    first: int,
    after: ThreadId | None,
    chosen: ChosenFields = ALL_FIELDS,
) -> Mapping[ThreadId, Page[SpawnEdge]]:
    """A page of each thread's own spawn edges."""
    stored = [name for name in chosen.of(SpawnEdge) if name not in SPAWN_ENDS]
    asked = SpawnEdges(
        thread_ids=once(thread_ids),
        status=status,
        after=after or "",
        limit=first + 1,
        columns=[PROPERTIES_OF_SPAWNS[name] for name in stored],
    )
    return {
        ThreadId(answer.owner_id): page_of(
            ColumnRows(
                SpawnEdge,
                {
                    "parent_thread_id": [answer.owner_id] * len(answer.child_ids),
                    "child_thread_id": answer.child_ids,
                    **dict(zip(stored, answer.columns, strict=True)),
                },
            ),
            first,
            has_previous=answer.has_previous,
        )
        for answer in await runner.read(SPAWN_EDGES, asked)
    }


async def count_spawn_edges(
    runner: Runner, thread_ids: Collection[ThreadId], *, status: str | None
) -> Mapping[ThreadId, int]:
    """How many spawn edges each thread has."""
    asked = CountSpawnEdges(thread_ids=once(thread_ids), status=status)
    return counts_of(ThreadId, await runner.read(COUNT_SPAWN_EDGES, asked))


async def fork_origins(
    runner: Runner, thread_ids: Collection[ThreadId]
) -> Mapping[ThreadId, ForkOrigin]:
    """Where each fork among the threads came from."""
    return {
        ThreadId(answer.owner_id): ForkOrigin(
            thread_id=answer.source_id,
            point=None
            if answer.point_run_id is None
            else SourcePoint(
                # A run that was never recorded is named after the source.
                thread_id=answer.point_thread_id or answer.source_id,
                run_id=answer.point_run_id,
            ),
            context_only=answer.context_only,
            attached=answer.attached,
            at=answer.at,
            evidence=answer.evidence,
        )
        for answer in await runner.read(FORK_ORIGINS, Related(thread_ids=once(thread_ids)))
    }


async def history_bases(
    runner: Runner, thread_ids: Collection[ThreadId]
) -> Mapping[ThreadId, HistoryBase]:
    """The history base of each thread that has one."""
    return {
        ThreadId(answer.owner_id): HistoryBase(
            thread_id=answer.base_id, end_ordinal=answer.end_ordinal
        )
        for answer in await runner.read(HISTORY_BASES, Related(thread_ids=once(thread_ids)))
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Ancestors:
    """Whose ancestors, over which relationships."""

    thread_ids: list[str]
    types: list[str]
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Descendants:
    """Whose descendants, over which relationships, behind which place."""

    thread_ids: list[str]
    types: list[str]
    status: str | None
    max_depth: int
    after_depth: int
    after_id: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountDescendants:
    """Whose descendants are counted."""

    thread_ids: list[str]
    types: list[str]
    status: str | None
    max_depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Children:
    """Whose children, over which relationships, behind which id."""

    thread_ids: list[str]
    types: list[str]
    status: str | None
    after: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountChildren:
    """Whose children are counted."""

    thread_ids: list[str]
    types: list[str]
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpawnEdges:
    """Whose spawn edges, behind which child."""

    thread_ids: list[str]
    status: str | None
    after: str
    limit: int
    columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountSpawnEdges:
    """Whose spawn edges are counted."""

    thread_ids: list[str]
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Related:
    """Whose single relation of a kind."""

    thread_ids: list[str]


class DescendantsOf(msgspec.Struct, frozen=True):
    """One owner's descendants, with the depth of each."""

    owner_id: str
    depths: list[int]
    columns: list[list[Any]]
    has_previous: bool


class SpawnEdgesOf(msgspec.Struct, frozen=True):
    """One owner's spawn edges, with the child of each."""

    owner_id: str
    child_ids: list[str]
    columns: list[list[Any]]
    has_previous: bool


class ForkOriginOf(msgspec.Struct, frozen=True):
    """One fork's edge, and the thread of the run that its point names."""

    owner_id: str
    source_id: ThreadId
    point_run_id: RunId | None
    point_thread_id: ThreadId | None
    context_only: bool
    attached: bool
    at: Timestamp | None
    evidence: str


class HistoryBaseOf(msgspec.Struct, frozen=True):
    """One thread's reference."""

    owner_id: str
    base_id: ThreadId
    end_ordinal: int | None


ANCESTORS = reading("relations/ancestors", Ancestors, ColumnsOf)
DESCENDANTS = reading("relations/descendants", Descendants, DescendantsOf)
COUNT_DESCENDANTS = reading("relations/count_descendants", CountDescendants, CountOf)
CHILDREN = reading("relations/children", Children, PageOf)
COUNT_CHILDREN = reading("relations/count_children", CountChildren, CountOf)
SPAWN_EDGES = reading("relations/spawn_edges", SpawnEdges, SpawnEdgesOf)
COUNT_SPAWN_EDGES = reading("relations/count_spawn_edges", CountSpawnEdges, CountOf)
FORK_ORIGINS = reading("relations/fork_origins", Related, ForkOriginOf)
HISTORY_BASES = reading("relations/history_bases", Related, HistoryBaseOf)
