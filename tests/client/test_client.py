"""What the client answers from a real service."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest

from lineage_client import (
    BadUserInput,
    InvalidDocument,
    LimitExceeded,
    LineageClient,
    ServiceError,
    SubtreeTotals,
    ThreadNotFound,
    Totals,
    Truncation,
)
from tests.client.conftest import LARGE


def noon(minute: int) -> datetime:
    """A moment of the families."""
    return datetime(2026, 11, 30, 12, minute, tzinfo=UTC)


def test_a_thread_is_a_typed_value(client: LineageClient) -> None:
    """Times are times, and what is not known is None; an unknown id is None."""
    fork = client.thread("fork")

    assert fork is not None
    assert (fork.thread_id, fork.recorded, fork.depth) == ("fork", True, 1)
    assert (fork.relationship_to_parent, fork.parent_thread_id) == ("FORK", "root")
    assert (fork.created_at, fork.archived_at) == (noon(2), None)
    assert client.thread("nobody") is None


def test_a_list_is_iterated_over_all_its_pages(client: LineageClient) -> None:
    """In the order that was asked for."""
    found = [thread.thread_id for thread in client.threads("CREATED_ASC")]

    assert len(found) == LARGE + 3
    assert found[:3] == ["root", "fork", "large"]
    assert len(set(found)) == len(found)


def test_a_page_is_read_when_it_is_wanted(
    client: LineageClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who takes ten threads of a list waits for one page."""
    asked: list[str] = []
    query = client.query

    def counting(document: str, variables: dict[str, object]) -> dict[str, Any]:
        asked.append(document)
        return query(document, variables)

    monkeypatch.setattr(client, "query", counting)
    threads = client.threads()
    before = len(asked)
    taken = list(islice(threads, 10))

    assert (before, len(asked), len(taken)) == (0, 1, 10)


def test_conditions_say_what_is_listed(client: LineageClient) -> None:
    """All of them must hold; times may be of any zone."""
    early = client.threads(created_before=noon(3), drivers=["codex"])
    agents = client.threads(ancestor_thread_id="root", order_by="CREATED_ASC")
    searched = client.threads(search="The first", roots_only=True)

    assert [thread.thread_id for thread in early] == ["fork", "root"]
    assert [thread.thread_id for thread in agents] == ["helper", "deeper"]
    assert [thread.thread_id for thread in searched] == ["root"]


def test_a_lineage_is_whole_however_many_pages_it_takes(client: LineageClient) -> None:
    """Every node once and every edge once, in the order of the service."""
    lineage = client.lineage("agent-007-own")

    assert len(lineage.nodes) == LARGE + 1
    assert len({node.thread_id for node in lineage.nodes}) == LARGE + 1
    assert len({edge.id for edge in lineage.edges}) == len(lineage.edges) == LARGE
    assert [node.depth for node in lineage.nodes] == [0] + [1] * 120 + [2] * 120
    assert lineage.truncated is None
    assert lineage.version.startswith("large:")
    assert lineage.totals == {}


def test_a_lineage_has_its_edges_with_their_facts(client: LineageClient) -> None:
    """From the origin to the newer thread."""
    lineage = client.lineage("deeper")

    assert [(edge.kind, edge.from_thread_id, edge.to_thread_id) for edge in lineage.edges] == [
        ("FORK", "root", "fork"),
        ("SPAWN", "helper", "deeper"),
        ("SPAWN", "root", "helper"),
        ("SPAWN", "root", "unseen"),
    ]
    assert [edge.status for edge in lineage.edges] == [None, "closed", "open", "open"]
    assert lineage.edges[0].run_id == "root/turn-2"
    assert lineage.edges[1].at == noon(8)


@pytest.mark.parametrize("most", [1, 50, 51, 120, LARGE])
def test_a_lineage_says_that_it_was_cut_off_by_nodes(client: LineageClient, most: int) -> None:
    """Over several pages, too, the limit is the one that was asked for."""
    lineage = client.lineage("large", max_nodes=most)

    assert len(lineage.nodes) == most
    assert lineage.truncated == Truncation("NODES", most)


def test_a_lineage_that_just_fits_is_not_cut_off(client: LineageClient) -> None:
    """Neither is one below a generous limit."""
    assert client.lineage("large", max_nodes=LARGE + 1).truncated is None
    assert client.lineage("large", max_nodes=LARGE * 2).truncated is None


def test_a_lineage_says_that_it_was_cut_off_by_depth(client: LineageClient) -> None:
    """All its pages are read first."""
    lineage = client.lineage("large", max_depth=1)

    assert len(lineage.nodes) == 121
    assert lineage.truncated == Truncation("DEPTH", 1)


def test_a_lineage_can_be_of_one_direction_and_of_some_edges(client: LineageClient) -> None:
    """As in the service."""
    above = client.lineage("deeper", direction="ANCESTORS")
    forks = client.lineage("root", kinds=["FORK"])

    assert [node.thread_id for node in above.nodes] == ["deeper", "helper", "root"]
    assert [node.thread_id for node in forks.nodes] == ["root", "fork"]


def test_a_lineage_can_tell_what_each_thread_used(client: LineageClient) -> None:
    """The sums of the thread itself, by thread id."""
    lineage = client.lineage("root", totals=True)

    assert lineage.totals["root"] == Totals(
        threads=1, runs=3, input_tokens=0, output_tokens=0, duration_ms=0
    )
    assert set(lineage.totals) == {node.thread_id for node in lineage.nodes}


