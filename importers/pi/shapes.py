"""What is read of a pi session's lines: the fields that matter, everything else is passed over.

Every line is an entry of the session's tree, but the first, which says whose session it is.
One shape serves all, for a type that is not known is an entry like any other.
"""

from __future__ import annotations

import msgspec

Moment = str | int | float | None
"""A time as pi writes it: text, or milliseconds since 1970."""

Count = int | float | None


class Usage(msgspec.Struct, frozen=True, rename="camel"):
    """What an answer cost; *input* leaves out what the cache gave or took."""

    input: Count = None
    output: Count = None
    cache_read: Count = None
    cache_write: Count = None


class Message(msgspec.Struct, frozen=True, rename="camel"):
    """What somebody said, or what a tool gave back."""

    role: str = ""
    content: msgspec.Raw = msgspec.Raw(b"null")
    timestamp: Moment = None
    provider: str | None = None
    model: str | None = None
    usage: Usage | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    command: str | None = None
    output: msgspec.Raw = msgspec.Raw(b"null")
    exit_code: int | None = None
    cancelled: bool | None = None


class Line(msgspec.Struct, frozen=True, rename="camel"):
    """Any line: the session's header or an entry of its tree."""

    type: str = ""
    id: str | None = None
    parent_id: str | msgspec.UnsetType | None = msgspec.UNSET
    timestamp: Moment = None
    cwd: str | None = None
    parent_session: str | None = None
    branched_from: str | None = None
    model_id: str | None = None
    name: str | None = None
    summary: str | None = None
    content: msgspec.Raw = msgspec.Raw(b"null")
    message: Message | None = None

    @property
    def is_prompt(self) -> bool:
        """Whether somebody typed this; it begins a run."""
        return self.message is not None and self.message.role == "user" and self.type == "message"


class Key(msgspec.Struct, frozen=True):
    """What names an entry, also in a copy of it."""

    id: str | None = None
    timestamp: Moment = None


class Block(msgspec.Struct, frozen=True):
    """One piece of a message's content."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    arguments: object = None
