"""What was recorded, in plain dictionaries, and what follows from it for one thread."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import msgspec

from graph.model import (
    EdgeKind,
    ForkOrigin,
    Item,
    LineageEdge,
    Relationship,
    Run,
    RunId,
    SourcePoint,
    SpawnEdge,
    Thread,
    ThreadId,
    TransferId,
)
from graph.questions import HistoryRun
from graph.records import (
    ForkRecord,
    HistoryBaseRecord,
    ItemRecord,
    ParentRecord,
    RunRecord,
    SpawnCallRecord,
    SpawnRecord,
    ThreadRecord,
    TransferRecord,
    WindowRecord,
)
from graph.transfers import Handoff, HandoffId
from tests.memory_imports import MemoryImports
from tests.memory_place import Place, place, top
from tests.memory_rules import (
    by_distance,
    canonical,
    distances,
    keep_stronger,
    kept_then,
    milliseconds,
    rank,
)

ACTIVE = frozenset({"preparing", "starting", "running"})


@dataclass
class MemoryFacts:
    """The recorded facts, and the answers that concern one thread."""

    records: dict[ThreadId, ThreadRecord] = field(default_factory=dict[ThreadId, ThreadRecord])
    known: set[ThreadId] = field(default_factory=set[ThreadId])
    forks: dict[ThreadId, ForkRecord] = field(default_factory=dict[ThreadId, ForkRecord])
    spawns: dict[ThreadId, SpawnRecord] = field(default_factory=dict[ThreadId, SpawnRecord])
    parents: dict[ThreadId, ParentRecord] = field(default_factory=dict[ThreadId, ParentRecord])
    bases: dict[ThreadId, HistoryBaseRecord] = field(
        default_factory=dict[ThreadId, HistoryBaseRecord]
    )
    runs_of: dict[ThreadId, dict[RunId, RunRecord]] = field(
        default_factory=dict[ThreadId, dict[RunId, RunRecord]]
    )
    windows_of: dict[ThreadId, dict[int, WindowRecord]] = field(
        default_factory=dict[ThreadId, dict[int, WindowRecord]]
    )
    items_of: dict[ThreadId, dict[int, ItemRecord]] = field(
        default_factory=dict[ThreadId, dict[int, ItemRecord]]
    )
    calls_of: dict[ThreadId, set[SpawnCallRecord]] = field(
        default_factory=dict[ThreadId, set[SpawnCallRecord]]
    )
    imports: MemoryImports = field(default_factory=MemoryImports)
    revisions: dict[ThreadId, int] = field(default_factory=dict[ThreadId, int])
    transfers: dict[TransferId, TransferRecord] = field(
        default_factory=dict[TransferId, TransferRecord]
    )
    handoffs: dict[HandoffId, Handoff] = field(default_factory=dict[HandoffId, Handoff])

    def record_thread(self, record: ThreadRecord) -> set[ThreadId]:
        thread_id = record.thread_id
        touched = {thread_id, self.place(thread_id).root}
        self.known.add(thread_id)
        self.records[thread_id] = record
        self.imports.begin(record)
        runs = self.runs_of.setdefault(thread_id, {})
        runs.update({run.run_id: run for run in record.runs})
        windows = self.windows_of.setdefault(thread_id, {})
        windows.update({window.number: window for window in record.windows})
        self.calls_of.setdefault(thread_id, set()).update(record.spawn_calls)
        self.write_items(thread_id, record)
        if record.spawn is not None:
            touched |= self.record_spawn(record.spawn)
        if record.fork is not None and record.fork.source_thread_id != thread_id:
            self.known.add(record.fork.source_thread_id)
            keep_stronger(self.forks, thread_id, record.fork)
            if self.forks[thread_id] is record.fork:
                touched.add(record.fork.source_thread_id)
        if record.child_of is not None and record.child_of.parent_thread_id != thread_id:
            self.known.add(record.child_of.parent_thread_id)
            keep_stronger(self.parents, thread_id, record.child_of)
            if self.parents[thread_id] is record.child_of:
                touched.add(record.child_of.parent_thread_id)
        if record.history_base is not None and record.history_base.thread_id != thread_id:
            self.known.add(record.history_base.thread_id)
            keep_stronger(self.bases, thread_id, record.history_base)
        return touched

    def write_items(self, thread_id: ThreadId, record: ThreadRecord) -> None:
        items = self.items_of.setdefault(thread_id, {})
        items.update({item.position: item for item in record.items.items})
        if record.items.complete:
            end = record.items.first_position + len(record.items.items)
            self.items_of[thread_id] = {at: item for at, item in items.items() if at < end}

    def record_spawn(self, spawn: SpawnRecord) -> set[ThreadId]:
        child, parent = spawn.child_thread_id, spawn.parent_thread_id
        if child == parent:
            return set()
        touched = {child, self.place(child).root}
        self.known |= {child, parent}
        old = self.spawns.get(child)
        kept, other = spawn, old
        if old is not None and rank(old.evidence) > rank(spawn.evidence):
            kept, other = old, spawn
        if other is not None and other.parent_thread_id == kept.parent_thread_id:
            kept = msgspec.structs.replace(
                kept,
                run_id=kept.run_id or other.run_id,
                call_id=kept.call_id or other.call_id,
                at=kept.at or other.at,
            )
        if kept == old:
            return set()
        self.spawns[child] = kept
        return touched

    def agent_parent(self, thread_id: ThreadId) -> ThreadId | None:
        if thread_id in self.spawns:
            return self.spawns[thread_id].parent_thread_id
        if thread_id in self.parents:
            return self.parents[thread_id].parent_thread_id
        return None

    def parent(self, thread_id: ThreadId) -> ThreadId | None:
        agent_parent = self.agent_parent(thread_id)
        if agent_parent is not None:
            return agent_parent
        fork = self.forks.get(thread_id)
        return None if fork is None or fork.context_only else fork.source_thread_id

    def place(self, thread_id: ThreadId) -> Place:
        return place(thread_id, self.parent)

    def session(self, thread_id: ThreadId) -> str:
        def unstated_parent(at: ThreadId) -> ThreadId | None:
            return None if self.stated_session(at) is not None else self.agent_parent(at)

        end = top(thread_id, unstated_parent)
        return self.stated_session(end) or end

    def stated_session(self, thread_id: ThreadId) -> str | None:
        record = self.records.get(thread_id)
        return None if record is None else record.session_id

    def thread(self, thread_id: ThreadId) -> Thread:
        where = self.place(thread_id)
        fork = self.forks.get(thread_id)
        agent_parent = self.agent_parent(thread_id)
        parent = self.parent(thread_id)
        relationship = None
        if parent is not None:
            relationship = Relationship.SUBAGENT if agent_parent else Relationship.FORK
        placed = Thread(
            thread_id=thread_id,
            recorded=thread_id in self.records,
            root_thread_id=where.root,
            depth=where.depth,
            parent_thread_id=parent,
            relationship_to_parent=relationship,
            agent_parent_thread_id=agent_parent,
            attached_to_thread_id=fork.source_thread_id if fork and fork.attached else None,
            revision=self.revisions.get(thread_id, 0),
        )
        record = self.records.get(thread_id)
        if record is None:
            return placed
        same = {
            name: getattr(record, name)
            for name in record.__struct_fields__
            if name in placed.__struct_fields__ and name != "session_id"
        }
        same["selected_capability_roots"] = canonical(record.selected_capability_roots)
        same["session_id"] = self.session(thread_id)
        return msgspec.structs.replace(placed, **same, **self.sums(thread_id))

    def sums(self, thread_id: ThreadId) -> dict[str, object]:
        runs = self.own_runs(thread_id)
        active = any(run.status in ACTIVE and run.rolled_back_at is None for run in runs)
        shown = [run for run in runs if run.rolled_back_at is None] or runs
        return {
            "status": shown[-1].status if shown else None,
            "started_at": runs[0].started_at if runs else None,
            "ended_at": runs[-1].completed_at if runs and not active else None,
            "run_count": len(runs),
            "input_tokens": sum(run.input_tokens or 0 for run in runs),
            "cached_input_tokens": sum(run.cached_input_tokens or 0 for run in runs),
            "output_tokens": sum(run.output_tokens or 0 for run in runs),
            "reasoning_tokens": sum(run.reasoning_tokens or 0 for run in runs),
            "duration_ms": sum(
                milliseconds(run.started_at, run.completed_at)
                for run in runs
                if run.started_at and run.completed_at
            ),
        }

    def up(self, thread_id: ThreadId, kinds: Collection[EdgeKind]) -> set[ThreadId]:
        above: set[ThreadId] = set()
        if EdgeKind.FORK in kinds and thread_id in self.forks:
            above.add(self.forks[thread_id].source_thread_id)
        if EdgeKind.SPAWN in kinds and thread_id in self.spawns:
            above.add(self.spawns[thread_id].parent_thread_id)
        if EdgeKind.PARENT in kinds and thread_id in self.parents:
            above.add(self.parents[thread_id].parent_thread_id)
        return above

    def down(
        self, thread_id: ThreadId, kinds: Collection[EdgeKind], status: str | None = None
    ) -> set[ThreadId]:
        return {
            child
            for child in self.known
            if thread_id in self.up(child, kinds)
            and (status is None or self.spawns[child].status == status)
        }

    def walk_down(
        self, thread_id: ThreadId, kinds: Collection[EdgeKind], status: str | None = None
    ) -> dict[ThreadId, int]:
        return distances(thread_id, lambda at: self.down(at, kinds, status))

    def spawn_edge(self, child: ThreadId) -> SpawnEdge:
        spawn = self.spawns[child]
        call = self.spawn_call(spawn)
        return SpawnEdge(
            parent_thread_id=spawn.parent_thread_id,
            child_thread_id=child,
            status=spawn.status,
            origin=spawn.origin,
            run_id=spawn.run_id or (call.run_id if call else None),
            call_id=spawn.call_id or (call.call_id if call else None),
            at=spawn.at or (call.at if call else None),
            evidence=str(spawn.evidence),
        )

    def spawn_call(self, spawn: SpawnRecord) -> SpawnCallRecord | None:
        calls = self.calls_of.get(spawn.parent_thread_id, set())
        record = self.records.get(spawn.child_thread_id)
        path = record.agent_path if record else None
        matching = [call for call in calls if call.child_thread_id == spawn.child_thread_id] or [
            call
            for call in calls
            if call.child_thread_id is None and path is not None and call.agent_path == path
        ]
        return min(matching, key=lambda call: (call.at or "~", call.call_id or "~"), default=None)

    def fork_origin(self, fork: ForkRecord) -> ForkOrigin:
        run_id = self.point(fork)
        return ForkOrigin(
            thread_id=fork.source_thread_id,
            point=None
            if run_id is None
            else SourcePoint(thread_id=self.point_thread(fork, run_id), run_id=run_id),
            context_only=fork.context_only,
            attached=fork.attached,
            at=fork.at,
            evidence=str(fork.evidence),
        )

    def point_thread(self, fork: ForkRecord, run_id: RunId) -> ThreadId:
        owner = self.owner(run_id)
        return fork.source_thread_id if owner is None else owner

    def owner(self, run_id: RunId) -> ThreadId | None:
        for thread_id, runs in self.runs_of.items():
            if run_id in runs:
                return thread_id
        return None

    def point(self, fork: ForkRecord, seen: frozenset[ThreadId] = frozenset()) -> RunId | None:
        if fork.point_run_id is not None:
            return fork.point_run_id
        if fork.point_native_turn_id is not None:
            return self.point_by_turn(fork.source_thread_id, fork.point_native_turn_id)
        if fork.base_rollout_id is None or fork.base_end_ordinal is None:
            return None
        owner = ThreadId(fork.base_rollout_id)
        before: list[tuple[int, RunId]] = []
        for thread_id, runs in self.runs_of.items():
            for run in runs.values():
                if run.rollout_id == fork.base_rollout_id:
                    owner = thread_id
                    if run.native_ordinal is not None:
                        before.append((run.native_ordinal, run.run_id))
        before = [at for at in before if at[0] < fork.base_end_ordinal]
        if before:
            return max(before)[1]
        if owner in self.forks and owner not in seen:
            return self.point(self.forks[owner], seen | {owner})
        return None

    def points(self) -> dict[ThreadId, RunId | None]:
        return {child: self.point(fork) for child, fork in self.forks.items()}

    def point_by_turn(self, source: ThreadId, turn_id: str) -> RunId:
        nearest = [source, *self.fork_ancestors(source)]
        for thread_id in [*nearest, *sorted(self.runs_of)]:
            for run in self.runs_of.get(thread_id, {}).values():
                if run.native_turn_id == turn_id:
                    return run.run_id
        return RunId(f"{source}/{turn_id}")

    def fork_ancestors(self, thread_id: ThreadId) -> list[ThreadId]:
        return by_distance(distances(thread_id, lambda at: self.up(at, (EdgeKind.FORK,))))

    def edges_up(self, child: ThreadId) -> Iterable[LineageEdge]:
        if child in self.forks:
            fork = self.forks[child]
            run_id = self.point(fork)
            owner = None if run_id is None else self.owner(run_id)
            point = None if owner is None or run_id is None else self.runs_of[owner][run_id]
            yield LineageEdge(
                kind=EdgeKind.FORK,
                from_thread_id=fork.source_thread_id,
                to_thread_id=child,
                context_only=fork.context_only,
                run_id=run_id,
                at=fork.at,
                point_at=point.completed_at if point else None,
                evidence=str(fork.evidence),
            )
        if child in self.spawns:
            spawn = self.spawn_edge(child)
            yield LineageEdge(
                kind=EdgeKind.SPAWN,
                from_thread_id=spawn.parent_thread_id,
                to_thread_id=child,
                status=spawn.status,
                run_id=spawn.run_id,
                at=spawn.at,
                evidence=spawn.evidence,
            )
        if child in self.parents:
            parent = self.parents[child]
            yield LineageEdge(
                kind=EdgeKind.PARENT,
                from_thread_id=parent.parent_thread_id,
                to_thread_id=child,
                run_id=parent.run_id,
                at=parent.at,
                evidence=str(parent.evidence),
            )
        if child in self.bases:
            base = self.bases[child]
            yield LineageEdge(
                kind=EdgeKind.HISTORY_BASE,
                from_thread_id=base.thread_id,
                to_thread_id=child,
                evidence=str(base.evidence),
            )

    def unrecorded(self, child: ThreadId) -> tuple[ThreadId, ...]:
        origins = {edge.from_thread_id for edge in self.edges_up(child)}
        return tuple(sorted(origins - self.records.keys()))

    def shown_runs(self, thread_id: ThreadId, *, include_rolled_back: bool) -> list[Run]:
        return [
            run
            for run in self.own_runs(thread_id)
            if include_rolled_back or run.rolled_back_at is None
        ]

    def own_runs(self, thread_id: ThreadId) -> list[Run]:
        ordered = sorted(
            self.runs_of.get(thread_id, {}).values(),
            key=lambda run: (run.started_at, run.native_turn_id or "", run.run_id),
        )
        return [self.run(thread_id, at, run) for at, run in enumerate(ordered, start=1)]

    def run(self, thread_id: ThreadId, ordinal: int, run: RunRecord) -> Run:
        same = {
            name: getattr(run, name)
            for name in run.__struct_fields__
            if name in Run.__struct_fields__
        }
        same["driver"] = self.run_driver(thread_id, run)
        same["parent_run_id"] = run.parent_run_id or self.turn(
            same["driver"], run.parent_native_turn_id
        )
        root = run.root_run_id
        if root is None and run.root_native_turn_id is not None:
            own = run.root_native_turn_id == run.native_turn_id
            root = run.run_id if own else self.turn(same["driver"], run.root_native_turn_id)
        same["root_run_id"] = root
        return Run(thread_id=thread_id, ordinal=ordinal, **same)

    def run_driver(self, thread_id: ThreadId, run: RunRecord) -> str | None:
        return run.driver or self.records[thread_id].driver

    def turn(self, driver: str | None, turn_id: str | None) -> RunId | None:
        if turn_id is None:
            return None
        found = [
            run.run_id
            for thread_id, runs in self.runs_of.items()
            for run in runs.values()
            if run.native_turn_id == turn_id and self.run_driver(thread_id, run) == driver
        ]
        return min(found, default=None)

    def history(self, thread_id: ThreadId, *, include_rolled_back: bool) -> list[HistoryRun]:
        own = self.shown_runs(thread_id, include_rolled_back=include_rolled_back)
        return self.inherited(thread_id, frozenset({thread_id})) + [
            HistoryRun(run, 0) for run in own
        ]

    def inherited(self, thread_id: ThreadId, seen: frozenset[ThreadId]) -> list[HistoryRun]:
        fork = self.forks.get(thread_id)
        if fork is None or fork.context_only or fork.source_thread_id in seen:
            return []
        source = fork.source_thread_id
        history = self.inherited(source, seen | {source}) + [
            HistoryRun(run, 0) for run in self.own_runs(source)
        ]
        point = self.point(fork)
        ids = [row.run.run_id for row in history]
        if point is None or point not in ids:
            return []
        until = [
            HistoryRun(row.run, row.distance + 1)
            for row in history[: ids.index(point) + 1]
            if row.distance > 0 or kept_then(self.runs_of[source][row.run.run_id], fork)
        ]
        kept = [row.run.run_id for row in until]
        if fork.kept_through_run_id == "":
            return []
        kept_through = fork.kept_through_run_id
        if kept_through is not None and kept_through in kept:
            return until[: kept.index(kept_through) + 1]
        return until

    def items(self, thread_id: ThreadId) -> list[Item]:
        return [
            Item(
                thread_id=thread_id,
                **{
                    name: getattr(item, name)
                    for name in item.__struct_fields__
                    if name in Item.__struct_fields__
                },
            )
            for _, item in sorted(self.items_of.get(thread_id, {}).items())
        ]

    def run_items(self, run_id: RunId) -> list[Item]:
        items = [
            item
            for thread_id in self.items_of
            for item in self.items(thread_id)
            if item.run_id == run_id
        ]
        return sorted(items, key=lambda item: (item.position, item.thread_id))
