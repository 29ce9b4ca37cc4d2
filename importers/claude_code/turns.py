"""The runs of a conversation: a prompt and all that hangs on it up to the next prompt.

An answer that hangs on no prompt of this conversation (after a slash command, a notification,
or right behind what was copied) begins a run of its own with what brought it about.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.claude_code.entries import NONE, Entry, Kind
from importers.claude_code.moments import latest
from importers.native_ids import is_usable
from importers.timestamps import EPOCH, later

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.model import Timestamp
    from importers.claude_code.shapes import Count, Usage

MOST_TOKENS = 2**50
"""A greater number counts no tokens."""

_STARTERS = frozenset({Kind.COMMAND, Kind.LETTER, Kind.RESULT})
_STEPS = frozenset({Kind.RESULT, Kind.INTERRUPT})


@dataclass(slots=True, eq=False)
class Turn:
    """One run; *place* is where it begins, *parent* the run that it goes on from.

    *started_at* is its time, moved on where the file's order says otherwise.
    *is_elsewhere* stands for a run of which the file has only what a compaction kept of it.
    *is_current* says that it lies on the way to where the conversation stands, *is_end* that it
    is the last one there. *last_step* is the last thing that was done in it, *last_seen* the
    last place at which the conversation went through it.
    """

    place: int
    name: str
    native_id: str | None
    at: Timestamp | None
    is_copied: bool
    started_at: Timestamp = EPOCH
    parent: int = NONE
    is_elsewhere: bool = False
    preview: str | None = None
    last_step: Entry | None = None
    last_seen: int = NONE
    is_current: bool = False
    is_end: bool = False
    left_at: Timestamp | None = None
    last_at: Timestamp | None = None
    model: str | None = None
    usages: dict[str, Usage] = field(default_factory=dict[str, "Usage"])

    @property
    def tokens(self) -> Tokens | None:
        """What the run cost: of an answer in several lines the last line tells."""
        if not self.usages:
            return None
        total = Tokens()
        for usage in self.usages.values():
            total.add(usage)
        return total


@dataclass(slots=True)
class Tokens:
    """Tokens by kind; what the cache gave or took counts as input, as for other tools."""

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int | None = None

    def add(self, usage: Usage) -> None:
        """Count one answer."""
        cached = _whole(usage.cache_read_input_tokens)
        written = _whole(usage.cache_creation_input_tokens)
        self.input += _whole(usage.input_tokens) + cached + written
        self.cached += cached
        self.output += _whole(usage.output_tokens)
        if usage.output_tokens_details is not None:
            thought = _whole(usage.output_tokens_details.thinking_tokens)
            self.reasoning = (self.reasoning or 0) + thought


def turns_of(
    entries: Sequence[Entry], order: Sequence[int], copied: int, born: Timestamp
) -> Sequence[Turn]:
    """The runs, in the order of the file; the first *copied* links are of another session.

    Every link is given its run. *born* is the time of what has none.
    """
    turns: list[Turn] = []
    for place in order:
        entry = entries[place]
        run = entries[entry.parent].run if entry.parent != NONE else NONE
        is_copied = place < copied
        if entry.same_as != NONE:
            entry.run = entries[entry.same_as].run
            continue
        if entry.kind is Kind.PROMPT:
            run = _begin(turns, entries, place, run, is_copied=is_copied)
        elif entry.kind is Kind.BOUNDARY and is_copied and run == NONE:
            run = _begin(turns, entries, place, run, is_copied=True)
            turns[run].is_elsewhere = True
        elif entry.is_talk and (run == NONE or (turns[run].is_copied and not is_copied)):
            start = _brought_about_by(entries, place, run, copied)
            old, run = run, _begin(turns, entries, start, run, is_copied=is_copied)
            _move(entries, place, start, old, run)
        entry.run = run
    ordered = _by_place(turns, entries)
    _tell(ordered, entries, born)
    return ordered


def _begin(
    turns: list[Turn], entries: Sequence[Entry], place: int, parent: int, *, is_copied: bool
) -> int:
    entry = entries[place]
    native_id = entry.uuid if is_usable(entry.uuid) else None
    turns.append(
        Turn(
            place=place,
            name=native_id or entry.name,
            native_id=native_id,
            at=entry.at,
            is_copied=is_copied,
            parent=parent,
            preview=entry.facts.text if entry.facts is not None else None,
        )
    )
    return len(turns) - 1


def _brought_about_by(entries: Sequence[Entry], place: int, run: int, copied: int) -> int:
    """The nearest link above an answer that made the model answer, else the answer itself."""
    is_copied = place < copied
    above = entries[place].parent
    while above != NONE and entries[above].run == run and (above < copied) == is_copied:
        if entries[above].kind in _STARTERS:
            return above
        above = entries[above].parent
    return place


def _move(entries: Sequence[Entry], place: int, start: int, old: int, run: int) -> None:
    """Give the links between an answer and what brought it about to their new run."""
    while place != start:
        place = entries[place].parent
        if entries[place].run == old:
            entries[place].run = run


def _by_place(turns: Sequence[Turn], entries: Sequence[Entry]) -> Sequence[Turn]:
    order = sorted(range(len(turns)), key=lambda run: turns[run].place)
    if order != list(range(len(turns))):
        new = {old: run for run, old in enumerate(order)}
        for entry in entries:
            entry.run = new.get(entry.run, NONE)
        for turn in turns:
            turn.parent = new.get(turn.parent, NONE)
    return [turns[old] for old in order]


def _tell(turns: Sequence[Turn], entries: Sequence[Entry], born: Timestamp) -> None:
    _tell_times(turns, born)
    talk = [place for place, entry in enumerate(entries) if entry.is_talk and entry.same_as < 0]
    for place, entry in enumerate(entries):
        if entry.run == NONE or entry.same_as != NONE:
            continue
        turn = turns[entry.run]
        if entry.is_talk or entry.kind in _STEPS:
            turn.last_step = entry
            turn.last_at = latest(turn.last_at, entry.at)
        if entry.is_talk:
            turn.last_seen = place
        _tell_answer(turn, entry, place)
    _tell_way(turns, entries, talk)


def _tell_times(turns: Sequence[Turn], born: Timestamp) -> None:
    """The file's order is kept also where its times are missing, equal or go backwards."""
    before: dict[bool, Timestamp] = {}
    for turn in turns:
        last = before.get(turn.is_copied)
        at = turn.at or last or born
        turn.started_at = later(last) if last is not None and at <= last else at
        before[turn.is_copied] = turn.started_at


