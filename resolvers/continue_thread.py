"""How a thread is continued in the tool that it belongs to."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from graph.model import Thread


@dataclass(frozen=True, slots=True)
class ContinueCommand:
    """A shell command that continues the thread."""

    command: str


@dataclass(frozen=True, slots=True)
class CannotContinue:
    """Why there is no such command, and what to do where something can be done."""

    reason: str


Continuation: TypeAlias = ContinueCommand | CannotContinue


COMMANDS = {
    "codex": "codex resume",
    "claude": "claude --resume",
    "opencode": "opencode --session",
    "pi": "pi --session",
}
"""What each tool is called with, before the id that it knows the conversation by."""


def continuation_of(thread: Thread) -> Continuation:
    """The command that continues a thread in its tool, or why there is none."""
    obstacle = _obstacle(thread)
    if obstacle is not None:
        return CannotContinue(obstacle)
    thread_id = thread.native_thread_id or thread.thread_id
    command = f"{COMMANDS[thread.driver or '']} {shlex.quote(thread_id)}"
    if thread.cwd is not None:
        # Tools look for their conversations by the folder that they are started in.
        command = f"cd {shlex.quote(thread.cwd)} && {command}"
    return ContinueCommand(command)


def _obstacle(thread: Thread) -> str | None:
    if not thread.recorded:
        return "only its id is known: its transcript was never imported"
    if thread.deleted_at is not None:
        return "it was deleted"
    if thread.driver not in COMMANDS:
        return f"how {thread.driver} continues a thread is not known here"
    match thread.driver:
        case "codex":
            return _obstacle_in_codex(thread)
        case "claude":
            return _obstacle_in_claude(thread)
        case _:
            return None


def _obstacle_in_codex(thread: Thread) -> str | None:
    if thread.ephemeral:
        return "it was ephemeral: Codex kept no file of it"
    if thread.archived_at is not None:
        return "it is archived, and Codex resumes no archived thread: unarchive it"
    return None


def _obstacle_in_claude(thread: Thread) -> str | None:
    if thread.agent_parent_thread_id is not None:
        session = thread.session_id or thread.agent_parent_thread_id
        return f"it is an agent's, and goes on with its session: {session}"
    return None
