"""Importing Claude Code's sessions: found, read in any order, and left as they are."""

from __future__ import annotations

import pickle
import shutil
from typing import TYPE_CHECKING

import pytest

from graph.errors import SourceNotFound, SourceNotRecognized
from graph.model import ThreadId
from graph.records import Batch
from importers.claude_code.importer import HOME_VARIABLE, ClaudeCodeImporter
from importers.contract import Content, ReadEnd, ReadOptions
from tests.importing import Imported, import_paths, read_sources
from tests.samples_on_disk import SAMPLES, scenarios
from tests.unit.importers.claude_code.writing import PROJECT, Written

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.anyio

TORN_LINES = 4
"""Every so manieth line is also read while it is only half written."""


async def test_importing_again_gives_the_same_records(tmp_path: Path) -> None:
    """The digest is that of the record, so nothing is written a second time."""
    Written("s").turn("1").write(tmp_path)

    first = await import_paths(ClaudeCodeImporter(), [tmp_path])
    second = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert first.only == second.only
    assert first.only.digest is not None


@pytest.mark.parametrize("scenario", scenarios("claude-code"))
async def test_the_order_of_files_does_not_matter(scenario: str) -> None:
    """Forks before their sources, agents before their sessions, one by one, or all at once."""
    folder = SAMPLES / scenario / "projects"
    forwards = await import_paths(ClaudeCodeImporter(), [folder])

    backwards = await import_paths(ClaudeCodeImporter(), [folder], backwards=True)
    in_parts = Imported()
    for path in sorted(folder.rglob("*.jsonl"), reverse=True):
        await import_paths(ClaudeCodeImporter(), [path], into=in_parts)

    assert in_parts.threads == forwards.threads == backwards.threads
    for other in (backwards, in_parts):
        assert_same_graph(other, forwards)


@pytest.mark.parametrize("scenario", scenarios("claude-code"))
@pytest.mark.parametrize("newest_first", [False, True])
async def test_files_that_come_one_by_one_and_grow_give_the_same_graph(
    scenario: str, tmp_path: Path, *, newest_first: bool
) -> None:
    """The whole folder is imported after each new line, and in the middle of some."""
    fresh = await import_paths(ClaudeCodeImporter(), [SAMPLES / scenario / "projects"])
    grown, importer = Imported(), ClaudeCodeImporter()
    seen: dict[ThreadId, int] = {}

    for _ in growing(SAMPLES / scenario / "projects", tmp_path / "projects", newest_first):
        await follow(importer, tmp_path / "projects", seen, grown)

    assert {thread.thread_id: thread.runs for thread in grown.threads.values()} == {
        thread.thread_id: thread.runs for thread in fresh.threads.values()
    }
    assert_same_graph(grown, fresh)


async def follow(
    importer: ClaudeCodeImporter, folder: Path, seen: dict[ThreadId, int], into: Imported
) -> None:
    """Import what changed in a folder, as its fingerprint says."""
    plan = importer.plan([folder])
    changed = [
        source for source in plan.sources if seen.get(source.thread_id) != source.fingerprint
    ]
    seen.update({source.thread_id: source.fingerprint for source in changed})
    for thread in read_sources(importer, changed, ReadOptions(), into):
        into.threads[thread.thread_id] = thread
        await into.store.record(Batch(threads=(thread,)))


