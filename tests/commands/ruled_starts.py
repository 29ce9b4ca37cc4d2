"""The rules by which starts get their context, and are settled."""

from __future__ import annotations

from dataclasses import dataclass

from tests.commands.ruled_transfers import merge_backs
from tests.commands.ruled_world import (
    CONVERSED,
    Account,
    Command,
    Forbidden,
    Item,
    Run,
    Thread,
    Told,
    Transfer,
    World,
)

SAID = frozenset({"message", "plan", "command", "error", "interrupt", "file_change"})
STEPS = {"NativeFork": ("RESOLVED_NATIVE", "NATIVE_FORK")} | {
    base: ("RESOLVED_PORTABLE", strategy)
    for base, strategy in (
        ("PortableContext", "PORTABLE_CONTEXT"),
        ("DeltaContext", "DELTA_CONTEXT"),
    )
}


@dataclass(frozen=True, slots=True)
class Base:
    """What a start is based on, and the newest run that its provider has, where that counts."""

    name: str
    covered: Run | None = None


def resolve_start(world: World, told: Command) -> Told:
    """The first row of the table that matches, and a delta for each merge-back that waits."""
    thread = world.thread(told["threadId"])
    if thread.archived:
        raise Forbidden("THREAD_ARCHIVED")
    if thread.origin == "provider_native":
        raise Forbidden("READ_ONLY_SUBAGENT")
    if any(run.starts for run in thread.runs):
        raise Forbidden("START_IN_PROGRESS")
    account = Account.told(told["provider"])
    assert account is not None
    base = _base(world, thread, account, plan=told["plan"])
    if world.known(told["runId"]) is not None:
        raise Forbidden("CONFLICT")
    _bind(world, thread, base, told["runId"])
    thread.runs.append(Run(told["runId"], thread.thread_id, "starting", account, by_start=True))
    thread.items.append(Item("made", told["runId"], "message", "user", told["message"]))
    deltas = sum(
        one.type == "MERGE_BACK" and one.target_run == told["runId"] for one in world.transfers
    )
    return {
        "__typename": "StartContext",
        "base": {"__typename": base.name},
        "deltas": [{}] * deltas,
    }


def confirm_start(world: World, told: Command) -> Told:
    """The provider accepted: the run goes on, and what was bound to it is consumed."""
    run, thread, bound = _unsettled(world, told)
    run.status, run.confirmed = "running", True
    run.thread_ref = told.get("nativeThreadRef", run.thread_ref)
    run.turn_ref = told.get("nativeTurnRef", run.turn_ref)
    thread.account, thread.model = run.account, "m"
    for transfer in bound:
        transfer.steps.append(("CONSUMED", run.run_id))
    return {"__typename": "StartConfirmed", "run": {"status": "running"}}


def fail_start(world: World, told: Command) -> Told:
    """It is given up: what was bound waits again, or failed for good."""
    run, _, bound = _unsettled(world, told)
    run.status, run.error = "failed", told["reason"]
    for transfer in bound:
        if not told.get("retryable", True):
            transfer.steps.append(("FAILED", run.run_id))
            continue
        transfer.steps.append(("SUPERSEDED" if _stale(world, transfer) else "PENDING", None))
        transfer.target_run = transfer.strategy = None
    return {"__typename": "StartFailed", "run": {"status": "failed"}}


def _unsettled(world: World, told: Command) -> tuple[Run, Thread, list[Transfer]]:
    run = world.run(told["runId"])
    thread = world.thread(run.thread_id)
    if not run.starts:
        raise Forbidden("TRANSITION_NOT_ALLOWED")
    bound = [
        one
        for one in world.transfers
        if one.target_run == run.run_id and one.status.startswith("RESOLVED")
    ]
    return run, thread, bound


def _stale(world: World, transfer: Transfer) -> bool:
    """Whether a newer merge-back of the pair was made, or the source run was rolled back."""
    if transfer.type != "MERGE_BACK":
        return False
    fork, source = world.threads[transfer.source], world.threads[transfer.target]
    newest = merge_backs(world, fork, source)[-1]
    return newest is not transfer or not world.run(transfer.source_run or "").left


