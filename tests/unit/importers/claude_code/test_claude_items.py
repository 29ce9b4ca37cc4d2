"""The runs and items of Claude Code's sessions: how turns ended, what was said and done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from graph.model import ItemId, RunId, ThreadId, Timestamp
from graph.records import ItemRecord, RunRecord
from importers.claude_code.importer import ClaudeCodeImporter
from importers.contract import MAX_TEXT_BYTES, ItemsRead, ReadEnd, ReadOptions, ThreadRead
from tests.importing import import_paths
from tests.unit.importers.claude_code.writing import Written, told

if TYPE_CHECKING:
    from pathlib import Path

    from graph.records import ThreadRecord

pytestmark = pytest.mark.anyio

SHORTLY_AFTER = Timestamp("2026-11-30T10:05:00.000000Z")
LONG_AFTER = Timestamp("2026-11-30T11:00:00.000000Z")


async def read(folder: Path, session: Written, now: Timestamp | None = None) -> ThreadRecord:
    """The one thread of a session."""
    path = session.write(folder)
    return (await import_paths(ClaudeCodeImporter(), [path], ReadOptions(now=now))).only


def kinds(thread: ThreadRecord) -> list[tuple[str, str | None, str | None, str | None]]:
    """What is told of each item: kind, role, text and status."""
    return [(item.kind, item.role, item.text, item.status) for item in thread.items.items]


async def test_a_run_is_told_in_full(tmp_path: Path) -> None:
    """Of an answer in several lines the last line has the usage; the cache's part is input."""
    usage = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 5}
    first = {**usage, "output_tokens": 1}
    last = {**usage, "output_tokens": 7, "output_tokens_details": {"thinking_tokens": 3}}
    session = Written("s").prompt("1u").answer("a", "so", stopped=None, id="m", usage=first)
    session.answer("b", "far", id="m", usage=last).answer("c", "done", usage=first)

    thread = await read(tmp_path, session)

    assert thread.runs == (
        RunRecord(
            run_id=RunId("s/1u"),
            native_turn_id="1u",
            status="completed",
            driver="claude",
            provider_instance_id="claude",
            model="m",
            started_at=told(11),
            completed_at=told(14),
            input_tokens=230,
            cached_input_tokens=200,
            output_tokens=8,
            reasoning_tokens=3,
            root_run_id=RunId("s/1u"),
        ),
    )


@pytest.mark.parametrize(
    ("now", "status", "ended_at"),
    [
        (None, "interrupted", told(12)),
        (SHORTLY_AFTER, "running", None),
        (LONG_AFTER, "interrupted", told(12)),
    ],
)
async def test_a_run_that_nothing_ended_runs_while_its_file_grows(
    tmp_path: Path, now: Timestamp | None, status: str, ended_at: Timestamp | None
) -> None:
    """A tool was called, and nothing came back yet."""
    session = Written("s").prompt("1u").call("c", "t", "Bash", command="sleep 100")

    (run,) = (await read(tmp_path, session, now)).runs

    assert (run.status, run.completed_at) == (status, ended_at)


@pytest.mark.parametrize(
    ("stopped", "now", "status"),
    [
        ("end_turn", SHORTLY_AFTER, "completed"),
        ("max_tokens", SHORTLY_AFTER, "completed"),
        ("pause_turn", SHORTLY_AFTER, "running"),
        ("tool_use", SHORTLY_AFTER, "running"),
        ("tool_use", LONG_AFTER, "interrupted"),
        (None, SHORTLY_AFTER, "running"),
        (None, LONG_AFTER, "completed"),
    ],
)
async def test_how_a_run_stands_is_told_by_its_last_answer(
    tmp_path: Path, stopped: str | None, now: Timestamp, status: str
) -> None:
    """Old versions never say why an answer ended: with silence it did."""
    session = Written("s").prompt("1u").answer("1a", stopped=stopped)

    (run,) = (await read(tmp_path, session, now)).runs

    assert run.status == status


