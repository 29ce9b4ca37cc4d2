"""Rows out of the columns in which a list leaves the graph.

A statement answers with one record that holds a column a property, which is many times cheaper
than a record a row: ``RETURN [c IN $columns | [x IN xs | x[c]]] AS columns``. Of each node or
edge only the properties that ``$columns`` names are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import cache
from itertools import repeat
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar, overload

import msgspec
from msgspec import inspect

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

Shape = TypeVar("Shape", bound=msgspec.Struct)
Beside = TypeVar("Beside")
Pair = TypeVar("Pair")

ALWAYS: Mapping[str, tuple[str, ...]] = {
    "Thread": ("thread_id",),
    "Run": ("run_id", "ordinal"),
    "Item": ("position",),
    "Transfer": ("transfer_id", "created_at"),
    "StoredTransfer": ("transfer_id", "created_at"),
    "Handoff": ("handoff_id",),
    "SpawnEdge": ("child_thread_id",),
    "LineageEdge": ("kind", "from_thread_id", "to_thread_id"),
}
"""By the name of a row's type, the fields that tell rows apart and put them in order."""


class ChosenFields:
    """Which fields the rows of each type carry: all, where the type is not named."""

    def __init__(self, chosen: Mapping[type[msgspec.Struct], Collection[str]]) -> None:
        """Take fields by their Python names; ``ValueError`` for a name that a type lacks."""
        self._chosen = {
            shape: _in_order(shape, {*names, *ALWAYS.get(shape.__name__, ())})
            for shape, names in chosen.items()
        }

    def of(self, shape: type[msgspec.Struct], *more: str) -> tuple[str, ...]:
        """The fields that a row of *shape* carries, and *more*, in the order of its type."""
        chosen = self._chosen.get(shape, shape.__struct_fields__)
        return chosen if set(more) <= set(chosen) else _in_order(shape, {*chosen, *more})

    def properties(self, shape: type[msgspec.Struct], *more: str) -> list[str]:
        """The properties to ask for, in the order in which ``rows`` takes their columns."""
        written = dict(zip(shape.__struct_fields__, shape.__struct_encode_fields__, strict=True))
        return [written[name] for name in self.of(shape, *more)]

    def rows(
        self, shape: type[Shape], columns: Sequence[Sequence[Any]], *more: str
    ) -> ColumnRows[Shape]:
        """A row of *shape* for each place of the columns that ``properties`` named."""
        return ColumnRows(shape, dict(zip(self.of(shape, *more), columns, strict=True)))


ALL_FIELDS = ChosenFields({})
"""Rows that carry everything."""


def column_names(shape: type[msgspec.Struct]) -> list[str]:
    """All properties of a row, in the order in which ``rows_of`` takes their columns."""
    return ALL_FIELDS.properties(shape)


def rows_of(shape: type[Shape], columns: Sequence[Sequence[Any]]) -> list[Shape]:
    """A row of *shape* for each place of the columns of all its properties."""
    return list(ALL_FIELDS.rows(shape, columns))


class ColumnRows(Sequence[Shape]):
    """Rows over columns of one length; they are made when the first one is looked at.

    A property that is not there takes the field's default; words become members of their enum.
    A field without a column holds its default, or a value of its type that says nothing.
    """

    def __init__(self, shape: type[Shape], columns: Mapping[str, Sequence[Any]]) -> None:
        """Take at least one column, by the names of the fields."""
        self._shape = shape
        self._columns = columns
        self._rows: list[Shape] | None = None

    def column(self, name: str) -> Sequence[Any]:
        """The values of a field, with words as text; ``KeyError`` for one that is not carried."""
        column, default = self._columns[name], _defaults_of(self._shape).get(name)
        if default is not None and None in column:
            return [default if value is None else value for value in column]
        return column

    def __len__(self) -> int:
        return len(next(iter(self._columns.values())))

    @overload
    def __getitem__(self, at: int) -> Shape: ...
    @overload
    def __getitem__(self, at: slice) -> ColumnRows[Shape]: ...
    def __getitem__(self, at: int | slice) -> Shape | ColumnRows[Shape]:
        if isinstance(at, slice):
            parts = {name: column[at] for name, column in self._columns.items()}
            return ColumnRows(self._shape, parts)
        return self._made()[at]

    def __iter__(self) -> Iterator[Shape]:
        return iter(self._made())

    def __eq__(self, other: object) -> bool:
        return _is_list(other) and self._made() == list(other)

    __hash__ = None  # pyright: ignore[reportAssignmentType] - two lists can become unequal

    def __repr__(self) -> str:
        return repr(self._made())

    def _made(self) -> list[Shape]:
        if self._rows is None:
            words, blanks = _words_of(self._shape), blanks_of(self._shape)
            ready: list[Iterable[Any]] = []
            for name in self._shape.__struct_fields__:
                if name not in self._columns:
                    ready.append(repeat(blanks[name]))
                elif name in words:
                    members = words[name]
                    ready.append([members[value] for value in self._columns[name]])
                else:
                    ready.append(self.column(name))
            self._rows = list(map(self._shape, *ready))
        return self._rows


