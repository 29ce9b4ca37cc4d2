"""The graph in a Neo4j database: each promise of the store by the file that keeps it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from graph import (
    neo4j_commands,
    neo4j_integrity,
    neo4j_items,
    neo4j_reading_contents,
    neo4j_reading_families,
    neo4j_reading_history,
    neo4j_reading_lineage,
    neo4j_reading_merge_back,
    neo4j_reading_relations,
    neo4j_reading_standings,
    neo4j_reading_threads,
    neo4j_reading_totals,
    neo4j_reading_transfers,
    neo4j_reading_ways,
    neo4j_writing,
)
from graph.columns import ALL_FIELDS, ChosenFields
from graph.model import Thread
from graph.neo4j_runner import open_runner
from graph.questions import WALKED_KINDS, FamilyQuestion

if TYPE_CHECKING:
    from collections.abc import (
        AsyncGenerator,
        Awaitable,
        Callable,
        Collection,
        Mapping,
        Sequence,
    )

    from msgspec import Struct

    from graph.command_store import CommandTransaction, Outcome
    from graph.model import (
        Checkpoint,
        CheckpointId,
        ContextWindow,
        EdgeKind,
        ForkOrigin,
        HistoryBase,
        Item,
        Run,
        RunId,
        SpawnEdge,
        ThreadId,
        Timestamp,
        TransferId,
    )
    from graph.neo4j_runner import Neo4jAddress
    from graph.questions import (
        BroughtItem,
        BroughtPosition,
        ChildrenQuestion,
        Descendant,
        DescendantsQuestion,
        Family,
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
    from graph.runner import Runner
    from graph.standings import Standing, TreeNotes
    from graph.transfers import Handoff, HandoffId, Transfer


@asynccontextmanager
async def open_neo4j(
    address: Neo4jAddress, *, timeout_seconds: float = 60.0, warn: bool = False
) -> AsyncGenerator[Neo4jStore]:
    """A store over an open connection that was tried once; closed at the end.

    The rest is told at ``graph.neo4j_runner.open_runner``.
    """
    async with open_runner(address, timeout_seconds=timeout_seconds, warn=warn) as runner:
        yield Neo4jStore(runner)


class Neo4jStore:
    """Keeps every promise of ``ThreadGraph`` in Neo4j."""

    def __init__(
        self,
        runner: Runner,
        chosen: ChosenFields = ALL_FIELDS,
        notes: TreeNotes | None = None,
    ) -> None:
        self.runner = runner if notes is None else neo4j_reading_standings.Untold(runner, notes)
        self.chosen = chosen
        # Only what notes its trees itself may ask this one where notes are taken.
        self._noting, self._notes = runner, notes

    def selecting(self, fields: Mapping[type[Struct], Collection[str]]) -> Neo4jStore:
        return Neo4jStore(self._noting, ChosenFields(fields), self._notes)

    def noting(self, notes: TreeNotes) -> Neo4jStore:
        return Neo4jStore(self._noting, self.chosen, notes)

    async def standings(self, root_ids: Collection[ThreadId]) -> Mapping[ThreadId, Standing]:
        return await neo4j_reading_standings.standings(self.runner, root_ids)

    async def transact(self, work: Callable[[CommandTransaction], Awaitable[Outcome]]) -> Outcome:
        return await neo4j_commands.transact(self.runner, Neo4jStore, work)

    async def handoffs_by_id(
        self, handoff_ids: Collection[HandoffId]
    ) -> Mapping[HandoffId, Handoff]:
        return await neo4j_reading_transfers.handoffs_by_id(self.runner, handoff_ids)

    async def forget_receipts(self, before: Timestamp, *, most: int) -> int:
        return await neo4j_commands.forget_receipts(self.runner, before, most=most)

    async def spawn_edge(self, child_id: ThreadId) -> SpawnEdge | None:
        return await neo4j_commands.spawn_edge(self.runner, child_id)

    async def record(self, batch: Batch) -> Recorded:
        return await neo4j_writing.record(self.runner, batch)

    async def append_items(self, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
        return await neo4j_items.append_items(self.runner, thread_id, items)

    async def finish_items(
        self, thread_id: ThreadId, *, count: int, settled: int, digest: str | None
    ) -> None:
        return await neo4j_items.finish_items(
            self.runner, thread_id, count=count, settled=settled, digest=digest
        )

    async def import_states(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, ImportState]:
        return await neo4j_writing.import_states(self.runner, thread_ids)

    async def remember_sources(self, fingerprints: Mapping[ThreadId, str]) -> None:
        return await neo4j_writing.remember_sources(self.runner, fingerprints)

    async def threads_by_id(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, Thread]:
        if self._notes is not None:
            alone = FamilyQuestion(fields=self.chosen.of(Thread))
            return (await self.family(thread_ids, alone)).threads
        return await neo4j_reading_threads.threads_by_id(self.runner, thread_ids, self.chosen)

    async def thread_ids_starting_with(self, prefix: str, *, first: int) -> Sequence[ThreadId]:
        return await neo4j_reading_threads.thread_ids_starting_with(
            self.runner, prefix, first=first
        )

    async def threads(self, question: ThreadsQuestion) -> Page[Thread]:
        return await neo4j_reading_threads.threads(self.runner, question, self.chosen)

    async def count_threads(self, thread_filter: ThreadFilter) -> int:
        return await neo4j_reading_threads.count_threads(self.runner, thread_filter)

    async def has_threads(self) -> bool:
        return await neo4j_reading_threads.has_threads(self.runner)

    async def ancestors(
        self, thread_ids: Collection[ThreadId], kinds: Collection[EdgeKind] = WALKED_KINDS
    ) -> Mapping[ThreadId, Sequence[Thread]]:
        return await neo4j_reading_relations.ancestors(self.runner, thread_ids, kinds, self.chosen)

    async def descendants(
        self, thread_ids: Collection[ThreadId], question: DescendantsQuestion
    ) -> Mapping[ThreadId, Page[Descendant]]:
        return await neo4j_reading_relations.descendants(
            self.runner, thread_ids, question, self.chosen
        )

    async def count_descendants(
        self, thread_ids: Collection[ThreadId], question: DescendantsQuestion
    ) -> Mapping[ThreadId, int]:
        return await neo4j_reading_relations.count_descendants(self.runner, thread_ids, question)

    async def children(
        self, thread_ids: Collection[ThreadId], question: ChildrenQuestion
    ) -> Mapping[ThreadId, Page[Thread]]:
        return await neo4j_reading_relations.children(
            self.runner, thread_ids, question, self.chosen
        )

    async def count_children(
        self, thread_ids: Collection[ThreadId], question: ChildrenQuestion
    ) -> Mapping[ThreadId, int]:
        return await neo4j_reading_relations.count_children(self.runner, thread_ids, question)

    async def family(self, thread_ids: Collection[ThreadId], question: FamilyQuestion) -> Family:
        return await neo4j_reading_families.family(self._noting, thread_ids, question, self._notes)

    async def spawn_edges(
        self,
        thread_ids: Collection[ThreadId],
        *,
        status: str | None,
        first: int,
        after: ThreadId | None,
    ) -> Mapping[ThreadId, Page[SpawnEdge]]:
        return await neo4j_reading_relations.spawn_edges(
            self.runner,
            thread_ids,
            status=status,
            first=first,
            after=after,
            chosen=self.chosen,
        )

    async def count_spawn_edges(
        self, thread_ids: Collection[ThreadId], *, status: str | None
    ) -> Mapping[ThreadId, int]:
        return await neo4j_reading_relations.count_spawn_edges(
            self.runner, thread_ids, status=status
        )

    async def fork_origins(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, ForkOrigin]:
        return await neo4j_reading_relations.fork_origins(self.runner, thread_ids)

    async def history_bases(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, HistoryBase]:
        return await neo4j_reading_relations.history_bases(self.runner, thread_ids)

    async def totals_below(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, TotalsBelow]:
        return await neo4j_reading_totals.totals_below(self.runner, thread_ids)

    async def lineage(self, question: LineageQuestion) -> LineageGraph:
        return await neo4j_reading_lineage.lineage(
            self._noting, question, self.chosen, self._notes
        )

    async def path(self, from_id: ThreadId, to_id: ThreadId) -> LineagePath | None:
        return await neo4j_reading_ways.path(self.runner, from_id, to_id, self.chosen)

    async def nearest_common_ancestor(self, thread_ids: Collection[ThreadId]) -> Thread | None:
        return await neo4j_reading_ways.nearest_common_ancestor(
            self.runner, thread_ids, self.chosen
        )

    async def runs_by_id(self, run_ids: Collection[RunId]) -> Mapping[RunId, Run]:
        return await neo4j_reading_contents.runs_by_id(self.runner, run_ids, self.chosen)

    async def runs(
        self,
        thread_ids: Collection[ThreadId],
        *,
        include_rolled_back: bool,
        first: int,
        after: int | None,
    ) -> Mapping[ThreadId, Page[Run]]:
        return await neo4j_reading_contents.runs(
            self.runner,
            thread_ids,
            include_rolled_back=include_rolled_back,
            first=first,
            after=after,
            chosen=self.chosen,
        )

    async def count_runs(
        self, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
    ) -> Mapping[ThreadId, int]:
        return await neo4j_reading_contents.count_runs(
            self.runner, thread_ids, include_rolled_back=include_rolled_back
        )

    async def history(
        self,
        thread_ids: Collection[ThreadId],
        *,
        include_rolled_back: bool,
        first: int,
        after: HistoryPosition | None,
    ) -> Mapping[ThreadId, Page[HistoryRun]]:
        return await neo4j_reading_history.history(
            self.runner,
            thread_ids,
            include_rolled_back=include_rolled_back,
            first=first,
            after=after,
            chosen=self.chosen,
        )

    async def count_history(
        self, thread_ids: Collection[ThreadId], *, include_rolled_back: bool
    ) -> Mapping[ThreadId, int]:
        return await neo4j_reading_history.count_history(
            self.runner, thread_ids, include_rolled_back=include_rolled_back
        )

    async def items(
        self, thread_ids: Collection[ThreadId], *, first: int, after: int | None
    ) -> Mapping[ThreadId, Page[Item]]:
        return await neo4j_reading_contents.items(
            self.runner, thread_ids, first=first, after=after, chosen=self.chosen
        )

    async def count_items(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
        return await neo4j_reading_contents.count_items(self.runner, thread_ids)

    async def items_of_runs(
        self, run_ids: Collection[RunId], *, first: int, after: int | None
    ) -> Mapping[RunId, Page[Item]]:
        return await neo4j_reading_contents.items_of_runs(
            self.runner, run_ids, first=first, after=after, chosen=self.chosen
        )

    async def count_items_of_runs(self, run_ids: Collection[RunId]) -> Mapping[RunId, int]:
        return await neo4j_reading_contents.count_items_of_runs(self.runner, run_ids)

    async def merge_back_deltas(
        self, thread_ids: Collection[ThreadId], *, run_id: RunId | None = None
    ) -> Mapping[ThreadId, MergeBackDelta]:
        return await neo4j_reading_merge_back.deltas(self.runner, thread_ids, run_id, self.chosen)

    async def merge_back_deltas_to(
        self, tips: Collection[tuple[ThreadId, RunId]]
    ) -> Mapping[tuple[ThreadId, RunId], MergeBackDelta]:
        return await neo4j_reading_merge_back.deltas_to(self.runner, tips, self.chosen)

    async def merge_back_sums(
        self, tip_run_ids: Collection[RunId]
    ) -> Mapping[RunId, MergeBackSums]:
        return await neo4j_reading_merge_back.sums(self.runner, tip_run_ids)

    async def merge_back_items(
        self, tip_run_ids: Collection[RunId], *, first: int, after: BroughtPosition | None
    ) -> Mapping[RunId, Page[BroughtItem]]:
        return await neo4j_reading_merge_back.items(
            self.runner, tip_run_ids, first=first, after=after, chosen=self.chosen
        )

    async def checkpoints(
        self, thread_ids: Collection[ThreadId], *, first: int, after: str | None
    ) -> Mapping[ThreadId, Page[Checkpoint]]:
        return await neo4j_reading_contents.checkpoints(
            self.runner, thread_ids, first=first, after=after
        )

    async def checkpoints_by_id(
        self, checkpoint_ids: Collection[CheckpointId]
    ) -> Mapping[CheckpointId, Checkpoint]:
        return await neo4j_reading_contents.checkpoints_by_id(self.runner, checkpoint_ids)

    async def count_checkpoints(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, int]:
        return await neo4j_reading_contents.count_checkpoints(self.runner, thread_ids)

    async def context_windows(
        self, thread_ids: Collection[ThreadId]
    ) -> Mapping[ThreadId, Sequence[ContextWindow]]:
        return await neo4j_reading_contents.context_windows(self.runner, thread_ids, self.chosen)

    async def integrity(self) -> IntegrityReport:
        return await neo4j_integrity.integrity(self.runner)

    async def transfers_by_id(
        self, transfer_ids: Collection[TransferId]
    ) -> Mapping[TransferId, Transfer]:
        return await neo4j_reading_transfers.transfers_by_id(
            self.runner, transfer_ids, self.chosen
        )

    async def transfers(self, question: TransfersQuestion) -> Page[Transfer]:
        return await neo4j_reading_transfers.transfers(self.runner, question, self.chosen)

    async def count_transfers(self, transfer_filter: TransferFilter) -> int:
        return await neo4j_reading_transfers.count_transfers(self.runner, transfer_filter)

    async def thread_transfers(
        self, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
    ) -> Mapping[ThreadId, Page[Transfer]]:
        return await neo4j_reading_transfers.thread_transfers(
            self.runner, thread_ids, question, self.chosen
        )

    async def count_thread_transfers(
        self, thread_ids: Collection[ThreadId], question: ThreadTransfersQuestion
    ) -> Mapping[ThreadId, int]:
        return await neo4j_reading_transfers.count_thread_transfers(
            self.runner, thread_ids, question
        )

    async def handoffs(self, transfer_ids: Collection[TransferId]) -> Mapping[TransferId, Handoff]:
        return await neo4j_reading_transfers.handoffs(self.runner, transfer_ids, self.chosen)
