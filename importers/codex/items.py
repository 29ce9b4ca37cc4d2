"""The items of a thread: what was said and done in its own turns, in the order of its files.

Messages are told twice, as events and as what the model saw; the events are taken, for the
model also sees what the user never said. Files without such events (the oldest ones) have the
model's messages, without what Codex itself put there. A tool call and its output are one item,
which stands where the output came, or where the turn ended without one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.model import ItemId
from graph.records import ItemRecord
from importers.codex.drafts import Draft, draft_of_event, draft_of_response
from importers.codex.run_ids import line_name
from importers.codex.shapes import CompactedLine, EventLine, LetterLine, ResponseLine
from importers.codex.tools import Call, call_of, finished
from importers.timestamps import timestamp

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from graph.model import RunId
    from importers.codex.history import History
    from importers.codex.lines import Line
    from importers.codex.rollout import Rollout
    from importers.codex.shapes import KnownLine
    from importers.codex.turns import Span
    from importers.kept_text import TextKeeper

_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "tool_search_call"})
_OUTPUTS = frozenset({"function_call_output", "custom_tool_call_output", "tool_search_output"})

_HEAD_BYTES = 600
_TOOL_ITEM = re.compile(
    rb'"item":\{"type":"(?:CommandExecution|FileChange|McpToolCall)","id":"([\w-]+)"'
)
_ENDS = frozenset({"turn_aborted", "task_complete", "turn_complete"})


@dataclass(frozen=True, slots=True)
class _OpenCall:
    """A tool call whose output did not come yet."""

    call: Call
    draft: Draft
    line: int
    run_id: RunId | None
    written: str | None


@dataclass(slots=True)
class ItemReader:
    """Gives the items of one rollout after the other, numbered through."""

    history: History
    texts: TextKeeper
    count: int = 0
    settled: int = 0
    _seen: set[int] = field(default_factory=set[int])
    _rollout_id: str = ""
    _run_id: RunId | None = None
    _in_review: bool = False
    _calls: dict[str, _OpenCall] = field(default_factory=dict[str, _OpenCall])
    _turn_ids: dict[str, RunId] = field(default_factory=dict["str", "RunId"])
    _told: set[str] = field(default_factory=set[str])
    _by_events: bool = False

    def __post_init__(self) -> None:
        rollouts = self.history.revisions.rollouts
        self._by_events = any(rollout.story.has_messages for rollout in rollouts)
        self._turn_ids = {
            own.turn.turn_id: own.run_id
            for own in self.history.turns
            if own.turn.turn_id is not None
        }

    def read(self, rollout: Rollout, lines: Iterable[Line]) -> Iterator[ItemRecord]:
        """The items of the next rollout; *settled* is right once they are all taken."""
        owned = self.history.owned(rollout)
        spans: list[Span] = rollout.story.turns.spans
        upcoming = 0
        began = self.count
        self._rollout_id = rollout.rollout_id
        self._run_id = None
        for number, line in lines:
            while upcoming < len(spans) and spans[upcoming][0] <= number:
                yield from self._without_output()
                self._run_id = self.history.run_of(spans[upcoming][1])
                self._in_review = False
                self._told.clear()
                began = self.count
                upcoming += 1
            if number >= owned.own_from:
                item = self._take(number, line, owned.foreign_turn_ids)
                if item is not None:
                    yield item
        is_open = bool(spans) and spans[-1][1] is not None and spans[-1][1].is_open
        yield from self._without_output()
        self.settled = began if is_open else self.count
        if not self._by_events:
            # Should events come later, all messages would be taken from them.
            self.settled = 0

    def repeats(self, raw: bytes) -> bool:
        """Whether a line only says again what a tool call of this turn said.

        In long files that is about half of all bytes: every output stands there twice or more.
        """
        found = _TOOL_ITEM.search(raw, 0, _HEAD_BYTES)
        return found is not None and found[1].decode() in self._told

    def _take(self, number: int, line: KnownLine, foreign: frozenset[str]) -> ItemRecord | None:
        """The item that a line gives; none gives two."""
        match line:
            case EventLine():
                if line.payload.turn_id in foreign:
                    return None
                return self._take_event(number, line)
            case ResponseLine():
                if line.payload.turn_id in foreign:
                    return None
                return self._take_response(number, line)
            case CompactedLine():
                draft = Draft("compaction", "system", line.payload.message or None)
            case LetterLine(payload=letter):
                text = letter.content or None
                draft = Draft("agent_message", "system", text, native_id=letter.id)
            case _:
                return None
        return self._item(number, line.timestamp, draft)

    def _take_event(self, number: int, line: EventLine) -> ItemRecord | None:
        event = line.payload
        if event.type == "entered_review_mode":
            self._in_review = True
        elif event.type == "exited_review_mode":
            self._in_review = False
        elif event.type in _ENDS and event.turn_id and event.turn_id not in self._turn_ids:
            # A fork freezes the turn that it was cut in: that is the source's.
            return None
        draft = draft_of_event(event, in_review=self._in_review)
        if draft is None or draft.repeats(self._told):
            return None
        return self._item(number, line.timestamp, draft, event.turn_id)

    def _take_response(self, number: int, line: ResponseLine) -> ItemRecord | None:
        item = line.payload
        if item.type in _CALLS:
            return self._take_call(number, line)
        if item.type in _OUTPUTS:
            open_call = self._calls.pop(item.call_id or "", None)
            if open_call is None:
                return None
            outcome = finished(open_call.call, item.output)
            return self._of_call(open_call, open_call.draft.ended(outcome.text, outcome.status))
        draft = draft_of_response(item, with_messages=not self._by_events)
        if draft is None:
            return None
        return self._item(number, line.timestamp, draft, item.turn_id)

    def _take_call(self, number: int, line: ResponseLine) -> ItemRecord | None:
        item = line.payload
        call = call_of(item)
        draft = Draft(call.kind, "tool", call.text, native_id=item.id or item.call_id)
        self._told.update(name for name in (item.id, item.call_id) if name)
        run_id = self._turn_ids.get(item.turn_id or "", self._run_id)
        open_call = _OpenCall(call, draft, number, run_id, line.timestamp)
        if not item.call_id:
            return self._of_call(open_call, draft)
        self._calls[item.call_id] = open_call
        return None

    def _without_output(self) -> Iterator[ItemRecord]:
        calls = list(self._calls.values())
        self._calls.clear()
        for open_call in calls:
            yield self._of_call(open_call, open_call.draft)

    def _of_call(self, open_call: _OpenCall, draft: Draft) -> ItemRecord:
        item_id = self._item_id(open_call.line, draft.native_id)
        return self._record(item_id, draft, open_call.run_id, open_call.written)

    def _item(
        self, number: int, written: str | None, draft: Draft, turn_id: str | None = None
    ) -> ItemRecord:
        run_id = self._turn_ids.get(turn_id or "", self._run_id)
        return self._record(self._item_id(number, draft.native_id), draft, run_id, written)

    def _item_id(self, number: int, native_id: str | None) -> ItemId:
        """An id that no other item of the thread has: Codex's own, else that of the line."""
        owner = self.history.thread_id
        place = line_name(owner, self._rollout_id, number)
        name, further = native_id or place, 0
        while (known := hash(name)) in self._seen:
            name = f"{place}.{further}" if further else place
            further += 1
        self._seen.add(known)
        return ItemId(f"{owner}/{name}")

    def _record(
        self, item_id: ItemId, draft: Draft, run_id: RunId | None, written: str | None
    ) -> ItemRecord:
        text, size, truncated = self.texts.keep(draft.text)
        record = ItemRecord(
            item_id=item_id,
            position=self.count,
            run_id=run_id,
            kind=draft.kind,
            role=draft.role,
            text=text,
            text_bytes=size,
            truncated=truncated,
            status=draft.status,
            native_item_id=draft.native_id,
            at=timestamp(written),
        )
        self.count += 1
        return record
