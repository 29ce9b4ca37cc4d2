"""The small rules that the in-memory model of the graph is made of."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeVar

from graph.errors import BadInput, IdTooLong
from graph.model import (
    PROOF_RANK,
    CapabilityRoot,
    EdgeKind,
    Evidence,
    Thread,
    ThreadId,
    Timestamp,
)
from graph.questions import WALKED_KINDS, Page, ThreadOrder
from graph.records import Batch, ForkRecord, RunRecord
from graph.store import MAX_ID_BYTES

INTERACTIVE = frozenset({None, "cli", "vscode", "custom:atlas", "custom:chatgpt"})

Row = TypeVar("Row")


class HasEvidence(Protocol):
    """An edge as a record tells it."""

    @property
    def evidence(self) -> Evidence: ...


Edge = TypeVar("Edge", bound=HasEvidence)


def check_ids(batch: Batch) -> None:
    """``IdTooLong`` where any id of the batch is over the limit."""
    for thread in batch.threads:
        named = {
            "threadId": [thread.thread_id],
            "runId": [run.run_id for run in thread.runs],
            "itemId": [item.item_id for item in thread.items.items],
            "sourceThreadId": [thread.fork.source_thread_id] if thread.fork else [],
            "parentThreadId": [
                edge.parent_thread_id for edge in (thread.spawn, thread.child_of) if edge
            ],
            "historyBase": [thread.history_base.thread_id] if thread.history_base else [],
        }
        for name, ids in named.items():
            check_sizes(name, ids)
    for spawn in batch.spawns:
        check_sizes("parentThreadId", [spawn.parent_thread_id])
        check_sizes("childThreadId", [spawn.child_thread_id])
    for transfer in batch.transfers:
        check_sizes("transferId", [transfer.transfer_id])
        check_sizes("sourceThreadId", [transfer.source_thread_id])
        check_sizes("targetThreadId", [transfer.target_thread_id])


def check_sizes(name: str, ids: Iterable[str]) -> None:
    """``IdTooLong`` where any of the ids is over the limit."""
    for value in ids:
        size = len(value.encode())
        if size > MAX_ID_BYTES:
            raise IdTooLong(name, size)


def check_kinds(kinds: Collection[EdgeKind], spawn_status: str | None = None) -> None:
    """``BadInput`` where a walk over these kinds has no meaning."""
    if not set(kinds) <= set(WALKED_KINDS):
        raise BadInput("A walk follows FORK, SPAWN and PARENT edges only.")
    if spawn_status is not None and set(kinds) != {EdgeKind.SPAWN}:
        raise BadInput("A spawn status needs kinds: [SPAWN].")


def rank(evidence: Evidence) -> int:
    """How strong a proof is, as a number that grows with it."""
    return PROOF_RANK[evidence.proof]


def keep_stronger(edges: dict[ThreadId, Edge], child: ThreadId, edge: Edge) -> None:
    """Put the edge in place of an older one, unless that one is better proven."""
    old = edges.get(child)
    if old is None or rank(old.evidence) <= rank(edge.evidence):
        edges[child] = edge


def distances(
    start: ThreadId, neighbours: Callable[[ThreadId], set[ThreadId]]
) -> dict[ThreadId, int]:
    """The hops from *start* to all that can be reached, itself left out."""
    found: dict[ThreadId, int] = {}
    front, distance = {start}, 0
    while front:
        distance += 1
        front = {n for at in front for n in neighbours(at)} - {start} - found.keys()
        found.update(dict.fromkeys(front, distance))
    return found


def by_distance(found: dict[ThreadId, int]) -> list[ThreadId]:
    """The ids by (distance, id)."""
    return sorted(found, key=lambda thread_id: (found[thread_id], thread_id))


def _itself(row: Any) -> Any:  # noqa: ANN401 - rows that are their own sort key
    return row


def page_of(
    rows: Sequence[Row], first: int, after: object | None, key: Callable[[Row], Any] = _itself
) -> Page[Row]:
    """The first rows behind the key *after*."""
    start = 0 if after is None else sum(1 for row in rows if key(row) <= after)
    shown = rows[start : start + first]
    return Page(shown, has_next=start + first < len(rows), has_previous=start > 0)


def among(value: str | None, allowed: Collection[str] | None) -> bool:
    """Whether a condition that lists values is met."""
    return allowed is None or value in allowed


def within(value: Timestamp | None, after: Timestamp | None, before: Timestamp | None) -> bool:
    """Whether a time lies from *after* on and before *before*."""
    if value is None:
        return after is None and before is None
    return (after is None or value >= after) and (before is None or value < before)


def source_kind_matches(thread: Thread, kinds: Collection[str] | None, *, every: bool) -> bool:
    """Whether the condition on the kinds of sources is met."""
    if kinds is None and every:
        return True
    if not kinds:
        return thread.source_kind in INTERACTIVE
    kind = thread.source_kind or ""
    return kind in kinds or ("subAgent" in kinds and kind.startswith("subAgent"))


def time_of(order: ThreadOrder) -> Callable[[Thread], Timestamp]:
    """The time that an order goes by; a recorded thread has all three."""
    name = {"CREATED": "created_at", "UPDATED": "updated_at", "RECENCY": "recency_at"}[
        order.split("_")[0]
    ]
    return lambda thread: getattr(thread, name)


def kept_then(run: RunRecord, fork: ForkRecord) -> bool:
    """Whether a run had not been rolled back when a fork of its thread was made."""
    if run.rolled_back_at is None:
        return True
    if run.rolled_back_revision is not None and fork.source_revision is not None:
        return run.rolled_back_revision > fork.source_revision
    return fork.at is not None and run.rolled_back_at > fork.at


def canonical(roots: Sequence[CapabilityRoot]) -> str | None:
    """Capability roots as canonical JSON, ``None`` where there are none."""
    if not roots:
        return None
    return json.dumps(
        [{"environmentId": r.environment_id, "id": r.id, "path": r.path} for r in roots],
        separators=(",", ":"),
        ensure_ascii=False,
    )


def milliseconds(start: Timestamp, end: Timestamp) -> int:
    """The whole milliseconds from *start* to *end*."""
    passed = datetime.fromisoformat(end) - datetime.fromisoformat(start)
    return int(passed.total_seconds() * 1_000_000) // 1_000
