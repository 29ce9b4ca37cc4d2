"""How threads are connected and where they meet, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import ALL_FIELDS, ChosenFields
from graph.errors import BadInput, StoreUnavailable, ThreadNotFound
from graph.model import LineageEdge, Thread, ThreadId, Timestamp
from graph.neo4j_reading_lineage import EDGE_KINDS, EDGE_PROPERTIES
from graph.neo4j_reading_pages import once
from graph.neo4j_reading_threads import threads_by_id
from graph.questions import LineagePath
from graph.shortest_way import shortest_way
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

    from graph.runner import Runner


async def path(
    runner: Runner, from_id: ThreadId, to_id: ThreadId, chosen: ChosenFields = ALL_FIELDS
) -> LineagePath | None:
    """The shortest way between two threads."""
    asked = Ends(from_id=from_id, to_id=to_id, edge_columns=list(EDGE_PROPERTIES))
    answer = await runner.read_one(WAYS, asked)
    _check_known((from_id, to_id), answer.known)
    way = shortest_way(from_id, to_id, _edges(answer))
    if way is None:
        return None
    thread_ids, edges = way
    threads = await threads_by_id(runner, thread_ids, chosen)
    if len(threads) < len(thread_ids):
        raise StoreUnavailable("A thread on the path has just been removed; ask again.")
    return LineagePath([threads[thread_id] for thread_id in thread_ids], edges)


async def nearest_common_ancestor(
    runner: Runner, thread_ids: Collection[ThreadId], chosen: ChosenFields = ALL_FIELDS
) -> Thread | None:
    """The thread nearest above several threads."""
    if not thread_ids:
        raise BadInput("A common ancestor is of at least one thread.")
    asked = Together(thread_ids=once(thread_ids), columns=chosen.properties(Thread))
    answer = await runner.read_one(NEAREST_COMMON_ANCESTOR, asked)
    _check_known(thread_ids, answer.known)
    return next(iter(chosen.rows(Thread, answer.columns)), None)


def _check_known(thread_ids: Iterable[ThreadId], known: Collection[str]) -> None:
    """``ThreadNotFound`` for the first of the threads that is not known."""
    for thread_id in thread_ids:
        if thread_id not in known:
            raise ThreadNotFound(thread_id)


def _edges(answer: Ways) -> Iterator[LineageEdge]:
    rows = zip(
        answer.edge_types,
        answer.newer_ids,
        answer.origin_ids,
        answer.points_at,
        zip(*answer.edge_columns, strict=True),
        strict=True,
    )
    for edge_type, newer_id, origin_id, point_at, values in rows:
        stored = dict(zip(EDGE_PROPERTIES, values, strict=True))
        yield LineageEdge(
            kind=EDGE_KINDS[edge_type],
            from_thread_id=origin_id,
            to_thread_id=newer_id,
            status=stored["status"],
            context_only=stored["contextOnly"],
            transfer_id=stored["transferId"],
            run_id=stored["runId"] or stored["pointRunId"],
            at=stored["at"],
            point_at=point_at,
            evidence=stored["evidence"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """Between which threads."""

    from_id: str
    to_id: str
    edge_columns: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """Above which threads together."""

    thread_ids: list[str]
    columns: list[str]


class Ways(msgspec.Struct, frozen=True):
    """Edges that ways can take, and which of the ends are known."""

    known: list[str]
    edge_types: list[str]
    newer_ids: list[ThreadId]
    origin_ids: list[ThreadId]
    points_at: list[Timestamp | None]
    edge_columns: list[list[Any]]


class Meeting(msgspec.Struct, frozen=True):
    """At most one thread, and which of those below it are known."""

    known: list[str]
    columns: list[list[Any]]


WAYS = reading("lineage/ways", Ends, Ways)
NEAREST_COMMON_ANCESTOR = reading("relations/nearest_common_ancestor", Together, Meeting)