class ColumnPairs(Sequence[Pair], Generic[Pair, Shape, Beside]):
    """Rows over columns, each together with a value beside it."""

    def __init__(
        self,
        pair: Callable[[Shape, Beside], Pair],
        rows: ColumnRows[Shape],
        name: str,
        beside: Sequence[Beside],
    ) -> None:
        """Pair *rows* with the values *beside* them, which are the column *name*."""
        self._pair, self._name = pair, name
        self._ungrouped, self._beside = rows, beside
        self._pairs: list[Pair] | None = None

    def column(self, name: str) -> Sequence[Any]:
        """The values beside the rows or of a field; ``KeyError`` for one not carried."""
        return self._beside if name == self._name else self._ungrouped.column(name)

    def __len__(self) -> int:
        return len(self._beside)

    @overload
    def __getitem__(self, at: int) -> Pair: ...
    @overload
    def __getitem__(self, at: slice) -> ColumnPairs[Pair, Shape, Beside]: ...
    def __getitem__(self, at: int | slice) -> Pair | ColumnPairs[Pair, Shape, Beside]:
        if isinstance(at, slice):
            return ColumnPairs(self._pair, self._ungrouped[at], self._name, self._beside[at])
        return self._made()[at]

    def __iter__(self) -> Iterator[Pair]:
        return iter(self._made())

    def __eq__(self, other: object) -> bool:
        return _is_list(other) and self._made() == list(other)

    __hash__ = None  # pyright: ignore[reportAssignmentType] - two lists can become unequal

    def __repr__(self) -> str:
        return repr(self._made())

    def _made(self) -> list[Pair]:
        if self._pairs is None:
            self._pairs = list(map(self._pair, self._ungrouped, self._beside))
        return self._pairs


@cache
def blanks_of(shape: type[msgspec.Struct]) -> Mapping[str, Any]:
    """What each field of a row holds that it does not carry: its default, else nothing much."""
    return {
        field.name: field.default
        if field.default is not msgspec.NODEFAULT
        else _blank(inspect.type_info(field.type))
        for field in msgspec.structs.fields(shape)
    }


@cache
def _defaults_of(shape: type[msgspec.Struct]) -> Mapping[str, Any]:
    """The defaults that stand for a property that is not there."""
    return {
        field.name: field.default
        for field in msgspec.structs.fields(shape)
        if field.default is not msgspec.NODEFAULT
    }


@cache
def _words_of(shape: type[msgspec.Struct]) -> Mapping[str, Mapping[str | None, Enum | None]]:
    """The members of the enum of each field that has one."""
    enums = {
        field.name: _enum_of(inspect.type_info(field.type))
        for field in msgspec.structs.fields(shape)
    }
    return {
        name: {None: None, **{member.value: member for member in enum}}
        for name, enum in enums.items()
        if enum is not None
    }


def _enum_of(described: inspect.Type) -> type[Enum] | None:
    options = described.types if isinstance(described, inspect.UnionType) else (described,)
    return next((option.cls for option in options if isinstance(option, inspect.EnumType)), None)


def _blank(described: inspect.Type) -> object:
    match described:
        case inspect.BoolType():
            return False
        case inspect.IntType():
            return 0
        case inspect.EnumType():
            return next(iter(described.cls))
        case _:
            return ""


def _in_order(shape: type[msgspec.Struct], names: Collection[str]) -> tuple[str, ...]:
    unknown = set(names) - set(shape.__struct_fields__)
    if unknown:
        raise ValueError(f"{shape.__name__} has no field {', '.join(sorted(unknown))}.")
    return tuple(name for name in shape.__struct_fields__ if name in names)


def _is_list(value: object) -> TypeGuard[Sequence[object]]:
    return isinstance(value, Sequence) and not isinstance(value, str)
