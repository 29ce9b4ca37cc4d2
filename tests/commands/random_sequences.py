"""Random sequences of commands, which begin like most conversations do."""

from __future__ import annotations

from random import Random

from tests.commands.random_commands import CODEX, Drawing
from tests.commands.ruled_commands import ruled
from tests.commands.ruled_world import Command, World


def sequence(number: int, *, shortest: int = 1, longest: int = 5) -> list[Command]:
    """Perhaps a conversation, a fork of it, and what comes to mind: the same for a number."""
    chance = Random(number)  # noqa: S311 - nothing is kept secret
    world = World()
    commands = list(OPENING[: chance.choice((1, 3, 3, 4, 5, 6))])
    for command in commands:
        ruled(world, command)
    for _ in range(chance.randint(shortest, longest)):
        command = Drawing(chance, world).command(len(commands))
        ruled(world, command)
        commands.append(command)
    return commands


REF = {"driver": "codex", "nativeId": "native", "strength": "STRONG"}
DONE = {"status": "completed", "nativeThreadRef": REF, "nativeTurnRef": REF}
OPENING: tuple[Command, ...] = (
    {
        "mutation": "recordThread",
        "commandId": "A",
        "threadId": "A",
        "provider": CODEX,
        "initialWindowId": "window",
        "historyMode": "legacy",
    },
    {"mutation": "startRun", "commandId": "1", "threadId": "A", "runId": "1", **DONE},
    {
        "mutation": "appendItems",
        "commandId": "said",
        "threadId": "A",
        "runId": "1",
        "items": [{"itemId": "i", "kind": "message", "role": "user", "text": "Why?"}],
    },
    {"mutation": "forkThread", "commandId": "B", "sourceThreadId": "A", "targetThreadId": "B"},
    {"mutation": "startRun", "commandId": "2", "threadId": "B", "runId": "2", **DONE},
    {"mutation": "mergeBack", "commandId": "merge", "forkThreadId": "B"},
)
"""How most sequences begin: a conversation, a fork of it, and what the fork did."""
