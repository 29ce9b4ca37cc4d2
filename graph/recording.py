"""What a batch changes in the graph, worked out from its records and what is there already.

Pure: facts in, rows out. ``graph.neo4j_writing`` reads the facts under their locks and writes the
rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec

from graph.edges import edges_of, kept, spawn_edges
from graph.model import EdgeKind, ThreadId
from graph.own_runs import as_commanded, in_order, sums
from graph.placement import Hanging, Place
from graph.properties import of_new, run_properties
from graph.spawn_calls import call_for, recall, remember

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from graph.edges import Edge
    from graph.model import RunId
    from graph.own_runs import OwnRun, StoredRun
    from graph.properties import Properties
    from graph.records import SpawnCallRecord, SpawnRecord, ThreadRecord, TransferRecord


class ThreadState(msgspec.Struct, frozen=True, rename="camel"):
    """What counts here of a thread that the graph already has."""

    thread_id: ThreadId
    root_thread_id: ThreadId
    depth: int
    recorded: bool = False
    driver: str | None = None
    import_digest: str | None = None
    parent_thread_id: ThreadId | None = None
    agent_parent_thread_id: ThreadId | None = None
    stated_session_id: str | None = None
    session_id: str | None = None
    placeholder_session_id: str | None = None
    provider_thread_key: str | None = None
    agent_path: str | None = None
    spawn_calls: str | None = None
    has_transfers: bool = False

    @property
    def place(self) -> Place:
        """Where the thread stands."""
        session = self.session_id or self.placeholder_session_id or self.thread_id
        return Place(self.root_thread_id, self.depth, session)

    @property
    def hanging(self) -> Hanging:
        """What the thread hangs on; its fork source only where that is its parent."""
        return Hanging(
            agent_parent=self.agent_parent_thread_id,
            fork_source=None if self.agent_parent_thread_id else self.parent_thread_id,
            stated_session=self.stated_session_id,
        )


@dataclass(frozen=True, slots=True)
class Stated:
    """What of a batch is to be written: threads, all edges that it states, and transfers.

    *transfer_ends* are the threads that the transfers stand between, or stood between before.
    """

    records: Sequence[ThreadRecord]
    edges: Sequence[Edge]
    transfers: Sequence[TransferRecord] = ()
    transfer_ends: frozenset[ThreadId] = frozenset()

    @classmethod
    def of(
        cls,
        records: Sequence[ThreadRecord],
        spawns: Iterable[SpawnRecord],
        transfers: Sequence[TransferRecord] = (),
        transfer_ends: Iterable[ThreadId] = (),
    ) -> Stated:
        """What these records and spawns state, in the order in which it counts."""
        edges = [edge for record in records for edge in edges_of(record)]
        edges += spawn_edges(spawns)
        return cls(records, edges, transfers, frozenset(transfer_ends))

    @property
    def thread_ids(self) -> list[ThreadId]:
        """Every thread that is named, in order."""
        named = {*self.transfer_ends, *(record.thread_id for record in self.records)}
        for edge in self.edges:
            named.add(edge.child_id)
            named.add(edge.origin_id)
        return sorted(named)


EdgesOf = dict[ThreadId, dict[EdgeKind, "Edge"]]
"""The edges of threads to their origins: at most one of a kind."""


def merged(stored: EdgesOf, stated: Iterable[Edge]) -> tuple[EdgesOf, list[Edge]]:
    """The edges that stand when *stated* is told after what is *stored*, and those to write."""
    standing = {child_id: dict(edges) for child_id, edges in stored.items()}
    for edge in stated:
        edges = standing.setdefault(edge.child_id, {})
        edges[edge.kind] = kept(edges.get(edge.kind), edge)
    changed = [
        edge
        for child_id, edges in standing.items()
        for kind, edge in edges.items()
        if edge is not stored.get(child_id, {}).get(kind)
    ]
    return standing, changed


def hanging(edges: Mapping[EdgeKind, Edge], stated_session: str | None) -> Hanging:
    """What a thread with these edges hangs on."""
    spawn, parent = edges.get(EdgeKind.SPAWN), edges.get(EdgeKind.PARENT)
    fork = edges.get(EdgeKind.FORK)
    agent = spawn or parent
    return Hanging(
        agent_parent=None if agent is None else agent.origin_id,
        fork_source=fork.origin_id if agent is None and fork is not None and fork.places else None,
        stated_session=stated_session,
    )


def place_properties(hangs: Hanging, stands: Place, *, recorded: bool) -> Properties:
    """The properties of a thread that say where it stands; a placeholder shows no session."""
    return {
        "parentThreadId": hangs.parent,
        "relationshipToParent": hangs.relationship,
        "agentParentThreadId": hangs.agent_parent,
        "rootThreadId": stands.root,
        "depth": stands.depth,
        "sessionId": stands.session if recorded else None,
        "placeholderSessionId": None if recorded else stands.session,
    }


def moved_properties(state: ThreadState, stands: Place) -> Properties | None:
    """The new place of a thread whose parents stay; ``None`` where it stands there already."""
    if stands == state.place:
        return None
    session = "sessionId" if state.recorded else "placeholderSessionId"
    return {
        "threadId": state.thread_id,
        "rootThreadId": stands.root,
        "depth": stands.depth,
        session: stands.session,
    }


def spawn_properties(edge: Edge, calls: str | None, agent_path: str | None) -> Properties:
    """A spawn edge with the run, call and time that its parent's remembered calls fill in."""
    stated = edge.properties
    return stated | from_call(
        call_for(edge.child_id, agent_path, recall(calls)),
        run_id=stated["statedRunId"],
        call_id=stated["statedCallId"],
        at=stated["statedAt"],
    )


