"""What the commands answer, on a graph of sample conversations."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.cli.conftest import Lineage
from tests.samples_on_disk import truth

API_SCHEMA = Path(__file__).parents[2] / "api" / "schema.graphql"
FORKS = "codex-0.171.0/forks-paginated"
SPAWNS = "codex-0.171.0/spawn-v2-paginated"


@pytest.fixture
def forks(
    graph_settings: None,  # noqa: ARG001 - marks have no effect on fixtures
    lineage: Lineage,
    codex_home: Callable[[str], Path],
) -> Path:
    """The graph of a scenario with forks, and its home."""
    home = codex_home(FORKS)
    assert lineage("import", home).code == 0
    return home


def id_of(scenario: str, label: str) -> str:
    """The id of a thread in a scenario."""
    return str(truth(scenario)["threads"][label]["id"])


@pytest.mark.usefixtures("graph_settings")
def test_an_import_says_what_it_wrote(lineage: Lineage, codex_home: Callable[[str], Path]) -> None:
    """Files, threads, runs, items and edges, for people."""
    ended = lineage("import", codex_home(FORKS))

    first, second, third = ended.out.splitlines()[:3]
    assert ended.code == 0
    assert first.startswith("7 threads written, 0 unchanged, from 7 files (")
    assert second.startswith("  10 runs, ")
    assert third.startswith("  6 forks, ")


@pytest.mark.usefixtures("graph_settings")
def test_an_import_says_the_same_to_programs(
    lineage: Lineage, codex_home: Callable[[str], Path]
) -> None:
    """One line of JSON, and nothing else."""
    ended = lineage("import", codex_home(FORKS), "--json")

    report = json.loads(ended.out)
    assert (ended.code, ended.err) == (0, "")
    assert (report["threadsWritten"], report["runs"], report["edges"]["FORK"]) == (7, 10, 6)
    assert (report["skipped"], report["placeholders"]) == ({}, 0)


def test_importing_again_writes_nothing(forks: Path, lineage: Lineage) -> None:
    """What is right stays untouched."""
    report = json.loads(lineage("import", forks, "--json").out)

    assert (report["threadsWritten"], report["threadsUnchanged"]) == (0, 7)


@pytest.mark.usefixtures("forks")
def test_the_tree_of_a_thread_is_drawn_from_its_root(lineage: Lineage) -> None:
    """Whichever thread of it is asked for."""
    ended = lineage("tree", id_of(FORKS, "f_end"))

    lines = ended.out.splitlines()
    assert ended.code == 0
    assert len(lines) == 7
    assert lines[0].endswith(id_of(FORKS, "root"))
    assert all("fork  " in line for line in lines[1:])


@pytest.mark.usefixtures("forks")
def test_a_tree_can_be_had_in_json(lineage: Lineage) -> None:
    """Nodes and edges as the API calls them."""
    answer = json.loads(lineage("tree", id_of(FORKS, "root"), "--json").out)

    assert len(answer["nodes"]) == 7
    assert answer["nodes"][0]["threadId"] == id_of(FORKS, "root")
    assert {edge["fromThreadId"] for edge in answer["edges"] if edge["kind"] == "FORK"} >= {
        id_of(FORKS, "root")
    }
    assert answer["truncated"] is None


@pytest.mark.usefixtures("forks")
def test_a_tree_that_is_cut_off_says_so(lineage: Lineage) -> None:
    """Nothing is cut silently."""
    ended = lineage("tree", id_of(FORKS, "root"), "--max-nodes", "2")

    assert len(ended.out.splitlines()) == 2
    assert ended.err == "Cut off after 2 threads; --max-nodes takes more.\n"


@pytest.mark.usefixtures("forks")
def test_a_thread_is_shown_with_how_to_go_on(lineage: Lineage) -> None:
    """Its facts, where it came from, its runs, and the command that continues it."""
    fork, root = id_of(FORKS, "f_end"), id_of(FORKS, "root")

    out = lineage("show", fork).out

    assert f"  id        {fork}\n" in out
    assert "  fork of  " in out
    assert f"  {root}  in run {truth(FORKS)['threads']['f_end']['fork_source_turn']}\n" in out
    assert f"codex resume {fork}\n" in out


@pytest.mark.usefixtures("forks")
def test_a_thread_is_shown_to_programs(lineage: Lineage) -> None:
    """The same in JSON."""
    fork = id_of(FORKS, "f_end")

    facts = json.loads(lineage("show", fork, "--json").out)

    assert facts["thread"]["threadId"] == fork
    assert facts["continuation"]["command"].endswith(f"codex resume {fork}")
    assert facts["runCount"] == 2


@pytest.mark.usefixtures("forks")
def test_the_beginning_of_an_id_is_enough(lineage: Lineage) -> None:
    """As long as no other begins so."""
    fork = id_of(FORKS, "f_end")

    assert lineage("show", fork[:-4]).out == lineage("show", fork).out


@pytest.mark.usefixtures("forks")
def test_an_ambiguous_beginning_names_the_threads(lineage: Lineage) -> None:
    """Nothing is guessed."""
    ended = lineage("tree", "01a22c1b-4")

    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith(
        "Error: Several threads' ids begin with '01a22c1b-4':\n  01a22c1b-4"
    )


@pytest.mark.usefixtures("forks")
@pytest.mark.parametrize("command", ["tree", "show"])
def test_an_unknown_thread_is_an_error(lineage: Lineage, command: str) -> None:
    """One sentence, and an exit code."""
    ended = lineage(command, "nobody")

    assert (ended.code, ended.out, ended.err) == (
        1,
        "",
        "Error: No thread has the id 'nobody'.\n",
    )


@pytest.mark.usefixtures("graph_settings")
def test_spawned_threads_are_drawn_with_their_names(
    lineage: Lineage, codex_home: Callable[[str], Path]
) -> None:
    """And with the word for why they are there."""
    lineage("import", codex_home(SPAWNS))

    lines = lineage("tree", id_of(SPAWNS, "root")).out.splitlines()

    assert any("spawn  /root/" in line for line in lines)


def test_the_schema_is_the_committed_one(lineage: Lineage) -> None:
    """For generators and editors."""
    assert lineage("schema").out.strip() == API_SCHEMA.read_text("utf-8").strip()


def test_the_version_is_the_packages(lineage: Lineage) -> None:
    """As installed."""
    assert lineage("--version").out == f"{version('thread-lineage')}\n"


def test_help_teaches_with_examples_and_tells_the_exit_codes(lineage: Lineage) -> None:
    """A command is learned from its help."""
    out = lineage("--help").out

    assert "lineage import" in out
    assert "Exit codes: 0 done" in out


@pytest.mark.parametrize(
    "command",
    [
        *("serve", "import", "tree", "show", "path", "search", "export", "integrity"),
        *("doctor", "schema"),
    ],
)
def test_every_command_has_an_example(lineage: Lineage, command: str) -> None:
    """One that can be typed."""
    out = lineage(command, "--help").out

    assert f"  lineage {command}" in out
