"""The items of a session: what was said and done in its own entries, in the order of the file.

A tool call and its result are one item, which stands where the result came. A call without one
stands before the next prompt, or at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from graph.model import ItemId, ItemRecord
from importers.pi.contents import blocks_of, content_text
from importers.pi.moments import moment_of
from importers.pi.tools import Call, call_of, finished, typed_command
from importers.pi.tree import NONE, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from graph.model import RunId, ThreadId, Timestamp
    from importers.kept_text import TextKeeper
    from importers.pi.lines import Read
    from importers.pi.shapes import Line, Message
    from importers.pi.tree import Tree

KNOWN_ROLES = frozenset(
    {
        "user",
        "assistant",
        "toolResult",
        "bashExecution",
        "custom",
        "hookMessage",
        "branchSummary",
        "compactionSummary",
    }
)
"""Who speaks in a session; the last two repeat what entries of their own say."""

_SUMMARIES = frozenset({"compaction", "branch_summary"})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Draft:
    """An item before it has its place."""

    name: str
    kind: str
    role: str
    text: str | None
    native_id: str | None
    run_id: RunId | None
    at: Timestamp | None
    status: str | None = None


@dataclass(slots=True)
class ItemReader:
    """Gives the items of a session, numbered through; *settled* is right once all are taken."""

    thread_id: ThreadId
    tree: Tree
    run_ids: Mapping[int, RunId]
    keeper: TextKeeper
    count: int = 0
    settled: int = 0
    _calls: dict[str, tuple[Call, _Draft]] = field(
        default_factory=dict[str, "tuple[Call, _Draft]"]
    )

    def read(self, reads: Iterable[tuple[int, Read]]) -> Iterator[ItemRecord]:
        """The items of the entries, each with its place in the tree."""
        for index, read in reads:
            if index < self.tree.inherited:
                continue
            if read.line.is_prompt:
                yield from self._without_result()
            for draft in self._drafts(index, read):
                yield self._record(draft)
        self.settled = self.count
        yield from self._without_result()

    def _drafts(self, index: int, read: Read) -> Iterator[_Draft]:
        line = read.line
        run = self.tree.run_of[index]
        base = _Draft(
            name=name_of(read),
            kind="message",
            role="system",
            text=None,
            native_id=line.id,
            run_id=self.run_ids.get(run) if run != NONE else None,
            at=moment_of(line),
        )
        if line.type in _SUMMARIES:
            yield replace(base, kind=line.type, text=line.summary or None)
        elif line.type == "custom_message":
            yield replace(base, text=content_text(line.content))
        elif line.type == "message" and line.message is not None:
            yield from self._message(base, line, line.message)

    def _message(self, base: _Draft, line: Line, message: Message) -> Iterator[_Draft]:
        match message.role:
            case "user":
                yield replace(base, role="user", text=content_text(message.content))
            case "assistant":
                yield from self._answer(base, message)
            case "toolResult":
                yield self._result(base, message)
            case "bashExecution":
                text, status = typed_command(message)
                yield replace(base, kind="command", role="user", text=text, status=status)
            case "custom" | "hookMessage":
                yield replace(base, text=content_text(message.content))
            case _:
                pass

    def _answer(self, base: _Draft, message: Message) -> Iterator[_Draft]:
        said = replace(base, role="assistant")
        nth = 0
        for block in blocks_of(message.content):
            here = replace(said, name=_nth(base.name, nth))
            if block.type == "toolCall":
                call = call_of(block)
                draft = replace(
                    here, kind=call.kind, role="tool", text=call.text, native_id=block.id
                )
                if block.id:
                    self._calls[block.id] = (call, draft)
                else:
                    yield draft
            elif block.thinking:
                yield replace(here, kind="reasoning", text=block.thinking)
            elif block.text:
                yield replace(here, text=block.text)
            else:
                continue
            nth += 1
        last = replace(said, name=_nth(base.name, nth), role="system")
        if message.stop_reason == "error":
            yield replace(last, kind="error", text=message.error_message or None)
        elif message.stop_reason == "aborted":
            yield replace(last, kind="interrupt", text=message.error_message or None)

    def _result(self, base: _Draft, message: Message) -> _Draft:
        open_call = self._calls.pop(message.tool_call_id or "", None)
        output = content_text(message.content)
        failed = bool(message.is_error)
        if open_call is None:
            lost = Call("tool_call", message.tool_name or "")
            text, status = finished(lost, output, failed=failed)
            return replace(base, kind=lost.kind, role="tool", text=text, status=status)
        call, draft = open_call
        text, status = finished(call, output, failed=failed)
        return replace(draft, text=text, status=status)

    def _without_result(self) -> Iterator[ItemRecord]:
        calls = list(self._calls.values())
        self._calls.clear()
        for _, draft in calls:
            yield self._record(draft)

    def _record(self, draft: _Draft) -> ItemRecord:
        kept = self.keeper.keep(draft.text)
        record = ItemRecord(
            item_id=ItemId(f"{self.thread_id}/{draft.name}"),
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


def _nth(name: str, nth: int) -> str:
    return f"{name}.{nth}" if nth else name
