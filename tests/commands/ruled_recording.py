"""The rules by which threads, runs, items and checkpoints are recorded."""

from __future__ import annotations

from tests.commands.ruled_world import (
    ENDED,
    Account,
    Command,
    Forbidden,
    Item,
    Run,
    Thread,
    Told,
    World,
)


def record_thread(world: World, told: Command) -> Told:
    """A new thread, which may hang on another."""
    parent = told.get("parent")
    if parent is not None:
        world.thread(parent["threadId"])
    if told["threadId"] in world.threads:
        raise Forbidden("THREAD_EXISTS")
    kind = parent and parent.get("kind", "SPAWN")
    world.threads[told["threadId"]] = Thread(
        thread_id=told["threadId"],
        account=Account.told(told.get("provider")),
        model=told.get("model"),
        title=told.get("title"),
        cwd=told.get("cwd"),
        parent=parent and parent["threadId"],
        hangs_by=kind,
        origin="provider_native" if kind == "SPAWN" else None,
        spawn_status="open" if kind == "SPAWN" else None,
        has_window="initialWindowId" in told,
    )
    return {"__typename": "ThreadRecorded"}


def start_run(world: World, told: Command) -> Told:
    """A new run, of the thread's provider where none is said."""
    thread = world.thread(told["threadId"])
    if world.known(told["runId"]) is not None:
        raise Forbidden("CONFLICT")
    run = Run(
        run_id=told["runId"],
        thread_id=thread.thread_id,
        status=told.get("status", "running"),
        account=Account.told(told.get("provider")) or thread.account,
        thread_ref=told.get("nativeThreadRef"),
        turn_ref=told.get("nativeTurnRef"),
    )
    thread.runs.append(run)
    return {
        "__typename": "RunRecorded",
        "run": {"runId": run.run_id, "ordinal": len(thread.runs), "status": run.status},
    }


def update_run(world: World, told: Command) -> Told:
    """What is new of a run; its end is final, and a start is settled by what settles starts."""
    run = world.run(told["runId"])
    world.thread(run.thread_id)
    status = told.get("status", run.status)
    if status != run.status and (run.status in ENDED or run.starts or not run.left):
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    run.status = status
    run.error = told.get("error", run.error)
    run.thread_ref = told.get("nativeThreadRef", run.thread_ref)
    run.turn_ref = told.get("nativeTurnRef", run.turn_ref)
    return {
        "__typename": "RunRecorded",
        "run": {"runId": run.run_id, "status": run.status, "error": run.error},
    }


def append_items(world: World, told: Command) -> Told:
    """Items behind the last, all or none."""
    thread = world.thread(told["threadId"])
    if "runId" in told:
        world.run_of(thread, told["runId"])
    there = {item.item_id for other in world.threads.values() for item in other.items}
    if any(item["itemId"] in there for item in told["items"]):
        raise Forbidden("CONFLICT")
    first = len(thread.items)
    thread.items += [
        Item(
            item_id=item["itemId"],
            run_id=told.get("runId"),
            kind=item["kind"],
            role=item.get("role"),
            text=item.get("text"),
        )
        for item in told["items"]
    ]
    return {
        "__typename": "ItemsAppended",
        "firstPosition": first,
        "lastPosition": len(thread.items) - 1,
    }


def record_checkpoint(world: World, told: Command) -> Told:
    """A checkpoint of a run, or what is new of it."""
    thread = world.thread(told["threadId"])
    run = world.run_of(thread, told["runId"])
    checkpoint_id = told["checkpointId"]
    for other in world.threads.values():
        for owner in other.runs:
            if checkpoint_id in owner.checkpoints and owner is not run:
                raise Forbidden("CONFLICT")
    run.checkpoints[checkpoint_id] = told.get("status", "ready")
    return {
        "__typename": "CheckpointRecorded",
        "checkpoint": {"status": run.checkpoints[checkpoint_id]},
    }
