"""What the commands for ways, searches, exports and integrity answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from neo4j import GraphDatabase

from tests.cli.conftest import Lineage
from tests.conftest import Neo4jServer
from tests.samples_on_disk import truth

FORKS = "codex-0.171.0/forks-paginated"
ARROW = "-. fork .->"


@pytest.fixture
def forks(
    graph_settings: None,  # noqa: ARG001 - marks have no effect on fixtures
    lineage: Lineage,
    codex_home: Callable[[str], Path],
) -> None:
    """The graph of a scenario with forks."""
    assert lineage("import", codex_home(FORKS)).code == 0


def id_of(label: str) -> str:
    """The id of a thread of the scenario."""
    return str(truth(FORKS)["threads"][label]["id"])


@pytest.mark.usefixtures("forks")
def test_a_path_is_told_in_words_and_in_json(lineage: Lineage) -> None:
    """A line a thread, and between two of them why they are connected."""
    told = lineage("path", id_of("root"), id_of("f_end"))
    back = lineage("path", id_of("f_end"), id_of("root"))
    answer = json.loads(lineage("path", id_of("root"), id_of("f_end"), "--json").out)

    first, edge, last = told.out.splitlines()
    assert (told.code, told.err) == (0, "")
    assert first.endswith(id_of("root"))
    assert last.endswith(id_of("f_end"))
    assert edge.startswith("  was forked into  in run ")
    assert back.out.splitlines()[1].startswith("  is a fork of  in run ")
    assert [node["threadId"] for node in answer["path"]["nodes"]] == [
        id_of("root"),
        id_of("f_end"),
    ]
    assert [edge["kind"] for edge in answer["path"]["edges"]] == ["FORK"]


@pytest.mark.usefixtures("forks")
def test_threads_without_a_path_are_said_to_have_none(
    lineage: Lineage, codex_home: Callable[[str], Path]
) -> None:
    """That is an answer and no error; an unknown thread is an error."""
    other = "codex-0.171.0/single-paginated"
    lineage("import", codex_home(other))
    (alone,) = [facts["id"] for facts in truth(other)["threads"].values()]

    apart = lineage("path", id_of("root"), alone)
    unknown = lineage("path", id_of("root"), "nobody")

    assert (apart.code, apart.out) == (0, "The two threads are not connected.\n")
    assert json.loads(lineage("path", id_of("root"), alone, "--json").out) == {"path": None}
    assert (unknown.code, unknown.err) == (1, "Error: No thread has the id 'nobody'.\n")


@pytest.mark.usefixtures("forks")
def test_a_search_names_threads_and_says_when_there_are_more(lineage: Lineage) -> None:
    """The latest first; nothing found is said, and nothing is cut silently."""
    found = lineage("search", "message")
    some = lineage("search", "message", "--limit", "1")
    none = lineage("search", "no such words")
    answer = json.loads(lineage("search", "message", "--limit", "1", "--json").out)

    assert len(found.out.splitlines()) > 1
    assert some.out.splitlines() == found.out.splitlines()[:1]
    assert some.err == "There are more than these 1; --limit shows more.\n"
    assert none.out == (
        "Nothing found: no thread has 'no such words' in its name, title or first message. "
        "--spawned searches what agents and programs started, too.\n"
    )
    assert (len(answer["threads"]), answer["more"]) == (1, True)
    assert some.out.rstrip().endswith(answer["threads"][0]["threadId"])


def test_a_search_finds_what_agents_started_where_that_is_asked(
    lineage: Lineage, codex_home: Callable[[str], Path]
) -> None:
    """What another thread spawned does not stand among what people started."""
    lineage("import", codex_home("codex-0.171.0/spawn-v1-legacy"))

    plain = lineage("search", "child task")
    spawned = lineage("search", "child task", "--spawned")

    assert plain.out.startswith("Nothing found: ")
    assert (len(spawned.out.splitlines()), spawned.err) == (3, "")


@pytest.mark.usefixtures("forks")
def test_a_tree_is_exported_as_json(
    lineage: Lineage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All nodes and edges with all fields, however many pages it takes."""
    whole = json.loads(lineage("export", id_of("f_end")).out)
    monkeypatch.setattr("cli.export.PAGE", 2)
    file = tmp_path / "tree.json"

    ended = lineage("export", id_of("f_end"), "--output", file)

    tree = json.loads(lineage("tree", id_of("root"), "--json").out)
    assert (ended.code, ended.out, ended.err) == (0, "", "")
    assert whole["nodes"] == tree["nodes"]
    told = [{name: edge[name] for name in edge if name != "id"} for edge in whole["edges"]]
    assert told == tree["edges"]
    by_id = sorted(whole["edges"], key=lambda edge: edge["id"])
    paged = json.loads(file.read_text("utf-8"))
    assert paged["nodes"] == whole["nodes"]
    assert sorted(paged["edges"], key=lambda edge: edge["id"]) == by_id
    assert [path.name for path in tmp_path.glob("tree.json*")] == ["tree.json"]


@pytest.mark.usefixtures("forks")
def test_a_tree_is_exported_as_a_flowchart(lineage: Lineage) -> None:
    """A node a thread and an arrow an edge; only the part that is asked for."""
    lines = lineage("export", id_of("root"), "--format", "mermaid").out.splitlines()
    above = lineage(
        "export", id_of("f_end"), "--format", "mermaid", "--direction", "ancestors"
    ).out.splitlines()

    assert lines[0] == "flowchart TD"
    assert lines[1].startswith('  t0["')
    assert lines[1].endswith(f'{id_of("root")}"]')
    assert sum("[" in line for line in lines) == 7
    assert sum(ARROW in line for line in lines) == 6
    assert sum("[" in line for line in above) == 2
    assert any(line.startswith(f"  t1 {ARROW} t0") for line in above)


@pytest.mark.usefixtures("forks")
def test_an_export_that_fails_leaves_no_file(lineage: Lineage, tmp_path: Path) -> None:
    """A file is there when it is whole."""
    ended = lineage("export", "nobody", "--output", tmp_path / "tree.json")

    assert (ended.code, ended.err) == (1, "Error: No thread has the id 'nobody'.\n")
    assert list(tmp_path.glob("tree.json*")) == []


@pytest.mark.usefixtures("forks")
def test_a_sound_graph_is_said_to_be_sound(lineage: Lineage) -> None:
    """In words and in JSON."""
    ended = lineage("integrity")

    assert (ended.code, ended.out) == (0, "The graph is sound.\n")
    assert json.loads(lineage("integrity", "--json").out) == {
        "findings": [],
        "unconfirmedStarts": [],
    }


@pytest.mark.usefixtures("forks")
def test_a_damaged_graph_is_an_exit_code(lineage: Lineage, neo4j_server: Neo4jServer) -> None:
    """What is wrong, where, and what to do."""
    auth = (neo4j_server.user, neo4j_server.password)
    with GraphDatabase.driver(neo4j_server.uri, auth=auth) as driver:  # pyright: ignore[reportUnknownMemberType] - untyped settings
        driver.execute_query(  # pyright: ignore[reportUnknownMemberType] - as above
            "MATCH (t:Thread {threadId: $id}) SET t.itemCount = 99",
            id=id_of("root"),
            database_=neo4j_server.database,
        )

    ended = lineage("integrity")
    told = lineage("integrity", "--json")

    assert ended.code == told.code == 1
    assert ended.out.startswith(f"item_count  Thread {id_of('root')} is stored with 99 items")
    assert ended.out.endswith("1 fault found.\n")
    assert json.loads(told.out)["findings"][0]["ids"] == [id_of("root")]
