"""Importing pi's sessions: found, read in any order, and left as they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from graph.model import RunId, ThreadId, Timestamp
from graph.records import RunRecord, WindowRecord
from importers.contract import Content, ItemsRead, ReadEnd, ReadOptions, ThreadRead
from importers.pi.importer import HOME_VARIABLE, SESSIONS_VARIABLE, PiImporter
from tests.importing import import_paths
from tests.unit.importers.pi.sessions import Written, told

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

SHORTLY_AFTER = Timestamp("2026-11-30T10:50:00.000000Z")


async def test_settled_items_stay_as_they_are_while_a_file_grows(tmp_path: Path) -> None:
    """What is settled of an earlier import stands at the front of every later one."""
    calls = [{"type": "toolCall", "id": "c", "name": "bash", "arguments": {"command": "ls"}}]
    result = {"role": "toolResult", "toolCallId": "c", "content": "a\n"}
    session = Written("s").turn("1").prompt("2u").answer("2c", content=calls, stopReason="toolUse")

    before = await import_paths(PiImporter(), [session.write(tmp_path)])
    session.entry("2r", "message", message=result).answer("2a")
    after = await import_paths(PiImporter(), [session.write(tmp_path)])

    settled = before.only.items.settled
    assert (settled, len(before.only.items.items)) == (3, 4)
    assert before.only.items.items[:settled] == after.only.items.items[:settled]
    assert [item.text for item in after.only.items.items[settled:]] == ["ls\na\n", "answer 2a"]


def test_a_long_session_comes_in_parts(tmp_path: Path) -> None:
    """The record with the first items, then the others, in order and without a gap."""
    session = Written("s", 1)
    for number in range(1_500):
        session.second = 1
        session.turn(str(number))
    importer = PiImporter()
    plan = importer.plan([session.write(tmp_path)])

    first, *others, end = importer.read(plan.sources[0], ReadOptions())

    assert isinstance(first, ThreadRead)
    assert isinstance(end, ReadEnd)
    assert (first.thread.digest, first.thread.items.complete) == (None, False)
    assert (end.item_count, end.settled, end.digest is not None) == (3_000, 3_000, True)
    positions = [item.position for item in first.thread.items.items]
    for part in others:
        assert isinstance(part, ItemsRead)
        positions.extend(item.position for item in part.items)
    assert positions == list(range(3_000))


async def test_files_of_other_programs_are_counted_and_left_out(tmp_path: Path) -> None:
    """They never stop the rest."""
    Written("s").turn("1").write(tmp_path)
    (tmp_path / "empty.jsonl").write_bytes(b"")
    (tmp_path / "other.jsonl").write_text('{"type":"user","uuid":"x"}\n')
    (tmp_path / "binary.jsonl").write_bytes(bytes(range(256)) * 10)
    (tmp_path / "loop").symlink_to(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    assert list(imported.threads) == ["s"]
    assert sorted(imported.reasons) == ["empty-file", "no-session-header", "no-session-header"]


async def test_the_longer_of_two_files_of_a_session_counts(tmp_path: Path) -> None:
    """A session may have been copied to another folder and gone on there."""
    session = Written("s").turn("1")
    session.write(tmp_path / "a")
    session.turn("2").write(tmp_path / "b")

    imported = await import_paths(PiImporter(), [tmp_path])

    assert [run.native_turn_id for run in imported.only.runs] == ["1u", "2u"]
    assert imported.reasons == ["duplicate-thread"]


def test_sessions_are_looked_for_where_pi_keeps_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the user's choice, the home of pi's, or the usual place."""
    usual, home, chosen = tmp_path / "user", tmp_path / "home", tmp_path / "chosen"
    for folder in (usual / ".pi" / "agent" / "sessions", home / "sessions", chosen):
        Written("s").turn("1").write(folder)
    monkeypatch.setenv("HOME", str(usual))
    monkeypatch.delenv(HOME_VARIABLE, raising=False)
    monkeypatch.delenv(SESSIONS_VARIABLE, raising=False)

    found = [PiImporter().default_paths()]
    monkeypatch.setenv(HOME_VARIABLE, str(home))
    found.append(PiImporter().default_paths())
    monkeypatch.setenv(SESSIONS_VARIABLE, str(chosen))
    found.append(PiImporter().default_paths())
    monkeypatch.setenv(SESSIONS_VARIABLE, str(tmp_path / "nowhere"))
    found.append(PiImporter().default_paths())

    assert found == [
        (usual / ".pi" / "agent" / "sessions",),
        (home / "sessions",),
        (chosen,),
        (),
    ]


