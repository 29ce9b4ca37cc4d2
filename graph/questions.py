"""What can be asked of the graph: questions, the places where a page goes on, and answers.

The promises that come with each stand in ``graph.store``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, runtime_checkable

from graph.model import (
    EdgeKind,
    Item,
    LineageEdge,
    Run,
    RunId,
    SourcePoint,
    Thread,
    ThreadId,
    Timestamp,
    TransferId,
    TransferStatus,
    TransferType,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

WALKED_KINDS = (EdgeKind.FORK, EdgeKind.SPAWN, EdgeKind.PARENT)
"""The edges that a walk follows unless it is told otherwise."""


HANGING_ORDER = (EdgeKind.SPAWN, EdgeKind.PARENT, EdgeKind.FORK)
"""What a thread hangs on where it could hang on several: a spawner before a fork source."""

MAX_DEPTH = 1_000


Row = TypeVar("Row", covariant=True)  # noqa: PLC0105 - "Row" reads better in every annotation


@runtime_checkable
class Columnar(Protocol):
    """Rows that stand in columns until one of them is looked at: some lists are such.

    Beside the fields of its rows, a list of descendants has the column ``depth``, one of the
    runs of a history ``distance``, and one of what a fork brings back ``place``.
    """

    def column(self, name: str) -> Sequence[Any]:
        """The values of a field, with words as text; ``KeyError`` for one that is not carried."""
        ...


EVERYTHING = 2**31 - 1
"""A page that holds all there is, where an answer rests on all of it."""


@dataclass(frozen=True, slots=True)
class Page(Generic[Row]):
    """Some rows of an ordered list, and whether more stand before or after them."""

    rows: Sequence[Row] = ()
    has_next: bool = False
    has_previous: bool = False


class ThreadOrder(StrEnum):
    """The orders of the thread list; equal times follow the thread id in the same direction."""

    CREATED_DESC = "CREATED_DESC"
    CREATED_ASC = "CREATED_ASC"
    UPDATED_DESC = "UPDATED_DESC"
    UPDATED_ASC = "UPDATED_ASC"
    RECENCY_DESC = "RECENCY_DESC"
    RECENCY_ASC = "RECENCY_ASC"


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFilter:
    """Which threads a list holds: all conditions must be met, ``None`` is no condition.

    Placeholders are never in a list. *parent_thread_id*: direct spawn edges; *ancestor_thread_id*:
    all spawned descendants, whatever the edges' status, without the ancestor itself; a cycle ends.
    Both together are ``BadInput``, and so is *attached_to_thread_id* with either.
    Without a relation filter (these three) unlisted threads are left out, and *source_kinds*
    ``None`` means interactive, or all with *include_spawned*; with one, nothing is left out and
    ``None`` means all. An empty
    *source_kinds* always means interactive: cli, vscode, the custom products atlas and chatgpt,
    and threads without a source. ``subAgent`` covers every word that begins with it.
    *drivers*, *provider_instance_ids*, *thread_sources*, *cwd*, *ids*: any of these; an empty
    list matches nothing. *archived* true: only archived threads, false: only the others.
    *created_after* and the other times are inclusive at *after*, exclusive at *before*.
    *search*: a case-sensitive substring of name, title or preview, within the first 32,000 bytes
    of the three in this order.
    """

    ids: Sequence[ThreadId] | None = None
    roots_only: bool = False
    root_thread_id: ThreadId | None = None
    parent_thread_id: ThreadId | None = None
    ancestor_thread_id: ThreadId | None = None
    attached_to_thread_id: ThreadId | None = None
    drivers: Sequence[str] | None = None
    provider_instance_ids: Sequence[str] | None = None
    source_kinds: Sequence[str] | None = None
    thread_sources: Sequence[str] | None = None
    cwd: Sequence[str] | None = None
    git_repository: str | None = None
    git_branch: str | None = None
    archived: bool = False
    include_deleted: bool = False
    include_spawned: bool = False
    created_after: Timestamp | None = None
    created_before: Timestamp | None = None
    updated_after: Timestamp | None = None
    updated_before: Timestamp | None = None
    search: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadPosition:
    """A place in the thread list: the sort key and the id of a row."""

    at: Timestamp
    thread_id: ThreadId


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadsQuestion:
    """A page of the thread list.

    With *backward* false: the *first* rows after *after*. With *backward* true: the last *first*
    rows before *before*, still in the list's order. Each bound may be absent; both may be given.
    """

    filter: ThreadFilter = field(default_factory=ThreadFilter)
    order: ThreadOrder = ThreadOrder.CREATED_DESC
    first: int = 25
    after: ThreadPosition | None = None
    before: ThreadPosition | None = None
    backward: bool = False


@dataclass(frozen=True, slots=True)
class DescendantPosition:
    """A place among descendants, which are ordered by depth, then by thread id."""

    depth: int
    thread_id: ThreadId


@dataclass(frozen=True, slots=True, kw_only=True)
class DescendantsQuestion:
    """Whose descendants, over which edges.

    *spawn_status* must hold on every edge of the path; then *kinds* must be SPAWN alone
    (``BadInput``). Depth is the length of the shortest path. *max_depth* means exactly that
    many hops; 0 gives nothing.
    """

    kinds: Collection[EdgeKind] = WALKED_KINDS
    spawn_status: str | None = None
    max_depth: int = MAX_DEPTH
    first: int = 50
    after: DescendantPosition | None = None


@dataclass(frozen=True, slots=True)
class Descendant:
    """A thread below another, and the hops of the shortest path to it."""

    thread: Thread
    depth: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ChildrenQuestion:
    """The direct children over the given edges, each once, ordered by thread id.

    With *spawn_status*, *kinds* must be SPAWN alone (``BadInput``).
    """

    kinds: Collection[EdgeKind] = WALKED_KINDS
    spawn_status: str | None = None
    first: int = 50
    after: ThreadId | None = None


MAX_FAMILY_LEVELS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyLevel:
    """Which children of the level above, without *after*, and the fields that they carry."""

    children: ChildrenQuestion
    fields: Collection[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyQuestion:
    """Which relatives of some threads, and the fields that each of them carries.

    *fields* are those of the threads themselves. *parent* and *root* ``None``: not asked.
    """

    fields: Collection[str]
    parent: Collection[str] | None = None
    root: Collection[str] | None = None
    levels: Sequence[FamilyLevel] = ()


@dataclass(frozen=True, slots=True)
class Family:
    """Threads and relatives: *parents* and *roots* by their own ids, *levels* by the owner's."""

    threads: Mapping[ThreadId, Thread]
    parents: Mapping[ThreadId, Thread]
    roots: Mapping[ThreadId, Thread]
    levels: Sequence[Mapping[ThreadId, Page[Thread]]]


