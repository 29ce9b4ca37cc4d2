"""Everything that a store can be asked about some threads, as plain values to compare."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from graph.errors import ThreadNotFound
from graph.model import EdgeKind, Thread
from graph.store import (
    ChildrenQuestion,
    Descendant,
    DescendantsQuestion,
    LineageDirection,
    LineageQuestion,
    Page,
    ThreadFilter,
    ThreadOrder,
    ThreadsQuestion,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from graph.model import RunId, ThreadId
    from graph.store import ThreadGraph

MOST = 100


async def answers(
    store: ThreadGraph, thread_ids: Sequence[ThreadId], run_ids: Collection[RunId]
) -> dict[str, Any]:
    """What the store says of the threads and runs; how far revisions grew is left out."""
    every = {"first": MOST, "after": None}
    found = {
        "threads_by_id": await store.threads_by_id(thread_ids),
        "ancestors": await store.ancestors(thread_ids),
        "fork_origins": await store.fork_origins(thread_ids),
        "history_bases": await store.history_bases(thread_ids),
        "spawn_edges": await store.spawn_edges(thread_ids, status=None, **every),
        "closed_edges": await store.spawn_edges(thread_ids, status="closed", **every),
        "count_spawn_edges": await store.count_spawn_edges(thread_ids, status=None),
        "runs_by_id": await store.runs_by_id(run_ids),
        "runs": await store.runs(thread_ids, include_rolled_back=False, **every),
        "all_runs": await store.runs(thread_ids, include_rolled_back=True, **every),
        "count_runs": await store.count_runs(thread_ids, include_rolled_back=True),
        "history": await store.history(thread_ids, include_rolled_back=False, **every),
        "all_history": await store.history(thread_ids, include_rolled_back=True, **every),
        "count_history": await store.count_history(thread_ids, include_rolled_back=False),
        "items": await store.items(thread_ids, **every),
        "count_items": await store.count_items(thread_ids),
        "items_of_runs": await store.items_of_runs(run_ids, **every),
        "context_windows": await store.context_windows(thread_ids),
        "import_states": await store.import_states(thread_ids),
        "lists": await _lists(store, thread_ids),
        "walks": await _walks(store, thread_ids),
        "lineages": [
            await _lineage(store, LineageQuestion(thread_id=thread_id, direction=direction))
            for thread_id in thread_ids
            for direction in LineageDirection
        ],
    }
    return plain(found)


async def _lists(store: ThreadGraph, thread_ids: Sequence[ThreadId]) -> list[Any]:
    first = thread_ids[0]
    filters = [
        ThreadFilter(ids=thread_ids),
        ThreadFilter(ids=thread_ids, archived=True),
        ThreadFilter(ids=thread_ids, source_kinds=["subAgent", "exec"]),
        ThreadFilter(ids=thread_ids, roots_only=True, search="name"),
        *(ThreadFilter(parent_thread_id=thread_id) for thread_id in thread_ids),
        ThreadFilter(ancestor_thread_id=first),
        ThreadFilter(attached_to_thread_id=first),
        ThreadFilter(root_thread_id=first),
    ]
    return [
        await store.threads(ThreadsQuestion(filter=asked, order=order, first=MOST))
        for asked in filters
        for order in (ThreadOrder.CREATED_DESC, ThreadOrder.UPDATED_ASC)
    ] + [await store.count_threads(asked) for asked in filters]


async def _walks(store: ThreadGraph, thread_ids: Sequence[ThreadId]) -> list[Any]:
    below = DescendantsQuestion(first=MOST)
    spawned = DescendantsQuestion(kinds=(EdgeKind.SPAWN,), spawn_status="open", first=MOST)
    children = ChildrenQuestion(first=MOST)
    return [
        await store.descendants(thread_ids, below),
        await store.count_descendants(thread_ids, below),
        await store.descendants(thread_ids, spawned),
        await store.children(thread_ids, children),
        await store.count_children(thread_ids, children),
        await store.ancestors(thread_ids, (EdgeKind.FORK,)),
    ]


async def _lineage(store: ThreadGraph, question: LineageQuestion) -> Any:  # noqa: ANN401 - plain values
    try:
        answer = await store.lineage(question)
    except ThreadNotFound:
        return "not found"
    root = answer.version.rpartition(":")[0]
    return [answer.nodes, answer.edges, answer.truncated, answer.end, root]


def plain(value: Any) -> Any:  # noqa: ANN401 - whatever a store answers with
    """The value with every sequence as a list and every revision as 0."""
    match value:
        case Thread():
            return msgspec.structs.replace(value, revision=0)
        case Page():
            return [plain(value.rows), value.has_next, value.has_previous]  # pyright: ignore[reportUnknownMemberType] - of any row
        case Descendant():
            return [plain(value.thread), value.depth]
        case dict():
            return {key: plain(held) for key, held in sorted(value.items())}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType] - of any key
        case list() | tuple():
            return [plain(held) for held in value]  # pyright: ignore[reportUnknownVariableType] - of anything
        case _:
            return value


def differences(one: Any, other: Any, where: str = "") -> Iterable[str]:  # noqa: ANN401 - as above
    """The places in which two plain values differ, for people."""
    if type(one) is type(other) and isinstance(one, dict):
        for key in one:
            yield from differences(one[key], other.get(key), f"{where}.{key}")
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for at, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differences(left, right, f"{where}[{at}]")
    elif one != other:
        yield f"{where}: {one!r} is not {other!r}"
