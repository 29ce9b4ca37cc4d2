"""Rows that a store gives: a sequence, and where it can do so a column without the rows."""

from collections.abc import Sequence
from operator import attrgetter
from typing import Any

from graph.questions import Columnar


def column_of(rows: Sequence[Any], name: str) -> Sequence[Any]:
    """The values of a field, one a row; of a column that is not carried what the rows hold."""
    if isinstance(rows, Columnar):
        try:
            return rows.column(name)
        except KeyError:
            pass
    return list(map(attrgetter(name), rows))
