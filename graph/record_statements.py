"""The statements that record threads, with what each takes and answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec

from graph.model import RunId, ThreadId, TransferId
from graph.statements import Nothing, reading, writing

if TYPE_CHECKING:
    from graph.edges import Cells
    from graph.properties import Properties


@dataclass(frozen=True, slots=True)
class KnownOf:
    """The threads of a batch, the children of its spawn edges, and its transfers."""

    thread_ids: list[ThreadId]
    child_ids: list[ThreadId]
    transfer_ids: list[TransferId]


class Known(msgspec.Struct, frozen=True):
    """What is there of them: lists whose places the statement's file tells."""

    threads: list[Cells]
    spawns: list[Cells]
    transfers: list[Cells]


@dataclass(frozen=True, slots=True)
class Enter:
    """The locks to take and the threads to make."""

    locks: list[int]
    thread_ids: list[ThreadId]


class Entered(msgspec.Struct, frozen=True):
    """Of each thread: whether it was recorded and its root, ``None`` where it is new."""

    recorded: list[bool | None]
    root_thread_ids: list[ThreadId | None]


@dataclass(frozen=True, slots=True)
class LockTrees:
    """The roots to lock, the threads to read then, and which of their properties."""

    root_ids: list[ThreadId]
    thread_ids: list[ThreadId]
    columns: list[str]


@dataclass(frozen=True, slots=True)
class ThreadsAsked:
    """Threads, and which of their properties to read."""

    thread_ids: list[ThreadId]
    columns: list[str]


class ImportColumns(msgspec.Struct, frozen=True):
    """Properties of threads, and the placeholders that each leads to."""

    columns: list[list[Any]]
    unrecorded: list[list[ThreadId]]


class ThreadColumns(msgspec.Struct, frozen=True):
    """Properties of threads, a column each."""

    columns: list[list[Any]]


@dataclass(frozen=True, slots=True)
class FactsOf:
    """The threads whose edges to read, and those whose runs."""

    child_ids: list[ThreadId]
    thread_ids: list[ThreadId]
    run_columns: list[str]


class Facts(msgspec.Struct, frozen=True):
    """Edges as lists that begin with child, origin and rank; runs a column a property."""

    spawns: list[Cells]
    forks: list[Cells]
    parents: list[Cells]
    bases: list[Cells]
    owners: list[ThreadId]
    runs: list[list[Any]]


@dataclass(frozen=True, slots=True)
class ThreadRows:
    """Properties of threads by name, with their ``threadId``."""

    threads: list[Properties]


@dataclass(frozen=True, slots=True)
class RunRows:
    """Properties of runs by name, with their ``runId`` and ``threadId``."""

    runs: list[Properties]


@dataclass(frozen=True, slots=True)
class EdgeRows:
    """Edges: *child*, *origin* and *properties* of each."""

    edges: list[Properties]


@dataclass(frozen=True, slots=True)
class WindowRows:
    """Properties of context windows, with their ``windowKey`` and ``threadId``."""

    windows: list[Properties]


@dataclass(frozen=True, slots=True)
class ProviderThreadRows:
    """The threads of providers: *threadId*, *key*, *oldKey* and *properties* of each."""

    provider_threads: list[Properties]


@dataclass(frozen=True, slots=True)
class RootsOf:
    """Trees by their roots."""

    root_ids: list[ThreadId]


@dataclass(frozen=True, slots=True)
class UnsettledRunsOf:
    """Runs that name others by their turn, and turns that may be named."""

    run_ids: list[RunId]
    turn_ids: list[str]


class UnsettledRuns(msgspec.Struct, frozen=True):
    """Runs with the parent and root they should have, and the root of their tree."""

    run_ids: list[RunId]
    parent_run_ids: list[RunId | None]
    root_run_ids: list[RunId | None]
    root_thread_ids: list[ThreadId]


@dataclass(frozen=True, slots=True)
class ForksNamed:
    """The turns and rollouts by which forks can name their points."""

    turn_ids: list[str]
    rollout_ids: list[str]


@dataclass(frozen=True, slots=True)
class BelowForks:
    """Forks by their own ids."""

    fork_ids: list[ThreadId]


class ForksBelow(msgspec.Struct, frozen=True):
    """Forks by their own ids, and rollouts that forks can name."""

    child_ids: list[ThreadId]
    rollout_ids: list[str]


@dataclass(frozen=True, slots=True)
class ForksOf:
    """Forks by their own ids."""

    child_ids: list[ThreadId]


