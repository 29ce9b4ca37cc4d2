"""The links of a conversation's chain, boiled down to what runs and edges are told from.

There are as many as a file has lines. So they are of a kind that is made quickly and that the
garbage collector passes over.
"""

from __future__ import annotations

import re
from enum import IntEnum
from sys import intern
from typing import TYPE_CHECKING

import msgspec

from importers.claude_code.moments import moment_of
from importers.claude_code.shapes import Line, Message
from importers.claude_code.texts import (
    Voice,
    blocks_of,
    fields_of,
    prompt_text,
    raw_text,
    texts_of,
    voice_of,
)
from importers.native_ids import is_usable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from graph.model import Timestamp
    from importers.claude_code.lines import Read
    from importers.claude_code.shapes import Block, Usage

NONE = -1
"""No entry."""

PREVIEW_CHARACTERS = 400
"""How much of a text is kept for previews and errors."""

SPAWNING_TOOLS = frozenset({"Agent", "Task", "Workflow"})
SYNTHETIC_MODEL = "<synthetic>"

_NAMED_AGENT = re.compile(r"^agentId: ([\w-]+)", re.MULTILINE)


class Kind(IntEnum):
    """What a link is for the conversation; all that says nothing in it is ``OTHER``."""

    OTHER = 0
    PROMPT = 1
    ANSWER = 2
    RESULT = 3
    INTERRUPT = 4
    COMMAND = 5
    LETTER = 6
    BOUNDARY = 7
    SUMMARY = 8


_KIND_OF_VOICE = {
    Voice.PROMPT: Kind.PROMPT,
    Voice.RESULT: Kind.RESULT,
    Voice.INTERRUPT: Kind.INTERRUPT,
    Voice.COMMAND: Kind.COMMAND,
    Voice.LETTER: Kind.LETTER,
    Voice.OUTPUT: Kind.OTHER,
    Voice.ASIDE: Kind.OTHER,
}


class SpawnCall(msgspec.Struct, frozen=True, gc=False):
    """A call of a tool that starts an agent; *prompt* is a hash of the task, blanks aside."""

    call_id: str
    prompt: int


class Answer(msgspec.Struct, gc=False):
    """What an answer's line tells of the run; *stopped* says why the whole answer ended.

    Of an answer in several lines only the last one keeps the usage.
    """

    message_id: str | None
    model: str | None
    stopped: str | None
    usage: Usage | None
    calls_tool: bool
    error: str | None = None


class Facts(msgspec.Struct, eq=False, gc=False):
    """What only some links have.

    *agents* are the agents that a tool's result names, by the call that it answers. Of a copied
    line, *forked_from* is the session that it was copied from, *old_uuid* its id there where
    the copy got a new one, and *made_in* the session that asked the model for it.
    """

    text: str | None = None
    content: int = 0
    spawn_calls: tuple[SpawnCall, ...] = ()
    agents: tuple[tuple[str, str], ...] = ()
    forked_from: str | None = None
    old_uuid: str | None = None
    made_in: str | None = None
    is_partial: bool = False

    @property
    def source(self) -> str | None:
        """The session that a copied line says it is from."""
        return self.forked_from or self.made_in


class Entry(msgspec.Struct, eq=False, gc=False):
    """One link, by its place in the thread's files; *parent* is the place of another link.

    *is_talk* says that somebody said something: it shows which way the conversation went.
    """

    file: int
    number: int
    nth: int
    uuid: str
    kind: Kind
    at: Timestamp | None
    facts: Facts | None = None
    answer: Answer | None = None
    is_talk: bool = False
    parent: int = NONE
    same_as: int = NONE
    run: int = NONE

    @property
    def name(self) -> str:
        """What ids are made of where the link has no usable id."""
        line = f"line-{self.number}.{self.nth}" if self.nth else f"line-{self.number}"
        return f"{self.file}:{line}" if self.file else line


