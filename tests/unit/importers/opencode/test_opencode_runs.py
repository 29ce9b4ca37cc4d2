"""The runs of an OpenCode session: what is one, what was taken back, and what it called."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import Evidence, Proof, RunId, ThreadId, Timestamp
from graph.records import RunRecord, SpawnRecord, WindowRecord
from importers.contract import ReadOptions
from importers.opencode.importer import OpenCodeImporter
from tests.importing import import_paths
from tests.unit.importers.opencode.homes import Home, task, told

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio

S = ThreadId("ses_s")
SHORTLY_AFTER = Timestamp("2026-11-30T11:05:00.000000Z")


async def test_a_run_is_a_prompt_with_the_answers_that_name_it(tmp_path: Path) -> None:
    """However many: they are no branches. Caches count as input, thoughts as output."""
    home = Home()
    home.session(S, 0)
    prompt = home.prompt(S, 1)
    tokens = {"input": 10, "output": 3, "reasoning": 2, "cache": {"read": 5, "write": 1}}
    home.answer(S, 2, prompt, finish="tool-calls", tokens={**tokens, "total": 21})
    home.answer(S, 3, prompt, tokens=tokens)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert imported.only.runs == (
        RunRecord(
            run_id=RunId(f"{S}/{prompt}"),
            native_turn_id=prompt,
            status="completed",
            driver="opencode",
            provider_instance_id="opencode",
            model="m",
            started_at=told(1),
            completed_at=told(3.5),
            input_tokens=32,
            cached_input_tokens=10,
            output_tokens=10,
            reasoning_tokens=4,
            root_run_id=RunId(f"{S}/{prompt}"),
        ),
    )


@pytest.mark.parametrize("gone", [False, True])
async def test_what_was_taken_back_is_rolled_back(tmp_path: Path, gone: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """At the time of the revert, whether the messages are hidden or gone: events keep them."""
    home = Home()
    home.session(S, 0)
    prompts = [home.turn(S, second) for second in (1, 2, 3)]
    home.take_back(S, 20, prompts[1], gone=gone)
    if gone:
        home.turn(S, 26)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [run.rolled_back_at for run in imported.only.runs][:3] == [None, told(20), told(20)]
    assert [item.text for item in imported.only.items.items][:6] == [
        "prompt 1",
        "answer 1.2",
        "prompt 2",
        "answer 2.2",
        "prompt 3",
        "answer 3.2",
    ]


async def test_without_events_a_revert_has_the_time_of_the_session(tmp_path: Path) -> None:
    """The older storage says only that something is hidden."""
    home = Home()
    home.session(S, 0)
    prompts = [home.turn(S, second) for second in (1, 2)]
    home.take_back(S, 20, prompts[1], gone=False)

    imported = await import_paths(OpenCodeImporter(), [home.write_storage(tmp_path)])

    assert [run.rolled_back_at for run in imported.only.runs] == [None, told(100)]


async def test_a_revert_to_a_part_keeps_the_run(tmp_path: Path) -> None:
    """Only what follows in its answer is hidden."""
    home = Home()
    home.session(S, 0)
    prompts = [home.turn(S, second) for second in (1, 2)]
    home.sessions[S]["revert"] = f'{{"messageID":"{prompts[0]}","partID":"prt_x"}}'

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [run.rolled_back_at for run in imported.only.runs] == [None, told(100)]


async def test_what_opencode_says_in_the_users_name_is_no_run(tmp_path: Path) -> None:
    """Compactions, words between, and the frame of a command that the user ran."""
    home = Home()
    home.session(S, 0)
    prompt = home.turn(S, 1)
    start = home.message(S, 2, {"type": "compaction", "auto": True}, role="user")
    home.answer(S, 2.2, start, {"type": "text", "text": "so far"}, summary=True)
    words = home.message(S, 3, {"type": "text", "text": "go on", "synthetic": True}, role="user")
    home.answer(S, 3.2, words)
    last = home.turn(S, 4)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    thread = imported.only
    assert [run.native_turn_id for run in thread.runs] == [prompt, last]
    assert thread.windows == (WindowRecord(number=1, run_id=RunId(f"{S}/{prompt}")),)
    assert [
        (item.kind, item.text, item.run_id == f"{S}/{prompt}") for item in thread.items.items
    ] == [
        ("message", "prompt 1", True),
        ("message", "answer 1.2", True),
        ("compaction", "so far", True),
        ("message", "answer 3.2", True),
        ("message", "prompt 4", False),
        ("message", "answer 4.2", False),
    ]


async def test_a_compaction_counts_once_it_has_its_summary(tmp_path: Path) -> None:
    """Not while it runs, not when it failed, and once however often it was tried.

    Older versions had no message of their own for its start.
    """
    home = Home()
    home.session(S, 0)
    home.turn(S, 1)
    start = home.message(S, 2, {"type": "compaction", "auto": False}, role="user")
    home.answer(S, 2.2, start, summary=True, error={"name": "APIError"})
    home.answer(S, 2.4, start, summary=True)
    home.answer(S, 2.6, start, summary=True)
    old = home.turn(S, 3)
    home.answer(S, 3.5, old, summary=True)
    running = home.message(S, 4, {"type": "compaction", "auto": False}, role="user")
    home.answer(S, 4.2, running, summary=True, time={})

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [window.number for window in imported.only.windows] == [1, 2]


async def test_a_child_was_spawned_by_the_run_that_called_it_first(tmp_path: Path) -> None:
    """Each of its runs has the run that called it; the root is the run at the top."""
    home = Home()
    home.session(S, 0)
    home.session("ses_kid", 1.3, parent_id=S, agent="general")
    home.session("ses_grandkid", 1.5, parent_id="ses_kid")
    first, second = home.prompt(S, 1), home.prompt(S, 5)
    home.answer(S, 1.2, first, task("ses_kid", 1.3, 2.5, call="c1", parent=S))
    home.answer(S, 5.2, second, task("ses_kid", 5.3, 6.5, call="c2", parent=S))
    kid = home.prompt("ses_kid", 1.4)
    home.answer("ses_kid", 1.45, kid, task("ses_grandkid", 1.5, 2, parent="ses_kid"))
    again, grandkid = home.turn("ses_kid", 5.4), home.turn("ses_grandkid", 1.6)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)], backwards=True)

    edges = await imported.store.spawn_edges([S], status=None, first=10, after=None)
    (edge,) = edges[S].rows
    assert (edge.run_id, edge.call_id, edge.status) == (f"{S}/{first}", "c1", "open")
    assert {
        run.run_id: (run.parent_run_id, run.root_run_id)
        for thread in imported.threads.values()
        for run in thread.runs
    } == {
        f"{S}/{first}": (None, f"{S}/{first}"),
        f"{S}/{second}": (None, f"{S}/{second}"),
        f"ses_kid/{kid}": (f"{S}/{first}", f"{S}/{first}"),
        f"ses_kid/{again}": (f"{S}/{second}", f"{S}/{second}"),
        f"ses_grandkid/{grandkid}": (f"ses_kid/{kid}", f"{S}/{first}"),
    }
    threads = await imported.store.threads_by_id([ThreadId("ses_grandkid")])
    assert threads[ThreadId("ses_grandkid")].session_id == S


async def test_a_child_without_a_call_is_a_child_all_the_same(tmp_path: Path) -> None:
    """Made over the API; the edge has no run. In the older storage a file says so."""
    home = Home()
    home.session(S, 0)
    home.session("ses_kid", 1, parent_id=S)

    by_database = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])
    by_file = await import_paths(OpenCodeImporter(), [home.write_storage(tmp_path / "old")])

    kid = ThreadId("ses_kid")
    spawn = SpawnRecord(
        child_thread_id=kid,
        parent_thread_id=S,
        at=told(1),
        evidence=Evidence(proof=Proof.DATABASE, rule="session.parent_id"),
    )
    assert by_database.threads[kid].spawn == spawn
    made = by_file.threads[kid].spawn
    assert made is not None
    assert made.evidence == Evidence(proof=Proof.FILE, rule="session parentID")


async def test_a_call_of_an_older_version_names_the_child_in_its_output(tmp_path: Path) -> None:
    """Where there is no metadata."""
    home = Home()
    home.session(S, 0)
    home.session("ses_kid", 1.3, parent_id=S)
    prompt = home.prompt(S, 1)
    part = task("ses_kid", 1.3, 2)
    part["state"]["metadata"] = {}
    part["state"]["output"] = "task_id: ses_kid (for resuming)"
    home.answer(S, 1.2, prompt, part)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    (call,) = imported.threads[S].spawn_calls
    assert (call.child_thread_id, call.run_id) == ("ses_kid", f"{S}/{prompt}")


@pytest.mark.parametrize(
    ("more", "now", "status", "error"),
    [
        ({}, None, "completed", None),
        ({"finish": "length"}, None, "completed", None),
        ({"error": {"name": "MessageAbortedError"}}, None, "interrupted", None),
        ({"error": {"name": "APIError", "data": {"message": "no"}}}, None, "failed", "no"),
        ({"finish": "tool-calls"}, None, "interrupted", None),
        ({"finish": "tool-calls"}, SHORTLY_AFTER, "running", None),
        ({"time": {}}, SHORTLY_AFTER, "running", None),
        ({"time": {}}, Timestamp("2026-12-01T00:00:00.000000Z"), "interrupted", None),
    ],
)
async def test_the_last_answer_says_how_a_run_stands(
    tmp_path: Path,
    more: dict[str, object],
    now: Timestamp | None,
    status: str,
    error: str | None,
) -> None:
    """One that was no end is running while somebody still writes."""
    home = Home()
    home.session(S, 0)
    home.answer(S, 1.2, home.prompt(S, 1), **more)

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)], ReadOptions(now=now))

    (run,) = imported.only.runs
    assert (run.status, run.error, run.completed_at is None) == (
        status,
        error,
        status == "running",
    )


async def test_an_answer_to_an_unknown_message_belongs_to_the_run_before(tmp_path: Path) -> None:
    """Old forks named the messages of their source."""
    home = Home()
    home.session(S, 0)
    prompt = home.prompt(S, 1)
    home.answer(S, 1.2, "msg_elsewhere")

    imported = await import_paths(OpenCodeImporter(), [home.write(tmp_path)])

    assert [item.run_id for item in imported.only.items.items] == [f"{S}/{prompt}"] * 2
    assert imported.only.runs[0].status == "completed"
