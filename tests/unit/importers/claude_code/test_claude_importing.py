"""Importing Claude Code's sessions: found, read in any order, and left as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.errors import SourceNotRecognized
from graph.model import ThreadId
from importers.claude_code.importer import HOME_VARIABLE, ClaudeCodeImporter
from importers.contract import ReadOptions
from tests.importing import Imported, import_paths
from tests.unit.importers.claude_code.writing import PROJECT, Written

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


def assert_same_graph(one: Imported, other: Imported) -> None:
    """Whether two stores hold the same facts."""
    facts, others = one.store.facts, other.store.facts
    assert facts.runs_of == others.runs_of
    assert facts.items_of == others.items_of
    assert facts.windows_of == others.windows_of
    assert facts.forks == others.forks
    assert facts.spawns == others.spawns
    assert facts.bases == others.bases
    assert facts.calls_of == others.calls_of


async def test_a_fork_that_is_there_before_its_source_owns_what_it_owned(tmp_path: Path) -> None:
    """Nothing has to be taken back when the source arrives."""
    main = Written("main").begin().turn("1")
    fork = main.fork("fork").turn("2")
    imported, importer = Imported(), ClaudeCodeImporter()

    fork.write(tmp_path)
    await import_paths(importer, [tmp_path], into=imported)
    main.write(tmp_path)
    await import_paths(importer, [tmp_path], into=imported)

    fresh = await import_paths(ClaudeCodeImporter(), [tmp_path])
    assert_same_graph(imported, fresh)


async def test_settled_items_stay_as_they_are_while_a_file_grows(tmp_path: Path) -> None:
    """What is settled of an earlier import stands at the front of every later one."""
    session = Written("s").turn("1").prompt("2u").call("c", "t", "Bash", command="ls")

    before = await import_paths(ClaudeCodeImporter(), [session.write(tmp_path)])
    session.result("r", "t", "a\n").answer("2a")
    after = await import_paths(ClaudeCodeImporter(), [session.write(tmp_path)])

    settled = before.only.items.settled
    assert (settled, len(before.only.items.items)) == (3, 4)
    assert before.only.items.items[:settled] == after.only.items.items[:settled]
    assert [item.text for item in after.only.items.items[settled:]] == ["ls\na\n", "answer 2a"]


async def test_files_of_other_programs_are_counted_and_left_out(tmp_path: Path) -> None:
    """They never stop the rest."""
    folder = Written("s").turn("1").write(tmp_path).parent
    (folder / "empty.jsonl").write_bytes(b"")
    (folder / "codex.jsonl").write_text('{"timestamp":"x","type":"session_meta","payload":{}}\n')
    (folder / "pi.jsonl").write_text('{"type":"session","id":"x","version":3}\n')
    (folder / "binary.jsonl").write_bytes(bytes(range(256)) * 10)
    (folder / "quiet.jsonl").write_text('{"type":"mode","mode":"normal","sessionId":"quiet"}\n')
    (folder / "loop").symlink_to(folder)
    (folder / "dangling.jsonl").symlink_to(folder / "nowhere")

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert list(imported.threads) == ["s"]
    assert sorted(imported.reasons) == [
        "empty-file",
        "no-messages",
        "not-a-transcript",
        "not-a-transcript",
        "not-a-transcript",
    ]


@pytest.mark.parametrize("content", [None, '{"type":"session","id":"x"}\n', '{"type":"us'])
def test_a_folder_without_sessions_is_said_to_hold_none(
    tmp_path: Path, content: str | None
) -> None:
    """Empty, or full of something else."""
    if content is not None:
        (tmp_path / "other.jsonl").write_text(content)

    with pytest.raises(SourceNotRecognized):
        ClaudeCodeImporter().plan([tmp_path])


def test_a_home_in_which_nobody_said_anything_is_empty(tmp_path: Path) -> None:
    """That is no fault of the user's."""
    (tmp_path / "projects" / PROJECT).mkdir(parents=True)
    quiet = Written("s").control("mode").write(tmp_path / "quiet" / "projects")

    empty = ClaudeCodeImporter().plan([tmp_path / "projects"])
    plan = ClaudeCodeImporter().plan([quiet])

    assert (empty.sources, empty.skips) == ((), ())
    assert plan.sources == ()
    assert [skip.reason for skip in plan.skips] == ["no-messages"]


def test_only_projects_are_looked_at_in_a_home(tmp_path: Path) -> None:
    """Claude Code keeps other files of lines there."""
    Written("s").turn("1").write(tmp_path / "projects")
    (tmp_path / "history.jsonl").write_text('{"display":"x","sessionId":"s"}\n')
    (tmp_path / "other.jsonl").write_text("{}\n")

    plan = ClaudeCodeImporter().plan([tmp_path])

    assert [source.thread_id for source in plan.sources] == ["s"]
    assert (plan.skips, plan.files) == ((), 1)


def test_sessions_are_looked_for_where_claude_code_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The home of the user's choice, or the usual place; nowhere where there is nothing."""
    usual, chosen = tmp_path / "user" / ".claude", tmp_path / "chosen"
    for home in (usual, chosen):
        Written("s").turn("1").write(home / "projects")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.delenv(HOME_VARIABLE, raising=False)

    found = [ClaudeCodeImporter().default_paths()]
    monkeypatch.setenv(HOME_VARIABLE, str(chosen))
    found.append(ClaudeCodeImporter().default_paths())
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "nowhere"))
    found.append(ClaudeCodeImporter().default_paths())

    assert found == [(usual / "projects",), (chosen / "projects",), ()]


def test_a_source_changes_with_what_it_depends_on(tmp_path: Path) -> None:
    """A follower of the folder reads it again then, and the others not."""
    main = Written("main").begin().prompt("1u").call("c", "t1", "Task", prompt="p")
    main.write(tmp_path)
    other = Written("other").turn("1")
    other.write(tmp_path)
    importer = ClaudeCodeImporter()

    def fingerprints() -> dict[ThreadId, int]:
        return {s.thread_id: s.fingerprint for s in importer.plan([tmp_path]).sources}

    before = fingerprints()
    Written("main", agent="a").turn("1").write(tmp_path, toolUseId="t1")
    after = fingerprints()

    assert {name for name in before if before[name] != after[name]} == {"main"}


async def test_secrets_are_left_out_where_that_is_asked_for(tmp_path: Path) -> None:
    """Of items, and of what is shown of the thread."""
    secret = "AKIA" + "IOSFODNN7EXAMPLE"
    session = Written("s").prompt("1u", f"use {secret}").call("c", "t", "Bash", command=secret)
    session.control("custom-title", customTitle=secret)
    session.answer("e", f"failed with {secret}")
    session.lines[-1]["isApiErrorMessage"] = True

    imported = await import_paths(
        ClaudeCodeImporter(), [session.write(tmp_path)], ReadOptions(redact=True)
    )

    assert secret not in repr(imported.only)
    assert imported.only.runs[0].error == "failed with [redacted:AWS Access Key]"
