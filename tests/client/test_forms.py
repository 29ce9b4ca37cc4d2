"""A lineage as a graph of networkx and as tables of pandas."""

from __future__ import annotations

import sys
from io import StringIO

import networkx as nx
import pandas as pd
import pytest

from lineage_client import Lineage, LineageClient

EMPTY = Lineage(nodes=[], edges=[], truncated=None, version="a:1", totals={})


def test_a_graph_leads_from_origins_to_what_came_of_them(client: LineageClient) -> None:
    """Nodes are thread ids, edges are told apart by their id; both carry what is known."""
    graph = client.lineage("root", totals=True).to_networkx()

    assert isinstance(graph, nx.MultiDiGraph)
    assert set(graph.successors("root")) == {"fork", "helper", "unseen"}
    assert nx.dag_longest_path(graph) == ["root", "helper", "deeper"]
    assert graph.nodes["root"]["title"] == "Root"
    assert graph.nodes["root"]["runs"] == 3
    assert "archived_at" not in graph.nodes["root"]
    edge = graph.edges["root", "fork", "FORK:root:fork"]
    assert (edge["kind"], edge["run_id"], edge["context_only"]) == ("FORK", "root/turn-2", False)
    assert graph.graph["truncated"] is False


def test_a_graph_says_that_it_is_not_whole(client: LineageClient) -> None:
    """Whoever gets the graph alone knows."""
    assert client.lineage("root", max_nodes=2).to_networkx().graph["truncated"] is True


def test_tables_have_a_column_a_field(client: LineageClient) -> None:
    """Numbers are numbers, times are times in UTC, and what is not known has its own value."""
    nodes, edges = client.lineage("root", totals=True).to_pandas()

    assert list(nodes.index) == ["root", "fork", "helper", "unseen", "deeper"]
    assert list(edges.index) == [
        "FORK:root:fork",
        "SPAWN:helper:deeper",
        "SPAWN:root:helper",
        "SPAWN:root:unseen",
    ]
    assert {name: str(nodes[name].dtype) for name in ("title", "depth", "recorded", "runs")} == {
        "title": "string",
        "depth": "Int64",
        "recorded": "boolean",
        "runs": "Int64",
    }
    assert str(nodes["created_at"].dtype) == "datetime64[us, UTC]"
    assert nodes["created_at"].max() == pd.Timestamp("2026-11-30T12:04:00Z")
    assert nodes["title"].isna().to_list() == [False, False, False, True, False]
    assert nodes["runs"].sum() == 6
    assert edges.groupby("kind").size().to_dict() == {"FORK": 1, "SPAWN": 3}


def test_tables_of_nothing_have_their_columns() -> None:
    """A program that works on some rows works on none."""
    nodes, edges = EMPTY.to_pandas()

    assert (len(nodes), len(edges)) == (0, 0)
    assert str(nodes["created_at"].dtype) == "datetime64[us, UTC]"
    assert "from_thread_id" in edges.columns


def test_a_list_is_a_table_too(client: LineageClient) -> None:
    """By id; what an object in a row holds has columns of its own, a thread below none more."""
    runs = client.runs("root").to_pandas()
    below = client.descendants("root").to_pandas()
    transfers = client.transfers(thread_id="trunk").to_pandas()

    assert list(runs.index) == ["root/turn-1", "root/turn-2", "root/turn-3"]
    assert str(runs["usage_input_tokens"].dtype) == "Int64"
    assert runs["usage_input_tokens"].isna().all()
    assert below["depth"].to_dict() == {"fork": 1, "helper": 1, "unseen": 1, "deeper": 2}
    assert list(transfers.index) == ["merge", "switch"]
    assert transfers["source_point_thread_id"].to_list() == ["branch", "trunk"]
    assert transfers["resolution_strategy"].isna().to_list() == [True, False]
    assert [len(steps) for steps in transfers["steps"]] == [1, 1]


def test_a_table_of_an_empty_list_has_its_columns(client: LineageClient) -> None:
    """And a list that was iterated before gives what is left of it."""
    nothing = client.transfers(type=["SUBAGENT_SPAWN"]).to_pandas()
    runs = client.runs("root")
    next(runs)

    assert len(nothing) == 0
    assert str(nothing["resolution_native_thread_ref_ordinal"].dtype) == "Int64"
    assert list(runs.to_pandas().index) == ["root/turn-2", "root/turn-3"]


def test_tables_can_be_written_to_files(client: LineageClient) -> None:
    """As CSV, and back."""
    nodes, _ = client.lineage("root").to_pandas()
    written = StringIO()

    nodes.to_csv(written)
    written.seek(0)
    again = pd.read_csv(written, index_col="thread_id")  # pyright: ignore[reportUnknownMemberType] - untyped settings

    assert list(again.index) == list(nodes.index)


@pytest.mark.parametrize(
    ("module", "extra", "form"),
    [("networkx", "networkx", "to_networkx"), ("pandas", "pandas", "to_pandas")],
)
def test_an_extra_that_is_not_installed_is_named(
    monkeypatch: pytest.MonkeyPatch, module: str, extra: str, form: str
) -> None:
    """The words say what to install."""
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "lineage_client.graph", raising=False)
    monkeypatch.delitem(sys.modules, "lineage_client.tables", raising=False)

    with pytest.raises(ImportError, match=rf"pip install 'thread-lineage-client\[{extra}\]'"):
        getattr(EMPTY, form)()
