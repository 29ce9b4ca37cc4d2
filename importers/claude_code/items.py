"""The items of a conversation: what was said and done in its own part, in the order of its files.

A tool call and its result are one item, which stands where the result came, and so are a command
that the user typed and what it printed. One without the other stands before the next prompt, or
at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from graph.model import ItemId
from graph.records import ItemRecord
from importers.claude_code.entries import NONE, Entry, Kind
from importers.claude_code.moments import moment_of
from importers.claude_code.shapes import Message
from importers.claude_code.texts import (
    blocks_in,
    blocks_of,
    command_text,
    output_text,
    prompt_text,
    raw_text,
    texts_of,
)
from importers.claude_code.tools import COMMAND, Call, call_of, finished, joined
from importers.native_ids import is_usable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from graph.model import RunId, Timestamp
    from importers.claude_code.conversation import Conversation
    from importers.claude_code.lines import Read
    from importers.claude_code.shapes import Block, Line
    from importers.kept_text import TextKeeper

SLASH_COMMAND = "slash_command"
LETTER = "agent_message"

_SAID = {Kind.INTERRUPT: "interrupt", Kind.LETTER: LETTER, Kind.SUMMARY: "compaction"}
_SPEAKING = frozenset({"user", "system", "attachment"})
"""The types of lines that may say something although they are no part of the talk."""

_QUEUED = "queued_command"
_QUEUED_PROMPTS = frozenset({None, "prompt"})
_RAW_MARKS = (b"queued_command", b"<local-command-std", b"<bash-std")
_OUTPUT_MARKS = ("<local-command-std", "<bash-stdout>", "<bash-stderr>")


class _Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An item before it has its place."""

    name: str
    kind: str
    role: str
    text: str | None
    native_id: str | None
    run_id: RunId | None
    at: Timestamp | None
    status: str | None = None


def telling_lines(conversation: Conversation, file: int) -> Callable[[int, bytes], bool]:
    """Which lines of a file may have items, by their numbers and a look at the bytes."""
    own = [entry for entry in conversation.own_entries if entry.file == file]
    talks = bytearray(max((entry.number for entry in own), default=0) + 1)
    for entry in own:
        talks[entry.number] |= entry.kind is not Kind.OTHER

    def may_tell(number: int, raw: bytes) -> bool:
        if number < len(talks) and talks[number]:
            return True
        return any(mark in raw for mark in _RAW_MARKS)

    return may_tell


