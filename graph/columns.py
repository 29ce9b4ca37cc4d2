"""Rows out of the columns in which a list leaves the graph.

A statement answers with one record that holds a column a property, which is many times cheaper
than a record a row: ``RETURN [c IN $columns | [x IN xs | x[c]]] AS columns``.
"""

from __future__ import annotations

from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import inspect

if TYPE_CHECKING:
    from collections.abc import Sequence

Shape = TypeVar("Shape", bound=msgspec.Struct)


def column_names(shape: type[msgspec.Struct]) -> list[str]:
    """The properties to ask for, in the order in which ``rows_of`` takes their columns."""
    return list(shape.__struct_encode_fields__)


def rows_of(shape: type[Shape], columns: Sequence[Sequence[Any]]) -> list[Shape]:
    """A row of *shape* for each place of the *columns*, which are in ``column_names`` order.

    A property that is not there takes the field's default; words become members of their enum.
    """
    ready = list(columns)
    for at, members, default in _conversions(shape):
        column = ready[at]
        if members is not None:
            ready[at] = [members[value] for value in column]
        elif None in column:
            ready[at] = [default if value is None else value for value in column]
    return list(map(shape, *ready))


@cache
def _conversions(
    shape: type[msgspec.Struct],
) -> list[tuple[int, dict[str | None, Enum | None] | None, object]]:
    """The columns that do not go into a row as they are: place, enum members, default."""
    found: list[tuple[int, dict[str | None, Enum | None] | None, object]] = []
    for at, field in enumerate(msgspec.structs.fields(shape)):
        enum = _enum_of(inspect.type_info(field.type))
        if enum is not None:
            members: dict[str | None, Enum | None] = {None: None}
            members.update({member.value: member for member in enum})
            found.append((at, members, None))
        elif field.default is not msgspec.NODEFAULT and field.default is not None:
            found.append((at, None, field.default))
    return found


def _enum_of(described: inspect.Type) -> type[Enum] | None:
    options = described.types if isinstance(described, inspect.UnionType) else (described,)
    return next((option.cls for option in options if isinstance(option, inspect.EnumType)), None)