def entry_of(read: Read, file: int) -> Entry:
    """The link that a line is."""
    line = read.line
    kind = _kind(line)
    facts = _facts(line, kind) if kind is not Kind.OTHER else None
    if line.request_session_id is not None or line.forked_from is not None:
        facts = facts or Facts()
        _tell_source(facts, line)
    answer = _answer(line) if kind is Kind.ANSWER else None
    return Entry(
        file=file,
        number=read.number,
        nth=read.nth,
        uuid=line.uuid or "",
        kind=kind,
        at=moment_of(line),
        facts=facts,
        answer=answer,
        is_talk=answer is not None or kind is Kind.PROMPT,
    )


def content_hash(text: str) -> int:
    """A number that tells texts apart within this process, blanks aside."""
    return hash(" ".join(text.split()))


def _kind(line: Line) -> Kind:
    match line.type:
        case "assistant":
            return Kind.ANSWER if isinstance(line.message, Message) else Kind.OTHER
        case "user" if line.is_compact_summary:
            return Kind.SUMMARY
        case "user":
            return _KIND_OF_VOICE[voice_of(line)]
        case "system" if line.subtype == "compact_boundary":
            return Kind.BOUNDARY
        case "system" if line.subtype == "local_command":
            is_output = raw_text(line.content).lstrip().startswith("<local-command-")
            return Kind.OTHER if is_output else Kind.COMMAND
        case _:
            return Kind.OTHER


def _facts(line: Line, kind: Kind) -> Facts | None:
    if kind is Kind.ANSWER:
        calls = tuple(_spawn_calls(blocks_of(line.message)))
        return Facts(spawn_calls=calls) if calls else None
    if kind is Kind.PROMPT or kind is Kind.LETTER:
        text = prompt_text(blocks_of(line.message))
        return Facts(text=text[:PREVIEW_CHARACTERS], content=content_hash(text))
    if kind is Kind.RESULT:
        agents = tuple(_agents(line))
        return Facts(agents=agents) if agents else None
    if kind is Kind.SUMMARY and fields_of(line.summarize_metadata):
        return Facts(is_partial=True)
    return None


def _tell_source(facts: Facts, line: Line) -> None:
    facts.made_in = line.request_session_id or None
    if line.forked_from is not None and line.forked_from.session_id:
        facts.forked_from = line.forked_from.session_id
        old = line.forked_from.message_uuid
        facts.old_uuid = old if old and old != line.uuid else None


def _answer(line: Line) -> Answer | None:
    message = line.message
    if not isinstance(message, Message):
        return None
    is_synthetic = message.model == SYNTHETIC_MODEL
    if is_synthetic and not line.is_api_error_message:
        # The program filled a gap: nobody answered anything.
        return None
    blocks = blocks_of(message)
    return Answer(
        message_id=message.id,
        model=intern(message.model) if message.model and not is_synthetic else None,
        stopped=intern(message.stop_reason) if message.stop_reason else None,
        usage=message.usage,
        calls_tool=any(block.type.endswith("tool_use") for block in blocks),
        error="\n".join(texts_of(blocks))[:PREVIEW_CHARACTERS]
        if line.is_api_error_message
        else None,
    )


def _spawn_calls(blocks: Sequence[Block]) -> Iterator[SpawnCall]:
    for block in blocks:
        if block.type == "tool_use" and block.id and block.name in SPAWNING_TOOLS:
            prompt = fields_of(block.input).get("prompt")
            yield SpawnCall(block.id, content_hash(prompt) if isinstance(prompt, str) else 0)


def _agents(line: Line) -> Iterator[tuple[str, str]]:
    """The agent that a call started: in the tool's own words, else in those for the model."""
    for block in blocks_of(line.message):
        if block.type != "tool_result" or not block.tool_use_id:
            continue
        agent: object = None
        # Results can be large; few of them are worth decoding.
        if b'"agentId"' in bytes(line.tool_use_result):
            agent = fields_of(line.tool_use_result).get("agentId")
        elif b"agentId: " in bytes(block.content):
            named = _NAMED_AGENT.findall(raw_text(block.content))
            agent = named[-1] if named else None
        if isinstance(agent, str) and is_usable(agent):
            yield block.tool_use_id, agent
