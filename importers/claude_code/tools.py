"""Tool calls as items: what was asked for and, once it is there, what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from importers.claude_code.texts import fields_of, raw_text

if TYPE_CHECKING:
    import msgspec

    from importers.claude_code.shapes import Block

COMMAND = "command"
FILE_CHANGE = "file_change"
PLAN = "plan"
TOOL_CALL = "tool_call"

_CHANGING_TOOLS = frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"})
_PATH_WORDS = ("file_path", "notebook_path", "path")


@dataclass(frozen=True, slots=True)
class Call:
    """What a tool was called for: the kind of its item, and the item's text so far."""

    kind: str
    text: str


def call_of(block: Block) -> Call:
    """The call that a block of an answer makes."""
    name = block.name or block.type
    given = fields_of(block.input)
    command = given.get("command")
    if name == "Bash" and isinstance(command, str):
        return Call(COMMAND, command)
    path = next((at for word in _PATH_WORDS if isinstance(at := given.get(word), str)), None)
    if name in _CHANGING_TOOLS and path is not None:
        return Call(FILE_CHANGE, path)
    plan = given.get("plan")
    if name == "ExitPlanMode" and isinstance(plan, str):
        return Call(PLAN, plan)
    todos = given.get("todos")
    if name == "TodoWrite" and isinstance(todos, list):
        return Call(PLAN, "\n".join(_todo(todo) for todo in cast("list[object]", todos)))
    asked = bytes(block.input).decode("utf-8", "replace")
    return Call(TOOL_CALL, f"{name} {'' if asked == 'null' else asked}".strip())


def finished(call: Call, block: Block, told: msgspec.Raw) -> tuple[str, str]:
    """The whole text of a call with what came out of it, and how it ended.

    *told* is what the tool said for the program, besides what it said for the model.
    """
    status = "failed" if block.is_error else "completed"
    if b'"interrupted":true' in bytes(told) and fields_of(told).get("interrupted") is True:
        status = "interrupted"
    if call.kind in {FILE_CHANGE, PLAN}:
        return call.text, status
    return joined(call.text, raw_text(block.content)), status


def joined(*parts: str) -> str:
    """The parts that say something, one below the other."""
    return "\n".join(part for part in parts if part)


def _todo(todo: object) -> str:
    fields = cast("dict[str, object]", todo) if isinstance(todo, dict) else {}
    return f"[{fields.get('status', 'pending')}] {fields.get('content', '')}"
