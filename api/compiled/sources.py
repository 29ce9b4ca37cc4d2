"""Where the fields that have functions of their own find what they answer, for many rows at once.

A field that is neither here nor a plain field of the row is not compiled: it goes the ordinary
way. What stands here says the same as the field's function, and a test compares the two.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

from api.compiled.columns import Columns, Given, Objects
from api.connections import ListQuestion, PageInfo
from api.limits import ABSENT
from api.node_ids import write_node_ids
from api.run import items_of_run
from api.thread_contents import (
    capability_roots_in,
    checkpoints_of,
    history_of,
    items_of,
    runs_of,
)
from api.thread_relations import (
    children_of,
    descendants_of,
    spawn_edges_of,
)
from api.totals import ThreadTotals
from api.walks import kinds_written, walked_kinds
from graph import model, questions
from graph.store import ThreadGraph

Arguments = Mapping[str, Any]
Fetch = Callable[[ThreadGraph, list[Any]], Awaitable[Mapping[Any, Any]]]


@dataclass(frozen=True, slots=True)
class Worded:
    """Text that is made of *columns* of text; the first *needed* of them are never null."""

    columns: tuple[str, ...]
    write: Callable[..., Sequence[str]]
    needed: int


@dataclass(frozen=True, slots=True)
class SameRow:
    """An object that stands in the row itself, where *known* says so of *columns*."""

    columns: tuple[str, ...]
    known: Callable[..., Sequence[bool]]


@dataclass(frozen=True, slots=True)
class Derived:
    """An object whose own columns are worked out of *columns*; it is always there."""

    columns: tuple[str, ...]
    derive: Callable[..., Columns]


@dataclass(frozen=True, slots=True)
class Made:
    """A list of rows that is made of each value of a column."""

    column: str
    make: Callable[[Any], Sequence[Any]]


@dataclass(frozen=True, slots=True)
class One:
    """A row that is fetched by the *key* in a column, which may be ``None``."""

    key: str
    fetch: Fetch | None


@dataclass(frozen=True, slots=True)
class Many:
    """A list of rows that is fetched by the *key* in a column."""

    key: str
    fetch: Callable[[Arguments], Fetch]


@dataclass(frozen=True, slots=True)
class Pages:
    """A connection that is asked for by the *key* in a column."""

    key: str
    question: Callable[[Any, Arguments], ListQuestion[Any, Any, Any]]


ObjectSource: TypeAlias = SameRow | Derived | Made | One | Many | Pages
Source: TypeAlias = Worded | ObjectSource


def _argument(arguments: Arguments, name: str) -> Any:  # noqa: ANN401 - any argument
    return arguments.get(name, ABSENT)


def _page(arguments: Arguments) -> dict[str, Any]:
    return {"first": _argument(arguments, "first"), "after": _argument(arguments, "after")}


def _some_known(*columns: Sequence[int | None]) -> Sequence[bool]:
    return [any(tokens is not None for tokens in row) for row in zip(*columns, strict=True)]


def _edge_ids(*columns: Sequence[Any]) -> Sequence[str]:
    return [model.edge_id_of(*facts) for facts in zip(*columns, strict=True)]


def _totals(recorded: Sequence[Any], deleted_at: Sequence[Any], *sums: Sequence[Any]) -> Columns:
    """What ``Totals.own`` says of each thread."""
    counted = [
        here and deleted is None for here, deleted in zip(recorded, deleted_at, strict=True)
    ]
    names = ("runs", "input_tokens", "output_tokens", "duration_ms")
    columns: dict[str, Sequence[Any]] = {
        name: [value if here else 0 for value, here in zip(column, counted, strict=True)]
        for name, column in zip(names, sums, strict=True)
    }
    columns["threads"] = [1 if here else 0 for here in counted]
    own = Given(size=len(counted), columns=columns)
    return Given(size=len(counted), rows={"own": Objects(own, None)})


SUMMED = ("recorded", "deleted_at", "run_count", "input_tokens", "output_tokens", "duration_ms")
TOKENS = ("input_tokens", "cached_input_tokens", "output_tokens", "reasoning_tokens")
EDGE = ("kind", "from_thread_id", "to_thread_id", "transfer_id")

SOURCES: Mapping[tuple[str, str], Source] = {
    ("Thread", "id"): Worded(("thread_id",), partial(write_node_ids, "Thread"), needed=1),
    ("Thread", "selectedCapabilityRoots"): Made("selected_capability_roots", capability_roots_in),
    ("Thread", "root"): One("root_thread_id", None),
    ("Thread", "parent"): One("parent_thread_id", None),
    ("Thread", "forkedFrom"): One("thread_id", lambda graph, keys: graph.fork_origins(keys)),
    ("Thread", "historyBase"): One("thread_id", lambda graph, keys: graph.history_bases(keys)),
    ("Thread", "ancestors"): Many("thread_id", lambda given: _ancestors(kinds_written(given))),
    ("Thread", "contextWindows"): Many(
        "thread_id", lambda _: lambda graph, keys: graph.context_windows(keys)
    ),
    ("Thread", "descendants"): Pages(
        "thread_id",
        lambda owner, given: descendants_of(
            owner,
            kinds=kinds_written(given),
            spawn_status=_argument(given, "spawnStatus"),
            max_depth=_argument(given, "maxDepth"),
            **_page(given),
        ),
    ),
    ("Thread", "children"): Pages(
        "thread_id",
        lambda owner, given: children_of(
            owner,
            kinds=kinds_written(given),
            spawn_status=_argument(given, "spawnStatus"),
            **_page(given),
        ),
    ),
    ("Thread", "spawnEdges"): Pages(
        "thread_id",
        lambda owner, given: spawn_edges_of(
            owner, status=_argument(given, "status"), **_page(given)
        ),
    ),
    ("Thread", "runs"): Pages(
        "thread_id",
        lambda owner, given: runs_of(
            owner, include_rolled_back=given.get("includeRolledBack", True), **_page(given)
        ),
    ),
    ("Thread", "history"): Pages(
        "thread_id",
        lambda owner, given: history_of(
            owner, include_rolled_back=given.get("includeRolledBack", False), **_page(given)
        ),
    ),
    ("Thread", "items"): Pages("thread_id", lambda owner, given: items_of(owner, **_page(given))),
    ("Thread", "checkpoints"): Pages(
        "thread_id", lambda owner, given: checkpoints_of(owner, **_page(given))
    ),
    ("Thread", "totals"): Derived(SUMMED, _totals),
    ("Run", "id"): Worded(("run_id",), partial(write_node_ids, "Run"), needed=1),
    ("Run", "usage"): SameRow(TOKENS, _some_known),
    ("Run", "items"): Pages("run_id", lambda owner, given: items_of_run(owner, **_page(given))),
    ("LineageEdge", "id"): Worded(EDGE, _edge_ids, needed=3),
    ("SpawnEdge", "child"): One("child_thread_id", None),
    ("ForkOrigin", "thread"): One("thread_id", None),
}

ROWS: Mapping[str, type] = {
    "Thread": model.Thread,
    "Run": model.Run,
    "Usage": model.Run,
    "Item": model.Item,
    "Checkpoint": model.Checkpoint,
    "ContextWindow": model.ContextWindow,
    "CapabilityRoot": model.CapabilityRoot,
    "NativeRef": model.NativeRef,
    "SourcePoint": model.SourcePoint,
    "ForkOrigin": model.ForkOrigin,
    "HistoryBase": model.HistoryBase,
    "SpawnEdge": model.SpawnEdge,
    "LineageEdge": model.LineageEdge,
    "PageInfo": PageInfo,
    "SubtreeTotals": ThreadTotals,
    "Totals": questions.Totals,
    "LineagePath": questions.LineagePath,
}
"""The class of the rows behind each type; other types are not compiled."""


def _ancestors(kinds: Any) -> Fetch:  # noqa: ANN401 - as ``kinds_written`` gives them
    walked = walked_kinds(kinds)
    return lambda graph, keys: graph.ancestors(keys, walked)
