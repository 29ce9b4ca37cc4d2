"""The threads that stress tests begin with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.stress.sending import Sender

Wish = tuple[str, dict[str, Any]]
"""A mutation and its input."""

PROVIDERS = (
    {"instanceId": "codex", "driver": "codex"},
    {"instanceId": "claude", "driver": "claude"},
    {"instanceId": "home", "driver": "codex", "continuationKey": "shared"},
)


async def family(sender: Sender, thread: str) -> None:
    """A thread with a completed run, its ``-fork`` with another one, and its ``-child``."""
    steps: list[Wish] = [
        ("recordThread", recorded(thread)),
        ("startRun", completed_run(thread, f"{thread}-run")),
        ("forkThread", {"sourceThreadId": thread, "targetThreadId": f"{thread}-fork"}),
        ("startRun", completed_run(f"{thread}-fork", f"{thread}-fork-run")),
        ("spawnSubagent", {"parentThreadId": thread, "childThreadId": f"{thread}-child"}),
    ]
    for number, (mutation, told) in enumerate(steps):
        await sender.done(number % 2, mutation, f"{thread}-begin-{number}", **told)


def recorded(thread: str) -> dict[str, Any]:
    """A thread of Codex."""
    return {"threadId": thread, "provider": PROVIDERS[0], "initialWindowId": "window"}


def completed_run(thread: str, run: str) -> dict[str, Any]:
    """A run that a provider completed, with the names that it gives."""
    return {
        "threadId": thread,
        "runId": run,
        "status": "completed",
        "nativeThreadRef": _named(f"native-{thread}"),
        "nativeTurnRef": _named(f"turn-{run}"),
    }


def _named(native_id: str) -> dict[str, str]:
    return {"driver": "codex", "nativeId": native_id, "strength": "STRONG"}