async def test_a_run_ends_when_the_next_begins(tmp_path: Path) -> None:
    """Whatever it was waiting for."""
    session = Written("s").prompt("1u").call("c", "t", "Bash", command="x").turn("2")

    thread = await read(tmp_path, session, SHORTLY_AFTER)

    assert [run.status for run in thread.runs] == ["interrupted", "completed"]


@pytest.mark.parametrize(
    "text", ["[Request interrupted by user]", "[Request interrupted by user for tool use]"]
)
async def test_an_interrupted_run_is_told_as_one(tmp_path: Path, text: str) -> None:
    """The program says so in the user's name, which is no prompt."""
    session = Written("s").prompt("1u").user("i", [{"type": "text", "text": text}])

    thread = await read(tmp_path, session, SHORTLY_AFTER)

    assert [(run.native_turn_id, run.status) for run in thread.runs] == [("1u", "interrupted")]
    assert kinds(thread)[1] == ("interrupt", "system", text, None)


async def test_a_run_that_failed_says_why(tmp_path: Path) -> None:
    """An answer may be an error of the provider's."""
    session = Written("s").prompt("1u").answer("e", "API Error: 529", model="<synthetic>")
    session.lines[-1]["isApiErrorMessage"] = True

    thread = await read(tmp_path, session)

    (run,) = thread.runs
    assert (run.status, run.error, run.model) == ("failed", "API Error: 529", None)
    assert kinds(thread)[1] == ("error", "system", "API Error: 529", None)


async def test_what_the_program_says_for_the_model_ends_no_run(tmp_path: Path) -> None:
    """It fills the gap that an interruption left."""
    session = Written("s").prompt("1u")
    session.answer("x", "No response requested.", model="<synthetic>")

    (run,) = (await read(tmp_path, session)).runs

    assert (run.status, run.model) == ("interrupted", None)


async def test_an_answer_to_a_command_begins_a_run(tmp_path: Path) -> None:
    """Where no prompt came before, the command is what it began with."""
    session = Written("s").user("c", "<command-name>/init</command-name>")
    session.user("m", "do this and that", isMeta=True).answer("a").turn("1")

    thread = await read(tmp_path, session)

    assert [run.run_id for run in thread.runs] == ["s/c", "s/1u"]
    assert {item.run_id for item in thread.items.items[:2]} == {"s/c"}


async def test_commands_and_notifications_belong_to_the_run_before(tmp_path: Path) -> None:
    """They are no runs of their own, also where the model answers."""
    session = Written("s").turn("1").user("c", "<command-name>/cost</command-name>")
    session.user("o", "<local-command-stdout>$1</local-command-stdout>")
    session.user("n", "<task-notification>x</task-notification>").answer("na").turn("2")

    thread = await read(tmp_path, session)

    assert [run.native_turn_id for run in thread.runs] == ["1u", "2u"]
    assert [item.run_id for item in thread.items.items] == ["s/1u"] * 5 + ["s/2u"] * 2


ITEMS: list[tuple[str, Any, tuple[str, str, str | None, str | None]]] = [
    ("Bash", {"command": "ls"}, ("command", "tool", "ls\nout", "completed")),
    ("Edit", {"file_path": "/a", "old_string": "x"}, ("file_change", "tool", "/a", "completed")),
    ("Write", {"file_path": "/a", "content": "x"}, ("file_change", "tool", "/a", "completed")),
    ("ExitPlanMode", {"plan": "1. go"}, ("plan", "tool", "1. go", "completed")),
    (
        "TodoWrite",
        {"todos": [{"content": "go", "status": "in_progress"}, "odd"]},
        ("plan", "tool", "[in_progress] go\n[pending] ", "completed"),
    ),
    (
        "Read",
        {"file_path": "/a"},
        ("tool_call", "tool", 'Read {"file_path":"/a"}\nout', "completed"),
    ),
]


