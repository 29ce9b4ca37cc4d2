"""What a session's own entries tell about its runs, and about the session itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.kept_text import one_line
from importers.pi.contents import content_text
from importers.pi.entry import NO_RUN, Entry
from importers.pi.moments import moment_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph.model import Timestamp
    from importers.pi.lines import Read
    from importers.pi.shapes import Count, Message, Usage
    from importers.pi.tree import Tree

PREVIEW_CHARACTERS = 160

_ENDED = {"error": "failed", "aborted": "interrupted", "toolUse": None}
"""How a run stands after an answer that stopped for this reason; else it is completed."""

_MOST_TOKENS = 2**53

_TALKERS = frozenset({"user", "assistant"})


@dataclass(slots=True)
class Work:
    """What a run did; *status* is ``None`` while its last answer was no end."""

    status: str | None = None
    error: str | None = None
    model: str | None = None
    last_at: Timestamp | None = None
    has_usage: bool = False
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Compaction:
    """A compaction of the session's own: its entry and the run that it happened in."""

    index: int
    run: int


@dataclass(slots=True)
class Story:
    """Takes a session's entries in order; afterwards its fields say what happened.

    *works* stands beside the tree's prompts, also those that are not the session's own; they
    come with the prompts, unless all of them are known before.
    *said_at* is when somebody last said something, *written_at* when the last entry was
    written.
    """

    works: list[Work] = field(default_factory=list[Work])
    knows_runs: bool = False
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    name: str | None = None
    preview: str | None = None
    inherited_preview: str | None = None
    model: str | None = None
    said_at: Timestamp | None = None
    written_at: Timestamp | None = None

    def take(self, entry: Entry) -> None:
        """Go on with the next entry."""
        line = entry.line
        message = line.message
        if line.is_prompt and not self.knows_runs:
            self.works.append(Work())
        _note_facts(self, entry)
        if not entry.is_own:
            return
        self.written_at = _latest(self.written_at, entry.at)
        if line.type == "compaction":
            self.compactions.append(Compaction(entry.place, entry.run))
        elif line.type == "message" and message is not None:
            if message.role in _TALKERS:
                self.said_at = _latest(self.said_at, entry.at)
            if entry.run != NO_RUN:
                _work(self.works[entry.run], message, entry.at)


def tell(tree: Tree, reads: Iterable[tuple[int, Read]]) -> Story:
    """The story of the entries, each with its place in the tree."""
    story = Story([Work() for _ in tree.prompts], knows_runs=True)
    for index, read in reads:
        is_own = index >= tree.inherited
        story.take(Entry(index, tree.run_of[index], read.line, moment_of(read.line), is_own))
    return story


def _note_facts(story: Story, entry: Entry) -> None:
    """What an entry says of the session as a whole, also one that was copied."""
    line, message = entry.line, entry.line.message
    if line.type == "session_info":
        story.name = (line.name or "").strip() or None
    elif line.type == "model_change":
        story.model = line.model_id or story.model
    elif message is not None and line.is_prompt:
        _preview(story, message, is_own=entry.is_own)
    elif message is not None and message.role == "assistant":
        story.model = message.model or story.model


def _preview(story: Story, message: Message, *, is_own: bool) -> None:
    if is_own and story.preview is None:
        story.preview = one_line(content_text(message.content), PREVIEW_CHARACTERS) or None
    elif not is_own and story.inherited_preview is None:
        text = one_line(content_text(message.content), PREVIEW_CHARACTERS)
        story.inherited_preview = text or None


def _work(work: Work, message: Message, at: Timestamp | None) -> None:
    work.last_at = _latest(work.last_at, at)
    if message.role == "toolResult":
        work.status = work.error = None
    if message.role != "assistant":
        return
    work.status = _ENDED.get(message.stop_reason or "", "completed")
    work.error = (message.error_message or None) if work.status == "failed" else None
    work.model = message.model or work.model
    if message.usage is not None:
        _add(work, message.usage)


def _add(work: Work, usage: Usage) -> None:
    """The cache's part of the input counts as input, as it does for other tools."""
    cached = _whole(usage.cache_read)
    work.has_usage = True
    work.input_tokens += _whole(usage.input) + cached + _whole(usage.cache_write)
    work.cached_input_tokens += cached
    work.output_tokens += _whole(usage.output)


def _whole(count: Count) -> int:
    try:
        return min(max(int(count or 0), 0), _MOST_TOKENS)
    except (OverflowError, ValueError):
        return 0


def _latest(known: Timestamp | None, at: Timestamp | None) -> Timestamp | None:
    if at is None or (known is not None and known >= at):
        return known
    return at
