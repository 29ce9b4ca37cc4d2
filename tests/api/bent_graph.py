"""A graph that gives values which no graph should, and fails now and then."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, cast

import msgspec

from graph.errors import StoreTimeout
from graph.model import Item, LineageEdge, Run, SpawnEdge, Thread
from graph.store import ThreadGraph


@dataclass(frozen=True, slots=True)
class Bend:
    """A field of the rows of a class that holds *value* where *every* says so."""

    row_type: type
    field: str
    value: object
    every: int = 1


BENDS = [
    Bend(Thread, "title", 5),
    Bend(Thread, "title", 'Überschrift \U0001f333 " \\ \n\u2028'),
    Bend(Thread, "depth", 2**31),
    Bend(Thread, "depth", 2**31 - 1),
    Bend(Thread, "depth", "deep", every=2),
    Bend(Thread, "depth", 1.0),
    Bend(Thread, "depth", value=True),
    Bend(Thread, "depth", None, every=2),
    Bend(Thread, "recorded", None, every=3),
    Bend(Thread, "recorded", 1),
    Bend(Thread, "created_by", "ODD", every=2),
    Bend(Thread, "created_by", "USER"),
    Bend(Thread, "relationship_to_parent", "SIDEWAYS"),
    Bend(Thread, "created_at", 7),
    Bend(Thread, "status", ["list"], every=2),
    Bend(Thread, "root_thread_id", "nobody", every=2),
    Bend(Thread, "parent_thread_id", "nobody", every=2),
    Bend(Thread, "parent_thread_id", "deeper"),
    Bend(Thread, "selected_capability_roots", "no JSON", every=2),
    Bend(Thread, "selected_capability_roots", '[{"id": "a", "environmentId": "b", "path": "c"}]'),
    Bend(Thread, "deleted_at", "2026-11-30T12:00:00.000000Z", every=2),
    Bend(Thread, "run_count", 2**31),
    Bend(Thread, "duration_ms", 2**60),
    Bend(Thread, "duration_ms", "long", every=2),
    Bend(Run, "ordinal", -(2**31) - 1, every=2),
    Bend(Run, "input_tokens", 2**60),
    Bend(Run, "input_tokens", "many", every=2),
    Bend(Run, "output_tokens", 12),
    Bend(Run, "kind", "ODD"),
    Bend(Run, "status", None),
    Bend(Item, "text_bytes", 2**40),
    Bend(Item, "truncated", "yes"),
    Bend(SpawnEdge, "origin", None),
    Bend(SpawnEdge, "child_thread_id", "nobody"),
    Bend(LineageEdge, "item_count", 2**33),
    Bend(LineageEdge, "evidence", None, every=2),
    Bend(LineageEdge, "transfer_type", "ODD"),
]


@dataclass(frozen=True, slots=True)
class BentGraph:
    """Answers as *graph* does, with *bends* in the rows; *failing* methods fail."""

    graph: ThreadGraph
    bends: Sequence[Bend]
    failing: frozenset[str] = frozenset()

    def selecting(self, fields: Mapping[type[msgspec.Struct], Collection[str]]) -> ThreadGraph:
        """The same with less in the rows."""
        return cast("ThreadGraph", replace(self, graph=self.graph.selecting(fields)))

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        """The method, bent."""
        method = cast("Callable[..., Awaitable[object]]", getattr(self.graph, name))

        async def bent(*arguments: object, **named: object) -> object:
            if name in self.failing:
                raise StoreTimeout(name)
            return self._bend(await method(*arguments, **named))

        return bent

    def _bend(self, found: Any) -> Any:  # noqa: ANN401 - whatever a graph answers
        match found:
            case msgspec.Struct():
                number = sum(map(ord, str(getattr(found, found.__struct_fields__[0]))))
                bends = {
                    bend.field: bend.value
                    for bend in self.bends
                    if type(found) is bend.row_type
                    and number % bend.every == 0
                    and hasattr(found, bend.field)
                }
                return msgspec.structs.replace(found, **bends) if bends else found
            case list() | tuple():
                return [self._bend(one) for one in cast("Sequence[Any]", found)]
            case Mapping():
                some = cast("Mapping[Any, Any]", found)
                return {key: self._bend(one) for key, one in some.items()}
            case _ if is_dataclass(found) and not isinstance(found, type):
                parts = {
                    part.name: self._bend(getattr(found, part.name)) for part in fields(found)
                }
                return type(found)(**parts)
            case _:
                return found
