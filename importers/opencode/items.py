"""The items of a session: what was said and done in its own messages, in their order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from graph.model import ItemId
from graph.records import ItemRecord
from importers.opencode.conversation import NO_RUN
from importers.opencode.moments import moment
from importers.opencode.tools import tool_item

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from graph.model import RunId, Timestamp
    from importers.kept_text import TextKeeper
    from importers.opencode.conversation import Conversation
    from importers.opencode.database import DatabaseReader
    from importers.opencode.session import Message
    from importers.opencode.shapes import Part
    from importers.opencode.storage import StorageReader
    from importers.raw_lines import Skipping

ABORTED = "MessageAbortedError"

_KNOWN = frozenset(
    {"text", "reasoning", "step-start", "step-finish", "snapshot", "patch", "compaction", "retry"}
)
"""Parts that may say nothing: empty ones, frames, states of the files, marks."""


class _Said(NamedTuple):
    """What an item says."""

    kind: str
    role: str
    text: str | None
    status: str | None = None


@dataclass(slots=True)
class ItemReader:
    """Gives the items of a session, numbered through; *settled* is right once all are taken."""

    told: Conversation
    reader: DatabaseReader | StorageReader
    run_ids: dict[int, RunId]
    inherited: Collection[str]
    keeper: TextKeeper
    skipping: Skipping
    count: int = 0
    settled: int = 0

    def read(self) -> Iterator[ItemRecord]:
        """All items of the session's own messages."""
        last_prompt = self.told.prompts[-1] if self.told.prompts else NO_RUN
        for place, message in enumerate(self.told.messages):
            if message.message_id in self.inherited:
                continue
            if place == last_prompt:
                self.settled = self.count
            yield from self._items(place, message)

    def _items(self, place: int, message: Message) -> Iterator[ItemRecord]:
        run_id = self.run_ids.get(self.told.run_of[place])
        for part_id, part in self.told.parts_of(self.reader, message, self.skipping):
            said = self._said(message, part)
            if said is not None:
                at = moment(part.time.start or message.created)
                yield self._record(part_id, said, run_id, at)
        error = message.info.error
        if error is not None:
            kind = "interrupt" if error.name == ABORTED else "error"
            said = _Said(kind, "system", error.data.message or error.name or None)
            at = moment(message.info.time.completed or message.created)
            yield self._record(message.message_id, said, run_id, at)

    def _said(self, message: Message, part: Part) -> _Said | None:
        role = "user" if message.info.role == "user" else "assistant"
        said: _Said | None = None
        match part.type:
            case "text" if part.synthetic or part.ignored:
                # What OpenCode says in the user's name.
                pass
            case "text" if message.info.summary is True:
                said = _Said("compaction", "system", part.text)
            case "text" if part.text or role == "user":
                said = _Said("message", role, part.text or "")
            case "reasoning" if part.text:
                said = _Said("reasoning", role, part.text)
            case "tool":
                item = tool_item(part)
                said = _Said(item.kind, "tool", item.text, item.status)
            case "subtask":
                said = _Said("message", role, part.prompt or "")
            case "file":
                said = _Said("file", role, part.filename)
            case "agent":
                said = _Said("agent", role, part.name)
            case kind:
                if kind not in _KNOWN:
                    self.skipping.add("unknown-part-type", detail=kind)
        return said

    def _record(
        self, name: str, said: _Said, run_id: RunId | None, at: Timestamp | None
    ) -> ItemRecord:
        kept = self.keeper.keep(said.text)
        record = ItemRecord(
            item_id=ItemId(f"{self.told.session_id}/{name}"),
            position=self.count,
            run_id=run_id,
            kind=said.kind,
            role=said.role,
            text=kept.text,
            text_bytes=kept.size,
            truncated=kept.truncated,
            status=said.status,
            native_item_id=name,
            at=at,
        )
        self.count += 1
        return record
