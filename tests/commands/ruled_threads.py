"""The rules by which threads are changed, put away, spawned and completed."""

from __future__ import annotations

from tests.commands.ruled_world import Account, Command, Forbidden, Thread, Told, Transfer, World

SENTENCES = {
    "cancelled": "The subagent was cancelled before it answered.",
    "completed": "The subagent completed its task without an answer.",
    "failed": "The subagent failed without an answer.",
}


def switch_provider(world: World, told: Command) -> Told:
    """Another selection; a provider's own child is only observed."""
    thread = world.thread(told["threadId"])
    if thread.origin == "provider_native":
        raise Forbidden("READ_ONLY_SUBAGENT")
    thread.account = Account.told(told["provider"])
    thread.model = told.get("model")
    return {"__typename": "ProviderSwitched"}


def update_thread_metadata(world: World, told: Command) -> Told:
    """What is said is set, null takes away, absent stays."""
    thread = world.thread(told["threadId"])
    for name, value in told["patch"].items():
        setattr(thread, name, value)
    return {"__typename": "ThreadUpdated"}


def archive_thread(world: World, told: Command) -> Told:
    """The thread and all that it spawned, but for what is put away already."""
    thread = world.thread(told["threadId"])
    if thread.archived:
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    below = [world.threads[one] for one in world.spawned_below(thread.thread_id)]
    moved = [one for one in below if not one.archived and one.deleted_by is None]
    for one in moved:
        one.archived = True
    return {"__typename": "ThreadsArchived", "threads": _named(moved)}


def unarchive_thread(world: World, told: Command) -> Told:
    """The thread alone."""
    thread = world.thread(told["threadId"])
    if not thread.archived:
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    thread.archived = False
    return {"__typename": "ThreadsUnarchived", "threads": _named([thread])}


def delete_thread(world: World, told: Command) -> Told:
    """The thread and all that it spawned, unless a start among them is open."""
    thread = world.thread(told["threadId"])
    below = [world.threads[one] for one in world.spawned_below(thread.thread_id)]
    moved = [one for one in below if one.deleted_by is None]
    if any(run.starts and run.left for one in moved for run in one.runs):
        raise Forbidden("START_IN_PROGRESS")
    for one in moved:
        one.deleted_by = told["commandId"]
    return {"__typename": "ThreadsDeleted", "threads": _named(moved)}


def restore_thread(world: World, told: Command) -> Told:
    """The thread, and what the same command deleted below it."""
    thread = world.recorded(told["threadId"])
    deleted_by = thread.deleted_by
    if deleted_by is None:
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    below = [world.threads[one] for one in world.spawned_below(thread.thread_id)]
    moved = [one for one in below if one.deleted_by == deleted_by]
    for one in moved:
        one.deleted_by = None
    return {"__typename": "ThreadsRestored", "threads": _named(moved)}


def spawn_subagent(world: World, told: Command) -> Told:
    """A child with its task, and nothing of its parent's history."""
    parent = world.thread(told["parentThreadId"])
    if parent.archived:
        raise Forbidden("THREAD_ARCHIVED")
    run_id = told.get("parentRunId")
    if run_id is not None:
        world.run_of(parent, run_id)
    if told["childThreadId"] in world.threads:
        raise Forbidden("THREAD_EXISTS")
    child = Thread(
        thread_id=told["childThreadId"],
        account=Account.told(told.get("provider")),
        cwd=parent.cwd,
        parent=parent.thread_id,
        hangs_by="SPAWN",
        origin=told.get("origin", "app_owned"),
        spawn_status="open",
    )
    world.threads[child.thread_id] = child
    world.transfers.append(
        Transfer(
            type="SUBAGENT_SPAWN",
            source=parent.thread_id,
            target=child.thread_id,
            source_run=run_id,
            source_checkpoint=world.run(run_id).ready_checkpoint if run_id else None,
            steps=[("CONSUMED", None)],
        )
    )
    return {
        "__typename": "SubagentSpawned",
        "edge": {"status": "open", "origin": child.origin, "runId": run_id},
    }


def complete_subagent(world: World, told: Command) -> Told:
    """One result for ever; a child that was rolled back whole is cancelled."""
    child = world.thread(told["childThreadId"])
    if child.hangs_by != "SPAWN":
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    parent_id = child.parent or ""
    before = next(
        (
            one
            for one in world.transfers
            if (one.type, one.source) == ("SUBAGENT_RESULT", child.thread_id)
        ),
        None,
    )
    result = before or _result(child, parent_id, told)
    if before is None:
        world.transfers.append(result)
    return {
        "__typename": "SubagentCompleted",
        "replayed": before is not None,
        "transfer": {
            "outcome": result.outcome,
            "resultText": result.text,
            "sourcePoint": {"runId": result.source_run},
        },
    }


def set_spawn_edge_status(world: World, told: Command) -> Told:
    """Any word for how a spawn stands."""
    child = world.thread(told["childThreadId"])
    if child.hangs_by != "SPAWN":
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    child.spawn_status = told["status"]
    return {
        "__typename": "SpawnEdgeUpdated",
        "edge": {"status": told["status"], "origin": child.origin},
    }


def _result(child: Thread, parent_id: str, told: Command) -> Transfer:
    left = [run for run in child.runs if run.left]
    outcome = "cancelled" if child.runs and not left else told["outcome"]
    gone = {run.run_id for run in child.runs if not run.left}
    said = [
        item.text
        for item in child.items
        if (item.kind, item.role) == ("message", "assistant")
        and item.text is not None
        and item.run_id not in gone
    ]
    failure = told.get("error") if outcome == "failed" else None
    return Transfer(
        type="SUBAGENT_RESULT",
        source=child.thread_id,
        target=parent_id,
        source_run=left[-1].run_id if left else None,
        source_checkpoint=left[-1].ready_checkpoint if left else None,
        steps=[("CONSUMED", None)],
        outcome=outcome,
        text=failure or (said[-1] if said else SENTENCES[outcome]),
    )


def _named(threads: list[Thread]) -> list[Told]:
    return [{"threadId": one.thread_id} for one in threads]
