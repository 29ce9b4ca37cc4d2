"""Tool calls as items: what was asked for and, once it is there, what came out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import msgspec

from importers.codex.texts import content_text, json_object, string

if TYPE_CHECKING:
    from collections.abc import Iterable

    from importers.codex.shapes import ResponseItem, ThreadItem

COMMAND = "command"
FILE_CHANGE = "file_change"
PLAN = "plan"
TOOL_CALL = "tool_call"

_COMMAND_TOOLS = frozenset(
    {"exec_command", "shell", "shell_command", "local_shell", "container.exec", "exec"}
)
_PATCH_TOOL = "apply_patch"
_PLAN_TOOL = "update_plan"
_SHELL_RUNNERS = re.compile(r"(?:.*/)?(?:ba|z|da|k)?sh")
_SHELL_FLAGS = frozenset({"-c", "-lc", "-ic"})
_PATCHED_FILE = re.compile(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)
_EXIT_CODE = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d+)", re.MULTILINE)
_OUTPUT_MARK = "\nOutput:\n"


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool was called for: the kind of its item, and the item's text so far."""

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A finished call: its item's whole text, and how it ended."""

    text: str
    status: str


def call_of(item: ResponseItem) -> Call:
    """The call that a model item makes."""
    name = item.name or item.type
    if item.type == "local_shell_call":
        return Call(COMMAND, _command_line(json_object(item.action).get("command")))
    given = item.input if item.input is not None else item.arguments
    if name == _PATCH_TOOL:
        patch = given if isinstance(given, str) else ""
        told = json_object(given).get("input")
        return Call(FILE_CHANGE, patched_files(told if isinstance(told, str) else patch))
    arguments = json_object(given)
    if name in _COMMAND_TOOLS:
        line = _command_line(arguments.get("cmd") or arguments.get("command"))
        files = patched_files(line)
        if files:
            return Call(FILE_CHANGE, files)
        return Call(COMMAND, line or _plain(given))
    if name == _PLAN_TOOL:
        return Call(PLAN, _plan_text(arguments))
    full_name = f"{item.namespace}.{name}" if item.namespace else name
    return Call(TOOL_CALL, f"{full_name} {_plain(given)}".strip())


def finished(call: Call, output: object) -> Outcome:
    """A call with what came out of it; plans and file changes keep their text."""
    code, body, failed = _read_output(output)
    status = "failed" if failed or (code is not None and code != 0) else "completed"
    if call.kind in {PLAN, FILE_CHANGE}:
        return Outcome(call.text, status)
    return Outcome(_joined(call.text, code, body), status)


def command_item(item: ThreadItem) -> Outcome:
    """A command that only an item tells of, such as one that the user typed."""
    code = item.exit_code
    text = _joined(_command_line(item.command), code, item.aggregated_output or "")
    return Outcome(text, item.status or ("failed" if code else "completed"))


def changed_files(changes: object) -> str:
    """The names of changed files, one a line."""
    if isinstance(changes, dict):
        return "\n".join(sorted(cast("dict[str, object]", changes)))
    if isinstance(changes, list):
        paths = (json_object(change).get("path") for change in cast("list[object]", changes))
        return "\n".join(path for path in paths if isinstance(path, str))
    return ""


def patched_files(patch: str) -> str:
    """The names of the files in a patch, one a line."""
    return "\n".join(dict.fromkeys(_PATCHED_FILE.findall(patch)))


def _joined(line: str, code: int | None, body: str) -> str:
    parts = [line]
    if code is not None:
        parts.append(f"exit code {code}")
    if body:
        parts.append(body)
    return "\n".join(part for part in parts if part)


def _command_line(command: object) -> str:
    if isinstance(command, str):
        return command
    if not isinstance(command, list):
        return ""
    words = [word for word in cast("list[object]", command) if isinstance(word, str)]
    match words:
        case [runner, flag, script] if flag in _SHELL_FLAGS and _SHELL_RUNNERS.fullmatch(runner):
            return script
        case _:
            return " ".join(words)


def _plan_text(arguments: dict[str, object]) -> str:
    steps = arguments.get("plan")
    lines: list[str] = []
    explanation = string(arguments.get("explanation"))
    if explanation is not None:
        lines.append(explanation)
    for step in cast("Iterable[object]", steps if isinstance(steps, list) else ()):
        told = json_object(step)
        lines.append(f"[{told.get('status', 'pending')}] {told.get('step', '')}")
    return "\n".join(lines)


def _plain(given: object) -> str:
    if given is None:
        return ""
    return given if isinstance(given, str) else msgspec.json.encode(given).decode()


def _read_output(output: object) -> tuple[int | None, str, bool]:
    """The exit code, the text and whether the tool says that it failed."""
    told = json_object(output)
    if "metadata" in told and "output" in told:
        code = json_object(told["metadata"]).get("exit_code")
        return (code if isinstance(code, int) else None), _plain(told["output"]), False
    if isinstance(output, dict):
        failed = told.get("success") is False
        content = told.get("content")
        text = content_text(content) if content is not None else _plain(told)
        return None, text, failed
    text = content_text(output)
    head, mark, body = text.partition(_OUTPUT_MARK)
    code = _EXIT_CODE.search(head if mark else text[:400])
    if code is None:
        return None, body if mark else text, False
    return int(code[1]), body if mark else text[code.end() :].lstrip("\n"), False