def from_call(
    call: SpawnCallRecord | None, *, run_id: str | None, call_id: str | None, at: str | None
) -> Properties:
    """What an edge states of its run, call and time, else what the call says."""
    return {
        "runId": run_id or (call.run_id if call else None),
        "callId": call_id or (call.call_id if call else None),
        "at": at or (call.at if call else None),
    }


def remembered_calls(record: ThreadRecord, state: ThreadState | None) -> str | None:
    """The spawning calls of a thread: a record never takes one away."""
    stored = state.spawn_calls if state else None
    return remember(stored, record.spawn_calls) if record.spawn_calls else stored


@dataclass(slots=True)
class Unsettled:
    """What may now be told otherwise than before, by where it is looked for."""

    run_ids: list[RunId] = field(default_factory=list["RunId"])
    turn_ids: set[str] = field(default_factory=set[str])
    rollout_ids: set[str] = field(default_factory=set[str])
    fork_ids: set[ThreadId] = field(default_factory=set[ThreadId])
    moved_fork_ids: set[ThreadId] = field(default_factory=set[ThreadId])
    spawner_ids: set[ThreadId] = field(default_factory=set[ThreadId])
    spawned_ids: set[ThreadId] = field(default_factory=set[ThreadId])

    def note_run(self, run: Properties, stored: StoredRun | None) -> None:
        """Look for what a run names, and for what names the run if it is new or renamed."""
        if run["parentNativeTurnId"] is not None or run["rootNativeTurnId"] is not None:
            self.run_ids.append(run["runId"])
        if stored is not None:
            if (
                run["nativeTurnId"] == stored.native_turn_id
                and run["driver"] == stored.driver
                and run["rolloutId"] == stored.rollout_id
                and run["nativeOrdinal"] == stored.native_ordinal
            ):
                return
            self._note_names(stored.native_turn_id, stored.rollout_id)
        self._note_names(run["nativeTurnId"], run["rolloutId"])

    def note_fork(self, edge: Edge, *, existed: bool) -> None:
        """Look for the point of a fork, and for the points that hang on the fork's own."""
        self.fork_ids.add(edge.child_id)
        self.rollout_ids.add(edge.child_id)
        if existed:
            self.moved_fork_ids.add(edge.child_id)

    def note_thread(self, record: ThreadRecord, state: ThreadState, calls: str | None) -> None:
        """Look for the calls of spawn edges that a thread which was there now tells."""
        if calls != state.spawn_calls:
            self.spawner_ids.add(record.thread_id)
        if record.agent_path != state.agent_path:
            self.spawned_ids.add(record.thread_id)

    def _note_names(self, turn_id: str | None, rollout_id: str | None) -> None:
        if turn_id is not None:
            self.turn_ids.add(turn_id)
        if rollout_id is not None:
            self.rollout_ids.add(rollout_id)


def run_rows(
    record: ThreadRecord, stored: Mapping[RunId, StoredRun], unsettled: Unsettled
) -> tuple[list[Properties], Properties]:
    """The runs to write, numbered anew, and the properties of the thread that follow from all."""
    told = {run.run_id: as_commanded(run, stored.get(run.run_id)) for run in record.runs}
    together: dict[RunId, OwnRun] = {**stored, **told}
    ordered = in_order(together.values())
    rows: list[Properties] = []
    for ordinal, run in enumerate(ordered, start=1):
        before = stored.get(run.run_id)
        if run.run_id in told:
            row = run_properties(record, told[run.run_id])
            unsettled.note_run(row, before)
            row["ordinal"] = ordinal
            rows.append(of_new(row) if before is None else row)
        elif before is not None and before.ordinal != ordinal:
            rows.append({"runId": run.run_id, "threadId": record.thread_id, "ordinal": ordinal})
    return rows, sums(ordered)
