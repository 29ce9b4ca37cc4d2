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
    fork = f"{thread}-fork"
    steps: list[Wish] = [
        ("recordThread", recorded(thread)),
        ("startRun", completed_run(thread, f"{thread}-run")),
        ("appendItems", said_in(thread, f"{thread}-run")),
        ("forkThread", {"sourceThreadId": thread, "targetThreadId": fork}),
        ("startRun", completed_run(fork, f"{fork}-run")),
        ("appendItems", said_in(fork, f"{fork}-run")),
        ("spawnSubagent", {"parentThreadId": thread, "childThreadId": f"{thread}-child"}),
    ]
    for number, (mutation, told) in enumerate(steps):
        await sender.done(number % 2, mutation, f"{thread}-begin-{number}", **told)


def recorded(thread: str) -> dict[str, Any]:
    """A thread of Codex whose turns can be taken back."""
    told = {"provider": PROVIDERS[0], "initialWindowId": "window", "historyMode": "legacy"}
    return {"threadId": thread} | told


def said_in(thread: str, run: str) -> dict[str, Any]:
    """Something that is worth handing over."""
    item = {"kind": "message", "role": "user", "text": f"What of {run}?"}
    return {"threadId": thread, "runId": run, "items": [item]}


def start(thread: str, provider: dict[str, str] = PROVIDERS[0]) -> dict[str, Any]:
    """A wish to go on with a thread."""
    return {"threadId": thread, "provider": provider, "message": "Go on."}


def confirmed(run: str) -> dict[str, Any]:
    """That a provider has begun to work on a run."""
    told = {"historyMode": "legacy", "initialWindowId": "window"}
    return {"runId": run, "nativeTurnRef": _named(f"turn-{run}")} | told


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
