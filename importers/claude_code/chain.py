"""Whose parent is whose: the chain of a conversation, made whole where a file leaves gaps.

The file's order is the only order there is. A compaction goes on from the message that it
names, else from the line before it. A link whose parent is nowhere goes on from the line before
it, and so does one without a parent, unless it is a prompt: a prompt without a parent is how a
rewind to the very beginning looks. An edge that would close a cycle is cut.

Some versions write parts of a conversation again, with new ids, when they compact it. A link
that says the same as an earlier one, at the same time and after the same parent, is that one.
"""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING

from importers.claude_code.entries import NONE, Entry, Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from importers.claude_code.transcript import Transcript
    from importers.raw_lines import Skipping


_COMPACTIONS = frozenset({Kind.BOUNDARY, Kind.SUMMARY})


def link(transcript: Transcript, skipping: Skipping) -> Sequence[int]:
    """Give every link its parent; the places of the links, parents before children."""
    entries = transcript.entries
    partial = _partial_boundaries(transcript)
    is_compacted = any(entry.kind in _COMPACTIONS for entry in entries)
    said: dict[tuple[int, str | None, str | int], int] = {}
    for place, entry in enumerate(entries):
        parent = _parent(transcript, place, is_partial=place in partial)
        if parent != NONE and entries[parent].same_as != NONE:
            parent = entries[parent].same_as
        entry.parent = parent
        content = _content(entry) if is_compacted else None
        if content is not None:
            first = said.setdefault((parent, entry.at, content), place)
            if first != place:
                entry.same_as = first
                skipping.add("repeated-line", entry.number, entry.uuid)
    if all(entry.parent < place for place, entry in enumerate(entries)):
        return range(len(entries))
    _cut_cycles(entries, skipping)
    return _parents_first(entries)


def _content(entry: Entry) -> str | int | None:
    """What tells whether two links say the same; ``None`` where nothing does."""
    if entry.at is None or not entry.is_talk:
        return None
    if entry.answer is not None:
        return entry.answer.message_id
    return entry.facts.content if entry.facts is not None else None


def _parent(transcript: Transcript, place: int, *, is_partial: bool) -> int:
    entry = transcript.entries[place]
    before = _before(transcript.entries, place)
    named = transcript.named.get(place)
    if named is not None:
        found = transcript.place(named)
        return before if found is None else found
    if place not in transcript.rootless:
        return entry.parent
    if entry.kind is Kind.BOUNDARY:
        continued = transcript.continued.get(place)
        found = transcript.place(continued) if continued and not is_partial else None
        # What a compaction keeps may be written again behind it: that is no way back.
        return before if found is None or found >= place else found
    if entry.kind is Kind.PROMPT or transcript.rootless[place]:
        return NONE
    return before


def _before(entries: Sequence[Entry], place: int) -> int:
    """The link before this one in the same file; the first of a file has none."""
    before = place - 1
    if before < 0 or entries[before].file != entries[place].file:
        return NONE
    return before


def _partial_boundaries(transcript: Transcript) -> set[int]:
    """The compactions of a part: what they leave out was not left by the user."""
    partial: set[int] = set()
    for entry in transcript.entries:
        if entry.kind is Kind.SUMMARY and entry.facts is not None and entry.facts.is_partial:
            partial.add(entry.parent)
    return partial


def _cut_cycles(entries: Sequence[Entry], skipping: Skipping) -> None:
    up = array("q", [NONE]) * len(entries)

    def root(place: int) -> int:
        passed: list[int] = []
        while up[place] != NONE:
            passed.append(place)
            place = up[place]
        for other in passed:
            up[other] = place
        return place

    for place, entry in enumerate(entries):
        if entry.parent == NONE:
            continue
        if root(entry.parent) == place:
            skipping.add("parent-cycle", entry.number, entry.uuid)
            entry.parent = NONE
        else:
            up[place] = entry.parent


def _parents_first(entries: Sequence[Entry]) -> Sequence[int]:
    done = bytearray(len(entries))
    order: list[int] = []
    for start in range(len(entries)):
        path: list[int] = []
        place = start
        while place != NONE and not done[place]:
            done[place] = 1
            path.append(place)
            place = entries[place].parent
        order.extend(reversed(path))
    return order