@dataclass(frozen=True, slots=True)
class HistoryPosition:
    """A place in a history: hops up to the owner of the run (0: the thread itself), ordinal."""

    distance: int
    ordinal: int


@dataclass(frozen=True, slots=True)
class HistoryRun:
    """A run of a thread's history, and how many forks above the thread its owner stands."""

    run: Run
    distance: int


@dataclass(frozen=True, slots=True)
class LineagePath:
    """The threads from one to another, and between each two of them the edge, told as ever."""

    nodes: Sequence[Thread]
    edges: Sequence[LineageEdge]


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """Sums over some threads: own runs alone, rolled-back ones included."""

    threads: int = 0
    runs: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    duration_ms: int = 0

    @staticmethod
    def own(thread: Thread) -> Totals:
        """What one thread counts for; nothing for a placeholder and a deleted thread."""
        if not thread.recorded or thread.deleted_at is not None:
            return Totals()
        return Totals(
            threads=1,
            runs=thread.run_count,
            input_tokens=thread.input_tokens,
            output_tokens=thread.output_tokens,
            duration_ms=thread.duration_ms,
        )


@dataclass(frozen=True, slots=True)
class TotalsBelow:
    """The sums of what hangs below a thread: over spawns and parents alone, and of the rest."""

    spawned: Totals
    forked: Totals


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeBackDelta:
    """What a fork did since its fork point, for the thread that it was forked from.

    *tip_run_id* is the last of its own runs that come back.
    """

    fork_thread_id: ThreadId
    into_thread_id: ThreadId
    base: SourcePoint
    tip_run_id: RunId
    runs: Sequence[Run]


ITSELF = 2**31 - 1
"""The number of the fork's own item in its place."""


