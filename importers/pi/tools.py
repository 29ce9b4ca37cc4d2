"""Tool calls as items: what was asked for and, once it is there, what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import msgspec

from importers.pi.contents import content_text

if TYPE_CHECKING:
    from importers.pi.shapes import Block, Message

COMMAND = "command"
FILE_CHANGE = "file_change"
TOOL_CALL = "tool_call"

_COMMAND_TOOLS = frozenset({"bash"})
_CHANGING_TOOLS = frozenset({"edit", "write"})
_PATH_WORDS = ("path", "file_path", "filePath")


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool was called for: the kind of its item, and the item's text so far."""

    kind: str
    text: str


def call_of(block: Block) -> Call:
    """The call that a block of an answer makes."""
    name = block.name or ""
    told: object = block.arguments
    given = cast("dict[str, object]", told) if isinstance(told, dict) else {}
    command = given.get("command")
    if name in _COMMAND_TOOLS and isinstance(command, str):
        return Call(COMMAND, command)
    path = next((at for word in _PATH_WORDS if isinstance(at := given.get(word), str)), None)
    if name in _CHANGING_TOOLS and path is not None:
        return Call(FILE_CHANGE, path)
    return Call(TOOL_CALL, f"{name} {_plain(block.arguments)}".strip())


def finished(call: Call, output: str, *, failed: bool) -> tuple[str, str]:
    """The whole text of a call with what came out of it, and how it ended."""
    status = "failed" if failed else "completed"
    if call.kind == FILE_CHANGE:
        return call.text, status
    return _joined(call.text, output), status


def typed_command(message: Message) -> tuple[str, str]:
    """The text of a command that the user ran beside the agent, and how it ended."""
    code = message.exit_code
    line = "" if code is None else f"exit code {code}"
    text = _joined(message.command or "", line, content_text(message.output))
    if message.cancelled:
        return text, "interrupted"
    return text, "failed" if code else "completed"


def _joined(*parts: str) -> str:
    return "\n".join(part for part in parts if part)


def _plain(given: object) -> str:
    if given is None:
        return ""
    return given if isinstance(given, str) else msgspec.json.encode(given).decode()
