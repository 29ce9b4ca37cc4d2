"""What a store can be asked about some threads, as plain values to compare."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeGuard

import msgspec

from graph.errors import ThreadNotFound
from graph.model import EdgeKind, Thread
from graph.questions import (
    ChildrenQuestion,
    Columnar,
    Descendant,
    DescendantsQuestion,
    LineageQuestion,
    Page,
    ThreadFilter,
    ThreadsQuestion,
    ThreadTransfersQuestion,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from graph.model import RunId, ThreadId, TransferId
    from graph.store import ThreadGraph

MOST = 100


async def answers(
    store: ThreadGraph,
    thread_ids: Sequence[ThreadId],
    run_ids: Collection[RunId],
    transfer_ids: Collection[TransferId] = (),
) -> Any:  # noqa: ANN401 - plain values of any kind
    """Every fact that the store has of the threads and runs, each in one of its answers."""
    found = {
        "threads_by_id": await store.threads_by_id(thread_ids),
        "fork_origins": await store.fork_origins(thread_ids),
        "history_bases": await store.history_bases(thread_ids),
        "spawn_edges": await store.spawn_edges(thread_ids, status=None, first=MOST, after=None),
        "runs_by_id": await store.runs_by_id(run_ids),
        "runs": await store.runs(thread_ids, include_rolled_back=True, first=MOST, after=None),
        "history": await store.history(
            thread_ids, include_rolled_back=False, first=MOST, after=None
        ),
        "items": await store.items(thread_ids, first=MOST, after=None),
        "items_of_runs": await store.items_of_runs(run_ids, first=MOST, after=None),
        "context_windows": await store.context_windows(thread_ids),
        "import_states": await store.import_states(thread_ids),
        "ancestors": await store.ancestors(thread_ids),
        "children": await store.children(thread_ids, ChildrenQuestion(first=MOST)),
        "spawned": await store.descendants(
            thread_ids,
            DescendantsQuestion(kinds=(EdgeKind.SPAWN,), spawn_status="open", first=MOST),
        ),
        "totals_below": await store.totals_below(thread_ids),
        "listed": await store.threads(
            ThreadsQuestion(filter=ThreadFilter(ids=thread_ids), first=MOST)
        ),
        "found": await store.count_threads(ThreadFilter(ids=thread_ids, search="name")),
        "merge_backs": await store.merge_back_deltas(thread_ids),
        "brought_back": await store.merge_back_sums(run_ids),
        "items_back": await store.merge_back_items(run_ids, first=2, after=None),
        "paths": [await _path(store, *ends) for ends in pairwise(thread_ids)],
        "meetings": [await _meeting(store, ends) for ends in pairwise(thread_ids)],
        "transfers": await store.thread_transfers(thread_ids, ThreadTransfersQuestion(first=MOST)),
        "transfers_by_id": await store.transfers_by_id(transfer_ids),
        "handoffs": await store.handoffs(transfer_ids),
        "lineages": [await _lineage(store, thread_id) for thread_id in thread_ids],
    }
    return plain(found)


async def _lineage(store: ThreadGraph, thread_id: ThreadId) -> Any:  # noqa: ANN401 - as above
    """The whole tree of a thread; how far its revision grew is left out."""
    try:
        answer = await store.lineage(LineageQuestion(thread_id=thread_id))
    except ThreadNotFound:
        return "not found"
    root = answer.version.rpartition(":")[0]
    return [answer.nodes, answer.edges, answer.truncated, answer.end, root]


async def _path(store: ThreadGraph, from_id: ThreadId, to_id: ThreadId) -> Any:  # noqa: ANN401 - as above
    """The way between two threads."""
    try:
        found = await store.path(from_id, to_id)
    except ThreadNotFound as error:
        return str(error)
    return None if found is None else [found.nodes, found.edges]


async def _meeting(store: ThreadGraph, thread_ids: Sequence[ThreadId]) -> Any:  # noqa: ANN401 - as above
    """Where threads meet."""
    try:
        return await store.nearest_common_ancestor(thread_ids)
    except ThreadNotFound as error:
        return str(error)


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever a store answers with
    """The value with every sequence as a list and every revision as 0."""
    if isinstance(value, Thread):
        return msgspec.structs.replace(value, revision=0)
    if isinstance(value, Descendant):
        return [plain(value.thread), value.depth]
    if _is_page(value):
        return [plain(list(value.rows)), value.has_next, value.has_previous]
    if _is_mapping(value):
        return {key: plain(held) for key, held in sorted(value.items())}
    if _is_sequence(value):
        return [plain(held) for held in value]
    return value


def differences(one: Any, other: Any, where: str = "") -> Iterator[str]:  # noqa: ANN401 - as above
    """The places in which two plain values differ, for people."""
    if _is_mapping(one) and _is_mapping(other):
        for key in one.keys() | other.keys():
            yield from differences(one.get(key), other.get(key), f"{where}.{key}")
    elif _is_sequence(one) and _is_sequence(other) and len(one) == len(other):
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{where}[{at}]")
    elif one != other:
        yield f"{where}: {one!r} is not {other!r}"


def _is_page(value: object) -> TypeGuard[Page[Any]]:
    return isinstance(value, Page)


def _is_mapping(value: object) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict)


def _is_sequence(value: object) -> TypeGuard[list[Any]]:
    return isinstance(value, (list, tuple, Columnar))