def test_what_hangs_below_a_thread_is_iterated_with_its_depth(client: LineageClient) -> None:
    """By depth, then by id; a status is of spawns alone."""
    below = list(client.descendants("large"))
    closed = client.descendants("helper", kinds=["SPAWN"], spawn_status="closed")

    assert len(below) == LARGE
    assert (below[0].depth, below[0].node.thread_id) == (1, "agent-000")
    assert (below[-1].depth, below[-1].node.thread_id) == (2, "agent-119-own")
    assert [descendant.node.thread_id for descendant in closed] == ["deeper"]


def test_what_a_thread_did_and_said_is_iterated(client: LineageClient) -> None:
    """Its runs, the history that it goes on from, and its items over two pages."""
    runs = list(client.runs("root"))
    history = [(run.thread_id, run.ordinal) for run in client.history("fork")]
    items = list(client.items("large"))

    assert [(run.run_id, run.status, run.usage) for run in runs] == [
        (f"root/turn-{number}", "completed", None) for number in (1, 2, 3)
    ]
    assert history == [("root", 1), ("root", 2), ("fork", 1), ("fork", 2)]
    assert [item.position for item in items] == list(range(501))
    assert (items[1].role, items[1].text) == ("assistant", "text 1")


def test_totals_are_own_spawned_and_forked(client: LineageClient) -> None:
    """Each thread once, placeholders not at all."""
    nothing = {"input_tokens": 0, "output_tokens": 0, "duration_ms": 0}

    assert client.totals("root") == SubtreeTotals(
        own=Totals(threads=1, runs=3, **nothing),
        spawned=Totals(threads=2, runs=1, **nothing),
        forked=Totals(threads=1, runs=2, **nothing),
    )


def test_a_path_leads_from_one_thread_to_another(client: LineageClient) -> None:
    """Over what they have in common; two that have nothing have no path."""
    path = client.path("fork", "deeper")

    assert path is not None
    assert [node.thread_id for node in path.nodes] == ["fork", "root", "helper", "deeper"]
    assert [edge.kind for edge in path.edges] == ["FORK", "SPAWN", "SPAWN"]
    assert client.path("fork", "large") is None


def test_threads_meet_in_their_nearest_common_ancestor(client: LineageClient) -> None:
    """Or nowhere."""
    meeting = client.nearest_common_ancestor("fork", "deeper", "helper")

    assert meeting is not None
    assert meeting.thread_id == "root"
    assert client.nearest_common_ancestor("fork", "large") is None


def test_any_document_can_be_asked(client: LineageClient) -> None:
    """The data comes as the service answers it."""
    query = "query($id: String!) { thread(threadId: $id) { children { totalCount } } }"

    assert client.query(query, {"id": "root"}) == {"thread": {"children": {"totalCount": 3}}}
    assert client.query("{ access { canWrite } }") == {"access": {"canWrite": True}}


@pytest.mark.parametrize("question", ["runs", "history", "items", "descendants"])
def test_a_list_of_a_thread_that_is_not_there_is_no_empty_list(
    client: LineageClient, question: str
) -> None:
    """An empty list would say that the thread is there."""
    ask: Callable[[str], Iterator[object]] = getattr(client, question)

    with pytest.raises(ThreadNotFound, match="'nobody'") as missing:
        next(ask("nobody"))

    assert missing.value.code == "THREAD_NOT_FOUND"


def test_an_unknown_thread_has_no_lineage_and_no_totals(client: LineageClient) -> None:
    """The error names it."""
    with pytest.raises(ThreadNotFound, match="'nobody'"):
        client.lineage("nobody")
    with pytest.raises(ThreadNotFound, match="'nobody'"):
        client.totals("nobody")


@pytest.mark.parametrize(
    ("document", "kind", "code"),
    [
        ("{", InvalidDocument, "GRAPHQL_PARSE_FAILED"),
        ("{ nothing }", InvalidDocument, "GRAPHQL_VALIDATION_FAILED"),
        ("{ threads(first: 0) { totalCount } }", BadUserInput, "BAD_USER_INPUT"),
        ("{ threads(first: 101) { totalCount } }", LimitExceeded, "LIMIT_EXCEEDED"),
    ],
)
def test_what_is_wrong_has_the_code_of_the_service(
    client: LineageClient, document: str, kind: type[ServiceError], code: str
) -> None:
    """And a class of its own."""
    with pytest.raises(kind) as wrong:
        client.query(document)

    assert (wrong.value.code, wrong.value.retryable) == (code, False)
    assert wrong.value.errors[0]["message"] == str(wrong.value)


def test_an_answer_with_an_error_beside_data_is_an_error(client: LineageClient) -> None:
    """What is only partly there is not passed off as all; the path says what is missing."""
    with pytest.raises(BadUserInput) as partly:
        client.query('{ access { canWrite } node(id: "?") { id } }')

    assert partly.value.path == ("node",)


@pytest.mark.parametrize("ending", ["", "/", "/graphql", "/graphql/"])
def test_an_address_may_name_the_endpoint(address: str, ending: str) -> None:
    """Or only the service."""
    with LineageClient(address + ending) as client:
        found = client.thread("root")

    assert found is not None
