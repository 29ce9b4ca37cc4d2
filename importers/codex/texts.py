"""The plain text in what Codex writes as text, as a list of blocks, or as JSON in a string."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import msgspec

from importers.codex.shapes import Block

if TYPE_CHECKING:
    from collections.abc import Iterable

_HARNESS_PREFIXES = (
    "<environment_context>",
    "<permissions instructions>",
    "<user_instructions>",
    "<INSTRUCTIONS>",
    "# AGENTS.md instructions",
    "<turn_aborted>",
    "<user_action>",
    "<subagent_notification>",
    "<user_shell_command>",
    "<skill>",
    "<multi_agent_mode>",
)
"""What Codex itself puts before the model in the user's name."""

_JSON_START = ("{", "[")
_decode_json = msgspec.json.Decoder().decode


def content_text(content: object) -> str:
    """The text of a message's content, its blocks joined by a line break."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(_block_texts(cast("list[object]", content)))


def is_prompt(text: str) -> bool:
    """Whether a message in the user's name was really said by the user."""
    return bool(text.strip()) and not text.lstrip().startswith(_HARNESS_PREFIXES)


def json_object(text: object) -> dict[str, object]:
    """The object that stands as JSON in a string; empty when it is something else."""
    if isinstance(text, dict):
        return cast("dict[str, object]", text)
    if not isinstance(text, str) or not text.lstrip().startswith(_JSON_START):
        return {}
    try:
        value = _decode_json(text)
    except (msgspec.DecodeError, RecursionError):
        return {}
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def error_text(error: object) -> str | None:
    """The words of an error, whatever shape it has; ``None`` when there is none."""
    if error is None or isinstance(error, str):
        return error or None
    message = json_object(error).get("message")
    if isinstance(message, str) and message:
        return message
    return msgspec.json.encode(error).decode()


def string(value: object) -> str | None:
    """The value when it is a text that says something."""
    return value if isinstance(value, str) and value else None


def _block_texts(blocks: Iterable[object]) -> Iterable[str]:
    for block in blocks:
        if isinstance(block, str):
            yield block
        elif isinstance(block, Block):
            if block.text is not None:
                yield block.text
        elif isinstance(block, dict):
            text = cast("dict[str, object]", block).get("text")
            if isinstance(text, str):
                yield text