class ForksFound(msgspec.Struct, frozen=True):
    """Forks by their own ids."""

    child_ids: list[ThreadId]


class UnsettledForks(msgspec.Struct, frozen=True):
    """Forks as lists whose places the statement's file tells."""

    forks: list[Cells]


@dataclass(frozen=True, slots=True)
class ForkPoints:
    """The points of forks: *childId* and *pointRunId* of each."""

    forks: list[Properties]


@dataclass(frozen=True, slots=True)
class UnsettledSpawnsOf:
    """The parents whose spawn edges to look at, and the children."""

    parent_ids: list[ThreadId]
    child_ids: list[ThreadId]


class UnsettledSpawns(msgspec.Struct, frozen=True):
    """Spawn edges as lists whose places the file tells, and their parents' remembered calls."""

    edges: list[Cells]
    calls: list[list[str]]


@dataclass(frozen=True, slots=True)
class SpawnCalls:
    """The run, call and time of spawn edges by *childId*."""

    spawns: list[Properties]


@dataclass(frozen=True, slots=True)
class ThreadsNamed:
    """Threads by their ids."""

    thread_ids: list[ThreadId]


class ThreadsFound(msgspec.Struct, frozen=True):
    """Threads that are there."""

    thread_ids: list[ThreadId]


@dataclass(frozen=True, slots=True)
class ItemDrops:
    """The items to drop: *threadId*, *first*, *last* and *itemIds* of each."""

    drops: list[Properties]


@dataclass(frozen=True, slots=True)
class ItemRows:
    """Properties of items by name."""

    items: list[Properties]


@dataclass(frozen=True, slots=True)
class ItemCounts:
    """How many items came to threads: *threadId* and *count* of each."""

    counts: list[Properties]


@dataclass(frozen=True, slots=True)
class SourceRows:
    """How sources stood: *threadId* and *fingerprint* of each."""

    sources: list[Properties]


@dataclass(frozen=True, slots=True)
class FinishItems:
    """What to remember of a finished import."""

    thread_id: ThreadId
    settled: int
    digest: str | None


KNOWN = reading("record/known", KnownOf, Known)
ENTER = writing("record/enter", Enter, Entered)
LOCK_TREES = writing("record/lock_trees", LockTrees, ThreadColumns)
FACTS = reading("record/facts", FactsOf, Facts)
BELOW = reading("record/below", ThreadsAsked, ThreadColumns)
THREADS = writing("record/threads", ThreadRows, Nothing)
RUNS = writing("record/runs", RunRows, Nothing)
SPAWNED_BY = writing("record/spawned_by", EdgeRows, Nothing)
FORKED_FROM = writing("record/forked_from", EdgeRows, Nothing)
CHILD_OF = writing("record/child_of", EdgeRows, Nothing)
HISTORY_BASE = writing("record/history_base", EdgeRows, Nothing)
WINDOWS = writing("record/windows", WindowRows, Nothing)
PROVIDER_THREADS = writing("record/provider_threads", ProviderThreadRows, Nothing)
REVISE = writing("record/revise", RootsOf, Nothing)
UNSETTLED_RUNS = reading("record/unsettled_runs", UnsettledRunsOf, UnsettledRuns)
SETTLE_RUNS = writing("record/settle_runs", RunRows, Nothing)
FORKS_TO_SETTLE = reading("record/forks_to_settle", ForksNamed, ForksFound)
FORKS_BELOW = reading("record/forks_below", BelowForks, ForksBelow)
UNSETTLED_FORKS = reading("record/unsettled_forks", ForksOf, UnsettledForks)
SETTLE_FORKS = writing("record/settle_forks", ForkPoints, Nothing)
UNSETTLED_SPAWNS = reading("record/unsettled_spawns", UnsettledSpawnsOf, UnsettledSpawns)
SETTLE_SPAWNS = writing("record/settle_spawns", SpawnCalls, Nothing)
HOLD_ITEMS = writing("record/hold_items", ThreadsNamed, ThreadsFound)
DROP_ITEMS = writing("record/drop_items", ItemDrops, Nothing)
ITEMS = writing("record/items", ItemRows, Nothing)
COUNT_ITEMS = writing("record/count_items", ItemCounts, Nothing)
FINISH_ITEMS = writing("record/finish_items", FinishItems, Nothing)
IMPORT_STATES = reading("record/import_states", ThreadsAsked, ImportColumns)
REMEMBER_SOURCES = writing("record/remember_sources", SourceRows, Nothing)