async def test_a_fingerprint_changes_with_the_file_and_with_what_is_known(tmp_path: Path) -> None:
    """So that a follower of a folder can leave the others alone."""
    main = Written("main").turn("1")
    fork = main.fork("fork").turn("2")
    path = fork.write(tmp_path)
    importer = PiImporter()

    def fingerprints() -> dict[ThreadId, int]:
        return {
            source.thread_id: source.fingerprint for source in importer.plan([tmp_path]).sources
        }

    alone, again = fingerprints(), fingerprints()
    main.write(tmp_path)
    with_source = fingerprints()
    fork.turn("3").write(tmp_path)
    os.utime(path, ns=(1, 1))
    grown = fingerprints()

    assert alone == again
    assert with_source[ThreadId("fork")] != alone[ThreadId("fork")]
    assert grown[ThreadId("fork")] != with_source[ThreadId("fork")]
    assert grown[ThreadId("main")] == with_source[ThreadId("main")]


async def test_a_run_has_the_model_the_tokens_and_the_times_of_its_answers(tmp_path: Path) -> None:
    """What the cache took part in counts as input, as it does for other tools."""
    usage = {"input": 10, "output": 3, "cacheRead": 5, "cacheWrite": 2, "totalTokens": 20}
    session = Written("s").prompt("1u")
    session.answer("1b", usage=usage, stopReason="toolUse").answer("1a", usage=usage)

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert imported.only.runs == (
        RunRecord(
            run_id=RunId("s/1u"),
            native_turn_id="1u",
            status="completed",
            driver="pi",
            provider_instance_id="pi",
            model="m",
            started_at=told(41),
            completed_at=told(43),
            input_tokens=34,
            cached_input_tokens=10,
            output_tokens=6,
            root_run_id=RunId("s/1u"),
        ),
    )


@pytest.mark.parametrize(
    ("stop", "now", "status", "error"),
    [
        ("stop", None, "completed", None),
        ("length", None, "completed", None),
        ("error", None, "failed", "too much"),
        ("aborted", None, "interrupted", None),
        ("toolUse", None, "interrupted", None),
        ("toolUse", SHORTLY_AFTER, "running", None),
        ("toolUse", Timestamp("2026-12-01T00:00:00.000000Z"), "interrupted", None),
    ],
)
async def test_the_last_answer_says_how_a_run_stands(
    tmp_path: Path, stop: str, now: Timestamp | None, status: str, error: str | None
) -> None:
    """One that was no end is running while its file is still written to."""
    session = Written("s").prompt("1u")
    session.answer("1a", stopReason=stop, errorMessage="too much" if stop == "error" else None)

    imported = await import_paths(PiImporter(), [session.write(tmp_path)], ReadOptions(now=now))

    (run,) = imported.only.runs
    assert (run.status, run.error, run.completed_at is None) == (
        status,
        error,
        status == "running",
    )


async def test_a_run_without_an_end_was_interrupted_when_another_began(tmp_path: Path) -> None:
    """However fresh the file is."""
    session = Written("s").prompt("1u").prompt("2u")

    imported = await import_paths(
        PiImporter(), [session.write(tmp_path)], ReadOptions(now=SHORTLY_AFTER)
    )

    assert [run.status for run in imported.only.runs] == ["interrupted", "running"]


async def test_an_error_that_was_got_over_is_no_failure(tmp_path: Path) -> None:
    """Pi tries again in the same run."""
    session = Written("s").prompt("1u").answer("1e", stopReason="error").answer("1a")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert [(run.status, run.rolled_back_at) for run in imported.only.runs] == [
        ("completed", None)
    ]


