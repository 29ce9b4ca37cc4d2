"""Rows that a store gives: a sequence, and where it can do so a column without the rows."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any, Protocol, runtime_checkable


@runtime_checkable
class ColumnarRows(Protocol):
    """Rows that can give a column without making the rows; enums may be plain words in it."""

    def column(self, name: str) -> Sequence[Any]:
        """The values of a field, one a row."""
        ...


def column_of(rows: Sequence[Any], name: str) -> Sequence[Any]:
    """The values of a field, one a row."""
    if isinstance(rows, ColumnarRows):
        return rows.column(name)
    return list(map(attrgetter(name), rows))