@dataclass(slots=True)
class ItemReader:
    """Gives the items of a conversation, numbered through; *settled* is right at the end."""

    conversation: Conversation
    keeper: TextKeeper
    count: int = 0
    settled: int = 0
    _run_id: RunId | None = None
    _is_own: bool = False
    _typed: _Draft | None = None
    _calls: dict[str, tuple[Call, _Draft]] = field(
        default_factory=dict[str, "tuple[Call, _Draft]"]
    )

    def read(self, files: Iterable[Iterable[Read]]) -> Iterator[ItemRecord]:
        """The items of the lines of the files, which are those that the conversation has."""
        for file, reads in enumerate(files):
            for read in reads:
                for draft in self._drafts(file, read):
                    yield self._record(draft)
        self.settled = self.count
        for draft in self._unanswered():
            yield self._record(draft)

    def _drafts(self, file: int, read: Read) -> Iterator[_Draft]:
        line = read.line
        if not line.is_link:
            if line.type == "attachment" and self._is_own and not line.is_sidechain:
                name = f"line-{read.number}"
                name = f"{file}:{name}" if file else name
                yield from self._attachment(self._base(name, None, moment_of(line)), line)
            return
        entry = self._own_entry(file, read)
        if entry is None:
            return
        self._is_own = True
        self._run_id = self.conversation.own_run(entry)
        if entry.kind is Kind.OTHER and line.type not in _SPEAKING:
            return
        if entry.kind is Kind.PROMPT:
            yield from self._unanswered()
        native_id = entry.uuid if is_usable(entry.uuid) else None
        base = self._base(native_id or entry.name, native_id, entry.at)
        yield from self._entry(entry.kind, base, line)

    def _own_entry(self, file: int, read: Read) -> Entry | None:
        transcript = self.conversation.transcript
        place = transcript.places.get(read.line.uuid or "", NONE)
        if place < self.conversation.copied.count:
            return None
        entry = transcript.entries[place]
        if entry.number != read.number or entry.file != file or entry.nth != read.nth:
            return None
        return entry if entry.same_as == NONE else None

    def _base(self, name: str, native_id: str | None, at: Timestamp | None) -> _Draft:
        return _Draft(
            name=name,
            kind="message",
            role="system",
            text=None,
            native_id=native_id,
            run_id=self._run_id,
            at=at,
        )

    def _entry(self, kind: Kind, base: _Draft, line: Line) -> Iterator[_Draft]:
        said = _SAID.get(kind)
        if said is not None:
            yield replace(base, kind=said, text=_text(line))
        elif kind is Kind.PROMPT:
            yield replace(base, role="user", text=prompt_text(blocks_of(line.message)) or None)
        elif kind is Kind.ANSWER:
            yield from self._answer(base, line)
        elif kind is Kind.RESULT:
            for block in blocks_of(line.message):
                if block.type == "tool_result":
                    yield from self._result(block, line)
        elif kind is Kind.COMMAND:
            yield from self._command(base, line)
        else:
            yield from self._other(base, line)

    def _answer(self, base: _Draft, line: Line) -> Iterator[_Draft]:
        nth = 0
        for block in blocks_of(line.message):
            here = replace(base, name=f"{base.name}.{nth}" if nth else base.name)
            if block.type.endswith("tool_use"):
                call = call_of(block)
                draft = replace(
                    here, kind=call.kind, role="tool", text=call.text, native_id=block.id
                )
                if block.id:
                    self._calls[block.id] = (call, draft)
                else:
                    yield draft
            elif block.thinking:
                yield replace(here, kind="reasoning", role="assistant", text=block.thinking)
            elif block.text and line.is_api_error_message:
                yield replace(here, kind="error", text=block.text)
            elif block.text:
                yield replace(here, role="assistant", text=block.text)
            else:
                continue
            nth += 1

    def _result(self, block: Block, line: Line) -> Iterator[_Draft]:
        open_call = self._calls.pop(block.tool_use_id or "", None)
        if open_call is not None:
            call, draft = open_call
            text, status = finished(call, block, line.tool_use_result)
            yield replace(draft, text=text, status=status)

    def _command(self, base: _Draft, line: Line) -> Iterator[_Draft]:
        if self._typed is not None:
            yield self._typed
        text = _text(line) or raw_text(line.content)
        is_shell = text.lstrip().startswith("<bash-")
        kind = COMMAND if is_shell else SLASH_COMMAND
        self._typed = replace(base, kind=kind, role="user", text=command_text(text))

    def _other(self, base: _Draft, line: Line) -> Iterator[_Draft]:
        if line.type == "attachment":
            yield from self._attachment(base, line)
            return
        text = (_text(line) if isinstance(line.message, Message | str) else None) or ""
        text = text or (raw_text(line.content) if line.type == "system" else "")
        if text.lstrip().startswith(_OUTPUT_MARKS):
            typed, self._typed = self._typed, None
            draft = typed or replace(base, kind=SLASH_COMMAND, text="")
            whole = joined(draft.text or "", output_text(text))
            if typed is not None or whole:
                yield replace(draft, text=whole, status="completed")

    def _attachment(self, base: _Draft, line: Line) -> Iterator[_Draft]:
        """A prompt that waited while the model worked, and was put beside its work."""
        attachment = line.attachment
        if attachment is None or attachment.type != _QUEUED:
            return
        text = prompt_text(blocks_in(attachment.prompt))
        if attachment.command_mode in _QUEUED_PROMPTS:
            yield replace(base, role="user", text=text or None)
        else:
            yield replace(base, kind=LETTER, text=text or None)

    def _unanswered(self) -> Iterator[_Draft]:
        typed, self._typed = self._typed, None
        calls = list(self._calls.values())
        self._calls.clear()
        if typed is not None:
            yield typed
        for _, draft in calls:
            yield draft

    def _record(self, draft: _Draft) -> ItemRecord:
        kept = self.keeper.keep(draft.text)
        record = ItemRecord(
            item_id=ItemId(f"{self.conversation.context.thread_id}/{draft.name}"),
            position=self.count,
            run_id=draft.run_id,
            kind=draft.kind,
            role=draft.role,
            text=kept.text,
            text_bytes=kept.size,
            truncated=kept.truncated,
            status=draft.status,
            native_item_id=draft.native_id,
            at=draft.at,
        )
        self.count += 1
        return record


def _text(line: Line) -> str | None:
    return "\n".join(texts_of(blocks_of(line.message))) or None
