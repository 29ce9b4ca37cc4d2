"""What late arrivals change: points of forks, parents of runs and calls of spawn edges.

Each is a function of what is in the graph now. So they are worked out again wherever something
that they follow from was written, and the answer does not depend on what arrived first.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.model import RunId, ThreadId
from graph.record_statements import (
    FORKS_BELOW,
    FORKS_TO_SETTLE,
    LOCK_TREES,
    SETTLE_FORKS,
    SETTLE_RUNS,
    SETTLE_SPAWNS,
    UNSETTLED_FORKS,
    UNSETTLED_RUNS,
    UNSETTLED_SPAWNS,
    BelowForks,
    ForkPoints,
    ForksNamed,
    ForksOf,
    LockTrees,
    RunRows,
    SpawnCalls,
    UnsettledRunsOf,
    UnsettledSpawnsOf,
)
from graph.recording import from_call
from graph.spawn_calls import call_for, recall

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from graph.edges import Cells
    from graph.properties import Properties
    from graph.recording import Unsettled
    from graph.runner import Transaction


@dataclass(slots=True)
class HeldTrees:
    """The trees that a transaction holds the locks of, and those that it changed."""

    transaction: Transaction
    held: set[ThreadId] = field(default_factory=set["ThreadId"])
    changed: set[ThreadId] = field(default_factory=set["ThreadId"])

    async def hold(self, roots: Collection[ThreadId]) -> bool:
        """Whether all these trees are held already; if not they are now, and may have changed."""
        missing = set(roots) - self.held
        if not missing:
            return True
        await self.transaction.run(LOCK_TREES, LockTrees(sorted(missing), [], []))
        self.held |= missing
        return False


async def settle(trees: HeldTrees, unsettled: Unsettled) -> None:
    """Bring everything up to date that follows from what this transaction has written."""
    await _settle_runs(trees, unsettled)
    await _settle_forks(trees, unsettled)
    await _settle_spawns(trees, unsettled)


async def _settle_runs(trees: HeldTrees, unsettled: Unsettled) -> None:
    asked = UnsettledRunsOf(unsettled.run_ids, sorted(unsettled.turn_ids))
    if not asked.run_ids and not asked.turn_ids:
        return
    [found] = await trees.transaction.run(UNSETTLED_RUNS, asked)
    while not await trees.hold(found.root_thread_ids):
        [found] = await trees.transaction.run(UNSETTLED_RUNS, asked)
    if found.run_ids:
        rows = [
            {"runId": run_id, "parentRunId": parent_run_id, "rootRunId": root_run_id}
            for run_id, parent_run_id, root_run_id in zip(
                found.run_ids, found.parent_run_ids, found.root_run_ids, strict=True
            )
        ]
        await trees.transaction.run(SETTLE_RUNS, RunRows(rows))
        trees.changed.update(found.root_thread_ids)


async def _settle_forks(trees: HeldTrees, unsettled: Unsettled) -> None:
    named = ForksNamed(sorted(unsettled.turn_ids), sorted(unsettled.rollout_ids))
    told, moved = unsettled.fork_ids, unsettled.moved_fork_ids
    while told or named.turn_ids or named.rollout_ids:
        forks = await _forks_to_settle(trees, named, told, moved)
        points = fork_points({fork.child_id: fork for fork in forks})
        changed = [fork for fork in forks if points[fork.child_id] != fork.run_id]
        if changed:
            rows = [
                {"childId": fork.child_id, "pointRunId": points[fork.child_id]} for fork in changed
            ]
            await trees.transaction.run(SETTLE_FORKS, ForkPoints(rows))
            trees.changed.update(fork.root_id for fork in changed)
        # A point that changed is the point of those forks, too, whose rollout its thread owns.
        told, moved = set[ThreadId](), {fork.child_id for fork in changed}
        named = ForksNamed([], sorted(moved))


async def _forks_to_settle(
    trees: HeldTrees, named: ForksNamed, told: Collection[ThreadId], moved: Collection[ThreadId]
) -> list[_Fork]:
    """The forks that follow from what was written, once the locks of all their trees are held.

    Those that were *told*, those that name a turn or rollout, and those below the *moved* ones.
    """
    while True:
        children, rollouts = set(told), set(named.rollout_ids)
        if moved:
            [below] = await trees.transaction.run(FORKS_BELOW, BelowForks(sorted(moved)))
            children.update(below.child_ids)
            rollouts.update(below.rollout_ids)
        naming = ForksNamed(named.turn_ids, sorted(rollouts))
        [found] = await trees.transaction.run(FORKS_TO_SETTLE, naming)
        children.update(found.child_ids)
        if not children:
            return []
        [unsettled] = await trees.transaction.run(UNSETTLED_FORKS, ForksOf(sorted(children)))
        forks = [_Fork(*cells) for cells in unsettled.forks]
        roots = {root for fork in forks for root in (fork.root_id, fork.owner_root_id) if root}
        if await trees.hold(roots):
            return forks


async def _settle_spawns(trees: HeldTrees, unsettled: Unsettled) -> None:
    if not unsettled.spawner_ids and not unsettled.spawned_ids:
        return
    # A spawned thread is in the tree of its spawner, which is held.
    [found] = await trees.transaction.run(
        UNSETTLED_SPAWNS,
        UnsettledSpawnsOf(sorted(unsettled.spawner_ids), sorted(unsettled.spawned_ids)),
    )
    calls = {parent_id: recall(text) for parent_id, text in found.calls}
    rows: list[Properties] = []
    for child_id, parent_id, agent_path, run_id, call_id, at, *now in found.edges:
        call = call_for(child_id, agent_path, calls[parent_id])
        settled = from_call(call, run_id=run_id, call_id=call_id, at=at)
        if list(settled.values()) != now:
            rows.append({"childId": child_id, **settled})
    if rows:
        await trees.transaction.run(SETTLE_SPAWNS, SpawnCalls(rows))


@dataclass(frozen=True, slots=True)
class _Fork:
    """A fork whose point is not named by a run, and what it can be: see ``unsettled_forks``."""

    child_id: ThreadId
    root_id: ThreadId
    source_id: ThreadId
    turn_id: str | None
    run_id: RunId | None
    owner_id: ThreadId | None
    owner_root_id: ThreadId | None
    owner_run_id: RunId | None
    newest_run_id: RunId | None
    with_turn: list[Cells]


def fork_points(forks: Mapping[ThreadId, _Fork]) -> dict[ThreadId, RunId | None]:
    """The points of forks; a rollout without a run before the bound has that of its owner."""
    return {child_id: _point(child_id, forks) for child_id in forks}


def _point(child_id: ThreadId, forks: Mapping[ThreadId, _Fork]) -> RunId | None:
    seen: set[ThreadId] = set()
    fork = forks[child_id]
    while True:
        if fork.turn_id is not None:
            return _with_turn(fork)
        if fork.newest_run_id is not None or fork.owner_id is None or fork.owner_id in seen:
            return fork.newest_run_id
        if fork.owner_id not in forks:
            return fork.owner_run_id
        seen.add(fork.owner_id)
        fork = forks[fork.owner_id]


def _with_turn(fork: _Fork) -> RunId:
    """The run with the turn whose thread is the source, stands nearest above it, or is any."""
    found = min(
        fork.with_turn,
        key=lambda cells: (cells[0] is None, cells[0] or 0, cells[1], cells[2]),
        default=None,
    )
    return RunId(f"{fork.source_id}/{fork.turn_id}" if found is None else found[2])