@pytest.mark.parametrize(("tool", "given", "item"), ITEMS)
async def test_a_tool_call_and_its_result_are_one_item(
    tmp_path: Path, tool: str, given: dict[str, Any], item: tuple[str, ...]
) -> None:
    """Of its kind, with its call's id."""
    session = Written("s").prompt("1u").call("c", "t", tool, **given)
    session.result("r", "t", [{"type": "text", "text": "out"}]).answer("1a")

    thread = await read(tmp_path, session)

    assert kinds(thread)[1] == item
    assert thread.items.items[1].item_id == "s/c"
    assert thread.items.items[1].native_item_id == "t"


async def test_a_failed_or_stopped_tool_says_so(tmp_path: Path) -> None:
    """The model is told of errors, the program of interruptions."""
    session = Written("s").prompt("1u").call("c", "t", "Bash", command="x")
    failed = {"type": "tool_result", "tool_use_id": "t", "content": "no", "is_error": True}
    session.user("r", [failed]).call("d", "u", "Bash", command="y")
    session.result("q", "u", "", toolUseResult={"stdout": "", "interrupted": True})

    thread = await read(tmp_path, session)

    assert kinds(thread)[1:] == [
        ("command", "tool", "x\nno", "failed"),
        ("command", "tool", "y", "interrupted"),
    ]


async def test_calls_without_a_result_stand_before_the_next_prompt(tmp_path: Path) -> None:
    """A result that comes later tells nothing new."""
    session = Written("s").prompt("1u").call("c", "t", "Bash", command="x").turn("2")
    session.go_to("c").result("r", "t")

    thread = await read(tmp_path, session)

    assert [text for _, _, text, _ in kinds(thread)] == [
        "prompt 1u",
        "x",
        "prompt 2u",
        "answer 2a",
    ]


async def test_what_was_said_is_told_item_by_item(tmp_path: Path) -> None:
    """The blocks of a line are numbered; those without a text are left out."""
    blocks = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "redacted_thinking", "data": "…"},
        {"type": "text", "text": "so"},
        {"type": "text", "text": "well"},
    ]
    session = Written("s").user("u", [{"type": "text", "text": "a"}, "b"]).answer("a", blocks)

    thread = await read(tmp_path, session)

    assert thread.items.items == (
        ItemRecord(
            item_id=ItemId("s/u"),
            position=0,
            run_id=RunId("s/u"),
            kind="message",
            role="user",
            text="a\nb",
            text_bytes=3,
            native_item_id="u",
            at=told(11),
        ),
        *(
            ItemRecord(
                item_id=ItemId(name),
                position=position,
                run_id=RunId("s/u"),
                kind=kind,
                role="assistant",
                text=text,
                text_bytes=len(text),
                native_item_id="a",
                at=told(12),
            )
            for position, (name, kind, text) in enumerate(
                [
                    ("s/a", "reasoning", "hm"),
                    ("s/a.1", "message", "so"),
                    ("s/a.2", "message", "well"),
                ],
                start=1,
            )
        ),
    )


async def test_what_the_program_puts_beside_a_prompt_is_not_said(tmp_path: Path) -> None:
    """An editor tells which file is open, a reminder what to keep in mind."""
    said = [
        {"type": "text", "text": "<ide_opened_file>a.py</ide_opened_file>"},
        {"type": "text", "text": "fix it"},
        {"type": "text", "text": "<system-reminder>x</system-reminder>"},
    ]
    session = Written("s").user("u", said).user("m", [said[2]]).user("i", [{"type": "image"}])

    thread = await read(tmp_path, session)

    assert kinds(thread) == [
        ("message", "user", "fix it", None),
        ("message", "user", None, None),
    ]
    assert thread.preview == "fix it"
    assert [run.native_turn_id for run in thread.runs] == ["u", "i"]