@dataclass(frozen=True, slots=True)
class BroughtPosition:
    """A place in what a fork brings back.

    An item of the fork stands at its *position*. What merge-backs delivered to the fork stands
    before the first item of the run that received it, by *number*, and without one at the end.
    """

    position: int
    number: int = ITSELF


@dataclass(frozen=True, slots=True)
class BroughtItem:
    """An item that a fork brings back, its own or one that was delivered to it."""

    item: Item
    place: BroughtPosition


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeBackSums:
    """How many items are still to deliver, how many were, and which files were changed."""

    item_count: int = 0
    already_delivered: int = 0
    files_changed: Sequence[str] = ()


MOST_FINDINGS = 100
"""So many findings of each rule are told."""

MOST_STARTS = 1_000
"""So many unconfirmed starts are told."""


@dataclass(frozen=True, slots=True)
class IntegrityFinding:
    """One place in which the stored graph breaks a rule.

    *rule* is a word that stays, *ids* are what is concerned, *message* says what is wrong and what
    to do.
    """

    rule: str
    ids: Sequence[str]
    message: str


@dataclass(frozen=True, slots=True)
class IntegrityReport:
    """What is wrong with the stored graph, and the runs whose start nobody has confirmed."""

    findings: Sequence[IntegrityFinding]
    unconfirmed_starts: Sequence[Run]


class LineageDirection(StrEnum):
    """Which part of a tree a lineage holds; WHOLE_TREE is the root and all its descendants."""

    ANCESTORS = "ANCESTORS"
    DESCENDANTS = "DESCENDANTS"
    WHOLE_TREE = "WHOLE_TREE"


class TruncationReason(StrEnum):
    """Why an answer is cut off."""

    NODES = "NODES"
    DEPTH = "DEPTH"


@dataclass(frozen=True, slots=True)
class Truncation:
    """That an answer was cut off, why, and at which limit."""

    reason: TruncationReason
    limit: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LineageQuestion:
    """Which lineage: from *thread_id* in *direction* over *kinds*.

    *max_nodes* counts every node of the answer, the start included. *after* goes on behind the
    last node of an earlier answer to the same question. With *edges* false no edge is read and
    the answer has none.
    """

    thread_id: ThreadId
    direction: LineageDirection = LineageDirection.WHOLE_TREE
    kinds: Collection[EdgeKind] = WALKED_KINDS
    max_depth: int = MAX_DEPTH
    max_nodes: int = 1_000
    after: DescendantPosition | None = None
    edges: bool = True


@dataclass(frozen=True, slots=True)
class LineageGraph:
    """Nodes and the edges between them.

    *end* is the place of the last node, ``None`` where the answer has no node.
    *version* is ``<root thread id>:<revision>`` of the tree of the thread that was asked for.
    """

    nodes: Sequence[Thread]
    edges: Sequence[LineageEdge]
    truncated: Truncation | None
    end: DescendantPosition | None
    version: str


class Direction(StrEnum):
    """The end of a transfer at which a thread stands: its target (IN) or its source (OUT)."""

    IN = "IN"
    OUT = "OUT"


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferFilter:
    """Which transfers a list holds: all conditions must be met, ``None`` is no condition.

    *ids*, *types*, *statuses*: any of these; an empty list matches nothing. *thread_id* is either
    end. *created_after* is inclusive, *created_before* exclusive.
    """

    ids: Sequence[TransferId] | None = None
    types: Sequence[TransferType] | None = None
    statuses: Sequence[TransferStatus] | None = None
    source_thread_id: ThreadId | None = None
    target_thread_id: ThreadId | None = None
    thread_id: ThreadId | None = None
    created_after: Timestamp | None = None
    created_before: Timestamp | None = None


@dataclass(frozen=True, slots=True)
class TransferPosition:
    """A place in a list of transfers, which go by the time they were made, then by id."""

    at: Timestamp
    transfer_id: TransferId


@dataclass(frozen=True, slots=True, kw_only=True)
class TransfersQuestion:
    """A page of all transfers: the *first* after *after*."""

    filter: TransferFilter = field(default_factory=TransferFilter)
    first: int = 50
    after: TransferPosition | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadTransfersQuestion:
    """A page of the transfers of threads; without *direction*, at either end, each once."""

    direction: Direction | None = None
    statuses: Collection[TransferStatus] | None = None
    first: int = 50
    after: TransferPosition | None = None
