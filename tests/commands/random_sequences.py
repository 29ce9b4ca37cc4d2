"""Random sequences of commands, which begin where something can already go wrong."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.commands.random_commands import CODEX, Drawing
from tests.commands.ruled_commands import ruled
from tests.commands.ruled_world import Command, World

REF = {"driver": "codex", "nativeId": "native", "strength": "STRONG"}
CLAUDE = {"instanceId": "claude", "driver": "claude"}


def _command(mutation: str, command_id: str, **told: Any) -> Command:  # noqa: ANN401 - any input
    return {"mutation": mutation, "commandId": command_id, **told}


def _ran(thread_id: str, run_id: str) -> Command:
    refs = {"nativeThreadRef": REF, "nativeTurnRef": REF}
    return _command(
        "startRun", run_id, threadId=thread_id, runId=run_id, status="completed", **refs
    )


def _started(thread_id: str, run_id: str, provider: dict[str, str] = CODEX) -> Command:
    told = {"threadId": thread_id, "runId": run_id, "provider": provider}
    return _command("resolveStartContext", run_id, model="m", message="Go on.", **told)


def _confirmed(run_id: str) -> Command:
    refs = {"nativeThreadRef": REF, "nativeTurnRef": REF, "historyMode": "legacy"}
    return _command(
        "confirmStart", f"confirm {run_id}", runId=run_id, initialWindowId="window", **refs
    )


def _done(run_id: str) -> Command:
    return _command("updateRun", f"done {run_id}", runId=run_id, status="completed")


SAID = {"itemId": "i", "kind": "message", "role": "user", "text": "Why?"}
CONVERSATION = (
    _command(
        "recordThread",
        "A",
        threadId="A",
        provider=CODEX,
        initialWindowId="window",
        historyMode="legacy",
    ),
    _ran("A", "1"),
)
FORKED = (*CONVERSATION, _command("forkThread", "B", sourceThreadId="A", targetThreadId="B"))
MERGED = (*FORKED, _ran("B", "2"), _command("mergeBack", "merge", forkThreadId="B"))
OPENINGS: tuple[tuple[Command, ...], ...] = (
    (*CONVERSATION, _command("appendItems", "said", threadId="A", runId="1", items=[SAID])),
    MERGED,
    (*FORKED, _started("B", "2"), _confirmed("2"), _done("2")),
    (*MERGED, _started("A", "3")),
    (*MERGED, _started("A", "3"), _confirmed("3"), _done("3")),
    (
        CONVERSATION[0],
        _started("A", "1"),
        _confirmed("1"),
        _done("1"),
        _started("A", "2", CLAUDE),
        _command("failStart", "fail 2", runId="2", reason="away"),
    ),
    (
        CONVERSATION[0],
        _command("spawnSubagent", "B", parentThreadId="A", childThreadId="B", task="Look"),
        _ran("B", "1"),
    ),
)
"""Conversations, forks that wait and that began, merge-backs likewise, a handoff, a child."""


def sequence(number: int, *, shortest: int = 1, longest: int = 5) -> list[Command]:
    """An opening, perhaps not all of it, and what comes to mind: the same for a number."""
    chance = Random(number)  # noqa: S311 - nothing is kept secret
    world = World()
    commands = list(chance.choice(OPENINGS))
    del commands[len(commands) - chance.choice((0, 0, 0, 1)) :]
    for command in commands:
        ruled(world, command)
    for _ in range(chance.randint(shortest, longest)):
        command = Drawing(chance, world).command(len(commands))
        ruled(world, command)
        commands.append(command)
    return commands
