"""How a thread is continued in its tool."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from graph.model import Thread, ThreadId, Timestamp
from resolvers.continue_thread import CannotContinue, ContinueCommand, continuation_of

AT = Timestamp("2026-11-30T12:00:00.000000Z")
CODEX = Thread(
    thread_id=ThreadId("01a2"),
    recorded=True,
    driver="codex",
    root_thread_id=ThreadId("01a2"),
    depth=0,
)


@pytest.mark.parametrize(
    ("thread", "command"),
    [
        (CODEX, "codex resume 01a2"),
        (replace(CODEX, native_thread_id="native"), "codex resume native"),
        (replace(CODEX, cwd="/home/me/project"), "cd /home/me/project && codex resume 01a2"),
        (replace(CODEX, cwd="/a b; rm -rf ~"), "cd '/a b; rm -rf ~' && codex resume 01a2"),
    ],
)
def test_a_codex_thread_is_resumed_by_its_id_in_its_folder(thread: Thread, command: str) -> None:
    """The command can be pasted, whatever the folder is called."""
    assert continuation_of(thread) == ContinueCommand(command)


@pytest.mark.parametrize(
    ("driver", "command"),
    [
        ("claude", "cd /work && claude --resume 01a2"),
        ("opencode", "cd /work && opencode --session 01a2"),
        ("pi", "cd /work && pi --session 01a2"),
    ],
)
def test_every_tool_has_a_command_of_its_own(driver: str, command: str) -> None:
    """Each looks for its conversations by the folder that it is started in."""
    thread = replace(CODEX, driver=driver, cwd="/work")

    assert continuation_of(thread) == ContinueCommand(command)


@pytest.mark.parametrize(
    ("thread", "reason"),
    [
        (
            replace(CODEX, recorded=False, driver=None),
            "only its id is known: its transcript was never imported",
        ),
        (replace(CODEX, deleted_at=AT), "it was deleted"),
        (replace(CODEX, ephemeral=True), "it was ephemeral: Codex kept no file of it"),
        (
            replace(CODEX, archived_at=AT),
            "it is archived, and Codex resumes no archived thread: unarchive it",
        ),
        (
            replace(
                CODEX,
                driver="claude",
                agent_parent_thread_id=ThreadId("above"),
                session_id="the-session",
            ),
            "it is an agent's, and goes on with its session: the-session",
        ),
        (replace(CODEX, driver="other"), "how other continues a thread is not known here"),
    ],
)
def test_a_thread_that_can_not_be_continued_says_why(thread: Thread, reason: str) -> None:
    """No command is made up."""
    assert continuation_of(thread) == CannotContinue(reason)
