"""Find: the thread that a person means by an id or the beginning of one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.errors import BadInput, ThreadNotFound
from graph.model import ThreadId

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.store import ThreadGraph

SHOWN_CANDIDATES = 5


class AmbiguousThread(BadInput):
    """Several threads' ids begin with the words."""

    def __init__(self, words: str, candidates: Sequence[ThreadId]) -> None:
        """Name some of the *candidates*."""
        shown = "\n".join(f"  {candidate}" for candidate in candidates[:SHOWN_CANDIDATES])
        more = "\n  …" if len(candidates) > SHOWN_CANDIDATES else ""
        super().__init__(f"Several threads' ids begin with {words!r}:\n{shown}{more}")
        self.words = words
        self.candidates = candidates


async def find_thread(graph: ThreadGraph, words: str) -> ThreadId:
    """The id of the thread with that id, else of the only one whose id begins so.

    ``ThreadNotFound`` where there is none, ``AmbiguousThread`` where there are several.
    """
    exact = ThreadId(words)
    if exact in await graph.threads_by_id((exact,)):
        return exact
    if not words:
        raise ThreadNotFound(words)
    candidates = await graph.thread_ids_starting_with(words, first=1 + SHOWN_CANDIDATES)
    match candidates:
        case [only]:
            return only
        case []:
            raise ThreadNotFound(words)
        case _:
            raise AmbiguousThread(words, candidates)
