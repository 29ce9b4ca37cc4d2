"""A graph in memory whose rows carry chosen fields only: all others are blank.

What the API forgot to ask for is thus missing in its answers.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

import msgspec

from graph.columns import ChosenFields, blanks_of
from graph.questions import (
    BroughtItem,
    Descendant,
    HistoryRun,
    LineageGraph,
    LineagePath,
    MergeBackDelta,
    Page,
    ThreadOrder,
)

if TYPE_CHECKING:
    from collections.abc import Collection

    from graph.store import ThreadGraph


def narrowed(
    graph: ThreadGraph, fields: Mapping[type[msgspec.Struct], Collection[str]]
) -> ThreadGraph:
    """The same graph with all fields blank but *fields* and what is always there."""
    return cast("ThreadGraph", Narrowed(graph, ChosenFields(fields)))


@dataclass(frozen=True, slots=True)
class Narrowed:
    """Answers what *graph* answers, with rows that carry the chosen fields."""

    graph: ThreadGraph
    chosen: ChosenFields

    def selecting(self, fields: Mapping[type[msgspec.Struct], Collection[str]]) -> ThreadGraph:
        return narrowed(self.graph, fields)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        method = cast("Callable[..., Awaitable[object]]", getattr(self.graph, name))

        async def blanked(*arguments: object, **named: object) -> object:
            order: ThreadOrder | None = getattr(next(iter(arguments), None), "order", None)
            kept = () if order is None else (f"{order.partition('_')[0].lower()}_at",)
            return self._blank(await method(*arguments, **named), kept)

        return blanked

    def _blank(  # noqa: PLR0911 - a case for each kind of answer
        self,
        answer: Any,  # noqa: ANN401 - any answer
        kept: tuple[str, ...],
    ) -> Any:  # noqa: ANN401 - as above
        match answer:
            case msgspec.Struct():
                carried = self.chosen.of(type(answer), *kept)
                blanks = {
                    name: blank
                    for name, blank in blanks_of(type(answer)).items()
                    if name not in carried
                }
                return msgspec.structs.replace(answer, **blanks)
            case Descendant():
                return replace(answer, thread=self._blank(answer.thread, kept))
            case BroughtItem():
                return replace(answer, item=self._blank(answer.item, kept))
            case HistoryRun():
                return replace(answer, run=self._blank(answer.run, kept))
            case Page():
                page = cast("Page[object]", answer)
                return replace(page, rows=[self._blank(row, kept) for row in page.rows])
            case MergeBackDelta():
                return replace(answer, runs=self._blank(answer.runs, kept))
            case LineageGraph() | LineagePath():
                return replace(
                    answer,
                    nodes=self._blank(answer.nodes, kept),
                    edges=self._blank(answer.edges, kept),
                )
            case list():
                return [self._blank(row, kept) for row in cast("list[object]", answer)]
            case dict():
                held = cast("dict[str, object]", answer)
                return {key: self._blank(row, kept) for key, row in held.items()}
            case _:  # what else there is, and a family, which has chosen its fields itself
                return answer