async def test_a_compaction_opens_a_context_window(tmp_path: Path) -> None:
    """In the run that it happened in; one on a way that was left is kept and says so."""
    session = Written("s").turn("1").entry("c1", "compaction", summary="so far").turn("2")
    session.entry("c2", "compaction", summary="more").go_to("1a").turn("3")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert imported.only.windows == (
        WindowRecord(number=1, run_id=RunId("s/1u"), rolled_back=True),
        WindowRecord(number=2, run_id=RunId("s/2u"), rolled_back=True),
    )


async def test_a_session_has_the_name_and_the_preview_that_pi_shows(tmp_path: Path) -> None:
    """The last name counts, an empty one takes it away."""
    named = Written("a").turn("1").entry("n", "session_info", name=" first ")
    named.entry("m", "session_info", name="second")
    unnamed = Written("b").turn("1").entry("n", "session_info", name="first")
    unnamed.entry("m", "session_info", name="")

    imported = await import_paths(PiImporter(), [named.write(tmp_path), unnamed.write(tmp_path)])

    assert {
        thread.thread_id: (thread.name, thread.preview, thread.cwd, thread.model)
        for thread in imported.threads.values()
    } == {"a": ("second", "prompt 1u", "/project", "m"), "b": (None, "prompt 1u", "/project", "m")}


async def test_items_tell_what_was_said_and_done(tmp_path: Path) -> None:
    """Thoughts, tools with their results, commands that the user ran, errors."""
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "text", "text": "let me see"},
        {
            "type": "toolCall",
            "id": "w",
            "name": "write",
            "arguments": {"path": "/a", "content": "x"},
        },
        {"type": "toolCall", "id": "r", "name": "read", "arguments": {"path": "/b"}},
    ]
    session = Written("s").prompt("1u").answer("1c", content=blocks, stopReason="toolUse")
    for call, text in (("w", "done"), ("r", "content")):
        message = {
            "role": "toolResult",
            "toolCallId": call,
            "content": text,
            "isError": call == "r",
        }
        session.entry(f"1{call}", "message", message=message)
    session.answer("1e", stopReason="error", errorMessage="overloaded")
    ran = {"role": "bashExecution", "command": "false", "output": "oh\n", "exitCode": 1}
    session.entry("1b", "message", message=ran)
    session.entry("1x", "custom_message", customType="ext", content="told", display=True)

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert [
        (item.item_id, item.kind, item.role, item.text, item.status)
        for item in imported.only.items.items
    ] == [
        ("s/1u", "message", "user", "prompt 1u", None),
        ("s/1c", "reasoning", "assistant", "hm", None),
        ("s/1c.1", "message", "assistant", "let me see", None),
        ("s/1c.2", "file_change", "tool", "/a", "completed"),
        ("s/1c.3", "tool_call", "tool", 'read {"path":"/b"}\ncontent', "failed"),
        ("s/1e", "message", "assistant", "answer 1e", None),
        ("s/1e.1", "error", "system", "overloaded", None),
        ("s/1b", "command", "user", "false\nexit code 1\noh\n", "failed"),
        ("s/1x", "message", "system", "told", None),
    ]
    assert {item.run_id for item in imported.only.items.items} == {"s/1u"}


async def test_texts_are_kept_as_the_user_chose(tmp_path: Path) -> None:
    """In full, a preview or none; what was there before is counted."""
    path = Written("s").prompt("1u", "é" * 300).write(tmp_path)

    kept = [
        (await import_paths(PiImporter(), [path], ReadOptions(content=content))).only.items.items[
            0
        ]
        for content in Content
    ]

    assert [(item.text, item.text_bytes, item.truncated) for item in kept] == [
        ("é" * 300, 600, False),
        ("é" * 200, 600, True),
        (None, 600, False),
    ]


async def test_secrets_are_redacted_where_the_user_wants_it(tmp_path: Path) -> None:
    """In items, previews and names."""
    secret = "AKIA" + "Q" * 16
    session = Written("s").prompt("1u", f"use {secret}")
    path = session.entry("n", "session_info", name=f"with {secret}").write(tmp_path)

    imported = await import_paths(PiImporter(), [path], ReadOptions(redact=True))

    told_text = imported.only.items.items[0].text
    assert told_text == "use [redacted:AWS Access Key]"
    assert imported.only.preview == told_text
    assert imported.only.name == "with [redacted:AWS Access Key]"
