"""What an import finds by itself, and how it is narrowed."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Lineage
from tests.samples_on_disk import SAMPLES, unpack_home

HOMES = {
    "codex": ("codex-0.171.0/forks-paginated", ".codex"),
    "claude": ("claude-code-2.1.332/fork-session", ".claude"),
    "pi": ("pi-0.73.1/branches", ".pi/agent"),
    "opencode": ("opencode-1.18.33/forks", ".local/share/opencode"),
}


@pytest.fixture
def all_tools(tmp_path: Path) -> dict[str, Path]:
    """A home of each tool where the tool keeps it."""
    folders: dict[str, Path] = {}
    for tool, (scenario, place) in HOMES.items():
        folders[tool] = tmp_path / "home" / place
        folders[tool].parent.mkdir(parents=True, exist_ok=True)
        unpack_home(scenario, tmp_path / "unpacked").rename(folders[tool])
    return folders


def test_a_dry_run_says_what_there_is_and_imports_nothing(
    all_tools: dict[str, Path], lineage: Lineage
) -> None:
    """Of every tool, without a database."""
    ended = lineage("import", "--dry-run")

    lines = ended.out.splitlines()
    assert ended.code == 0
    assert [line.split()[0] for line in lines[:-1]] == list(HOMES)
    assert lines[0].startswith("codex  7 threads in 7 files, ")
    assert lines[0].endswith(str(all_tools["codex"]))
    assert lines[-1] == "Nothing was imported."


def test_a_dry_run_says_the_same_to_programs(all_tools: dict[str, Path], lineage: Lineage) -> None:
    """One line of JSON."""
    ended = lineage("import", "--dry-run", "--json", "--tool", "codex", "--tool", "pi")

    codex, pi = json.loads(ended.out)
    assert (codex["tool"], codex["threads"], codex["files"]) == ("codex", 7, 7)
    assert (pi["tool"], codex["skipped"]) == ("pi", [])
    assert codex["paths"] == [str(all_tools["codex"])]
    assert codex["bytes"] == sum(
        path.stat().st_size for path in all_tools["codex"].rglob("rollout-*.jsonl")
    )


@pytest.mark.usefixtures("graph_settings", "all_tools")
def test_all_tools_are_imported_at_once(lineage: Lineage) -> None:
    """What was found is said first; a second import reads nothing."""
    first = lineage("import")
    second = json.loads(lineage("import", "--json").out)

    assert first.code == 0
    assert [line.split()[0] for line in first.err.splitlines()] == list(HOMES)
    assert second["threadsWritten"] == 0
    assert second["threadsNotRead"] == second["threadsUnchanged"] > 7


@pytest.mark.usefixtures("graph_settings", "all_tools")
def test_an_import_can_be_narrowed_to_a_tool_and_a_time(lineage: Lineage) -> None:
    """What was left for another time is imported later."""
    one = json.loads(lineage("import", "--tool", "codex", "--json").out)
    none = lineage("import", "--tool", "pi", "--since", "2999-01-01")

    assert one["threadsWritten"] == 7
    assert (none.code, none.out.splitlines()[0].split(",")[0]) == (1, "0 threads written")


def test_an_import_can_be_narrowed_to_a_project(
    codex_home: Callable[[str], Path], lineage: Lineage
) -> None:
    """By the folder that the conversations work in."""
    home = codex_home(HOMES["codex"][0])
    meta = json.loads(min(home.rglob("rollout-*.jsonl")).read_text().splitlines()[0])
    folder = Path(meta["payload"]["cwd"])

    inside = json.loads(lineage("import", home, "--dry-run", "--json", "--project", folder).out)
    above = json.loads(
        lineage("import", home, "--dry-run", "--json", "--project", folder.parent).out
    )
    beside = json.loads(
        lineage("import", home, "--dry-run", "--json", "--project", f"{folder}-2").out
    )

    assert [found[0]["threads"] for found in (inside, above, beside)] == [7, 7, 0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--tool", "emacs"), "There is no importer for 'emacs'. Known are: codex, claude, pi"),
        (("--since", "yesterday"), "'yesterday' is no time: say a date (2026-11-30)"),
    ],
)
def test_a_condition_that_means_nothing_is_told(
    lineage: Lineage, words: tuple[str, ...], said: str
) -> None:
    """Nothing is imported by mistake."""
    ended = lineage("import", str(SAMPLES), *words)

    assert ended.code != 0
    assert said in " ".join(ended.err.replace("│", " ").split())
