"""The rules by which runs are rolled back, and what becomes of what they had received."""

from __future__ import annotations

from tests.commands.ruled_world import Command, Forbidden, Run, Thread, Told, Transfer, World

UNDER_WAY = frozenset({"preparing", "queued", "starting", "running"})


def rollback_thread(world: World, told: Command) -> Told:
    """The thread's own runs behind one of them are marked; what they consumed waits again."""
    thread = world.thread(told["threadId"])
    kept_id = told.get("keepThroughRunId")
    kept = None if kept_id is None else world.run_of(thread, kept_id)
    if kept is not None and not kept.left:
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    behind = thread.runs if kept is None else thread.runs[thread.runs.index(kept) + 1 :]
    gone = [run for run in behind if run.left]
    if any(run.status in UNDER_WAY for run in gone):
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    for run in gone:
        run.rolled_back = world.time
    marked = {run.run_id for run in gone}
    for transfer in world.transfers:
        if (transfer.type, transfer.status) == ("MERGE_BACK", "PENDING") and (
            transfer.source_run in marked
        ):
            transfer.steps.append(("SUPERSEDED", None))
    for transfer in _to_receive_again(world, thread, marked):
        world.transfers.append(
            Transfer(
                type=transfer.type,
                source=transfer.source,
                target=transfer.target,
                source_run=transfer.source_run,
                source_checkpoint=transfer.source_checkpoint,
                base_run=transfer.base_run,
                steps=[("PENDING", None)],
                replaces=transfer,
            )
        )
    return {"__typename": "ThreadRolledBack", "runs": _named(gone)}


def may_lack_mode(world: World, told: Command) -> bool:
    """Whether a rollback names runs of Codex, whose history mode may forbid it."""
    thread = world.threads.get(told.get("threadId", ""))
    return thread is not None and any(
        run.left
        and run.account is not None
        and run.account.driver == "codex"
        and run.thread_ref is not None
        for run in thread.runs
    )


def _to_receive_again(world: World, thread: Thread, marked: set[str]) -> list[Transfer]:
    consumed = [
        one
        for one in world.transfers
        if one.target == thread.thread_id and one.status == "CONSUMED" and one.target_run in marked
    ]
    newest = {one.source: one for one in consumed if one.type == "MERGE_BACK"}
    to_come = {
        one.source
        for one in world.transfers
        if one.type == "MERGE_BACK"
        and one.target == thread.thread_id
        and one.status in {"PENDING", "RESOLVED_PORTABLE"}
    }
    return [
        *(one for one in consumed if one.type == "FORK"),
        *(
            one
            for source, one in newest.items()
            if source not in to_come and world.run(one.source_run or "").left
        ),
    ]


def _named(runs: list[Run]) -> list[Told]:
    return [{"runId": run.run_id} for run in runs]
