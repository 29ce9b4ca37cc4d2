"""Plans: what a selection on a type comes to, and how rows become objects for JSON."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Any, Protocol

import msgspec

from api.compiled.asking import Asking
from api.compiled.columns import Columns, Lists, Objects, lists_in
from api.compiled.leaves import Leaf
from api.compiled.refusals import Unfit
from api.compiled.sources import Derived, Made, SameRow, Worded

KEPT_CLASSES = 1_024


class Part(Protocol):
    """Makes one column of an answer; *remote* if it may wait for the graph."""

    @property
    def remote(self) -> bool: ...

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        """What stands in the answer under this part's name, one a row."""
        ...


@dataclass(frozen=True, slots=True)
class ObjectPlan:
    """How rows of a type become objects: a class with the answered names, and a part for each."""

    answer: type[msgspec.Struct]
    parts: Sequence[Part]

    @property
    def remote(self) -> bool:
        """Whether it may wait for the graph."""
        return any(part.remote for part in self.parts)

    async def columns(self, rows: Columns, asking: Asking) -> list[Sequence[Any]]:
        """What stands in the answer, by part; what waits for the graph waits together."""
        if sum(part.remote for part in self.parts) > 1:
            return await asyncio.gather(*(part.values(rows, asking) for part in self.parts))
        return [await part.values(rows, asking) for part in self.parts]

    async def objects(self, rows: Columns, asking: Asking) -> list[Any]:
        """The objects of the answer, one a row."""
        return self.made_of(await self.columns(rows, asking), len(rows))

    def made_of(self, columns: Sequence[Sequence[Any]], size: int) -> list[Any]:
        """The objects that *columns* give."""
        if not columns:
            return [self.answer() for _ in range(size)]
        return list(map(self.answer, *columns))


@lru_cache(maxsize=KEPT_CLASSES)
def answer_class(keys: tuple[str, ...]) -> type[msgspec.Struct]:
    """A class whose objects are written with these names, in this order."""
    names = [f"field_{place}" for place in range(len(keys))]
    written_as = dict(zip(names, keys, strict=True))
    return msgspec.defstruct("Answer", names, rename=written_as, gc=False)


@dataclass(frozen=True, slots=True)
class TypeNamePart:
    """``__typename``."""

    name: str
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        return [self.name] * len(rows)


@dataclass(frozen=True, slots=True)
class LeafPart:
    """A plain value of the row; *words* is for rows whose enums are plain words."""

    column: str
    leaf: Leaf
    words: Leaf
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        leaf = self.words if rows.words else self.leaf
        return leaf(rows.column(self.column))


@dataclass(frozen=True, slots=True)
class LeafListPart:
    """A list of plain values, none of them null."""

    column: str
    leaf: Leaf
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        column = rows.column(self.column)
        if not set(map(type, column)) <= {tuple, list}:
            raise Unfit
        return list(map(self.leaf, column))


@dataclass(frozen=True, slots=True)
class WordedPart:
    """A text that is made of columns of text."""

    source: Worded
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        columns = [rows.column(name) for name in self.source.columns]
        if any(None in column for column in columns[: self.source.needed]):
            raise Unfit
        return self.source.write(*columns)


@dataclass(frozen=True, slots=True)
class SameRowPart:
    """An object of the row's own columns."""

    key: str
    source: SameRow
    plan: ObjectPlan
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        known = self.source.known(*(rows.column(name) for name in self.source.columns))
        made = await self.plan.objects(rows, asking.below(self.key))
        return [one if here else None for one, here in zip(made, known, strict=True)]


@dataclass(frozen=True, slots=True)
class DerivedPart:
    """An object that is worked out of the row's columns."""

    key: str
    source: Derived
    plan: ObjectPlan
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        derived = self.source.derive(*(rows.column(name) for name in self.source.columns))
        return await self.plan.objects(derived, asking.below(self.key))


@dataclass(frozen=True, slots=True)
class ObjectPart:
    """A row that stands in a column."""

    key: str
    column: str
    row_type: type
    plan: ObjectPlan
    nullable: bool

    @property
    def remote(self) -> bool:
        return self.plan.remote

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        objects = rows.objects(self.column, self.row_type)
        if objects.present is not None and not self.nullable:
            raise Unfit
        return await answers_of(objects, self.plan, asking.below(self.key))


@dataclass(frozen=True, slots=True)
class ListPart:
    """A list of rows that stands in a column."""

    key: str
    column: str
    row_type: type
    plan: ObjectPlan

    @property
    def remote(self) -> bool:
        return self.plan.remote

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        lists = rows.lists(self.column, self.row_type)
        return await answered_lists(lists, self.plan, asking.below(self.key))


@dataclass(frozen=True, slots=True)
class MadePart:
    """A list of rows that is made of a value."""

    key: str
    source: Made
    row_type: type
    plan: ObjectPlan
    remote: bool = False

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        try:
            lists = [self.source.make(value) for value in rows.column(self.source.column)]
        except (TypeError, ValueError, msgspec.MsgspecError):
            raise Unfit from None
        below = asking.below(self.key)
        return await answered_lists(lists_in(lists, self.row_type), self.plan, below)


async def answers_of(objects: Objects, plan: ObjectPlan, asking: Asking) -> Sequence[Any]:
    """The objects of the answer, with ``None`` where a row is missing."""
    made = await plan.objects(objects.found, asking)
    if objects.present is None:
        return made
    answers = iter(made)
    return [next(answers) if here else None for here in objects.present]


async def answered_lists(lists: Lists, plan: ObjectPlan, asking: Asking) -> Sequence[Any]:
    """The lists of the answer."""
    made = await plan.objects(lists.found, asking)
    if len(lists.lengths) == 1:
        return [made]
    ends = accumulate(lists.lengths, initial=0)
    return [made[begin:end] for begin, end in pairwise(ends)]
