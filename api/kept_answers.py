"""Answers that are kept, and given again for as long as the trees that they rest on stand still.

Nothing is trusted for a time: each question costs the graph a look at the revisions of these
trees, whoever has written to them. What is kept is the JSON of whole answers, by the bytes of the
question.
"""

import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TypeVar

from api.standing_checks import StandingChecks
from graph.errors import LineageError
from graph.model import ThreadId
from graph.standings import SETTLED_SECONDS, KnowsTrees, Standing, TreeNotes
from graph.store import ThreadGraph

Key = TypeVar("Key")
Value = TypeVar("Value")

KEEPABLE_FIELDS = frozenset({"thread", "lineage", "__typename"})
"""The fields of the query that are the same whoever asks, if the graph is."""

MOST_NAMED = 4_096
"""So many questions and trees are remembered by name alone."""

ENTRY_BYTES = 1_024
"""What an answer costs beside its own bytes, generously."""

LARGEST_SHARE = 4
"""An answer of more than this part of all bytes is not kept: it would drive out all others."""


@dataclass(frozen=True, slots=True)
class Told:
    """The JSON of an answer, and whether another request may get the same.

    *refused*: nothing was executed.
    """

    body: bytes
    refused: bool = False
    keepable: bool = False


@dataclass(frozen=True, slots=True)
class _Kept:
    told: Told
    trees: Mapping[ThreadId, Standing]

    @property
    def size(self) -> int:
        return len(self.told.body) + ENTRY_BYTES


class KeptAnswers:
    """The answers that one process keeps, the least used leaving first.

    A question that is asked once leaves no more than its name. When it is asked again it is
    looked at more closely, which costs some more, and the answer is kept.
    """

    def __init__(
        self,
        graph: KnowsTrees,
        most_bytes: int,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep *most_bytes* at most; *clock* tells seconds."""
        self._graph, self._most_bytes, self._clock = graph, most_bytes, clock
        self._bytes = 0
        self._checks = StandingChecks(graph)
        self._kept: OrderedDict[bytes, _Kept] = OrderedDict()
        self._asked: OrderedDict[bytes, None] = OrderedDict()
        self._seen: OrderedDict[ThreadId, tuple[Standing, float]] = OrderedDict()

    async def told(
        self, question: bytes, execute: Callable[[ThreadGraph], Awaitable[Told]]
    ) -> Told:
        """The answer to a question: a kept one, else what *execute* gives with the graph."""
        name = sha256(question).digest()
        kept = self._kept.get(name)
        if kept is not None:
            if await self._stands(kept):
                if name in self._kept:
                    self._kept.move_to_end(name)
                return kept.told
            self._forget(name)
        notes, began = TreeNotes(thorough=name in self._asked), self._clock()
        told = await execute(self._graph.noting(notes))
        settled = self._see(notes, began)
        if told.keepable and notes.told and notes.trees:
            _remember(self._asked, name, None)
            if notes.thorough and settled:
                self._keep(name, _Kept(told, notes.trees))
        return told

    async def _stands(self, kept: _Kept) -> bool:
        try:
            found = await self._checks.standings(kept.trees)
        except LineageError:
            return False  # the question itself is asked then, and tells what is wrong
        return all(found.get(root_id) == standing for root_id, standing in kept.trees.items())

    def _see(self, notes: TreeNotes, began: float) -> bool:
        """Remember how trees stand; whether all had stood so for long enough at *began*."""
        settled = True
        for root_id, standing in notes.trees.items():
            before, since = self._seen.get(root_id, (None, 0.0))
            if before != standing:
                since = self._clock()
            _remember(self._seen, root_id, (standing, since))
            settled = settled and began - since >= SETTLED_SECONDS
        return settled

    def _keep(self, name: bytes, kept: _Kept) -> None:
        self._forget(name)
        if kept.size > self._most_bytes // LARGEST_SHARE:
            return
        self._kept[name] = kept
        self._bytes += kept.size
        while self._bytes > self._most_bytes:
            self._forget(next(iter(self._kept)))

    def _forget(self, name: bytes) -> None:
        kept = self._kept.pop(name, None)
        if kept is not None:
            self._bytes -= kept.size


def _remember(named: OrderedDict[Key, Value], name: Key, value: Value) -> None:
    named[name] = value
    named.move_to_end(name)
    if len(named) > MOST_NAMED:
        named.popitem(last=False)
