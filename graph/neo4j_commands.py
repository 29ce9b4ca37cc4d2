"""One command's transaction in Neo4j: see ``graph.command_store``."""

from __future__ import annotations

import logging
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import msgspec

from graph.columns import column_names, rows_of
from graph.command_statements import (
    ACTIVITY,
    DELIVERED_ITEMS,
    FORGET_RECEIPTS,
    HAS_TEXT,
    HOLD,
    IN_THE_WAY,
    LAST_ANSWER,
    NEWEST_ANSWER,
    READY_CHECKPOINT,
    ROLL_BACK,
    ROOTS,
    SPAWN_EDGE,
    TAKE_RECEIPT,
    TAKEN,
    WRITE_CHECKPOINT,
    WRITE_RECEIPT,
    ActivityOf,
    AnswerOf,
    CheckpointRow,
    DeliveredTo,
    Hold,
    IdsAsked,
    LastAnswerOf,
    ReadyCheckpointOf,
    ReceiptOf,
    ReceiptRow,
    ReceiptsBefore,
    RolledBack,
    SpawnEdgeOf,
    TextOf,
    ThreadIdsAsked,
)
from graph.commands import CommandRun, HeldThread, Receipt
from graph.errors import StatementFailed, StoreUnavailable
from graph.ids import check_id, check_ids, check_item_ids
from graph.model import ACTIVE_STATUSES, Item
from graph.neo4j_items import add_items
from graph.neo4j_reading_contents import RUNS, RUNS_BY_ID, Runs, RunsById, checkpoints_by_id
from graph.neo4j_recording import Recording, TreeMoved
from graph.neo4j_transfers import ends
from graph.own_runs import StoredRun, sums
from graph.properties import (
    camel,
    of_new,
    provider_thread_key_of,
    search_text,
    window_properties,
)
from graph.questions import EVERYTHING
from graph.record_statements import (
    FACTS,
    PROVIDER_THREADS,
    REVISE,
    THREADS,
    WINDOWS,
    FactsOf,
    ProviderThreadRows,
    RootsOf,
    RunRows,
    ThreadRows,
    WindowRows,
)
from graph.record_statements import RUNS as WRITE_RUNS
from graph.recording import Stated

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from graph.command_store import CommandTransaction, Outcome
    from graph.commands import Activity, CommandId, InTheWay, NewestAnswer, Taken
    from graph.model import Checkpoint, CheckpointId, RunId, SpawnEdge, ThreadId, Timestamp
    from graph.properties import Properties
    from graph.records import Batch, ItemRecord, WindowRecord
    from graph.runner import Runner, Transaction
    from graph.statements import Asked, Result, Row, Statement
    from graph.store import ThreadGraph

log = logging.getLogger(__name__)

ATTEMPTS = 20
"""How often a command starts over because a tree was moved from under it."""

HELD_COLUMNS = [
    name
    for name in column_names(HeldThread)
    if name
    not in ("spawnerId", "spawnOrigin", "forkSourceId", "forkTransferId", "forkContextOnly")
]
RUN_COLUMNS = column_names(CommandRun)


async def transact(
    runner: Runner,
    reading: Callable[[Runner], ThreadGraph],
    work: Callable[[CommandTransaction], Awaitable[Outcome]],
) -> Outcome:
    """What *work* makes of a transaction: see ``CommandGraph.transact``."""

    async def attempt(transaction: Transaction) -> Outcome:
        return await work(Neo4jCommand(transaction, reading(WithinTransaction(transaction))))

    for _ in range(ATTEMPTS):
        try:
            return await runner.write(attempt)
        except TreeMoved:
            log.info("a tree was moved while its lock was waited for; starting over")
    raise StoreUnavailable("Other writers keep moving the same threads; try again.")


async def spawn_edge(runner: Runner, child_id: ThreadId) -> SpawnEdge | None:
    """The spawn edge of a thread: see ``CommandGraph.spawn_edge``."""
    found = await runner.read(SPAWN_EDGE, SpawnEdgeOf(child_id))
    return found[0] if found else None


async def forget_receipts(runner: Runner, before: Timestamp, *, most: int) -> int:
    """Remove old receipts: see ``CommandGraph.forget_receipts``."""

    async def attempt(transaction: Transaction) -> int:
        [gone] = await transaction.run(FORGET_RECEIPTS, ReceiptsBefore(before, most))
        return gone.forgotten

    return await runner.write(attempt)


class WithinTransaction:
    """Reads through a transaction that is open already."""

    def __init__(self, transaction: Transaction) -> None:
        self._transaction = transaction

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        return await self._transaction.run(statement, parameters)

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        rows = await self._transaction.run(statement, parameters)
        if len(rows) != 1:
            raise StatementFailed(f"{statement.name} answered with {len(rows)} records, not 1.")
        return rows[0]

    async def read_together(
        self,
        work: Callable[[Transaction], Awaitable[Result]],
        *,
        seconds: float | None = None,
    ) -> Result:
        return await work(self._transaction)

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        raise StatementFailed("A command records through its own transaction.")