def _bind(world: World, thread: Thread, base: Base, run_id: str) -> None:
    here = [one for one in world.transfers if one.target == thread.thread_id]
    for one in here:
        if one.type == "PROVIDER_HANDOFF" and one.status == "PENDING":
            one.steps.append(("SUPERSEDED", None))
        if one.type == "MERGE_BACK" and one.status == "PENDING":
            _resolve(one, "DeltaContext", run_id)
    if base.name == "NoTransfer":
        return
    transfer = _pending_fork(world, thread)
    if transfer is None:
        newest = [run for run in world.history(thread) if run.status in CONVERSED][-1]
        transfer = Transfer(
            type="PROVIDER_HANDOFF",
            source=thread.thread_id,
            target=thread.thread_id,
            source_run=newest.run_id,
            source_checkpoint=newest.ready_checkpoint,
            base_run=base.covered and base.covered.run_id,
            steps=[("PENDING", None)],
        )
        world.transfers.append(transfer)
    _resolve(transfer, base.name, run_id)


def _resolve(transfer: Transfer, base: str, run_id: str) -> None:
    status, transfer.strategy = STEPS[base]
    transfer.steps.append((status, run_id))
    transfer.target_run = run_id


def _pending_fork(world: World, thread: Thread) -> Transfer | None:
    forks = [
        one
        for one in world.transfers
        if (one.type, one.target, one.status) == ("FORK", thread.thread_id, "PENDING")
    ]
    return forks[-1] if forks else None


def _base(world: World, thread: Thread, account: Account, *, plan: bool) -> Base:
    fork = _pending_fork(world, thread)
    if fork is not None:
        return _fork_base(world, thread, account, fork, plan=plan)
    own = [run for run in thread.runs if run.left and run.status in CONVERSED]
    inherited = [run for run in world.inherited(thread) if run.status in CONVERSED]
    received = [run for run in own if _received(run) and _serves(account, run)]
    if received:
        after = own[own.index(received[-1]) + 1 :]
        if all(_serves(account, run) for run in after):
            return Base("NoTransfer")
        return Base("DeltaContext", received[-1])
    if not inherited and all(_serves(account, run) for run in own):
        return Base("NoTransfer")
    if not _text_of(world, [*inherited, *own]):
        raise Forbidden("UNSUPPORTED")
    return Base("PortableContext")


def _fork_base(
    world: World, thread: Thread, account: Account, fork: Transfer, *, plan: bool
) -> Base:
    """A native fork where the source's provider can; *plan* says whether its adapter does."""
    point = world.run(fork.source_run or "")
    same = point.account is not None and (
        point.account.instance_id == account.instance_id or _shares(account, point.account)
    )
    used = any(run.left and run.status in CONVERSED and _received(run) for run in thread.runs)
    native = point.status in {"completed", "waiting"} and point.strong_thread and point.left
    if plan and native and same and not used:
        return Base("NativeFork")
    talked = [run for run in world.history(thread) if run.status in CONVERSED or run is point]
    if not _text_of(world, talked):
        raise Forbidden("UNSUPPORTED")
    return Base("PortableContext")


def _received(run: Run) -> bool:
    """Whether the provider of a conversation run really got it."""
    named = run.turn_ref is not None and run.turn_ref.get("nativeId") is not None
    return run.status in {"completed", "waiting"} or run.confirmed or named


def _serves(account: Account, run: Run) -> bool:
    """Whether a run counts as one of the account."""
    if run.account is None:
        return False
    return run.account.instance_id == account.instance_id or (
        _shares(account, run.account) and run.strong_thread
    )


def _shares(one: Account, other: Account) -> bool:
    return (
        one.driver == other.driver
        and one.continuation_key is not None
        and one.continuation_key == other.continuation_key
    )


def _text_of(world: World, runs: list[Run]) -> bool:
    """Whether a payload over some runs says anything."""
    told = {run.run_id for run in runs} | {
        below.run_id
        for transfer in world.transfers
        if transfer.type == "MERGE_BACK"
        and transfer.status == "CONSUMED"
        and any(run.run_id == transfer.target_run for run in runs)
        for below in _merged(world, transfer)
    }
    return any(
        item.run_id in told
        and item.text is not None
        and item.kind in SAID
        and (item.kind != "message" or item.role in {"user", "assistant"})
        for thread in world.threads.values()
        for item in thread.items
    )


def _merged(world: World, transfer: Transfer) -> list[Run]:
    own = world.threads[transfer.source].runs
    at = [run.run_id for run in own].index(transfer.source_run or "")
    return [run for run in own[: at + 1] if run.left and run.status in CONVERSED]
