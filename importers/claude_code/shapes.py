"""What is read of a transcript's lines: the fields that matter, everything else is passed over.

A line is a link of the conversation's chain (it has an id and names its parent), or it only
controls the program. One shape serves all: types come and go with every version. None of the
shapes can be part of a cycle, so the garbage collector need not look at the many there are.
"""

from __future__ import annotations

import msgspec

Moment = str | int | float | None
"""A time as it is written: text, or a count since 1970."""

Count = int | float | None

_NOTHING = msgspec.Raw(b"null")


class TokenDetails(msgspec.Struct, frozen=True, gc=False):
    """What the tokens of an answer were spent on."""

    thinking_tokens: Count = None


class Usage(msgspec.Struct, frozen=True, gc=False):
    """What an answer cost; *input_tokens* leaves out what the cache gave or took."""

    input_tokens: Count = None
    cache_creation_input_tokens: Count = None
    cache_read_input_tokens: Count = None
    output_tokens: Count = None
    output_tokens_details: TokenDetails | None = None


class Block(msgspec.Struct, frozen=True, gc=False):
    """One piece of a message's content."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = _NOTHING
    tool_use_id: str | None = None
    content: msgspec.Raw = _NOTHING
    is_error: bool | None = None


class Message(msgspec.Struct, frozen=True, gc=False):
    """What somebody said; an answer of the model stands in several lines, a block in each."""

    role: str | None = None
    id: str | None = None
    model: str | None = None
    content: list[Block | str] | str | None = None
    stop_reason: str | None = None
    usage: Usage | None = None


class ForkedFrom(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Where a copied line was copied from."""

    session_id: str | None = None
    message_uuid: str | None = None


class Origin(msgspec.Struct, frozen=True, gc=False):
    """Who spoke in the user's name."""

    kind: str | None = None


class Attachment(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """What was put beside the conversation; a queued prompt is the one that somebody typed."""

    type: str = ""
    prompt: list[Block | str] | str | None = None
    command_mode: str | None = None


class Snapshot(msgspec.Struct, frozen=True, gc=False):
    """A state of the user's files; only its time is read."""

    timestamp: Moment = None


class Line(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    """Any line of a transcript."""

    type: str = ""
    subtype: str | None = None
    uuid: str | None = None
    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    session_id: str | None = None
    agent_id: str | None = None
    is_sidechain: bool | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_api_error_message: bool | None = None
    timestamp: Moment = None
    message: Message | str | None = None
    content: msgspec.Raw = _NOTHING
    tool_use_result: msgspec.Raw = _NOTHING
    attachment: Attachment | None = None
    forked_from: ForkedFrom | None = None
    request_session_id: str | None = None
    session_kind: str | None = None
    origin: Origin | None = None
    summarize_metadata: msgspec.Raw = _NOTHING
    cwd: str | None = None
    git_branch: str | None = None
    version: str | None = None
    entrypoint: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    explicit: bool | None = None
    message_id: str | None = None
    snapshot: Snapshot | None = None
    parent_session_id: str | None = None
    parent_last_uuid: str | None = None

    @property
    def is_link(self) -> bool:
        """Whether the line is a link of the chain; some titles have an id and are none."""
        return bool(self.uuid) and self.type not in CONTROL_TYPES


LINK_TYPES = frozenset({"user", "assistant", "system", "attachment", "progress"})

CONTEXT_REFERENCE = "fork-context-ref"

CONTROL_TYPES = frozenset(
    {
        CONTEXT_REFERENCE,
        "agent-name",
        "agent-setting",
        "ai-title",
        "api-request",
        "api-request-blob",
        "api-request-shape",
        "atis-latch",
        "bridge-session",
        "content-replacement",
        "cost-state",
        "custom-title",
        "file-history-snapshot",
        "last-prompt",
        "mode",
        "permission-mode",
        "pr-link",
        "queue-operation",
        "summary",
        "tag",
        "tools-used",
        "turn_end",
    }
)
