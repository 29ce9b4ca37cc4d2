"""Rows as columns: what a compiled selection reads."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from operator import attrgetter
from typing import Any, Protocol

from api.compiled.refusals import Unfit
from api.rows import column_of, is_columnar


class Columns(Protocol):
    """Some rows of one type, column by column.

    *words* is true where the members of enums may be plain words, as the graph has them.
    """

    @property
    def words(self) -> bool: ...

    def __len__(self) -> int: ...

    def column(self, name: str) -> Sequence[Any]:
        """The values of a field, one a row."""
        ...

    def objects(self, name: str, row_type: type) -> "Objects":
        """The rows that stand in a field, one a row or none."""
        ...

    def lists(self, name: str, row_type: type) -> "Lists":
        """The lists of rows that stand in a field."""
        ...


@dataclass(frozen=True, slots=True)
class Objects:
    """The rows that are there, and where they are missing: ``None`` for nowhere."""

    found: Columns
    present: Sequence[bool] | None


@dataclass(frozen=True, slots=True)
class Lists:
    """The rows of several lists one after another, and how long each list is."""

    found: Columns
    lengths: Sequence[int]


def columns_of(rows: Sequence[Any], row_type: type) -> Columns:
    """The columns of *rows*; ``Unfit`` where one of them is no *row_type*."""
    if is_columnar(rows):
        return _FromGraph(rows)
    if not set(map(type, rows)) <= {row_type}:
        raise Unfit
    return _FromRows(rows)


def joined(parts: Sequence[Sequence[Any]], row_type: type) -> Columns:
    """The columns of several lists of rows, one list after another."""
    if len(parts) == 1:
        return columns_of(parts[0], row_type)
    if any(is_columnar(part) for part in parts):
        return _Joined([columns_of(part, row_type) for part in parts if len(part)])
    return columns_of(list(chain.from_iterable(parts)), row_type)


def objects_in(values: Sequence[Any], row_type: type) -> Objects:
    """The rows among *values*, which may be ``None``."""
    if None not in values:
        return Objects(columns_of(values, row_type), None)
    present = [value is not None for value in values]
    return Objects(columns_of([value for value in values if value is not None], row_type), present)


def lists_in(values: Sequence[Any], row_type: type) -> Lists:
    """The rows of the lists that *values* are."""
    if not all(isinstance(value, Sequence) for value in values):
        raise Unfit
    return Lists(joined(values, row_type), [len(value) for value in values])


@dataclass(frozen=True, slots=True)
class Given:
    """Columns that are already there: values, rows and lists of rows."""

    size: int
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict[str, Sequence[Any]])
    rows: Mapping[str, Objects] = field(default_factory=dict[str, Objects])
    row_lists: Mapping[str, Lists] = field(default_factory=dict[str, Lists])
    words: bool = False

    def __len__(self) -> int:
        """How many rows there are."""
        return self.size

    def column(self, name: str) -> Sequence[Any]:
        return self.columns[name]

    def objects(self, name: str, row_type: type) -> Objects:
        return self.rows[name]

    def lists(self, name: str, row_type: type) -> Lists:
        return self.row_lists[name]


@dataclass(frozen=True, slots=True)
class _FromRows:
    inner: Sequence[Any]
    words: bool = False

    def __len__(self) -> int:
        return len(self.inner)

    def column(self, name: str) -> Sequence[Any]:
        return list(map(attrgetter(name), self.inner))

    def objects(self, name: str, row_type: type) -> Objects:
        return objects_in(self.column(name), row_type)

    def lists(self, name: str, row_type: type) -> Lists:
        return lists_in(self.column(name), row_type)


@dataclass(frozen=True, slots=True)
class _FromGraph:
    inner: Sequence[Any]
    words: bool = True

    def __len__(self) -> int:
        return len(self.inner)

    def column(self, name: str) -> Sequence[Any]:
        return column_of(self.inner, name)

    def objects(self, name: str, row_type: type) -> Objects:
        return objects_in(self.column(name), row_type)

    def lists(self, name: str, row_type: type) -> Lists:
        return lists_in(self.column(name), row_type)


@dataclass(frozen=True, slots=True)
class _Joined:
    parts: Sequence[Columns]

    @property
    def words(self) -> bool:
        return any(part.words for part in self.parts)

    def __len__(self) -> int:
        return sum(map(len, self.parts))

    def column(self, name: str) -> Sequence[Any]:
        return list(_chained(part.column(name) for part in self.parts))

    def objects(self, name: str, row_type: type) -> Objects:
        return objects_in(self.column(name), row_type)

    def lists(self, name: str, row_type: type) -> Lists:
        return lists_in(self.column(name), row_type)


def _chained(columns: Iterable[Sequence[Any]]) -> Iterable[Any]:
    return chain.from_iterable(columns)
