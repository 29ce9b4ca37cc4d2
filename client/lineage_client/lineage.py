"""A lineage as it was read: all its nodes and edges, as a graph and as tables too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from lineage_client.model import LineageEdge, Thread, Totals, Truncation

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


class Tables(NamedTuple):
    """A lineage as two tables: *nodes* by thread id, *edges* by edge id."""

    nodes: pd.DataFrame
    edges: pd.DataFrame


@dataclass(frozen=True, slots=True)
class Lineage:
    """Threads and the edges between them.

    *nodes* stand nearest to where the walk began first. *truncated* is ``None`` where nothing
    was cut off. *version* is another one whenever the tree has changed. *totals* holds what each
    thread used itself, where that was asked for, and is empty otherwise.
    """

    nodes: Sequence[Thread]
    edges: Sequence[LineageEdge]
    truncated: Truncation | None
    version: str
    totals: Mapping[str, Totals]

    def to_networkx(self) -> nx.MultiDiGraph[str]:
        """The lineage as a graph of networkx, from origins to what came of them.

        Nodes are thread ids, edges have their id as key; both carry what is known as attributes,
        and leave out what is not. Times are ``datetime``.
        """
        from lineage_client.graph import graph_of  # noqa: PLC0415 - an extra

        return graph_of(self)

    def to_pandas(self) -> Tables:
        """The lineage as two tables of pandas, with a column a field and times in UTC."""
        from lineage_client.tables import tables_of  # noqa: PLC0415 - an extra

        return tables_of(self)

    def facts_of(self, node: Thread) -> dict[str, object]:
        """What is told of a thread, its own sums included, by name; also what is not known."""
        facts: dict[str, object] = asdict(node)
        totals = self.totals.get(node.thread_id)
        if totals is not None:
            facts |= {
                "runs": totals.runs,
                "input_tokens": totals.input_tokens,
                "output_tokens": totals.output_tokens,
                "duration_ms": totals.duration_ms,
            }
        return facts
