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


def continuation_of(thread: Thread) -> Continuation:
    """The command that continues a thread in its tool, or why there is none."""
    if not thread.recorded:
        return CannotContinue("only its id is known: its transcript was never imported")
    if thread.deleted_at is not None:
        return CannotContinue("it was deleted")
    match thread.driver:
        case "codex":
            return _continue_codex(thread)
        case driver:
            return CannotContinue(f"how {driver} continues a thread is not known here")


def _continue_codex(thread: Thread) -> Continuation:
    thread_id = thread.native_thread_id or thread.thread_id
    if thread.ephemeral:
        return CannotContinue("it was ephemeral: Codex kept no file of it")
    if thread.archived_at is not None:
        return CannotContinue("it is archived, and Codex resumes no archived thread: unarchive it")
    command = f"codex resume {shlex.quote(thread_id)}"
    if thread.cwd is not None:
        command = f"cd {shlex.quote(thread.cwd)} && {command}"
    return ContinueCommand(command)
