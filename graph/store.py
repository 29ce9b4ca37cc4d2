"""What can be asked of the graph and told to it, and what is promised.

Every promise that types can't hold stands here once. Two stores keep them: the Neo4j store and
the in-memory model of the tests; one conformance suite runs against both.

Common promises
    - A read of one method is one consistent answer and costs a number of round trips that does
      not depend on how many threads, runs or edges it returns.
    - Lists of several threads (``thread_ids``) answer for each id that is asked, once, also for
      unknown ids (an empty page or list); the order of the ids does not matter.
    - *first* is at least 1; one row more is looked at, never returned, to know ``has_next``.
    - Every walk ends on cycles and goes on past placeholders. A walk's start is not part of its
      own answer, also on a cycle. A walk follows FORK, SPAWN and PARENT edges only.
    - Errors are those of ``graph.errors``; a method raises nothing of the driver's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from graph.model import (
    Checkpoint,
    ContextWindow,
    EdgeKind,
    ForkOrigin,
    HistoryBase,
    Item,
    Run,
    RunId,
    SpawnEdge,
    Thread,
    ThreadId,
    TransferId,
)
from graph.questions import (
    WALKED_KINDS,
    BroughtItem,
    BroughtPosition,
    ChildrenQuestion,
    Descendant,
    DescendantsQuestion,
    Family,
    FamilyQuestion,
    HistoryPosition,
    HistoryRun,
    IntegrityReport,
    LineageGraph,
    LineagePath,
    LineageQuestion,
    MergeBackDelta,
    MergeBackSums,
    Page,
    ThreadFilter,
    ThreadsQuestion,
    ThreadTransfersQuestion,
    TotalsBelow,
    TransferFilter,
    TransfersQuestion,
)
from graph.records import Batch, ImportState, ItemRecord, Recorded
from graph.transfers import Handoff, Transfer

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from msgspec import Struct


MAX_ID_BYTES = 512


class ThreadGraph(Protocol):
    """The graph of threads."""

    def selecting(self, fields: Mapping[type[Struct], Collection[str]]) -> ThreadGraph:
        """The same graph, whose rows of the given types carry at least the given fields.

        - The other fields of these rows may hold their default, or what else says nothing; the
          ids of threads and runs and what orders a list are always there. Rows of other types
          carry everything. Asking costs as much as what is carried.
        - ``ValueError`` for a field that a type does not have.
        """
        ...

    # ── Recording ───────────────────────────────────────────────────────────────────────

    async def record(self, batch: Batch) -> Recorded:
        """Write a batch as one transaction.

        - A thread with the digest that the store already has is left as it is (``unchanged``)
          and no revision moves. Recording the same batch twice changes nothing the second time.
        - A thread id that another driver holds is a conflict: counted, and its record left out
          whole. What other threads of the batch say of it is written.
        - Ids over ``MAX_ID_BYTES``, and a folder or repository over 4,096 bytes, are ``IdTooLong``
          before anything is written; a value that can't be stored at all (a number over 63 bits,
          half a surrogate pair) is ``BadInput``.
        - An edge may name a thread that was never recorded: it becomes a placeholder, which has
          an id, a place, and ``recorded`` false, until a record fills it in.
        - A thread stands at most once in a batch (``BadInput``). The edges of its record come
          before ``batch.spawns``. A run or item id belongs to one thread; which, the caller knows.
        - A child has at most one edge of each kind. An edge of at least the same proof replaces
          the older one; one of a weaker proof is ignored. Of spawn edges that name the same
          parent the run, call and time that the kept one lacks are filled in from the other.
        - A self edge is ignored.
        - **Place.** ``parent_thread_id`` is the spawner, else the parent of a review, guardian
          or job (both SUBAGENT), else the fork source (FORK) unless ``context_only``.
          ``root_thread_id`` and ``depth`` follow it to the top. The root of a cycle, and of all
          that hangs on it, is the smallest thread id in the cycle, at depth 0. The answer does
          not depend on the order or the grouping in which records arrive.
        - ``session_id`` is what a record stated, else that of the spawner or parent, up to the
          top of the agent tree, whose own id it is (of a cycle: the smallest id in it).
        - **Runs** never leave, and neither do windows and spawn calls. Runs are numbered from 1 by
          (started_at, native turn id or empty text, run id).
        - The thread's own sums are over all its runs. ``status``, ``started_at`` and ``ended_at``
          follow from them; a run is active while preparing, starting or running and not rolled
          back; ``ended_at`` is ``None`` while one is active, else the last run's completion.
        - A fork point named by a native turn id is that run of the fork source, else of its
          nearest fork ancestor that has it, else of the smallest thread id that has it, else
          ``<source>/<turn>``; by rollout and ordinal: the newest run of that
          rollout that began before the bound, else the fork point of the thread that owns the
          rollout (it has runs of it, or its id is the rollout's); unknown (no ``run_id``) until
          its runs are there. Later arrivals settle it.
        - ``parent_run_id`` and ``root_run_id`` named by native turn id find the run of the same
          driver with that turn (of several the smallest id), also when it arrives later. Without
          any, the root is the run itself where the record states its own turn as the root, else
          ``None``.
        - Spawn calls are remembered with the parent and fill in the run and call of its spawn
          edges, whichever arrives first: matched by child id, else by the child's agent path; of
          several the first by (time, call id).
        - **Transfers.** A transfer stands at most once in a batch (``BadInput``). It is written
          whatever becomes of the records of its ends; an end that is not there yet is a
          placeholder, and it moves no thread to another place. A record that was told before
          changes nothing, also when the transfer went on since; another record of at least the
          same proof replaces the transfer whole, its ends too, and one of a weaker proof is
          ignored. What a record names besides its ends need not be there, now or ever.
        - The root's ``revision`` grows with each batch that changes its tree, and only then. A
          new edge that walks follow and a transfer belong to the trees of both of their ends, and
          the thread at the other end of a hand-off from tree to tree to both trees, as
          ``lineage`` shows it. Answers are kept by this (``graph.standings``).
        """
        ...

    async def append_items(self, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
        """Write items at their positions, replacing what stands there.

        ``ThreadNotFound`` where the thread is not known, ``IdTooLong`` before anything is written.
        """
        ...

    async def finish_items(
        self, thread_id: ThreadId, *, count: int, settled: int, digest: str | None
    ) -> None:
        """Drop the items from position *count* on and remember that the import is complete.

        ``ThreadNotFound`` where the thread is not known.
        """
        ...

    async def import_states(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, ImportState]:
        """What is remembered of the last import of each thread that has one."""
        ...

    async def remember_sources(self, fingerprints: Mapping[ThreadId, str]) -> None:
        """Remember how the source of each thread stood when all that it holds was written.

        Forgotten with the next record of the thread, and where its items are finished anew. No
        revision moves. A thread whose import is not complete, or that is not recorded, is passed
        over.
        """
        ...

    # ── Threads ─────────────────────────────────────────────────────────────────────────

    async def threads_by_id(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, Thread]:
        """The threads that are known, placeholders included.

        A placeholder has its id, its place (root, depth, parents, relationship) and nothing else.
        """
        ...

    async def thread_ids_starting_with(self, prefix: str, *, first: int) -> Sequence[ThreadId]:
        """The first ids that begin with *prefix*, in order; placeholders have ids too."""
        ...

    async def threads(self, question: ThreadsQuestion) -> Page[Thread]:
        """A page of the thread list."""
        ...

    async def count_threads(self, thread_filter: ThreadFilter) -> int:
        """How many threads the whole list holds."""
        ...

    async def has_threads(self) -> bool:
        """Whether anything was ever recorded."""
        ...

    # ── Relations ───────────────────────────────────────────────────────────────────────

    async def ancestors(
        self, thread_ids: Collection[ThreadId], kinds: Collection[EdgeKind] = WALKED_KINDS
    ) -> Mapping[ThreadId, Sequence[Thread]]:
        """All threads above each thread, by (distance, thread id), each once at its shortest."""
        ...

    async def descendants(
        self, thread_ids: Collection[ThreadId], question: DescendantsQuestion
    ) -> Mapping[ThreadId, Page[Descendant]]:
        """A page of what hangs below each thread, by (depth, thread id)."""
        ...

    async def count_descendants(
        self, thread_ids: Collection[ThreadId], question: DescendantsQuestion
    ) -> Mapping[ThreadId, int]:
        """How many descendants each thread has, whatever the page."""
        ...

    async def children(
        self, thread_ids: Collection[ThreadId], question: ChildrenQuestion
    ) -> Mapping[ThreadId, Page[Thread]]:
        """A page of the direct children of each thread, by thread id."""
        ...

    async def count_children(
        self, thread_ids: Collection[ThreadId], question: ChildrenQuestion
    ) -> Mapping[ThreadId, int]:
        """How many direct children each thread has."""
        ...

    async def family(self, thread_ids: Collection[ThreadId], question: FamilyQuestion) -> Family:
        """The threads that are known with their parents, roots and levels of children.

        - Each part is what the single methods answer, all of one moment and in one round trip:
          ``threads_by_id`` of the threads, of their parents and of their roots; ``children`` of
          the threads, then of all rows of the level above, whoever's children these are.
        - Over ``MAX_FAMILY_LEVELS`` levels, or with *after* in one, is ``BadInput``.
        - The rows carry the fields of the question, whatever the graph selects else.
        """
        ...

    async def spawn_edges(
        self,
        thread_ids: Collection[ThreadId],
        *,
        status: str | None,
        first: int,
        after: ThreadId | None,
    ) -> Mapping[ThreadId, Page[SpawnEdge]]:
        """A page of each thread's own spawn edges, by child id; *status* ``None`` is any word."""
        ...

    async def count_spawn_edges(
        self, thread_ids: Collection[ThreadId], *, status: str | None
    ) -> Mapping[ThreadId, int]:
        """How many spawn edges each thread has."""
        ...

    async def fork_origins(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, ForkOrigin]:
        """Where each fork among the threads came from; the others are absent."""
        ...

    async def history_bases(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, HistoryBase]:
        """The history base of each thread that has one; the others are absent."""
        ...

    async def totals_below(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, TotalsBelow]:
        """The sums of the threads below each thread, itself left out.

        - ``spawned`` are all below it over SPAWN and PARENT edges alone, ``forked`` all others
          below it over any walked edges. Each thread counts once, however it is reached.
        - Placeholders and deleted threads count for nothing, what hangs below them does.
          Inherited runs are not counted, rolled-back ones are.
        """
        ...

    async def lineage(self, question: LineageQuestion) -> LineageGraph:
        """The nodes and edges of a lineage; ``ThreadNotFound`` where the start is unknown.

        - Nodes are ordered by (depth, thread id) from the start of the walk (the root for
          WHOLE_TREE), ancestors by (distance, thread id); the start comes first.
        - Edges of *kinds*, HISTORY_BASE and TRANSFER stand between nodes of this and earlier
          pages, each on the page of the later of its two ends, by (kind, from, to).
          In ANCESTORS and DESCENDANTS answers alike, an edge needs both ends in the answer.
        - PROVIDER_HANDOFF, MERGE_BACK and SUBAGENT_RESULT transfers are TRANSFER edges, whatever
          their status, last and by (from, to, transfer id); FORK and SUBAGENT_SPAWN transfers
          are told by their own edges alone. Of a TRANSFER edge ``at`` is when it was consumed,
          else made; run and ``point_at`` are those of its source point.
        - A hand-off from one tree to another brings in the thread at its other end, whatever
          the direction, as if the hand-off were one further hop that nothing follows: that
          thread has its place in the order and counts for *max_nodes* and *max_depth*.
        - ``run_id`` is the origin thread's run: the spawning run, or that of the fork point;
          ``at`` when the edge was made; ``point_at`` when the run of a fork point ended.
        - Cut off by nodes: NODES with *max_nodes* (also when the depth would cut, too);
          by depth alone: DEPTH with *max_depth*. The answer is the front of its order.
        - WHOLE_TREE gives the same answer from whichever thread of the tree it is asked.
        """
        ...

    async def path(self, from_id: ThreadId, to_id: ThreadId) -> LineagePath | None:
        """The shortest way between two threads; ``ThreadNotFound`` where one is unknown.

        - It goes over FORK, SPAWN and PARENT edges in either direction, also into another tree
          through a thread that hangs on several. ``None``: they are not connected.
        - Of equally short ones it is the one whose thread ids come first, read from the end with
          the smaller id: the way back is the same way. Of several edges between two threads a
          SPAWN stands before a PARENT and a FORK, then the first by (from, to).
        - The way from a thread to itself is that thread and no edge.
        """
        ...

    async def nearest_common_ancestor(self, thread_ids: Collection[ThreadId]) -> Thread | None:
        """The thread nearest above all of the threads, each of which is above itself.

        Nearest is the smallest sum of the hops from each of them over FORK, SPAWN and PARENT
        edges, then the smallest thread id; ``None`` where they have none in common.
        ``ThreadNotFound`` for the first that is unknown, ``BadInput`` without any thread.
        """
        ...

    # ── What a thread holds ─────────────────────────────────────────────────────────────

    async def runs_by_id(self, run_ids: Collection[RunId]) -> Mapping[RunId, Run]:
        """The runs that are known."""
        ...

    async def runs(
        self,
        thread_ids: Collection[ThreadId],
        *,
        include_rolled_back: bool,
        first: int,
        after: int | None,
    ) -> Mapping[ThreadId, Page[Run]]:
        """A page of each thread's own runs after the ordinal *after*, by ordinal."""
        ...

    async def count_runs(
        self, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
    ) -> Mapping[ThreadId, int]:
        """How many own runs each thread has."""
        ...

    async def history(
        self,
        thread_ids: Collection[ThreadId],
        *,
        include_rolled_back: bool,
        first: int,
        after: HistoryPosition | None,
    ) -> Mapping[ThreadId, Page[HistoryRun]]:
        """A page of each thread's inherited and own runs, the farthest ancestor's first.

        A fork inherits, over fork edges that are not ``context_only``, the source's history up
        to and including the fork point, without what was rolled back by then (by revisions where
        edge and run state them, else by ``rolled_back_at`` and the edge's ``at``; without that
        any), and of that only up to ``kept_through_run_id`` where the fork reverted a part.
        A point that the source inherited leaves its own runs out, one that is not in its history
        inherits nothing. *include_rolled_back* adds the thread's own rolled-back runs only.
        """
        ...

    async def count_history(
        self, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
    ) -> Mapping[ThreadId, int]:
        """How many runs each thread's history holds."""
        ...

    async def items(
        self, thread_ids: Collection[ThreadId], *, first: int, after: int | None
    ) -> Mapping[ThreadId, Page[Item]]:
        """A page of each thread's items after the position *after*, by position."""
        ...

    async def count_items(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
        """How many items each thread has."""
        ...

    async def items_of_runs(
        self, run_ids: Collection[RunId], *, first: int, after: int | None
    ) -> Mapping[RunId, Page[Item]]:
        """A page of each run's items after the position *after*, by position."""
        ...

    async def count_items_of_runs(self, run_ids: Collection[RunId]) -> Mapping[RunId, int]:
        """How many items each run has."""
        ...

    async def merge_back_deltas(
        self, thread_ids: Collection[ThreadId], *, run_id: RunId | None = None
    ) -> Mapping[ThreadId, MergeBackDelta]:
        """What each fork among the threads could bring back to its source; others are absent.

        - Absent are threads whose relationship to their parent is not FORK, forks whose point is
          not known, and those without a tip.
        - The tip is the newest of the fork's own runs that is completed, not rolled back, and has
          a ready checkpoint, or a turn id of its tool while no run of the thread is active. With
          *run_id* it is that run, if it is the fork's own, completed or waiting, and not rolled
          back.
        - ``base`` is the fork point, always. ``runs`` are the own runs up to the tip that are
          completed, waiting, failed or interrupted and not rolled back, by ordinal.
        """
        ...

    async def merge_back_deltas_to(
        self, tips: Collection[tuple[ThreadId, RunId]]
    ) -> Mapping[tuple[ThreadId, RunId], MergeBackDelta]:
        """``merge_back_deltas`` of several forks, each up to the run that it stands beside."""
        ...

    async def merge_back_sums(
        self, tip_run_ids: Collection[RunId]
    ) -> Mapping[RunId, MergeBackSums]:
        """How many items the fork of each tip brings back, and the files they say were changed.

        They are those of the runs as in ``merge_back_deltas`` with a text: messages of user and
        assistant, plans, commands, errors, interrupts, file changes; and what these received by
        merge-backs. What a merge-back of the two threads carried is delivered, counted apart,
        once it is consumed by a run that was not rolled back. An unknown run has nothing.
        """
        ...

    async def merge_back_items(
        self, tip_run_ids: Collection[RunId], *, first: int, after: BroughtPosition | None
    ) -> Mapping[RunId, Page[BroughtItem]]:
        """A page of what is still to deliver of these items, in order: each once."""
        ...

    async def checkpoints(
        self, thread_ids: Collection[ThreadId], *, first: int, after: str | None
    ) -> Mapping[ThreadId, Page[Checkpoint]]:
        """A page of each thread's checkpoints after the checkpoint id *after*, by id."""
        ...

    async def count_checkpoints(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
        """How many checkpoints each thread has."""
        ...

    async def context_windows(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, Sequence[ContextWindow]]:
        """Each thread's context windows, by number."""
        ...

    # ── The graph itself ────────────────────────────────────────────────────────────────

    async def integrity(self) -> IntegrityReport:
        """Whether the stored graph keeps what is promised here, worked out from its facts anew.

        - A graph that only this store wrote gives no finding, but for ``edge_runs``: an edge may
          name a run that its origin's transcript does not hold.
        - Findings are ordered by rule, then by id; at most ``MOST_FINDINGS`` of each rule, and the
          last of them says when there are more. A fault that follows from another one need not be
          told before that one is mended.
        - ``unconfirmed_starts``: the first ``MOST_STARTS`` runs, by thread and ordinal, that are
          preparing or starting and not rolled back. They are no finding.
        - It looks at every node, needs no more memory for a larger graph, and may take minutes.
        """
        ...

    # ── Transfers ───────────────────────────────────────────────────────────────────────

    async def transfers_by_id(
        self, transfer_ids: Collection[TransferId]
    ) -> Mapping[TransferId, Transfer]:
        """The transfers that are known."""
        ...

    async def transfers(self, question: TransfersQuestion) -> Page[Transfer]:
        """A page of all transfers that meet the filter, by (created_at, transfer id)."""
        ...

    async def count_transfers(self, transfer_filter: TransferFilter) -> int:
        """How many transfers meet the filter."""
        ...

    async def thread_transfers(
        self, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
    ) -> Mapping[ThreadId, Page[Transfer]]:
        """A page of each thread's transfers, by (created_at, transfer id).

        A transfer from a thread to itself goes in and out, and is told once.
        """
        ...

    async def count_thread_transfers(
        self, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
    ) -> Mapping[ThreadId, int]:
        """How many transfers each thread has, whatever the page."""
        ...

    async def handoffs(self, transfer_ids: Collection[TransferId]) -> Mapping[TransferId, Handoff]:
        """The handoffs that resolutions name; transfers without one are absent."""
        ...
