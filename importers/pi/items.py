"""The items of a session: what was said and done in its own entries, in the order of the file.

A tool call and its result are one item, which stands where the result came. A call without one
stands before the next prompt, or at the end.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from graph.model import ItemId
from graph.records import ItemRecord
from importers.pi.contents import blocks_of, content_text
from importers.pi.moments import moment_of
from importers.pi.tools import Call, call_of, finished, typed_command
from importers.pi.tree import NONE, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from graph.model import RunId, ThreadId, Timestamp
    from importers.kept_text import TextKeeper
    from importers.pi.lines import Read
    from importers.pi.shapes import Message
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
_UNUSUAL_ENDS = {"error": "error", "aborted": "interrupt"}


class _Place(NamedTuple):
    """Where an item comes from: its entry, the entry's run and time."""

    name: str
    native_id: str | None
    run_id: RunId | None
    at: Timestamp | None

    def nth(self, nth: int) -> _Place:
        """The place of the n-th item of the entry, from 0."""
        return self._replace(name=f"{self.name}.{nth}") if nth else self


class _Said(NamedTuple):
    """What an item says."""

    kind: str
    role: str
    text: str | None
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
    _calls: dict[str, tuple[Call, _Place]] = field(
        default_factory=dict[str, "tuple[Call, _Place]"]
    )

    def read(self, reads: Iterable[tuple[int, Read]]) -> Iterator[ItemRecord]:
        """The items of the entries, each with its place in the tree."""
        for index, read in reads:
            if index < self.tree.inherited:
                continue
            if read.line.is_prompt:
                yield from self._without_result()
            yield from self._items(index, read)
        self.settled = self.count
        yield from self._without_result()

    def _items(self, index: int, read: Read) -> Iterator[ItemRecord]:
        line = read.line
        run = self.tree.run_of[index]
        run_id = self.run_ids.get(run) if run != NONE else None
        place = _Place(name_of(read), line.id, run_id, moment_of(line))
        if line.type == "message":
            if line.message is not None:
                yield from self._message(place, line.message)
        elif line.type in _SUMMARIES:
            yield self._record(place, _Said(line.type, "system", line.summary or None))
        elif line.type == "custom_message":
            yield self._record(place, _Said("message", "system", content_text(line.content)))

    def _message(self, place: _Place, message: Message) -> Iterator[ItemRecord]:
        match message.role:
            case "user":
                yield self._record(place, _Said("message", "user", content_text(message.content)))
            case "assistant":
                yield from self._answer(place, message)
            case "toolResult":
                yield self._result(place, message)
            case "bashExecution":
                text, status = typed_command(message)
                yield self._record(place, _Said("command", "user", text, status))
            case "custom" | "hookMessage":
                text = content_text(message.content)
                yield self._record(place, _Said("message", "system", text))
            case _:
                pass

    def _answer(self, place: _Place, message: Message) -> Iterator[ItemRecord]:
        nth = 0
        for block in blocks_of(message.content):
            if block.type == "toolCall":
                call = call_of(block)
                at = place.nth(nth)._replace(native_id=block.id)
                if block.id:
                    self._calls[block.id] = (call, at)
                else:
                    yield self._record(at, _Said(call.kind, "tool", call.text))
            elif block.thinking:
                yield self._record(place.nth(nth), _Said("reasoning", "assistant", block.thinking))
            elif block.text:
                yield self._record(place.nth(nth), _Said("message", "assistant", block.text))
            else:
                continue
            nth += 1
        kind = _UNUSUAL_ENDS.get(message.stop_reason or "")
        if kind is not None:
            said = _Said(kind, "system", message.error_message or None)
            yield self._record(place.nth(nth), said)

    def _result(self, place: _Place, message: Message) -> ItemRecord:
        lost = (Call("tool_call", message.tool_name or ""), place)
        call, place = self._calls.pop(message.tool_call_id or "", lost)
        output = content_text(message.content)
        text, status = finished(call, output, failed=bool(message.is_error))
        return self._record(place, _Said(call.kind, "tool", text, status))

    def _without_result(self) -> Iterator[ItemRecord]:
        calls = list(self._calls.values())
        self._calls.clear()
        for call, place in calls:
            yield self._record(place, _Said(call.kind, "tool", call.text))

    def _record(self, place: _Place, said: _Said) -> ItemRecord:
        kept = self.keeper.keep(said.text)
        record = ItemRecord(
            item_id=ItemId(f"{self.thread_id}/{place.name}"),
            position=self.count,
            run_id=place.run_id,
            kind=said.kind,
            role=said.role,
            text=kept.text,
            text_bytes=kept.size,
            truncated=kept.truncated,
            status=said.status,
            native_item_id=place.native_id,
            at=place.at,
        )
        self.count += 1
        return record