async def test_commands_and_what_they_printed_are_one_item(tmp_path: Path) -> None:
    """Of the program, of the shell, or without an output."""
    session = Written("s").user(
        "c", "<command-name>/model</command-name>\n<command-args>big</command-args>"
    )
    session.user("o", "<local-command-stdout>Set to big</local-command-stdout>")
    session.user("b", "<bash-input>ls</bash-input>")
    session.user("p", "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>")
    session.link("system", "y", subtype="local_command", content="<command-name>/x</command-name>")
    session.turn("1")

    thread = await read(tmp_path, session)

    assert kinds(thread)[:3] == [
        ("slash_command", "user", "/model big\nSet to big", "completed"),
        ("command", "user", "ls\na", "completed"),
        ("slash_command", "user", "/x", None),
    ]


async def test_a_prompt_that_waited_is_an_item_of_the_run_it_came_into(tmp_path: Path) -> None:
    """It is put beside the model's work, at times without an id."""
    queued = {"type": "queued_command", "prompt": "and that"}
    session = Written("s").prompt("1u").call("c", "t", "Bash", command="x").result("r", "t")
    session.control("attachment", attachment=queued)
    session.link(
        "attachment", "q", attachment={**queued, "prompt": [{"type": "text", "text": "more"}]}
    )
    note = {**queued, "prompt": "<task-notification>", "commandMode": "task-notification"}
    session.link("attachment", "n", attachment=note).link(
        "attachment", "e", attachment={"type": "x"}
    )
    session.answer("1a")

    thread = await read(tmp_path, session)

    assert kinds(thread)[2:5] == [
        ("message", "user", "and that", None),
        ("message", "user", "more", None),
        ("agent_message", "system", "<task-notification>", None),
    ]
    assert [item.item_id for item in thread.items.items[2:4]] == ["s/line-4", "s/q"]
    assert {item.run_id for item in thread.items.items} == {"s/1u"}


async def test_a_long_text_is_cut(tmp_path: Path) -> None:
    """Its whole size is kept."""
    thread = await read(tmp_path, Written("s").prompt("1u", "ä" * 200_000))

    (item,) = thread.items.items
    assert (len((item.text or "").encode()), item.text_bytes) == (MAX_TEXT_BYTES, 400_000)
    assert item.truncated


async def test_a_long_session_comes_in_parts(tmp_path: Path) -> None:
    """The thread with its runs and the first items, the others, and the end."""
    session = Written("s", second=0)
    for turn in range(3_000):
        session.second = 0
        session.prompt(f"{turn}u").answer(f"{turn}a", "x" * 3_000)
    importer = ClaudeCodeImporter()
    (source,) = importer.plan([session.write(tmp_path)]).sources

    parts = list(importer.read(source, ReadOptions()))

    assert [type(part) for part in parts] == [ThreadRead, ItemsRead, ItemsRead, ReadEnd]
    first, *more, end = parts
    assert isinstance(first, ThreadRead)
    assert isinstance(end, ReadEnd)
    items = [
        *first.thread.items.items,
        *(i for p in more if isinstance(p, ItemsRead) for i in p.items),
    ]
    assert [item.position for item in items] == list(range(6_000))
    assert (end.item_count, first.thread.digest, end.thread_id) == (6_000, None, ThreadId("s"))
    assert end.digest is not None


async def test_a_thread_is_told_in_full(tmp_path: Path) -> None:
    """What lists of threads show."""
    session = Written("s").begin().turn("1")
    session.lines[-1] |= {"gitBranch": "main", "entrypoint": "cli"}
    session.control("ai-title", aiTitle="Fixing it").control("custom-title", customTitle="Mine")

    thread = await read(tmp_path, session)

    assert (thread.title, thread.name, thread.preview) == ("Fixing it", "Mine", "prompt 1u")
    assert (thread.cwd, thread.git_branch, thread.originator) == ("/work", "main", "cli")
    assert (thread.created_at, thread.updated_at, thread.recency_at) == (
        told(10),
        told(12),
        told(12),
    )
    assert (thread.session_id, thread.native_thread_id, thread.driver) == ("s", "s", "claude")
    assert (thread.history_mode, thread.unlisted, thread.archived) == (None, False, False)
