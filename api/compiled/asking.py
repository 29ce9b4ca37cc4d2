"""What a plan asks with, and how it asks the graph for what stands behind many rows at once."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from api.compiled.refusals import Unfit
from api.families import AskedThreads, threads_with_relatives
from api.loaders import Loaders, Place
from api.selections import Choice, Selected
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """The graph, what was asked of it so far, and where in the answer the rows stand.

    *complete* is true where all rows of the place are known at once, so that none is waited for.
    """

    graph: ThreadGraph
    choice: Choice
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
        type_name: str,
        keys: Sequence[Any],
        fetch: Callable[[ThreadGraph, list[Any]], Awaitable[Mapping[Any, Any]]],
        purpose: str = "",
    ) -> list[Any]:
        """What the graph has for *keys* at a field that answers *type_name*.

        ``Unfit`` where the graph fails. What it says, an error as well, is kept where the
        field's own function looks for it.
        """
        graph = self.choice.graph_for(self.graph, selected, type_name)
        return await self._loaded(selected, keys, partial(fetch, graph), purpose)

    async def threads(self, selected: Selected, keys: Sequence[Any]) -> list[Any]:
        """The threads of some ids, as ``fetched``, and what is selected of their relatives."""
        asked = AskedThreads(
            graph=self.graph,
            loaders=self.loaders,
            choice=self.choice,
            selected=selected,
            variables=self.variables,
            place=(selected.key, *self.place),
        )
        return await self._loaded(selected, keys, partial(threads_with_relatives, asked))

    async def _loaded(
        self,
        selected: Selected,
        keys: Sequence[Any],
        fetch: Callable[[list[Any]], Awaitable[Mapping[Any, Any]]],
        purpose: str = "",
    ) -> list[Any]:
        place = (selected.name, selected.key, *self.place)
        waiting = self.loaders.load_all(place, keys, fetch, purpose, complete=self.complete)
        unfinished = [one for one in waiting if not one.done()]
        if unfinished:
            await asyncio.wait(unfinished)
        if any(one.exception() is not None for one in waiting):
            raise Unfit
        return [one.result() for one in waiting]