def _tell_answer(turn: Turn, entry: Entry, place: int) -> None:
    answer = entry.answer
    if answer is None:
        return
    turn.model = answer.model or turn.model
    if answer.usage is not None and answer.error is None:
        turn.usages[answer.message_id or f"#{place}"] = answer.usage


def _tell_way(turns: Sequence[Turn], entries: Sequence[Entry], talk: Sequence[int]) -> None:
    """Which runs lie on the way to where the conversation stands, and when others were left."""
    seen_through(turns)
    ends = {entries[place].file: place for place in talk}
    for end in ends.values():
        run = entries[end].run
        if run != NONE:
            turns[run].is_end = True
        while run != NONE and not turns[run].is_current:
            turns[run].is_current = True
            run = turns[run].parent
    for turn in turns:
        if turn.is_current or turn.is_elsewhere:
            continue
        following = bisect_right(talk, turn.last_seen)
        left = entries[talk[following]] if following < len(talk) else None
        turn.left_at = latest(turn.started_at, turn.last_at)
        if left is not None and left.run != NONE:
            begun = turns[left.run]
            is_begin = entries[begun.place] is left
            turn.left_at = begun.started_at if is_begin else left.at or turn.left_at


def seen_through(turns: Sequence[Turn]) -> None:
    """Let every run know how long the conversation went on behind it."""
    waiting = [0] * len(turns)
    for turn in turns:
        if turn.parent != NONE:
            waiting[turn.parent] += 1
    ready = [run for run, count in enumerate(waiting) if count == 0]
    while ready:
        turn = turns[ready.pop()]
        if turn.parent == NONE:
            continue
        above = turns[turn.parent]
        above.last_seen = max(above.last_seen, turn.last_seen)
        waiting[turn.parent] -= 1
        if waiting[turn.parent] == 0:
            ready.append(turn.parent)


def _whole(count: Count) -> int:
    """A count as it can be summed up; what can be none is nothing."""
    return int(count) if count is not None and 0 <= count <= MOST_TOKENS else 0
