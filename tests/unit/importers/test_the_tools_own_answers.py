"""What we read of a conversation is what the tool's own reader shows of it.

Beside a sample home, ``oracle-*.json`` holds what the tool itself answered about its sessions: the
Agent SDK for Claude Code, the server's API for OpenCode, the session manager for pi.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from graph.model import RunId, ThreadId
from importers.known import known_importers
from tests.importing import import_paths
from tests.samples_on_disk import SAMPLES, unpack_home

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

Said = tuple[str, str]
"""Who said what: user or assistant, and the text."""

ORACLES = sorted(
    path.relative_to(SAMPLES).as_posix() for path in SAMPLES.glob("*/*/oracle-*.json")
)

BY_CLAUDE_CODE = (
    "<command-name>",
    "<local-command-stdout>",
    "<task-notification>",
    "[Request interrupted by user]",
    "This session is being continued from a previous conversation",
)
"""How messages begin that the program writes in the user's name: its SDK shows them as the user's,
here they are no prompts."""

FOLLOWED = 1_000


async def conversation(store: MemoryStore, thread_id: str) -> list[Said]:
    """What was said in a thread, inherited and own, without what was rolled back."""
    asked = ThreadId(thread_id)
    history = await store.history([asked], include_rolled_back=False, first=FOLLOWED, after=None)
    run_ids: list[RunId] = [row.run.run_id for row in history[asked].rows]
    items = await store.items_of_runs(run_ids, first=FOLLOWED, after=None)
    return [
        (item.role, item.text)
        for run_id in run_ids
        for item in items[run_id].rows
        if item.kind == "message" and item.role in ("user", "assistant") and item.text
    ]


def told(oracle: str) -> Iterator[tuple[str, list[Said]]]:
    """Each session of an oracle by its id, and what was said in it."""
    answers = json.loads((SAMPLES / oracle).read_bytes())
    match oracle.partition("-")[0]:
        case "claude":
            for session in answers["sessions"]:
                yield session["info"]["session_id"], list(_of_claude(session["messages"]))
        case "opencode":
            for session in answers["by_id"].values():
                yield session["info"]["id"], list(_of_opencode(session["messages"]))
        case "pi":
            for session in answers.values():
                yield session["header"]["id"], list(_of_pi(session["context"]))
        case tool:
            raise ValueError(f"No oracle of {tool} is known.")


def _of_claude(messages: list[dict[str, Any]]) -> Iterator[Said]:
    for message in messages:
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        for block in blocks:
            if block["type"] == "text" and not block["text"].startswith(BY_CLAUDE_CODE):
                yield message["type"], block["text"]


def _of_opencode(messages: list[dict[str, Any]]) -> Iterator[Said]:
    for message in messages:
        for part in message["parts"]:
            if part["type"] == "text" and not part.get("synthetic"):
                yield message["info"]["role"], part["text"]


def _of_pi(messages: list[dict[str, Any]]) -> Iterator[Said]:
    for message in messages:
        if message["role"] in ("user", "assistant"):
            # The oracle cut what is longer: only calls of tools are.
            cut = message["text"].startswith('[{"type":"toolCall"')
            blocks: list[dict[str, Any]] = [] if cut else json.loads(message["text"])
            for block in blocks:
                yield message["role"], block["text"]


@pytest.mark.parametrize("oracle", ORACLES)
async def test_a_conversation_reads_as_its_tool_shows_it(oracle: str, tmp_path: Path) -> None:
    """The same messages in the same order, for every session that the tool lists.

    Of a conversation that was compacted a tool shows the rest, and here all of it is kept.
    """
    scenario = oracle.rpartition("/")[0]
    [importer] = [of for of in known_importers() if scenario.startswith(of.driver)]
    imported = await import_paths(importer, [unpack_home(scenario, tmp_path)])

    shown = {
        session_id: await conversation(imported.store, session_id)
        for session_id, _ in told(oracle)
    }

    if scenario.endswith("/compaction"):
        shown = {session_id: shown[session_id][-len(said) :] for session_id, said in told(oracle)}
    assert shown == dict(told(oracle))
