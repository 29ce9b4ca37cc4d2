"""Lineages and lists as tables of pandas; needs ``thread-lineage-client[pandas]``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, fields, is_dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

try:
    import pandas as pd
except ImportError as error:
    raise ImportError("Tables need pandas: pip install 'thread-lineage-client[pandas]'") from error

from lineage_client.decoding import fields_of
from lineage_client.lineage import Tables
from lineage_client.model import LineageEdge, Thread

if TYPE_CHECKING:
    from lineage_client.lineage import Lineage

DTYPES: dict[type[Any], str] = {
    str: "string",
    int: "Int64",
    bool: "boolean",
    datetime: "datetime64[us, UTC]",
}
"""By type; each of them has a word for what is not known."""

SUMS = dict.fromkeys(("runs", "input_tokens", "output_tokens", "duration_ms"), "Int64")


def tables_of(lineage: Lineage) -> Tables:
    """The nodes and the edges, each with a column a field, also where there are none."""
    nodes = [lineage.facts_of(node) for node in lineage.nodes]
    sums = SUMS if lineage.totals else {}
    return Tables(
        nodes=_table(nodes, _dtypes_of(Thread) | sums),
        edges=_table([asdict(edge) for edge in lineage.edges], _dtypes_of(LineageEdge)),
    )


def table_of(kind: type[Any], rows: Iterable[object]) -> pd.DataFrame:
    """Rows of one class as a table by id, also where there are none."""
    return _table([dict(_facts_of(row)) for row in rows], _dtypes_of(kind))


def _facts_of(row: object, above: str = "") -> Iterator[tuple[str, object]]:
    """The fields of a row by name; of an object within it after the object's name."""
    for field in fields(row):  # pyright: ignore[reportArgumentType] - rows are of dataclasses
        value: object = getattr(row, field.name)
        if is_dataclass(value):
            yield from _facts_of(value, _below(above, field.name))
        else:
            yield above + field.name, value


def _dtypes_of(kind: type[Any], above: str = "") -> dict[str, str]:
    dtypes: dict[str, str] = {}
    for name, inner in fields_of(kind):
        if is_dataclass(inner):
            dtypes |= _dtypes_of(inner, _below(above, name))
        else:
            dtypes[above + name] = DTYPES.get(inner, "object")
    return dtypes


def _below(above: str, name: str) -> str:
    """What stands before the fields of an object; a node is what its row is about."""
    return above if name == "node" else f"{above}{name}_"


def _table(rows: Sequence[dict[str, object]], dtypes: dict[str, str]) -> pd.DataFrame:
    columns = {
        name: pd.Series([row.get(name) for row in rows], dtype=dtype)
        for name, dtype in dtypes.items()
    }
    index = next(name for name in dtypes if name == "id" or name.endswith("_id"))
    return pd.DataFrame(columns).set_index(index)
