"""Lineages as graphs of networkx; needs ``thread-lineage-client[networkx]``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

try:
    import networkx as nx
except ImportError as error:
    raise ImportError(
        "Graphs need networkx: pip install 'thread-lineage-client[networkx]'"
    ) from error

if TYPE_CHECKING:
    from lineage_client.lineage import Lineage


def graph_of(lineage: Lineage) -> nx.MultiDiGraph[str]:
    """The lineage as a directed graph that may have several edges between two threads."""
    graph: nx.MultiDiGraph[str] = nx.MultiDiGraph(
        version=lineage.version, truncated=lineage.truncated is not None
    )
    for node in lineage.nodes:
        graph.add_node(node.thread_id, **_known(lineage.facts_of(node)))
    for edge in lineage.edges:
        graph.add_edge(edge.from_thread_id, edge.to_thread_id, edge.id, **_known(asdict(edge)))
    return graph


def _known(facts: dict[str, object]) -> dict[str, object]:
    """Files of graphs, such as GraphML, have no word for what is not known."""
    return {name: value for name, value in facts.items() if value is not None}
