"""Rows that a store gives: a sequence, and where it can do so a column without the rows."""

from collections.abc import Sequence
from functools import cache
from operator import attrgetter
from typing import Any, cast

from graph.questions import Columnar


def is_columnar(rows: object) -> bool:
    """Whether rows stand in columns.

    Asking a protocol costs tens of microseconds each time, so it is asked once for each class.
    """
    return _is_columnar(type(rows))


def column_of(rows: Sequence[Any], name: str) -> Sequence[Any]:
    """The values of a field, one a row; of a column that is not carried what the rows hold."""
    if is_columnar(rows):
        try:
            return cast("Columnar", rows).column(name)
        except KeyError:
            pass
    return list(map(attrgetter(name), rows))


@cache
def _is_columnar(rows_type: type) -> bool:
    return issubclass(rows_type, Columnar)
