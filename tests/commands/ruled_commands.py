"""What the rules answer to any command, also to one that was sent before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.commands import (
    ruled_recording,
    ruled_rollback,
    ruled_starts,
    ruled_threads,
    ruled_transfers,
)
from tests.commands.ruled_rollback import may_lack_mode
from tests.commands.ruled_world import Command, Forbidden, Told, World

if TYPE_CHECKING:
    from collections.abc import Callable

RULES: dict[str, Callable[[World, Command], Told]] = {
    "recordThread": ruled_recording.record_thread,
    "startRun": ruled_recording.start_run,
    "updateRun": ruled_recording.update_run,
    "appendItems": ruled_recording.append_items,
    "recordCheckpoint": ruled_recording.record_checkpoint,
    "forkThread": ruled_transfers.fork_thread,
    "mergeBack": ruled_transfers.merge_back,
    "switchProvider": ruled_threads.switch_provider,
    "spawnSubagent": ruled_threads.spawn_subagent,
    "completeSubagent": ruled_threads.complete_subagent,
    "setSpawnEdgeStatus": ruled_threads.set_spawn_edge_status,
    "updateThreadMetadata": ruled_threads.update_thread_metadata,
    "archiveThread": ruled_threads.archive_thread,
    "unarchiveThread": ruled_threads.unarchive_thread,
    "deleteThread": ruled_threads.delete_thread,
    "restoreThread": ruled_threads.restore_thread,
    "resolveStartContext": ruled_starts.resolve_start,
    "confirmStart": ruled_starts.confirm_start,
    "failStart": ruled_starts.fail_start,
    "rollbackThread": ruled_rollback.rollback_thread,
}


def ruled(world: World, command: Command, answer: Told | None = None) -> Told:
    """What the rules answer; the world is changed by what they accept.

    The *answer* of the service tells what is no rule of commands: whether an adapter has a native
    plan, and of which history mode the threads of a provider are.
    """
    before = world.receipts.get(command["commandId"])
    if before is not None:
        body, told = before
        if body != command:
            return {"code": "CONFLICT"}
        return told if "code" in told else {"__typename": told["__typename"], "replayed": True}
    world.time += 1
    try:
        told = {"replayed": False, **_ruled(world, command, answer)}
    except Forbidden as forbidden:
        told = {"code": forbidden.code}
    world.receipts[command["commandId"]] = (command, told)
    return told


def _ruled(world: World, command: Command, answer: Told | None) -> Told:
    mode = answer is not None and answer.get("code") == "UNSUPPORTED_HISTORY_MODE"
    if mode and command["mutation"] == "rollbackThread" and may_lack_mode(world, command):
        raise Forbidden("UNSUPPORTED_HISTORY_MODE")
    base: Told = (answer or {}).get("base") or {}
    plan = answer is None or base.get("__typename") == "NativeFork"
    return RULES[command["mutation"]](world, {**command, "plan": plan})