def growing(original: Path, folder: Path, newest_first: bool) -> Iterator[None]:  # noqa: FBT001
    """Write the files of a folder again, one after the other and line by line."""
    for path in sorted(original.rglob("*"), reverse=newest_first):
        copy = folder / path.relative_to(original)
        copy.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".jsonl":
            content = b""
            for number, line in enumerate(path.read_bytes().splitlines(keepends=True)):
                if number % TORN_LINES == 0:
                    copy.write_bytes(content + line[: len(line) // 2])
                    yield
                content += line
                copy.write_bytes(content)
                yield
        elif path.is_file():
            shutil.copy(path, copy)
            yield


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


async def test_nothing_is_written_to_the_sessions(tmp_path: Path) -> None:
    """Neither names nor contents nor times change."""
    Written("s").turn("1").write(tmp_path)
    Written("s", agent="a").turn("1").write(tmp_path, toolUseId="t")

    def state() -> list[tuple[str, int, bytes]]:
        return [
            (path.name, path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(tmp_path.rglob("*"))
            if path.is_file()
        ]

    before = state()
    await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert state() == before


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


async def test_a_session_that_is_gone_when_it_is_read_is_a_skip(tmp_path: Path) -> None:
    """Between the plan and the reading, anything may happen."""
    path = Written("s").turn("1").write(tmp_path)
    importer = ClaudeCodeImporter()
    plan = importer.plan([tmp_path])
    path.unlink()

    (end,) = importer.read(plan.sources[0], ReadOptions())

    assert isinstance(end, ReadEnd)
    assert [skip.reason for skip in end.skips] == ["unreadable-file"]


async def test_what_is_written_after_the_plan_is_left_for_the_next_time(tmp_path: Path) -> None:
    """The record and the items are of one state of the file."""
    session = Written("s").turn("1")
    session.write(tmp_path)
    importer = ClaudeCodeImporter()
    plan = importer.plan([tmp_path])
    session.turn("2").write(tmp_path)

    first, _ = importer.read(plan.sources[0], ReadOptions())

    assert not isinstance(first, ReadEnd)
    assert "2u" not in repr(first)


def test_a_path_that_is_not_there_is_said_to_be_missing(tmp_path: Path) -> None:
    """A typed error, with the path."""
    with pytest.raises(SourceNotFound) as raised:
        ClaudeCodeImporter().plan([tmp_path / "missing"])

    assert raised.value.path == str(tmp_path / "missing")


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


@pytest.mark.parametrize("name", ["x.jsonl", "renamed.txt"])
def test_a_session_is_known_by_what_is_in_it(tmp_path: Path, name: str) -> None:
    """Whatever the name of the file that was named."""
    renamed = Written("s").turn("1").write(tmp_path).rename(tmp_path / name)
    foreign = tmp_path / "7ef8b89b-9b97-4570-9cc0-fa1a7b1b9b60.jsonl"
    foreign.write_text('{"type":"event_msg","payload":{}}\n')

    assert ClaudeCodeImporter().recognizes(renamed)
    assert not ClaudeCodeImporter().recognizes(foreign)
    assert not ClaudeCodeImporter().recognizes(tmp_path / "missing")


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


def test_a_plan_can_be_sent_to_another_process(tmp_path: Path) -> None:
    """With the importer, which forgets what it read."""
    main = Written("main").turn("1")
    main.write(tmp_path)
    main.branch("fork").turn("2").write(tmp_path)
    importer = ClaudeCodeImporter()
    plan = importer.plan([tmp_path])

    again, sources = pickle.loads(pickle.dumps((importer, plan.sources)))  # noqa: S301 - our own

    assert sources == plan.sources
    assert again.driver == "claude"


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


@pytest.mark.parametrize(
    ("content", "text", "truncated"),
    [
        (Content.FULL, "x" * 300, False),
        (Content.PREVIEW, "x" * 200, True),
        (Content.NONE, None, False),
    ],
)
async def test_as_much_text_is_kept_as_was_asked_for(
    tmp_path: Path, content: Content, text: str | None, *, truncated: bool
) -> None:
    """The size is that of the whole text in any case."""
    path = Written("s").prompt("1u", "x" * 300).write(tmp_path)

    imported = await import_paths(ClaudeCodeImporter(), [path], ReadOptions(content=content))

    (item,) = imported.only.items.items
    assert (item.text, item.text_bytes, item.truncated) == (text, 300, truncated)


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


async def test_the_provider_is_the_users_word(tmp_path: Path) -> None:
    """Else it is the tool's."""
    path = Written("s").turn("1").write(tmp_path)

    usual = await import_paths(ClaudeCodeImporter(), [path])
    named = await import_paths(ClaudeCodeImporter(), [path], ReadOptions(provider="work"))

    assert usual.only.provider_instance_id == "claude"
    assert {named.only.provider_instance_id, named.only.runs[0].provider_instance_id} == {"work"}
