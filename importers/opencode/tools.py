"""Tool calls as items: what was asked for and what came out, as far as the call got."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec

if TYPE_CHECKING:
    from importers.opencode.shapes import Part, ToolState

COMMAND = "command"
FILE_CHANGE = "file_change"
PLAN = "plan"
TOOL_CALL = "tool_call"

_CHANGING_TOOLS = frozenset({"edit", "write", "multiedit"})
_PATCHING_TOOLS = frozenset({"patch", "apply_patch"})
_STATUSES = {"completed": "completed", "error": "failed"}


class ToolItem(NamedTuple):
    """A tool call as an item: its kind, its whole text, and how it ended."""

    kind: str
    text: str
    status: str | None


def tool_item(part: Part) -> ToolItem:
    """The item of a tool's part."""
    tool, state = part.tool or "", part.state
    if state is None:
        return ToolItem(TOOL_CALL, tool, None)
    given = _object(state.input)
    status = _STATUSES.get(state.status)
    command = given.get("command")
    if tool == "bash" and isinstance(command, str):
        return ToolItem(COMMAND, _joined(command, _exit_line(state), _outcome(state)), status)
    path = given.get("filePath") or given.get("path")
    if tool in _CHANGING_TOOLS and isinstance(path, str):
        return ToolItem(FILE_CHANGE, path, status)
    if tool in _PATCHING_TOOLS:
        files = _patched(_object(state.metadata).get("files"))
        if files:
            return ToolItem(FILE_CHANGE, files, status)
    if tool == "todowrite" and isinstance(given.get("todos"), list):
        return ToolItem(PLAN, _steps(cast("list[object]", given["todos"])), status)
    asked = f"{tool} {_plain(state.input)}".strip()
    return ToolItem(TOOL_CALL, _joined(asked, _outcome(state)), status)


def _exit_line(state: ToolState) -> str:
    code = _object(state.metadata).get("exit")
    return f"exit code {code}" if isinstance(code, int) else ""


def _outcome(state: ToolState) -> str:
    """What came out, or what went wrong; of a call that still runs, what it printed so far."""
    if state.status == "error":
        return _plain(state.error)
    if state.output is None:
        return _plain(_object(state.metadata).get("output"))
    return _plain(state.output)


def _patched(files: object) -> str:
    if not isinstance(files, list):
        return ""
    names: list[str] = []
    for file in cast("list[object]", files):
        told = _object(file)
        name = file if isinstance(file, str) else told.get("relativePath") or told.get("filePath")
        if isinstance(name, str):
            names.append(name)
    return "\n".join(names)


def _steps(todos: list[object]) -> str:
    steps = [_object(todo) for todo in todos]
    return "\n".join(
        f"[{step.get('status', 'pending')}] {step.get('content', '')}" for step in steps
    )


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _plain(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
