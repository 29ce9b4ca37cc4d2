"""The lineage edges that a batch states, and which of two statements of one edge is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from graph.model import PROOF_RANK, EdgeKind
from graph.questions import WALKED_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graph.model import Evidence, ThreadId
    from graph.properties import Properties
    from graph.records import (
        ForkRecord,
        HistoryBaseRecord,
        ParentRecord,
        SpawnRecord,
        ThreadRecord,
    )

Cells = list[Any]  # a row whose cells differ in type: the places are told in the Cypher file

FILLED_IN = ("statedRunId", "statedCallId", "statedAt", "transferId")
"""What a spawn edge takes from a weaker statement of the same parent where it lacks it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edge:
    """An edge from a newer thread to its origin, with the properties that were stated.

    *places* says whether the thread can hang on it, *attached* whether it is owned over it.
    """

    kind: EdgeKind
    child_id: ThreadId
    origin_id: ThreadId
    rank: int
    properties: Properties
    places: bool = True
    attached: bool = False


def edges_of(record: ThreadRecord) -> Iterator[Edge]:
    """The edges that a thread's record states, its spawn edge first; none to itself."""
    if record.spawn is not None:
        yield from spawn_edges((record.spawn,))
    stated: list[Edge] = []
    if record.fork is not None:
        stated.append(_fork_edge(record.thread_id, record.fork))
    if record.child_of is not None:
        stated.append(_parent_edge(record.thread_id, record.child_of))
    if record.history_base is not None:
        stated.append(_history_base_edge(record.thread_id, record.history_base))
    yield from (edge for edge in stated if edge.child_id != edge.origin_id)


def spawn_edges(spawns: Iterable[SpawnRecord]) -> Iterator[Edge]:
    """The edges that spawns state; none to itself."""
    for spawn in spawns:
        if spawn.child_thread_id != spawn.parent_thread_id:
            yield Edge(
                kind=EdgeKind.SPAWN,
                child_id=spawn.child_thread_id,
                origin_id=spawn.parent_thread_id,
                rank=PROOF_RANK[spawn.evidence.proof],
                properties={
                    "childThreadId": spawn.child_thread_id,
                    "status": spawn.status,
                    "origin": spawn.origin,
                    "statedRunId": spawn.run_id,
                    "statedCallId": spawn.call_id,
                    "statedAt": spawn.at,
                    "transferId": spawn.transfer_id,
                    **_proof(spawn.evidence),
                },
            )


def kept(old: Edge | None, new: Edge) -> Edge:
    """The edge that stands when *new* is told after *old*; *old* itself if nothing changes."""
    if old is None:
        return new
    stronger, other = (old, new) if old.rank > new.rank else (new, old)
    if stronger.kind is EdgeKind.SPAWN and stronger.origin_id == other.origin_id:
        missing = {
            name: other.properties[name]
            for name in FILLED_IN
            if not stronger.properties[name] and other.properties[name]
        }
        stronger = replace(stronger, properties=stronger.properties | missing)
    return old if stronger == old else stronger


def stored_spawn(cells: Cells) -> Edge:
    """A spawn edge of the graph as it was stated, from the places that ``facts`` tells."""
    child, parent, rank, evidence, status, origin, run_id, call_id, at, transfer_id = cells
    return Edge(
        kind=EdgeKind.SPAWN,
        child_id=child,
        origin_id=parent,
        rank=rank,
        properties={
            "childThreadId": child,
            "status": status,
            "origin": origin,
            "statedRunId": run_id,
            "statedCallId": call_id,
            "statedAt": at,
            "transferId": transfer_id,
            "evidence": evidence,
            "proofRank": rank,
        },
    )


def stored_edges(
    spawns: Iterable[Cells],
    forks: Iterable[Cells],
    parents: Iterable[Cells],
    bases: Iterable[Cells],
) -> Iterator[Edge]:
    """The edges of the graph; but for spawns only what decides whether another replaces them."""
    yield from map(stored_spawn, spawns)
    for child, source, rank, context_only, attached in forks:
        yield Edge(
            kind=EdgeKind.FORK,
            child_id=child,
            origin_id=source,
            rank=rank,
            properties={},
            places=not context_only,
            attached=attached,
        )
    for kind, rows in ((EdgeKind.PARENT, parents), (EdgeKind.HISTORY_BASE, bases)):
        for child, origin, rank in rows:
            yield Edge(kind=kind, child_id=child, origin_id=origin, rank=rank, properties={})


def hangs_on_several(edges: Iterable[Edge]) -> bool:
    """Whether the edges of a thread, of all kinds that walks follow, lead to several threads."""
    return len({edge.origin_id for edge in edges if edge.kind in WALKED_KINDS}) > 1


def _fork_edge(child_id: ThreadId, fork: ForkRecord) -> Edge:
    """A fork keeps the one name of its point that counts: the others could never be asked."""
    point: Properties = {}
    if fork.point_run_id is not None:
        point["pointRunId"] = fork.point_run_id
    elif fork.point_native_turn_id is not None:
        point["pointNativeTurnId"] = fork.point_native_turn_id
        point["pointRunId"] = f"{fork.source_thread_id}/{fork.point_native_turn_id}"
    elif fork.base_rollout_id is not None and fork.base_end_ordinal is not None:
        point["baseRolloutId"] = fork.base_rollout_id
        point["baseEndOrdinal"] = fork.base_end_ordinal
    return Edge(
        kind=EdgeKind.FORK,
        child_id=child_id,
        origin_id=fork.source_thread_id,
        rank=PROOF_RANK[fork.evidence.proof],
        properties={
            **point,
            "pointCheckpointId": fork.point_checkpoint_id,
            "sourceRevision": fork.source_revision,
            "transferId": fork.transfer_id,
            "keptThroughRunId": fork.kept_through_run_id,
            "contextOnly": fork.context_only,
            "attached": fork.attached,
            "at": fork.at,
            **_proof(fork.evidence),
        },
        places=not fork.context_only,
        attached=fork.attached,
    )


def _parent_edge(child_id: ThreadId, parent: ParentRecord) -> Edge:
    return Edge(
        kind=EdgeKind.PARENT,
        child_id=child_id,
        origin_id=parent.parent_thread_id,
        rank=PROOF_RANK[parent.evidence.proof],
        properties={"runId": parent.run_id, "at": parent.at, **_proof(parent.evidence)},
    )


def _history_base_edge(child_id: ThreadId, base: HistoryBaseRecord) -> Edge:
    return Edge(
        kind=EdgeKind.HISTORY_BASE,
        child_id=child_id,
        origin_id=base.thread_id,
        rank=PROOF_RANK[base.evidence.proof],
        properties={"endOrdinal": base.end_ordinal, **_proof(base.evidence)},
        places=False,
    )


def _proof(evidence: Evidence) -> Properties:
    return {"evidence": str(evidence), "proofRank": PROOF_RANK[evidence.proof]}
