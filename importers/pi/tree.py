"""The tree that a session's entries form, and which way through it is the current one.

An entry names its parent. The current leaf is the last line, for pi moves to another branch
without a word and then appends. What is not on the way from the root to that leaf was left
behind: it ceased to be reachable with the first line that stands elsewhere in the tree.

The file's order is the only order there is. An entry whose parent is nowhere in the file goes
on from the line before it; a parent may stand later in the file; an edge that would close a
cycle is cut.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from importers.native_ids import is_usable
from importers.pi.entry import NO_RUN, Entry
from importers.pi.lines import HEADER
from importers.pi.moments import moment_of
from importers.timestamps import later

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import msgspec

    from graph.model import Timestamp
    from importers.pi.lines import Read
    from importers.pi.shapes import Line
    from importers.raw_lines import Skipping

NONE = NO_RUN
"""No entry, no run."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """Something that was typed, with the place of its entry; it begins a run.

    *name* is what ids are made of: pi's own id, else the line.
    """

    index: int
    name: str
    native_id: str | None
    at: Timestamp


@dataclass(frozen=True, slots=True)
class Turnoff:
    """An entry that does not go on from the line before it."""

    at: Timestamp | None
    is_summary: bool


@dataclass(slots=True)
class Tree:
    """The entries of a session by their place in the file, from 0.

    *inherited* is how many of them, at the front, were copied from another session. Of each
    entry, *parents* has the parent, *run_of* the place of its run in *prompts*, and *last* the
    last line at which it was on the current way. *dropped* are lines that are no entries.
    *is_whole* tells that each parent stood before its children.
    """

    prompts: list[Prompt] = field(default_factory=list[Prompt])
    inherited: int = 0
    is_whole: bool = True
    parents: array[int] = field(default_factory=lambda: array("q"))
    run_of: array[int] = field(default_factory=lambda: array("q"))
    dropped: set[tuple[int, int]] = field(default_factory=set[tuple[int, int]])
    last: array[int] = field(default_factory=lambda: array("q"))
    turnoffs: dict[int, Turnoff] = field(default_factory=dict[int, Turnoff])

    def __len__(self) -> int:
        return len(self.parents)

    @property
    def own_prompts(self) -> Sequence[int]:
        """The places in *prompts* of those that were typed in this session."""
        return range(self._first_prompt_from(self.inherited), len(self.prompts))

    def is_current(self, index: int) -> bool:
        """Whether an entry is on the way to the current leaf."""
        return self.last[index] == len(self) - 1

    def left_at(self, index: int) -> Timestamp | None:
        """When an entry was left behind; ``None`` while it is on the current way.

        The summary of a branch says so itself; else it is when the next run began.
        """
        if self.is_current(index):
            return None
        end = self.last[index] + 1
        turnoff = self.turnoffs.get(end, Turnoff(None, is_summary=False))
        if turnoff.is_summary and turnoff.at is not None:
            return turnoff.at
        following = max(self._first_prompt_from(end), self._first_prompt_from(self.inherited))
        if following < len(self.prompts):
            return self.prompts[following].at
        return turnoff.at or self.prompts[-1].at

    def runs_up_from(self, index: int) -> Iterable[int]:
        """The runs on the way from an entry to the root, the nearest first."""
        run = self.run_of[index] if index != NONE else NONE
        while run != NONE:
            yield run
            parent = self.parents[self.prompts[run].index]
            run = self.run_of[parent] if parent != NONE else NONE

    def _first_prompt_from(self, index: int) -> int:
        return bisect_left(self.prompts, index, key=lambda prompt: prompt.index)


class _Links:
    """Finds the root above an entry in next to no time, while edges are still added."""

    def __init__(self, parents: array[int]) -> None:
        self._up = array("q", parents)

    def root(self, index: int) -> int:
        """The entry without a parent above this one, itself included."""
        path: list[int] = []
        while self._up[index] != NONE:
            path.append(index)
            index = self._up[index]
        for passed in path:
            self._up[passed] = index
        return index

    def join(self, index: int, parent: int) -> bool:
        """Put a root below another entry, unless that would close a cycle."""
        if self.root(parent) == index:
            return False
        self._up[index] = parent
        return True


def build_tree(
    reads: Iterable[Read],
    skipping: Skipping,
    *,
    born: Timestamp,
    is_copied: Callable[[Line, Timestamp | None], bool] | None = None,
    on_entry: Callable[[Entry], None] | None = None,
) -> Tree:
    """The tree of a session's entries; *is_copied* knows those of another session.

    *on_entry* is told of each entry as it comes. It was told the truth where the tree is *whole*
    in the end and nothing was copied.
    """
    tree = Tree()
    indexes: dict[str, int] = {}
    missing: dict[int, tuple[str, int]] = {}
    last_at = born
    for read in reads:
        line = read.line
        if line.type == HEADER:
            continue
        if line.id is not None and line.id in indexes:
            tree.dropped.add((read.number, read.nth))
            skipping.add("duplicate-entry", read.number, line.id)
            continue
        index = len(tree)
        at = moment_of(line)
        parent = _parent(line.parent_id, index, indexes)
        if parent is None:
            missing[index] = (str(line.parent_id), read.number)
        tree.parents.append(NONE if parent is None else parent)
        if line.id is not None:
            indexes[line.id] = index
        if parent != index - 1:
            tree.turnoffs[index] = Turnoff(at, line.type == "branch_summary")
        if is_copied is not None and is_copied(line, at):
            tree.inherited = index + 1
        if line.is_prompt:
            last_at = at or later(last_at)
            native_id = line.id if is_usable(line.id) else None
            tree.prompts.append(Prompt(index, name_of(read), native_id, last_at))
            tree.run_of.append(len(tree.prompts) - 1)
        else:
            tree.run_of.append(NONE if parent is None or parent == NONE else tree.run_of[parent])
        last_at = at or last_at
        if on_entry is not None:
            on_entry(Entry(index, tree.run_of[index], line, at, is_own=True))
    tree.is_whole = not missing
    _find_missing(tree, missing, indexes, skipping)
    _walk(tree)
    return tree


def name_of(read: Read) -> str:
    """What an entry is called in ids.

    An entry that got its id when pi rewrote an old file keeps the name that it had before.
    """
    if is_usable(read.line.id) and not read.was_migrated:
        return str(read.line.id)
    return f"line-{read.number}" + (f".{read.nth}" if read.nth else "")


def _parent(
    named: str | msgspec.UnsetType | None, index: int, indexes: dict[str, int]
) -> int | None:
    """The place of a parent; ``None`` where it is not there, or not yet."""
    match named:
        case None | "":
            return NONE
        case str():
            return indexes.get(named)
        case _:
            # Old files had no tree: each line goes on from the one before it.
            return index - 1


def _find_missing(
    tree: Tree,
    missing: dict[int, tuple[str, int]],
    indexes: dict[str, int],
    skipping: Skipping,
) -> None:
    links = _Links(tree.parents)
    unknown: list[int] = []
    for index, (named, number) in missing.items():
        parent = indexes.get(named)
        if parent is None:
            skipping.add("parent-not-found", number, named)
            unknown.append(index)
        elif links.join(index, parent):
            tree.parents[index] = parent
        else:
            skipping.add("parent-cycle", number, named)
            unknown.append(index)
    for index in unknown:
        if index > 0 and links.join(index, index - 1):
            tree.parents[index] = index - 1
            tree.turnoffs.pop(index, None)


def _walk(tree: Tree) -> None:
    """Tell each entry its run, and the last line at which it was still on the current way."""
    order: Sequence[int] = range(len(tree))
    if not tree.is_whole:
        order = _parents_first(tree.parents)
        places = {prompt.index: place for place, prompt in enumerate(tree.prompts)}
        for index in order:
            parent = tree.parents[index]
            above = tree.run_of[parent] if parent != NONE else NONE
            tree.run_of[index] = places.get(index, above)
    last = tree.last = array("q", range(len(tree)))
    for index in reversed(order):
        parent = tree.parents[index]
        if parent != NONE and last[parent] < last[index]:
            last[parent] = last[index]


def _parents_first(parents: array[int]) -> Sequence[int]:
    order: list[int] = []
    placed = bytearray(len(parents))
    for start in range(len(parents)):
        path: list[int] = []
        index = start
        while index != NONE and not placed[index]:
            path.append(index)
            placed[index] = 1
            index = parents[index]
        order.extend(reversed(path))
    return order
