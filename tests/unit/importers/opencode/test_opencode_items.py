"""What the records of an OpenCode session hold."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from graph.model import ThreadId
from importers.contract import Content, ReadOptions
from importers.opencode.importer import OpenCodeImporter
from tests.importing import import_paths
from tests.unit.importers.opencode.homes import Home, S, small, told

if TYPE_CHECKING:
    pass

pytestmark = pytest.mark.anyio


def tool(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """A part of a tool's call."""
    return {"type": "tool", "tool": name, "callID": "c", "state": state}


async def test_items_tell_what_was_said_and_done(tmp_path: Path) -> None:
    """Thoughts, tools with what came out, files that came along, and errors."""
    home = Home()
    home.session(S, 0)
    prompt = home.message(
        S,
        1,
        {"type": "text", "text": "look"},
        {"type": "text", "text": "its content", "synthetic": True},
        {"type": "file", "filename": "a.py", "mime": "text/plain", "url": "file:///a.py"},
        role="user",
    )
    ran = {"status": "completed", "input": {"command": "ls"}, "output": "a\n"}
    home.answer(
        S,
        2,
        prompt,
        {"type": "step-start"},
        {"type": "reasoning", "text": "hm"},
        tool("bash", {**ran, "metadata": {"exit": 0}}),
        tool("edit", {"status": "completed", "input": {"filePath": "/a.py"}, "output": "ok"}),
        tool("read", {"status": "error", "input": {"filePath": "/b"}, "error": "no such file"}),
        tool("todowrite", {"status": "completed", "input": {"todos": [{"content": "x"}]}}),
        tool("grep", {"status": "running", "input": {"pattern": "x"}}),
        {"type": "text", "text": "done"},
        error={"name": "APIError", "data": {"message": "overloaded"}},
    )

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [
        (item.kind, item.role, item.text, item.status) for item in imported.only.items.items
    ] == [
        ("message", "user", "look", None),
        ("file", "user", "a.py", None),
        ("reasoning", "assistant", "hm", None),
        ("command", "tool", "ls\nexit code 0\na\n", "completed"),
        ("file_change", "tool", "/a.py", "completed"),
        ("tool_call", "tool", 'read {"filePath":"/b"}\nno such file', "failed"),
        ("plan", "tool", "[pending] x", "completed"),
        ("tool_call", "tool", 'grep {"pattern":"x"}', None),
        ("message", "assistant", "done", None),
        ("error", "system", "overloaded", None),
    ]


async def test_a_session_has_the_facts_of_its_row(tmp_path: Path) -> None:
    """Title, folder, version, model, agent, archive and times."""
    home = small()
    model = json.dumps({"id": "row-model"})
    home.session("ses_kid", 3, parent_id=S, agent="explore", model=model, time_archived=-1)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    kid, main = imported.threads[ThreadId("ses_kid")], imported.threads[S]
    assert (kid.agent_role, kid.source_kind, kid.model, kid.archived, kid.archived_at) == (
        "explore",
        "subAgentThreadSpawn",
        "row-model",
        True,
        told(103),
    )
    assert (main.title, main.preview, main.model, main.agent_role, main.archived) == (
        S,
        "prompt 1",
        "m",
        None,
        False,
    )
    assert (main.created_at, main.updated_at, main.recency_at) == (told(0), told(100), told(2.7))


async def test_texts_are_kept_as_the_user_chose(tmp_path: Path) -> None:
    """In full, a preview or none; secrets only where they are not to be left out."""
    home = Home()
    home.session(S, 0, title="with AKIA" + "Q" * 16)
    home.prompt(S, 1, "é" * 300)
    path = home.write(tmp_path)

    kept = [
        (await import_paths(OpenCodeImporter(), [path], ReadOptions(content=content))).only
        for content in Content
    ]
    redacted = await import_paths(OpenCodeImporter(), [path], ReadOptions(redact=True))

    items = [thread.items.items[0] for thread in kept]
    assert [(item.text, item.text_bytes, item.truncated) for item in items] == [
        ("é" * 300, 600, False),
        ("é" * 200, 600, True),
        (None, 600, False),
    ]
    assert redacted.only.title == "with [redacted:AWS Access Key]"
