"""The rows of a list, read page by page as far as they are iterated; as a table too."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    import pandas as pd

Row = TypeVar("Row")


class Rows(Iterator[Row], Generic[Row]):
    """An iterator over the rows of a list, once."""

    def __init__(self, kind: type[Any], rows: Iterator[Row]) -> None:
        """Iterate over *rows*, which are of the class *kind*."""
        self._kind, self._rows = kind, rows

    def __iter__(self) -> Rows[Row]:
        return self

    def __next__(self) -> Row:
        return next(self._rows)

    def to_pandas(self) -> pd.DataFrame:
        """The rows that are left as a table of pandas, by id, with times in UTC.

        An object within a row has its fields as columns of their own, each after the object's
        name: ``usage_input_tokens``.
        """
        from lineage_client.tables import table_of  # noqa: PLC0415 - an extra

        return table_of(self._kind, self._rows)
