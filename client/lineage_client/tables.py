"""Lineages as tables of pandas; needs ``thread-lineage-client[pandas]``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

try:
    import pandas as pd
except ImportError as error:
    raise ImportError("Tables need pandas: pip install 'thread-lineage-client[pandas]'") from error

from lineage_client.lineage import Tables
from lineage_client.model import LineageEdge, Thread

if TYPE_CHECKING:
    from lineage_client.lineage import Lineage

DTYPES = {"str": "string", "int": "Int64", "bool": "boolean", "datetime": "datetime64[us, UTC]"}
"""By annotation; each of them has a word for what is not known."""

SUMS = dict.fromkeys(("runs", "input_tokens", "output_tokens", "duration_ms"), "Int64")


def tables_of(lineage: Lineage) -> Tables:
    """The nodes and the edges, each with a column a field, also where there are none."""
    nodes = [lineage.facts_of(node) for node in lineage.nodes]
    sums = SUMS if lineage.totals else {}
    return Tables(
        nodes=_table(nodes, _dtypes_of(Thread) | sums, "thread_id"),
        edges=_table([asdict(edge) for edge in lineage.edges], _dtypes_of(LineageEdge), "id"),
    )


def _dtypes_of(kind: type[Any]) -> dict[str, str]:
    return {field.name: DTYPES[str(field.type).removesuffix(" | None")] for field in fields(kind)}


def _table(rows: Sequence[dict[str, object]], dtypes: dict[str, str], index: str) -> pd.DataFrame:
    columns = {
        name: pd.Series([row.get(name) for row in rows], dtype=dtype)
        for name, dtype in dtypes.items()
    }
    return pd.DataFrame(columns).set_index(index)
