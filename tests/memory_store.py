"""The graph in memory: the executable model of the promises in ``graph.store``.

It keeps what was recorded and works every answer out from the beginning, slowly and plainly.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from graph.errors import BadInput, ThreadNotFound
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
)
from graph.questions import (
    WALKED_KINDS,
    ChildrenQuestion,
    Descendant,
    DescendantPosition,
    DescendantsQuestion,
    Family,
    FamilyQuestion,
    HistoryPosition,
    HistoryRun,
    LineageDirection,
    LineageGraph,
    LineageQuestion,
    Page,
    ThreadFilter,
    ThreadsQuestion,
    Truncation,
    TruncationReason,
)
from graph.records import Batch, ImportState, ItemRecord, Recorded
from graph.store import ThreadGraph
from tests.memory_families import family_of
from tests.memory_lineages import MemoryLineages
from tests.memory_listing import listed
from tests.memory_merge_backs import MemoryMergeBacks
from tests.memory_narrowing import narrowed
from tests.memory_rules import (
    by_distance,
    check_ids,
    check_kinds,
    check_sizes,
    distances,
    page_of,
    time_of,
)
from tests.memory_transfers import MemoryTransfers


class MemoryStore(MemoryMergeBacks, MemoryLineages, MemoryTransfers):
    """Keeps every promise of ``ThreadGraph`` over facts in memory."""

    def selecting(self, fields: Mapping[type[Struct], Collection[str]]) -> ThreadGraph:
        return narrowed(self, fields)

    async def record(self, batch: Batch) -> Recorded:
        check_ids(batch)
        if len({record.thread_id for record in batch.threads}) < len(batch.threads):
            raise BadInput("A thread stands more than once in a batch.")
        written = unchanged = 0
        conflicts: list[ThreadId] = []
        touched: set[ThreadId] = set()
        changed: set[ThreadId] = set()
        points = self.facts.points()
        places = {known: self.facts.place(known) for known in self.facts.known}
        for record in batch.threads:
            before = self.facts.records.get(record.thread_id)
            if before is not None and (before.driver or record.driver) != record.driver:
                conflicts.append(record.thread_id)
            elif (
                record.digest is not None
                and self.facts.imports.digest(record.thread_id) == record.digest
            ):
                unchanged += 1
            else:
                touched |= self.facts.record_thread(record)
                changed.add(record.thread_id)
                written += 1
        for spawn in batch.spawns:
            told = self.facts.record_spawn(spawn)
            touched |= told
            changed |= told & {spawn.child_thread_id}
        changed |= self.record_transfers(batch.transfers)
        changed |= {known for known, at in places.items() if self.facts.place(known) != at}
        touched |= changed | self.at_the_other_ends(changed)
        touched |= {
            child for child, point in self.facts.points().items() if points.get(child) != point
        }
        for root in {self.facts.place(thread_id).root for thread_id in touched}:
            self.facts.revisions[root] = self.facts.revisions.get(root, 0) + 1
        return Recorded(written=written, unchanged=unchanged, conflicts=tuple(conflicts))

    async def append_items(self, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
        check_sizes("itemId", [item.item_id for item in items])
        self._check_known(thread_id)
        self.facts.items_of.setdefault(thread_id, {}).update(
            {item.position: item for item in items}
        )

    async def finish_items(
        self, thread_id: ThreadId, *, count: int, settled: int, digest: str | None
    ) -> None:
        self._check_known(thread_id)
        items = self.facts.items_of.get(thread_id, {})
        self.facts.items_of[thread_id] = {at: item for at, item in items.items() if at < count}
        self.facts.imports.finish(thread_id, settled, digest)

    async def import_states(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, ImportState]:
        return {
            thread_id: replace(
                state,
                item_count=len(self.facts.items_of.get(thread_id, {})),
                unrecorded=self.facts.unrecorded(thread_id),
            )
            for thread_id in set(thread_ids)
            if (state := self.facts.imports.states.get(thread_id)) is not None
        }

    async def remember_sources(self, fingerprints: Mapping[ThreadId, str]) -> None:
        self.facts.imports.remember(fingerprints)

    async def threads_by_id(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, Thread]:
        return {
            thread_id: self.facts.thread(thread_id)
            for thread_id in set(thread_ids)
            if thread_id in self.facts.known
        }

    async def thread_ids_starting_with(self, prefix: str, *, first: int) -> Sequence[ThreadId]:
        return sorted(known for known in self.facts.known if known.startswith(prefix))[:first]

    async def threads(self, question: ThreadsQuestion) -> Page[Thread]:
        rows = listed(self.facts, question.filter)
        time = time_of(question.order)
        rows.sort(
            key=lambda row: (time(row), row.thread_id),
            reverse=question.order.endswith("_DESC"),
        )
        keys = [(time(row), row.thread_id) for row in rows]
        descending = question.order.endswith("_DESC")
        start, end = 0, len(rows)
        if question.after is not None:
            bound = (question.after.at, question.after.thread_id)
            start = sum(1 for key in keys if (key >= bound if descending else key <= bound))
        if question.before is not None:
            bound = (question.before.at, question.before.thread_id)
            end = sum(1 for key in keys if (key > bound if descending else key < bound))
        end = max(start, end)
        if question.backward:
            begin = max(start, end - question.first)
            return Page(rows[begin:end], has_next=end < len(rows), has_previous=begin > start)
        stop = min(end, start + question.first)
        return Page(rows[start:stop], has_next=stop < end, has_previous=start > 0)

    async def count_threads(self, thread_filter: ThreadFilter) -> int:
        return len(listed(self.facts, thread_filter))

    async def has_threads(self) -> bool:
        return bool(self.facts.records)

    async def ancestors(
        self, thread_ids: Collection[ThreadId], kinds: Collection[EdgeKind] = WALKED_KINDS
    ) -> Mapping[ThreadId, Sequence[Thread]]:
        check_kinds(kinds)
        return {
            thread_id: [
                self.facts.thread(above)
                for above in by_distance(distances(thread_id, lambda at: self.facts.up(at, kinds)))
            ]
            for thread_id in set(thread_ids)
        }

    async def descendants(
        self, thread_ids: Collection[ThreadId], question: DescendantsQuestion
    ) -> Mapping[ThreadId, Page[Descendant]]:
        answer: dict[ThreadId, Page[Descendant]] = {}
        for thread_id in set(thread_ids):
            depths = self._below(thread_id, question)
            places = sorted((depth, below) for below, depth in depths.items())
            page = page_of(
                places,
                question.first,
                None
                if question.after is None
                else (question.after.depth, question.after.thread_id),
            )
            answer[thread_id] = Page(
                [Descendant(self.facts.thread(below), depth) for depth, below in page.rows],
                page.has_next,
                page.has_previous,
            )
        return answer

    async def count_descendants(
        self, thread_ids: Collection[ThreadId], question: DescendantsQuestion
    ) -> Mapping[ThreadId, int]:
        return {thread_id: len(self._below(thread_id, question)) for thread_id in set(thread_ids)}

    async def children(
        self, thread_ids: Collection[ThreadId], question: ChildrenQuestion
    ) -> Mapping[ThreadId, Page[Thread]]:
        check_kinds(question.kinds, question.spawn_status)
        answer: dict[ThreadId, Page[Thread]] = {}
        for thread_id in set(thread_ids):
            below = self.facts.down(thread_id, question.kinds, question.spawn_status) - {thread_id}
            page = page_of(sorted(below), question.first, question.after)
            answer[thread_id] = Page(
                [self.facts.thread(child) for child in page.rows], page.has_next, page.has_previous
            )
        return answer

    async def count_children(
        self, thread_ids: Collection[ThreadId], question: ChildrenQuestion
    ) -> Mapping[ThreadId, int]:
        check_kinds(question.kinds, question.spawn_status)
        return {
            thread_id: len(self.facts.down(thread_id, question.kinds, question.spawn_status))
            for thread_id in set(thread_ids)
        }

    async def family(self, thread_ids: Collection[ThreadId], question: FamilyQuestion) -> Family:
        return await family_of(self, thread_ids, question)

    async def spawn_edges(
        self,
        thread_ids: Collection[ThreadId],
        *,
        status: str | None,
        first: int,
        after: ThreadId | None,
    ) -> Mapping[ThreadId, Page[SpawnEdge]]:
        answer: dict[ThreadId, Page[SpawnEdge]] = {}
        for thread_id in set(thread_ids):
            page = page_of(
                sorted(self.facts.down(thread_id, (EdgeKind.SPAWN,), status)), first, after
            )
            answer[thread_id] = Page(
                [self.facts.spawn_edge(child) for child in page.rows],
                page.has_next,
                page.has_previous,
            )
        return answer

    async def count_spawn_edges(
        self, thread_ids: Collection[ThreadId], *, status: str | None
    ) -> Mapping[ThreadId, int]:
        return {
            thread_id: len(self.facts.down(thread_id, (EdgeKind.SPAWN,), status))
            for thread_id in set(thread_ids)
        }

    async def fork_origins(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, ForkOrigin]:
        return {
            thread_id: self.facts.fork_origin(self.facts.forks[thread_id])
            for thread_id in set(thread_ids)
            if thread_id in self.facts.forks
        }

    async def history_bases(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, HistoryBase]:
        return {
            thread_id: HistoryBase(
                thread_id=self.facts.bases[thread_id].thread_id,
                end_ordinal=self.facts.bases[thread_id].end_ordinal,
            )
            for thread_id in set(thread_ids)
            if thread_id in self.facts.bases
        }

    async def lineage(self, question: LineageQuestion) -> LineageGraph:
        check_kinds(question.kinds)
        if question.thread_id not in self.facts.known:
            raise ThreadNotFound(question.thread_id)
        root = self.facts.place(question.thread_id).root
        start = root if question.direction is LineageDirection.WHOLE_TREE else question.thread_id
        if question.direction is LineageDirection.ANCESTORS:
            depths = distances(start, lambda at: self.facts.up(at, question.kinds))
        else:
            depths = self.facts.walk_down(start, question.kinds)
        depths[start] = 0
        depths = self.with_hand_offs(depths)
        places = sorted((depth, thread_id) for thread_id, depth in depths.items())
        within = [at for at in places if at[0] <= question.max_depth]
        after = question.after
        page = page_of(
            within, question.max_nodes, None if after is None else (after.depth, after.thread_id)
        )
        truncated = None
        if page.has_next:
            truncated = Truncation(TruncationReason.NODES, question.max_nodes)
        elif len(within) < len(places):
            truncated = Truncation(TruncationReason.DEPTH, question.max_depth)
        end = DescendantPosition(*page.rows[-1]) if page.rows else None
        return LineageGraph(
            nodes=[self.facts.thread(thread_id) for _, thread_id in page.rows],
            edges=self.edges_on(page.rows, within, question.kinds, self.transfer_edges())
            if question.edges
            else [],
            truncated=truncated,
            end=end,
            version=f"{root}:{self.facts.revisions.get(root, 0)}",
        )

    async def runs_by_id(self, run_ids: Collection[RunId]) -> Mapping[RunId, Run]:
        return {
            run.run_id: run
            for thread_id in self.facts.runs_of
            for run in self.facts.own_runs(thread_id)
            if run.run_id in set(run_ids)
        }

    async def runs(
        self,
        thread_ids: Collection[ThreadId],
        *,
        include_rolled_back: bool,
        first: int,
        after: int | None,
    ) -> Mapping[ThreadId, Page[Run]]:
        return {
            thread_id: page_of(
                self.facts.shown_runs(thread_id, include_rolled_back=include_rolled_back),
                first,
                after,
                key=lambda run: run.ordinal,
            )
            for thread_id in set(thread_ids)
        }

    async def count_runs(
        self, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
    ) -> Mapping[ThreadId, int]:
        return {
            thread_id: len(
                self.facts.shown_runs(thread_id, include_rolled_back=include_rolled_back)
            )
            for thread_id in set(thread_ids)
        }

    async def history(
        self,
        thread_ids: Collection[ThreadId],
        *,
        include_rolled_back: bool,
        first: int,
        after: HistoryPosition | None,
    ) -> Mapping[ThreadId, Page[HistoryRun]]:
        return {
            thread_id: page_of(
                self.facts.history(thread_id, include_rolled_back=include_rolled_back),
                first,
                None if after is None else (-after.distance, after.ordinal),
                key=lambda row: (-row.distance, row.run.ordinal),
            )
            for thread_id in set(thread_ids)
        }

    async def count_history(
        self, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
    ) -> Mapping[ThreadId, int]:
        return {
            thread_id: len(self.facts.history(thread_id, include_rolled_back=include_rolled_back))
            for thread_id in set(thread_ids)
        }

    async def items(
        self, thread_ids: Collection[ThreadId], *, first: int, after: int | None
    ) -> Mapping[ThreadId, Page[Item]]:
        return {
            thread_id: page_of(
                self.facts.items(thread_id), first, after, key=lambda row: row.position
            )
            for thread_id in set(thread_ids)
        }

    async def count_items(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
        return {thread_id: len(self.facts.items(thread_id)) for thread_id in set(thread_ids)}

    async def items_of_runs(
        self, run_ids: Collection[RunId], *, first: int, after: int | None
    ) -> Mapping[RunId, Page[Item]]:
        return {
            run_id: page_of(
                self.facts.run_items(run_id), first, after, key=lambda row: row.position
            )
            for run_id in set(run_ids)
        }

    async def count_items_of_runs(self, run_ids: Collection[RunId]) -> Mapping[RunId, int]:
        return {run_id: len(self.facts.run_items(run_id)) for run_id in set(run_ids)}

    async def checkpoints(
        self, thread_ids: Collection[ThreadId], *, first: int, after: str | None
    ) -> Mapping[ThreadId, Page[Checkpoint]]:
        # Nothing records a checkpoint yet: transcripts hold none.
        return {thread_id: Page() for thread_id in set(thread_ids)}

    async def count_checkpoints(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
        return dict.fromkeys(set(thread_ids), 0)

    async def context_windows(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, Sequence[ContextWindow]]:
        return {
            thread_id: [
                ContextWindow(
                    thread_id=thread_id,
                    **{name: getattr(window, name) for name in window.__struct_fields__},
                )
                for _, window in sorted(self.facts.windows_of.get(thread_id, {}).items())
            ]
            for thread_id in set(thread_ids)
        }

    def _check_known(self, thread_id: ThreadId) -> None:
        if thread_id not in self.facts.known:
            raise ThreadNotFound(thread_id)

    def _below(self, thread_id: ThreadId, question: DescendantsQuestion) -> dict[ThreadId, int]:
        check_kinds(question.kinds, question.spawn_status)
        depths = self.facts.walk_down(thread_id, question.kinds, question.spawn_status)
        return {below: depth for below, depth in depths.items() if depth <= question.max_depth}
