"""What single lines say as items: kind, role and text, before they get a place in the thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from importers.codex.texts import content_text, error_text, is_prompt, json_object, string
from importers.codex.tools import (
    COMMAND,
    FILE_CHANGE,
    PLAN,
    TOOL_CALL,
    changed_files,
    command_item,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from importers.codex.shapes import Event, ResponseItem, ThreadItem

_NOTIFICATION = "<subagent_notification>"


@dataclass(frozen=True, slots=True)
class Draft:
    """An item without its place. One that *repeats* a model item has the id of its call."""

    kind: str
    role: str
    text: str | None
    status: str | None = None
    native_id: str | None = None
    call_id: str | None = None

    def ended(self, text: str, status: str) -> Draft:
        """The same with its outcome."""
        return Draft(self.kind, self.role, text, status, self.native_id, self.call_id)

    def repeats(self, told: set[str]) -> bool:
        """Whether the model items *told* in this turn have said it already."""
        return self.call_id is not None and self.call_id in told


def draft_of_event(event: Event, *, in_review: bool) -> Draft | None:
    """The item that an event tells, if it tells one."""
    if in_review and event.type in _MESSAGES:
        # Inside a review the reviewer's own messages are told here, too.
        return None
    telling = _OF_EVENT.get(event.type)
    return None if telling is None else telling(event)


def draft_of_response(item: ResponseItem, *, with_messages: bool) -> Draft | None:
    """The item that the model saw or said, calls and outputs aside."""
    match item.type:
        case "message":
            return _draft_of_message(item, with_messages=with_messages)
        case "reasoning":
            text = "\n".join(
                part for part in (content_text(item.summary), content_text(item.content)) if part
            )
            return Draft("reasoning", "assistant", text, native_id=item.id) if text else None
        case "agent_message":
            return Draft("agent_message", "system", content_text(item.content), native_id=item.id)
        case "web_search_call":
            action = json_object(item.action)
            query = string(action.get("query")) or string(action.get("url"))
            return Draft("web_search", "tool", query, item.status, item.id)
        case "image_generation_call":
            return Draft("image", "tool", None, item.status, item.id)
        case _:
            return None


def _draft_of_message(item: ResponseItem, *, with_messages: bool) -> Draft | None:
    text = content_text(item.content)
    if item.role == "user" and text.lstrip().startswith(_NOTIFICATION):
        return Draft("agent_message", "system", text, native_id=item.id)
    if not with_messages:
        return None
    if item.role == "assistant" or (item.role == "user" and is_prompt(text)):
        return Draft("message", item.role, text, native_id=item.id)
    return None


def _of_thread_item(event: Event) -> Draft | None:
    item = event.item
    telling = None if item is None else _OF_ITEM.get(item.type)
    return None if item is None or telling is None else telling(item)


def _of_error(event: Event) -> Draft | None:
    return Draft("error", "system", error_text(event.error)) if event.error is not None else None


def _of_patch(event: Event) -> Draft:
    status = "failed" if event.success is False else "completed"
    files = changed_files(event.changes)
    return Draft(FILE_CHANGE, "tool", files, status, event.call_id, event.call_id)


def _of_command(item: ThreadItem) -> Draft:
    outcome = command_item(item)
    return Draft(COMMAND, "tool", outcome.text, outcome.status, item.id, item.id)


def _of_file_change(item: ThreadItem) -> Draft:
    files = changed_files(item.changes)
    return Draft(FILE_CHANGE, "tool", files, item.status, item.id, item.id)


def _of_tool_call(item: ThreadItem) -> Draft:
    return Draft(TOOL_CALL, "tool", item.tool, item.status, item.id, item.id)


def _of_message(role: str) -> Callable[[ThreadItem], Draft]:
    return lambda item: Draft("message", role, content_text(item.content), native_id=item.id)


def _activity(kind: str | None, agent: str | None, native_id: str | None) -> Draft:
    return Draft("agent_activity", "system", agent, kind, native_id)


def _review_text(output: object) -> str | None:
    told = json_object(output)
    parts = [string(told.get("overall_explanation"))]
    findings = told.get("findings")
    for finding in cast("list[object]", findings if isinstance(findings, list) else []):
        fields = json_object(finding)
        parts.extend((string(fields.get("title")), string(fields.get("body"))))
    return "\n".join(part for part in parts if part) or None


_MESSAGES = frozenset({"user_message", "agent_message"})

_OF_EVENT: dict[str, Callable[[Event], Draft | None]] = {
    "item_completed": _of_thread_item,
    "user_message": lambda event: Draft("message", "user", event.message or ""),
    "agent_message": lambda event: Draft("message", "assistant", event.message or ""),
    "turn_aborted": lambda event: Draft("interrupt", "system", event.reason or "interrupted"),
    "task_complete": _of_error,
    "turn_complete": _of_error,
    "entered_review_mode": lambda event: Draft(
        "review", "system", event.user_facing_hint, "started"
    ),
    "exited_review_mode": lambda event: Draft(
        "review", "system", _review_text(event.review_output), "completed"
    ),
    "patch_apply_end": _of_patch,
    "sub_agent_activity": lambda event: _activity(
        event.kind, event.agent_path or event.agent_thread_id, None
    ),
}

_OF_ITEM: dict[str, Callable[[ThreadItem], Draft]] = {
    "UserMessage": _of_message("user"),
    "AgentMessage": _of_message("assistant"),
    "Plan": lambda item: Draft(PLAN, "assistant", item.text, native_id=item.id),
    "CommandExecution": _of_command,
    "FileChange": _of_file_change,
    "McpToolCall": _of_tool_call,
    "DynamicToolCall": _of_tool_call,
    "CollabAgentToolCall": _of_tool_call,
    "SubAgentActivity": lambda item: _activity(
        item.kind, item.agent_path or item.agent_thread_id, item.id
    ),
    "EnteredReviewMode": lambda item: Draft(
        "review", "system", item.user_facing_hint, "started", item.id
    ),
    "ExitedReviewMode": lambda item: Draft(
        "review", "system", _review_text(item.review_output), "completed", item.id
    ),
}
