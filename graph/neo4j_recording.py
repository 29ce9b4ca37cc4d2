"""One batch's transaction in Neo4j: locks first, then facts, then rows.

The order of locks is the same for every writer: the turns that it has or names, the threads that
it makes, the roots of the trees that it touches, each by id. A tree that was moved to another
root between the first look and its lock makes the transaction start over.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from graph.columns import column_names, rows_of
from graph.edges import Edge, hangs_on_several, stored_edges
from graph.ids import turn_locks
from graph.model import EdgeKind, RunId, ThreadId
from graph.neo4j_items import single, write_items
from graph.neo4j_settling import HeldTrees, settle
from graph.neo4j_transfers import (
    changing,
    ends,
    enter_transfers,
    hold_linked_trees,
    write_transfers,
)
from graph.own_runs import StoredRun
from graph.placement import place
from graph.properties import (
    of_new,
    provider_thread_key,
    provider_thread_properties,
    thread_properties,
    window_properties,
)
from graph.questions import WALKED_KINDS
from graph.record_statements import (
    BELOW,
    CHILD_OF,
    ENTER,
    FACTS,
    FORKED_FROM,
    HISTORY_BASE,
    LOCK_TREES,
    PROVIDER_THREADS,
    REVISE,
    RUNS,
    SPAWNED_BY,
    THREADS,
    WINDOWS,
    EdgeRows,
    Enter,
    FactsOf,
    LockTrees,
    ProviderThreadRows,
    RootsOf,
    RunRows,
    ThreadRows,
    ThreadsAsked,
    WindowRows,
)
from graph.recording import (
    EdgesOf,
    Stated,
    ThreadState,
    Unsettled,
    hanging,
    merged,
    moved_properties,
    place_properties,
    remembered_calls,
    run_rows,
    spawn_properties,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph.placement import Hanging, Place
    from graph.properties import Properties
    from graph.records import ThreadRecord, TransferRecord
    from graph.runner import Transaction

STATE_COLUMNS = column_names(ThreadState)

_EDGE_STATEMENTS = {
    EdgeKind.SPAWN: SPAWNED_BY,
    EdgeKind.FORK: FORKED_FROM,
    EdgeKind.PARENT: CHILD_OF,
    EdgeKind.HISTORY_BASE: HISTORY_BASE,
}


class TreeMoved(Exception):
    """A tree got another root before it was locked: what was read of it no longer counts."""


class Recording:
    """The work of one transaction, and what it gathers on the way."""

    def __init__(
        self, transaction: Transaction, stated: Stated, *, only_new: bool = False
    ) -> None:
        """Write what is *stated*; with *only_new* none of its threads may be recorded yet."""
        self.transaction = transaction
        self.stated = stated
        self.only_new = only_new
        self.records = {record.thread_id: record for record in stated.records}
        self.trees = HeldTrees(transaction)
        self.unsettled = Unsettled()
        self.new_ids: set[ThreadId] = set()
        self.states: dict[ThreadId, ThreadState] = {}
        self.stored_runs: dict[ThreadId, dict[RunId, StoredRun]] = {}
        self.edges: EdgesOf = {}
        self.changed: list[Edge] = []
        self.hangs: dict[ThreadId, Hanging] = {}
        self.places: dict[ThreadId, Place] = {}
        self.calls: dict[ThreadId, str | None] = {}
        self.transfers: list[TransferRecord] = []
        self.transfer_ends: set[ThreadId] = set()

    async def write(self) -> None:
        """Write what the batch states, and all that follows from it."""
        await self._enter()
        await self._enter_transfers()
        self.edges, self.changed = merged(await self._read_facts(), self.stated.edges)
        self.hangs = self._hangings()
        below = await self._place()
        await self._touch(below)
        runs, threads = self._recorded_rows()
        threads += self._other_rows(below)
        await self._write_owned(threads, runs)
        await self._write_edges()
        if self.transfers:
            await write_transfers(self.transaction, self.transfers)
        await write_items(self.transaction, self.stated.records, self.states.keys())
        await settle(self.trees, self.unsettled)
        grown = self.trees.changed - self.new_ids
        if grown:
            await self.transaction.run(REVISE, RootsOf(sorted(grown)))

    async def _enter(self) -> None:
        """Take all locks; know what is new here and how the others stand."""
        thread_ids = self.stated.thread_ids
        [entered] = await self.transaction.run(
            ENTER, Enter(turn_locks(self.stated.records), thread_ids)
        )
        if self.only_new and any(
            recorded and thread_id in self.records
            for thread_id, recorded in zip(thread_ids, entered.recorded, strict=True)
        ):
            # Somebody else has just recorded it, after it was looked for.
            raise TreeMoved
        roots = {
            thread_id: root
            for thread_id, root in zip(thread_ids, entered.root_thread_ids, strict=True)
            if root is not None
        }
        self.new_ids = set(thread_ids) - roots.keys()
        self.trees.held = self.new_ids | set(roots.values())
        if roots:
            await self._read_states(sorted(set(roots.values())), sorted(roots))

    async def _enter_transfers(self) -> None:
        """Lock the transfers, and know which of them say something new under their locks."""
        if not self.stated.transfers:
            return
        stored = await enter_transfers(self.transaction, self.stated.transfers)
        self.transfers = changing(self.stated.transfers, stored)
        replaced = [stored[at.transfer_id] for at in self.transfers if at.transfer_id in stored]
        self.transfer_ends = ends([*self.transfers, *replaced])
        if not self.transfer_ends <= self.new_ids | self.states.keys():
            # Somebody else has just hung it on threads whose trees are not locked here.
            raise TreeMoved

    async def _read_states(self, root_ids: list[ThreadId], thread_ids: list[ThreadId]) -> None:
        [found] = await self.transaction.run(
            LOCK_TREES, LockTrees(root_ids, thread_ids, STATE_COLUMNS)
        )
        for state in rows_of(ThreadState, found.columns):
            self.states[state.thread_id] = state
            record = self.records.get(state.thread_id)
            taken = (
                record is not None
                and state.recorded
                and (state.driver or record.driver) != record.driver
            )
            if taken or state.root_thread_id not in self.trees.held:
                raise TreeMoved

    async def _read_facts(self) -> EdgesOf:
        """The edges of the threads that get new ones; the runs of those that are recorded."""
        children = {edge.child_id for edge in self.stated.edges}
        asked = FactsOf(
            child_ids=sorted(children & self.states.keys()),
            thread_ids=sorted(self.records.keys() & self.states.keys()),
            run_columns=column_names(StoredRun),
        )
        if not asked.child_ids and not asked.thread_ids:
            return {}
        [facts] = await self.transaction.run(FACTS, asked)
        for owner, run in zip(facts.owners, rows_of(StoredRun, facts.runs), strict=True):
            self.stored_runs.setdefault(owner, {})[run.run_id] = run
        edges: EdgesOf = {child_id: {} for child_id in asked.child_ids}
        for edge in stored_edges(facts.spawns, facts.forks, facts.parents, facts.bases):
            edges[edge.child_id][edge.kind] = edge
        return edges

    def _hangings(self) -> dict[ThreadId, Hanging]:
        """What the new, the recorded and the re-hung threads hang on now."""
        hangs: dict[ThreadId, Hanging] = {}
        for thread_id in self.new_ids | self.records.keys() | self.edges.keys():
            record, state = self.records.get(thread_id), self.states.get(thread_id)
            if record is not None:
                session = record.session_id
            else:
                session = state.stated_session_id if state is not None else None
            if state is not None and thread_id not in self.edges:
                hangs[thread_id] = replace(state.hanging, stated_session=session)
            else:
                hangs[thread_id] = hanging(self.edges.get(thread_id, {}), session)
        return hangs

    async def _place(self) -> dict[ThreadId, ThreadState]:
        """Place all threads that moved; answer those that only follow others."""
        moved = {
            thread_id: hangs_on
            for thread_id, hangs_on in self.hangs.items()
            if thread_id in self.new_ids or hangs_on != self.states[thread_id].hanging
        }
        below: dict[ThreadId, ThreadState] = {}
        tops = sorted(moved.keys() & self.states.keys())
        if tops:
            [found] = await self.transaction.run(BELOW, ThreadsAsked(tops, STATE_COLUMNS))
            below = {state.thread_id: state for state in rows_of(ThreadState, found.columns)}
        following = {thread_id: below[thread_id] for thread_id in below.keys() - moved.keys()}
        moved |= {thread_id: state.hanging for thread_id, state in following.items()}
        self.places = place(moved, await self._standing(moved))
        return following

    async def _standing(self, moved: Mapping[ThreadId, Hanging]) -> dict[ThreadId, Place]:
        """The places of the threads above those that moved."""
        above = {
            parent
            for hangs_on in moved.values()
            for parent in (hangs_on.parent, hangs_on.agent_parent)
            if parent is not None and parent not in moved
        }
        unknown = above - self.states.keys()
        if unknown:
            await self._read_states([], sorted(unknown))
        return {thread_id: self.states[thread_id].place for thread_id in above}

    async def _touch(self, below: Mapping[ThreadId, ThreadState]) -> None:
        """Note the trees that change: those that threads are in now, and those that they left.

        A hand-off from another tree shows a thread there, too, and so does an edge.
        """
        touched = {
            *self.records,
            *self.places,
            *self.transfer_ends,
            *(edge.child_id for edge in self.changed),
        }
        left = {
            self.states[thread_id].root_thread_id
            for thread_id in touched
            if thread_id in self.states
        }
        origins = {edge.origin_id for edge in self.changed if edge.kind in WALKED_KINDS}
        self.trees.changed = {self._root(thread_id) for thread_id in touched | left | origins}
        states = {**below, **self.states}
        linked = {at for at in touched if at in states and states[at].has_transfers}
        if linked:
            self.trees.changed |= await hold_linked_trees(self.trees, linked)

    def _root(self, thread_id: ThreadId) -> ThreadId:
        if thread_id in self.places:
            return self.places[thread_id].root
        return self.states[thread_id].root_thread_id if thread_id in self.states else thread_id

    def _recorded_rows(self) -> tuple[list[Properties], list[Properties]]:
        """The runs and the properties of the threads that are recorded."""
        runs: list[Properties] = []
        threads: list[Properties] = []
        for thread_id, record in self.records.items():
            state = self.states.get(thread_id)
            own_runs, sums = run_rows(record, self.stored_runs.get(thread_id, {}), self.unsettled)
            runs += own_runs
            calls = self.calls[thread_id] = remembered_calls(record, state)
            row = thread_properties(record) | sums | self._place_row(thread_id, recorded=True)
            row["spawnCalls"] = calls
            if state is None or not state.recorded:
                row["deleted"] = False
            if state is None:
                row["itemCount"] = len(single(record.items.items))
                row = of_new(row)
            else:
                self.unsettled.note_thread(record, state, calls)
            threads.append(row)
        return runs, threads

    def _other_rows(self, following: Mapping[ThreadId, ThreadState]) -> list[Properties]:
        """The places of placeholders, of re-hung threads, and of those that follow them."""
        rows: list[Properties] = []
        for thread_id in self.hangs.keys() - self.records.keys():
            state = self.states.get(thread_id)
            recorded = state is not None and state.recorded
            row = {"threadId": thread_id, "recorded": recorded}
            rows.append(row | self._place_row(thread_id, recorded=recorded))
        for thread_id, state in following.items():
            moved = moved_properties(state, self.places[thread_id])
            if moved is not None:
                rows.append(moved)
        return rows

    def _place_row(self, thread_id: ThreadId, *, recorded: bool) -> Properties:
        stands = self.places.get(thread_id) or self.states[thread_id].place
        row = place_properties(self.hangs[thread_id], stands, recorded=recorded)
        if thread_id in self.new_ids:
            row["revision"] = 1 if thread_id in self.trees.changed else 0
        if thread_id in self.edges:
            row["severalOrigins"] = hangs_on_several(self.edges[thread_id].values()) or None
        fork = self.edges.get(thread_id, {}).get(EdgeKind.FORK)
        if fork is not None:
            row["attachedToThreadId"] = fork.origin_id if fork.attached else None
        return row

    async def _write_owned(self, threads: list[Properties], runs: list[Properties]) -> None:
        records = self.stated.records
        await self.transaction.run(THREADS, ThreadRows(threads))
        if runs:
            await self.transaction.run(RUNS, RunRows(runs))
        windows = [
            window_properties(record.thread_id, window)
            for record in records
            for window in record.windows
        ]
        if windows:
            await self.transaction.run(WINDOWS, WindowRows(windows))
        backing = [
            self._provider_thread_row(record)
            for record in records
            if record.native_thread_id is not None
        ]
        if backing:
            backing.sort(key=lambda row: row["key"])
            await self.transaction.run(PROVIDER_THREADS, ProviderThreadRows(backing))

    def _provider_thread_row(self, record: ThreadRecord) -> Properties:
        key = provider_thread_key(record)
        state = self.states.get(record.thread_id)
        old_key = state.provider_thread_key if state else None
        return {
            "threadId": record.thread_id,
            "key": key,
            "oldKey": None if old_key == key else old_key,
            "properties": provider_thread_properties(record),
        }

    async def _write_edges(self) -> None:
        for kind, statement in _EDGE_STATEMENTS.items():
            rows = [self._edge_row(edge) for edge in self.changed if edge.kind is kind]
            if rows:
                await self.transaction.run(statement, EdgeRows(rows))

    def _edge_row(self, edge: Edge) -> Properties:
        properties = edge.properties
        if edge.kind is EdgeKind.SPAWN:
            parent, child = self.states.get(edge.origin_id), self.states.get(edge.child_id)
            record = self.records.get(edge.child_id)
            stored_calls = parent.spawn_calls if parent else None
            stored_path = child.agent_path if child else None
            properties = spawn_properties(
                edge,
                self.calls.get(edge.origin_id, stored_calls),
                record.agent_path if record else stored_path,
            )
        elif edge.kind is EdgeKind.FORK:
            self.unsettled.note_fork(edge, existed=edge.child_id in self.states)
        return {"child": edge.child_id, "origin": edge.origin_id, "properties": properties}
