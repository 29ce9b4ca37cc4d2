"""The rules by which threads are forked and merged back."""

from __future__ import annotations

from tests.commands.ruled_world import (
    ACTIVE,
    Command,
    Forbidden,
    Run,
    Thread,
    Told,
    Transfer,
    World,
)

FORKED_AT = frozenset({"completed", "waiting", "failed", "interrupted", "cancelled"})
MERGED_AT = frozenset({"completed", "waiting"})


def fork_thread(world: World, told: Command) -> Told:
    """A new thread that waits for its first run; nothing happens to its source."""
    source = world.thread(told["sourceThreadId"])
    run, checkpoint = _point(world, source, told.get("at", {"latestStable": True}))
    if told["targetThreadId"] in world.threads:
        raise Forbidden("THREAD_EXISTS")
    transfer = Transfer(
        type="FORK",
        source=source.thread_id,
        target=told["targetThreadId"],
        source_run=run.run_id,
        source_checkpoint=checkpoint or run.ready_checkpoint,
        steps=[("PENDING", None)],
    )
    world.transfers.append(transfer)
    world.threads[transfer.target] = Thread(
        thread_id=transfer.target,
        title=told.get("title"),
        cwd=source.cwd,
        parent=source.thread_id,
        hangs_by="FORK",
        fork=transfer,
        forked_at=world.time,
    )
    return {
        "__typename": "ThreadForked",
        "transfer": {
            "status": "PENDING",
            "sourcePoint": {
                "runId": transfer.source_run,
                "checkpointId": transfer.source_checkpoint,
            },
        },
    }


def merge_back(world: World, told: Command) -> Told:
    """What a fork did, to be delivered to its source; an older one that waits gives way."""
    fork = world.thread(told["forkThreadId"])
    into = told.get("intoThreadId")
    if into is not None and world.thread(into).archived:
        raise Forbidden("THREAD_ARCHIVED")
    if fork.fork is None:
        raise Forbidden("NOT_A_FORK")
    if into not in (None, fork.fork.source):
        raise Forbidden("NOT_DIRECT_PARENT")
    source = world.thread(fork.fork.source)
    if source.archived:
        raise Forbidden("THREAD_ARCHIVED")
    if source.origin == "provider_native":
        raise Forbidden("READ_ONLY_SUBAGENT")
    if "runId" in told:
        tip = world.run_of(fork, told["runId"])
        if not tip.left or tip.status not in MERGED_AT:
            raise Forbidden("SOURCE_NOT_STABLE")
    else:
        tip = latest_stable(fork)
    older = [one for one in merge_backs(world, fork, source) if one.status == "PENDING"]
    for one in older:
        one.steps.append(("SUPERSEDED", None))
    world.transfers.append(
        Transfer(
            type="MERGE_BACK",
            source=fork.thread_id,
            target=source.thread_id,
            source_run=tip.run_id,
            source_checkpoint=tip.ready_checkpoint,
            base_run=fork.fork.source_run,
            steps=[("PENDING", None)],
        )
    )
    return {
        "__typename": "MergeBackCreated",
        "superseded": {"status": "SUPERSEDED"} if older else None,
        "transfer": {
            "status": "PENDING",
            "sourcePoint": {"runId": tip.run_id},
            "basePoint": {"runId": fork.fork.source_run},
        },
    }


def merge_backs(world: World, fork: Thread, source: Thread) -> list[Transfer]:
    """Those of a pair, in the order they were made."""
    return [
        one
        for one in world.transfers
        if (one.type, one.source, one.target) == ("MERGE_BACK", fork.thread_id, source.thread_id)
    ]


def latest_stable(thread: Thread) -> Run:
    """The newest completed run with a ready checkpoint, or a strong turn while nothing runs."""
    idle = not any(run.left and run.status in ACTIVE for run in thread.runs)
    for run in reversed(thread.runs):
        stable = run.ready_checkpoint is not None or (idle and run.strong_turn)
        if run.left and run.status == "completed" and stable:
            return run
    raise Forbidden("NO_STABLE_POINT")


def _point(world: World, source: Thread, at: Told) -> tuple[Run, str | None]:
    match at:
        case {"checkpointId": checkpoint_id}:
            owners = [run for run in source.runs if checkpoint_id in run.checkpoints]
            if not owners:
                raise Forbidden("CHECKPOINT_NOT_FOUND")
            run, checkpoint = owners[0], checkpoint_id
        case {"runId": run_id}:
            run, checkpoint = world.run_of(source, run_id), None
        case _:
            return latest_stable(source), None
    if not run.left or run.status not in FORKED_AT:
        raise Forbidden("SOURCE_NOT_STABLE")
    return run, checkpoint