class Neo4jCommand:
    """One command's transaction."""

    def __init__(self, transaction: Transaction, graph: ThreadGraph) -> None:
        self.graph = graph
        self._transaction = transaction
        self._held: dict[ThreadId, HeldThread] = {}

    async def take_receipt(self, command_id: CommandId) -> Receipt | None:
        check_id("commandId", command_id)
        [found] = await self._transaction.run(TAKE_RECEIPT, ReceiptOf(command_id))
        if found.name is None or found.body_hash is None or found.made is None or not found.at:
            return None
        return Receipt(
            command_id=command_id,
            name=found.name,
            body_hash=found.body_hash,
            code=found.code,
            message=found.message,
            made=found.made,
            at=found.at,
        )

    async def write_receipt(self, receipt: Receipt) -> None:
        row = of_new(msgspec.to_builtins(receipt))
        await self._transaction.run(WRITE_RECEIPT, ReceiptRow(row))

    async def hold(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, HeldThread]:
        asked = sorted(set(thread_ids))
        [before] = await self._transaction.run(ROOTS, ThreadIdsAsked(asked))
        roots = sorted(set(before.root_thread_ids))
        [held] = await self._transaction.run(HOLD, Hold(roots, asked, HELD_COLUMNS))
        threads: dict[ThreadId, HeldThread] = {}
        rows = rows_of(HeldThread, [*held.columns, *_edges(held.spawns, held.forks)])
        for thread in rows:
            if thread.root_thread_id not in roots:
                raise TreeMoved
            threads[thread.thread_id] = thread
            self._held[thread.thread_id] = thread
        return threads

    async def activity(self, thread_id: ThreadId) -> Activity:
        asked = ActivityOf(thread_id, sorted(ACTIVE_STATUSES))
        [activity] = await self._transaction.run(ACTIVITY, asked)
        return activity

    async def own_runs(self, thread_id: ThreadId) -> Sequence[CommandRun]:
        asked = Runs(
            thread_ids=[thread_id],
            include_rolled_back=True,
            after=-1,
            limit=EVERYTHING,
            columns=RUN_COLUMNS,
        )
        [found] = await self._transaction.run(RUNS, asked)
        return list(rows_of(CommandRun, found.columns))

    async def runs(self, run_ids: Collection[RunId]) -> Mapping[RunId, CommandRun]:
        asked = RunsById(run_ids=sorted(set(run_ids)), columns=RUN_COLUMNS)
        [found] = await self._transaction.run(RUNS_BY_ID, asked)
        return {run.run_id: run for run in rows_of(CommandRun, found.columns)}

    async def checkpoints_by_id(
        self, checkpoint_ids: Collection[CheckpointId]
    ) -> Mapping[CheckpointId, Checkpoint]:
        return await checkpoints_by_id(WithinTransaction(self._transaction), checkpoint_ids)

    async def ready_checkpoint(self, run: CommandRun) -> Checkpoint | None:
        asked = ReadyCheckpointOf(run.thread_id, run.run_id)
        found = await self._transaction.run(READY_CHECKPOINT, asked)
        return found[0].shown() if found else None

    async def delivered_items(self, run_ids: Collection[RunId]) -> Mapping[RunId, Sequence[Item]]:
        asked = DeliveredTo(sorted(set(run_ids)), column_names(Item))
        [found] = await self._transaction.run(DELIVERED_ITEMS, asked)
        items: dict[RunId, list[Item]] = {}
        for run_id, item in zip(found.run_ids, rows_of(Item, found.columns), strict=True):
            items.setdefault(run_id, []).append(item)
        return items

    async def has_text(self, run_ids: Collection[RunId], kinds: Collection[str]) -> bool:
        [found] = await self._transaction.run(HAS_TEXT, TextOf(list(run_ids), sorted(kinds)))
        return found.has_text

    async def last_answer_id(self, run_id: RunId) -> str | None:
        found = await self._transaction.run(LAST_ANSWER, LastAnswerOf(run_id))
        return found[0].native_item_id if found else None

    async def newest_answer(self, thread_id: ThreadId) -> NewestAnswer:
        [answer] = await self._transaction.run(NEWEST_ANSWER, AnswerOf(thread_id))
        return answer

    async def taken(self, run_ids: Collection[RunId], item_ids: Collection[str]) -> Taken:
        [taken] = await self._transaction.run(
            TAKEN, IdsAsked(sorted(set(run_ids)), sorted(set(item_ids)))
        )
        return taken

    async def record(self, batch: Batch) -> None:
        check_ids(batch)
        stated = Stated.of(batch.threads, batch.spawns, batch.transfers, ends(batch.transfers))
        await Recording(self._transaction, stated, only_new=True).write()

    async def write_runs(self, runs: Sequence[CommandRun]) -> None:
        for run in runs:
            check_id("runId", run.run_id)
            check_id("nativeTurnId", run.native_turn_id)
        rows: list[Properties] = [{**msgspec.to_builtins(run), "byCommand": True} for run in runs]
        thread_ids = sorted({run.thread_id for run in runs})
        await self._transaction.run(WRITE_RUNS, RunRows(rows))
        await self._back(runs)
        asked = FactsOf([], thread_ids, column_names(StoredRun))
        [facts] = await self._transaction.run(FACTS, asked)
        own: dict[ThreadId, list[StoredRun]] = {thread_id: [] for thread_id in thread_ids}
        for owner, stored in zip(facts.owners, rows_of(StoredRun, facts.runs), strict=True):
            own[owner].append(stored)
        threads: list[Properties] = [
            {"threadId": thread_id} | sums(sorted(of_thread, key=attrgetter("ordinal")))
            for thread_id, of_thread in own.items()
        ]
        await self._transaction.run(THREADS, ThreadRows(threads))
        await self._revise(thread_ids)

    async def roll_back(self, runs: Sequence[CommandRun], at: Timestamp) -> None:
        thread = self._held[runs[0].thread_id]
        revision = thread.revision + 1
        gone = RolledBack(thread.thread_id, [run.run_id for run in runs], revision)
        await self._transaction.run(ROLL_BACK, gone)
        await self.write_runs(
            [
                msgspec.structs.replace(run, rolled_back_at=at, rolled_back_revision=revision)
                for run in runs
            ]
        )

    async def in_the_way_of_deletion(self, thread_ids: Collection[ThreadId]) -> InTheWay:
        [found] = await self._transaction.run(IN_THE_WAY, ThreadIdsAsked(sorted(thread_ids)))
        return found

    async def change_threads(
        self, thread_ids: Sequence[ThreadId], changes: Mapping[str, Any]
    ) -> None:
        row = {camel(name): value for name, value in changes.items()}
        rows: list[Properties] = []
        for thread_id in thread_ids:
            held = self._held[thread_id]
            searched = [
                changes.get(name, getattr(held, name)) for name in ("name", "title", "preview")
            ]
            rows.append({"threadId": thread_id, "searchText": search_text(*searched)} | row)
        await self._transaction.run(THREADS, ThreadRows(rows))
        await self._revise(thread_ids)

    async def append_items(
        self, thread: HeldThread, items: Sequence[ItemRecord]
    ) -> tuple[int, int]:
        check_item_ids(items)
        first = thread.item_count
        placed = [
            msgspec.structs.replace(item, position=position)
            for position, item in enumerate(items, start=first)
        ]
        await add_items(self._transaction, thread.thread_id, placed)
        return first, first + len(placed) - 1

    async def write_window(self, thread_id: ThreadId, window: WindowRecord) -> None:
        row = window_properties(thread_id, window)
        await self._transaction.run(WINDOWS, WindowRows([row]))

    async def write_checkpoint(self, checkpoint: Checkpoint) -> None:
        check_id("checkpointId", checkpoint.checkpoint_id)
        ref = checkpoint.native_ref
        row: Properties = {
            "checkpointId": checkpoint.checkpoint_id,
            "threadId": checkpoint.thread_id,
            "runId": checkpoint.run_id,
            "parentCheckpointId": checkpoint.parent_checkpoint_id,
            "status": checkpoint.status,
            "files": msgspec.json.encode(checkpoint.files).decode(),
            "at": checkpoint.at,
            "nativeRefDriver": ref and ref.driver,
            "nativeRefId": ref and ref.native_id,
            "nativeRefStrength": ref and ref.strength.value,
            "nativeRefOrdinal": ref and ref.ordinal,
        }
        await self._transaction.run(WRITE_CHECKPOINT, CheckpointRow(of_new(row)))

    async def _back(self, runs: Sequence[CommandRun]) -> None:
        """Hang threads on the provider's threads that served their runs."""
        rows: dict[tuple[str, str], Properties] = {}
        for run in runs:
            key = provider_thread_key_of(run.provider_instance_id, run.native_thread_id)
            if key is None:
                continue
            properties: Properties = {
                "driver": run.driver,
                "providerInstanceId": run.provider_instance_id,
                "nativeThreadId": run.native_thread_id,
            }
            if run.history_mode is not None:
                properties["historyMode"] = run.history_mode
            rows[key, run.thread_id] = {
                "threadId": run.thread_id,
                "key": key,
                "oldKey": None,
                "properties": properties,
            }
        if rows:
            backing = [rows[at] for at in sorted(rows)]
            await self._transaction.run(PROVIDER_THREADS, ProviderThreadRows(backing))

    async def _revise(self, thread_ids: Collection[ThreadId]) -> None:
        roots = sorted({self._held[thread_id].root_thread_id for thread_id in thread_ids})
        await self._transaction.run(REVISE, RootsOf(roots))


def _edges(
    spawns: Sequence[list[object] | None], forks: Sequence[list[object] | None]
) -> list[list[object]]:
    """The columns of held threads that stand on their edges."""
    spawned = [spawn or [None, None] for spawn in spawns]
    forked = [fork or [None, None, False] for fork in forks]
    return [
        [spawn[0] for spawn in spawned],
        [spawn[1] for spawn in spawned],
        [fork[0] for fork in forked],
        [fork[1] for fork in forked],
        [fork[2] for fork in forked],
    ]
