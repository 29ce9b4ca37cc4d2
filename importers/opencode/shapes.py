"""What is read of OpenCode's JSON: the fields that matter, everything else is passed over.

The same shapes stand in the columns of the database, in the files of the older storage, and in
the events from which removed messages can be told.
"""

from __future__ import annotations

import msgspec

Number = int | float | None


class Times(msgspec.Struct, frozen=True):
    """When something happened, in milliseconds since 1970."""

    created: Number = None
    updated: Number = None
    completed: Number = None
    archived: Number = None
    start: Number = None
    end: Number = None


class Cache(msgspec.Struct, frozen=True):
    """The tokens that a cache gave and took."""

    read: Number = None
    write: Number = None


class Tokens(msgspec.Struct, frozen=True):
    """What an answer cost; *input* leaves out the cache's part, *output* mostly the thoughts."""

    total: Number = None
    input: Number = None
    output: Number = None
    reasoning: Number = None
    cache: Cache = Cache()


class ErrorData(msgspec.Struct, frozen=True):
    """The details of an error."""

    message: str | None = None


class ErrorField(msgspec.Struct, frozen=True):
    """Why an answer ended badly."""

    name: str = ""
    data: ErrorData = ErrorData()


class ModelField(msgspec.Struct, frozen=True):
    """A model, under the names that different places have for it."""

    id: str | None = None
    modelID: str | None = None  # noqa: N815 - OpenCode's name


class Info(msgspec.Struct, frozen=True):
    """A message without its parts; *summary* is a flag or, for prompts, an object."""

    id: str | None = None
    sessionID: str | None = None  # noqa: N815 - OpenCode's name
    role: str = ""
    parentID: str | None = None  # noqa: N815 - OpenCode's name
    time: Times = Times()
    modelID: str | None = None  # noqa: N815 - OpenCode's name
    tokens: Tokens | None = None
    error: ErrorField | None = None
    finish: str | None = None
    summary: object = None


class ToolState(msgspec.Struct, frozen=True):
    """How a tool call stands."""

    status: str = ""
    input: object = None
    output: object = None
    error: object = None
    metadata: object = None
    time: Times = Times()


class Part(msgspec.Struct, frozen=True):
    """One piece of a message."""

    id: str | None = None
    messageID: str | None = None  # noqa: N815 - OpenCode's name
    type: str = ""
    text: str | None = None
    synthetic: bool | None = None
    ignored: bool | None = None
    tool: str | None = None
    callID: str | None = None  # noqa: N815 - OpenCode's name
    state: ToolState | None = None
    prompt: str | None = None
    filename: str | None = None
    name: str | None = None
    time: Times = Times()


class PartHead(msgspec.Struct, frozen=True):
    """What must be known of a part before its content matters."""

    id: str | None = None
    messageID: str | None = None  # noqa: N815 - OpenCode's name
    type: str = ""
    synthetic: bool | None = None
    ignored: bool | None = None
    tool: str | None = None


class Revert(msgspec.Struct, frozen=True):
    """What a session was taken back to: the message, or the part of it, is the first to go."""

    messageID: str | None = None  # noqa: N815 - OpenCode's name
    partID: str | None = None  # noqa: N815 - OpenCode's name


class SessionInfo(msgspec.Struct, frozen=True):
    """A session, as files and events have it."""

    id: str | None = None
    projectID: str | None = None  # noqa: N815 - OpenCode's name
    parentID: str | None = None  # noqa: N815 - OpenCode's name
    directory: str | None = None
    title: str | None = None
    version: str | None = None
    agent: str | None = None
    model: ModelField | None = None
    revert: Revert | None = None
    time: Times = Times()
