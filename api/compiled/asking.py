"""What a plan asks with, and how it asks the graph for what stands behind many rows at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from api.compiled.refusals import Unfit
from api.loaders import Loaders, Place
from api.selections import Selected
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The graph, what was asked of it so far, and where in the answer the rows stand.

    *complete* is true where all rows of the place are known at once, so that none is waited for.
    """

    graph: ThreadGraph
    loaders: Loaders
    variables: Mapping[str, Any]
    place: Place
    complete: bool

    def below(self, key: str) -> "Asking":
        """The same for what stands under *key*."""
        return replace(self, place=(key, *self.place))

    async def fetched(
        self,
        selected: Selected,
        keys: Sequence[Any],
        fetch: Callable[[ThreadGraph, list[Any]], Awaitable[Mapping[Any, Any]]],
        purpose: str = "",
    ) -> list[Any]:
        """What the graph has for *keys* at a field of the rows; ``Unfit`` where that fails.

        It is kept where the field's own function looks for it, an error as well.
        """
        place, graph = (selected.name, selected.key, *self.place), self.graph
        waiting = self.loaders.load_all(
            place, keys, lambda some: fetch(graph, some), purpose, complete=self.complete
        )
        unfinished = [one for one in waiting if not one.done()]
        if unfinished:
            await asyncio.wait(unfinished)
        if any(one.exception() is not None for one in waiting):
            raise Unfit
        return [one.result() for one in waiting]
