"""Telling the graph what happens, and handing context over, from the command line."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest
from graphql import build_schema, parse, validate

from cli import (
    append,
    complete,
    delta,
    fork,
    merge_back,
    put_away,
    record_checkpoint,
    record_run,
    record_thread,
    resolve,
    rollback,
    settle,
    spawn,
    switch,
    transfers,
)
from cli.fragments import with_fragments
from tests.cli.conftest import Ended, Lineage
from tests.cli.test_commands import API_SCHEMA

MODULES = (
    *(append, complete, fork, merge_back, put_away, record_checkpoint, record_run),
    *(record_thread, resolve, rollback, settle, spawn, switch),
)


def answer_of(ended: Ended) -> dict[str, Any]:
    """What a command answered programs; it was carried out."""
    assert (ended.code, ended.err) == (0, "")
    return json.loads(ended.out)


@pytest.fixture
def talk(graph_settings: None, lineage: Lineage) -> str:  # noqa: ARG001 - marks have no effect on fixtures
    """A thread with a completed run, told from the command line alone."""
    words = ("--driver", "codex", "--window", "w1", "--history-mode", "paginated")
    assert lineage("record-thread", "talk", *words).code == 0
    refs = ("--native-thread", "thr", "--native-turn", "t1")
    assert lineage("record-run", "talk", "--id", "run-1", *refs).code == 0
    said = ("append", "talk", "Mend the parser", "--role", "user", "--run", "run-1")
    assert lineage(*said).code == 0
    assert lineage("update-run", "run-1", "--status", "completed").code == 0
    return "talk"


def test_what_is_asked_of_the_graph_is_in_its_schema() -> None:
    """Each operation, with all its fragments."""
    schema = build_schema(API_SCHEMA.read_text("utf-8"))
    told = [
        value.document
        for module in MODULES
        for value in vars(module).values()
        if isinstance(value, fork.Mutation)
    ]
    asked = [with_fragments(delta.DELTA), with_fragments(transfers.TRANSFERS)]

    wrong = [error for text in (*told, *asked) for error in validate(schema, parse(text))]

    assert len(told) >= len(MODULES)
    assert wrong == []


def test_a_fork_says_what_it_is_and_what_to_do_next(lineage: Lineage, talk: str) -> None:
    """For people."""
    ended = lineage("fork", talk, "--id", "try", "--title", "Another way")

    assert (ended.code, ended.err) == (0, "")
    assert ended.out.splitlines() == [
        "Thread try is a fork of talk after run run-1.",
        "It has no provider yet. To start it:",
        '  lineage resolve try --driver TOOL --message "…"',
    ]


def test_a_fork_is_told_to_programs_by_the_names_of_the_api(lineage: Lineage, talk: str) -> None:
    """With the id of the command, which was made for it."""
    answer = answer_of(lineage("fork", talk, "--at-run", "run-1", "--json"))

    assert (answer["__typename"], answer["replayed"]) == ("ThreadForked", False)
    assert answer["commandId"]
    assert answer["transfer"]["status"] == "PENDING"
    assert answer["transfer"]["sourcePoint"]["nativeTurnRef"]["nativeId"] == "t1"
    assert answer["transfer"]["targetThreadId"] == answer["thread"]["threadId"]


def test_a_fork_can_begin_at_a_checkpoint(lineage: Lineage, talk: str) -> None:
    """One that was recorded before."""
    recorded = lineage("record-checkpoint", talk, "run-1", "--id", "cp", "--file", "parser.py")

    answer = answer_of(lineage("fork", talk, "--at-checkpoint", "cp", "--json"))

    assert recorded.out.splitlines()[0] == "Checkpoint cp of run run-1 is ready."
    assert answer["transfer"]["sourcePoint"]["checkpointId"] == "cp"


def test_a_command_sent_again_is_done_once(lineage: Lineage, talk: str) -> None:
    """Whoever sends it says which one it is."""
    words = ("fork", talk, "--command-id", "c1")
    first = answer_of(lineage(*words, "--json"))

    again = lineage(*words, "--json")
    plain = lineage(*words)

    assert json.loads(again.out) == {**first, "replayed": True}
    assert (again.code, plain.code) == (0, 0)
    assert again.err == plain.err == "It was done before; nothing happened now.\n"


def test_a_command_id_that_was_used_for_something_else_is_refused(
    lineage: Lineage, talk: str
) -> None:
    """The second is another command."""
    lineage("fork", talk, "--command-id", "c1")

    ended = lineage("fork", talk, "--command-id", "c1", "--title", "x")

    assert (ended.code, ended.out) == (3, "")
    assert ended.err.startswith("Refused: CONFLICT: The command id c1 was used for another")


REFUSED = {
    ("fork", "nobody"): "THREAD_NOT_FOUND",
    ("fork", "talk", "--at-run", "no"): "RUN_NOT_FOUND",
    ("fork", "talk", "--at-checkpoint", "no"): "CHECKPOINT_NOT_FOUND",
    ("fork", "talk", "--id", "talk"): "THREAD_EXISTS",
    ("merge-back", "talk"): "NOT_A_FORK",
    ("switch", "nobody", "--driver", "claude"): "THREAD_NOT_FOUND",
    ("spawn", "nobody"): "THREAD_NOT_FOUND",
    ("complete", "talk"): "TRANSITION_NOT_ALLOWED",
    ("record-run", "talk", "--id", "run-1"): "CONFLICT",
    ("update-run", "no"): "RUN_NOT_FOUND",
    ("append", "talk", "x", "--run", "no"): "RUN_NOT_FOUND",
    ("restore", "talk"): "TRANSITION_NOT_ALLOWED",
    ("resolve", "nobody", "--message", "x"): "THREAD_NOT_FOUND",
    ("confirm", "no", "--native-thread", "x"): "RUN_NOT_FOUND",
    ("rollback", "nobody", "--everything"): "THREAD_NOT_FOUND",
    ("fail", "run-1", "--reason", "x"): "TRANSITION_NOT_ALLOWED",
}

WRONG = {
    ("fork", "talk", "--at-run", "a", "--at-checkpoint", "b"): "give one of them",
    ("fork", "talk", "--created-by", "nobody"): "'NOBODY' does not exist in 'Actor'",
    ("fork", "talk", "--command-id", ""): "commandId can't be empty",
    ("switch", "talk"): "--driver",
    ("spawn", "talk", "--instance", "x"): "need --driver",
    ("complete", "talk", "--outcome", "perhaps"): "outcome",
    ("append", "talk"): "What is to be appended?",
    ("append", "talk", "x", "--lines"): "give none",
    ("record-run", "talk", "--started-at", "noon"): "RFC 3339",
    ("delete", "talk"): "add --yes",
    ("rollback", "talk"): "How much stays?",
    ("resolve", "talk", "--message", "x", "--can", "fly"): "'fly' is nothing that",
    ("resolve", "talk", "--message", "x", "--text", "--json"): "two ways to answer",
    ("resolve", "talk", "--message", "x", "--budget", "1"): "budgetTokens is 1024",
    ("transfers", "--status", "lost"): "'LOST' does not exist in 'TransferStatus'",
}


@pytest.mark.usefixtures("talk")
def test_a_refusal_has_its_code_and_an_exit_code_of_its_own(lineage: Lineage) -> None:
    """In words on standard error, of each command."""
    ended = {words: lineage(*words) for words in REFUSED}

    told = {
        words: (one.code, one.out, one.err.partition(": ")[2].partition(":")[0])
        for words, one in ended.items()
    }
    assert told == {words: (3, "", code) for words, code in REFUSED.items()}
    assert all(one.err.startswith("Refused: ") for one in ended.values())


@pytest.mark.usefixtures("talk")
def test_a_refusal_is_told_to_programs_too(lineage: Lineage) -> None:
    """By the names of the API, beside the words."""
    ended = lineage("merge-back", "talk", "--json", "--command-id", "c1")

    told = json.loads(ended.out)
    assert ended.code == 3
    assert ended.err == f"Refused: NOT_A_FORK: {told['message']}\n"
    assert (told["__typename"], told["commandId"], told["code"]) == (
        "NotAFork",
        "c1",
        "NOT_A_FORK",
    )


@pytest.mark.usefixtures("talk")
def test_what_can_not_be_right_is_said_in_words(lineage: Lineage) -> None:
    """With the exit code of wrong input."""
    ended = {words: lineage(*words) for words in WRONG}

    said = {words: (one.code, one.out, WRONG[words] in one.err) for words, one in ended.items()}
    assert said == dict.fromkeys(WRONG, (2, "", True))
    assert all(one.err.startswith("Error: ") for one in ended.values())
    assert not any("report it" in one.err for one in ended.values())


@pytest.fixture
def fork_with_work(talk: str, lineage: Lineage) -> str:
    """A fork that did something since."""
    lineage("fork", talk, "--id", "try")
    refs = ("--driver", "codex", "--native-thread", "thr2", "--native-turn", "t2")
    assert lineage("record-run", "try", "--id", "run-2", "--status", "completed", *refs).code == 0
    said = ("append", "try", "Done [so far]", "--role", "assistant", "--run", "run-2")
    assert lineage(*said).code == 0
    return "try"


def test_a_delta_shows_what_a_merge_back_would_bring(
    lineage: Lineage, fork_with_work: str
) -> None:
    """And how to bring it back."""
    ended = lineage("delta", fork_with_work)
    told = answer_of(lineage("delta", fork_with_work, "--json"))["mergeBackDelta"]

    assert ended.out.splitlines() == [
        "try would bring back to talk: 1 item of 1 run, up to run run-2.",
        "  assistant message       Done [so far]",
        "To bring it back:",
        "  lineage merge-back try --run run-2",
    ]
    assert (told["itemCount"], told["tip"]["runId"]) == (1, "run-2")


def test_no_delta_is_said_to_be_none(lineage: Lineage, talk: str) -> None:
    """A thread that is no fork has none; an unknown one is an error."""
    ended, unknown = lineage("delta", talk), lineage("delta", "nobody")

    assert ended.out.startswith("Nothing can be merged back: ")
    assert json.loads(lineage("delta", talk, "--json").out) == {"mergeBackDelta": None}
    assert (unknown.code, unknown.err) == (1, "Error: No thread has the id 'nobody'.\n")


def test_a_merge_back_takes_the_place_of_one_that_waits(
    lineage: Lineage, fork_with_work: str
) -> None:
    """It says so, and the list of transfers does."""
    first = answer_of(lineage("merge-back", fork_with_work, "--json"))

    second = lineage("merge-back", fork_with_work, "--into", "talk")
    listed = answer_of(lineage("transfers", "talk", "--type", "merge-back", "--json"))
    waiting = lineage("transfers", "--status", "pending", "--type", "merge-back")

    assert second.out.splitlines() == [
        "The next start of talk brings back what try did up to run run-2.",
        f"It takes the place of {first['transfer']['transferId']}, which still waited.",
        "To start it:",
        '  lineage resolve talk --message "…"',
    ]
    assert [one["status"] for one in listed["transfers"]] == ["SUPERSEDED", "PENDING"]
    assert listed["more"] is False
    assert waiting.out.startswith("merge-back      waits for the next start  try → talk  ")


def test_a_list_of_transfers_says_when_there_are_more_and_when_there_are_none(
    lineage: Lineage, fork_with_work: str
) -> None:
    """Nothing is cut silently."""
    lineage("merge-back", fork_with_work)

    some, none = lineage("transfers", "--limit", "1"), lineage("transfers", "--status", "failed")

    assert len(some.out.splitlines()) == 1
    assert some.err == "There are more than these 1; --limit shows more.\n"
    assert none.out == "There are no such transfers.\n"


def test_a_switch_says_what_the_next_run_uses(lineage: Lineage, talk: str) -> None:
    """The account and the model."""
    words = ("--driver", "claude", "--instance", "claude-work", "--model", "opus")
    ended = lineage("switch", talk, *words)

    assert ended.out.splitlines()[0] == "The next run of talk uses claude as claude-work, opus."


def test_a_child_is_spawned_and_completed(
    lineage: Lineage, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its task may come from standard input; the first report counts."""
    read_from(monkeypatch, b"Review it\n")
    spawned = answer_of(
        lineage("spawn", talk, "--task", "-", "--id", "kid", "--run", "run-1", "--json")
    )
    failed = lineage("complete", "kid", "--outcome", "failed", "--error", "no answer")
    again = lineage("complete", "kid")

    assert spawned["transfer"]["task"] == "Review it\n"
    assert (spawned["edge"]["runId"], spawned["edge"]["origin"]) == ("run-1", "app_owned")
    assert failed.out.splitlines() == ["kid is failed; talk gets this result:", "  no answer"]
    assert again.out == failed.out
    assert again.err == "It was done before; nothing happened now.\n"


def test_many_items_come_from_standard_input(
    lineage: Lineage, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line each; one that is wrong stops all."""
    read_from(
        monkeypatch, b'{"kind": "message", "role": "user", "text": "a"}\n\n{"kind": "plan"}\n'
    )
    ended = lineage("append", talk, "--lines", "--run", "run-1")
    read_from(monkeypatch, b"{")
    garbled = lineage("append", talk, "--lines")
    read_from(monkeypatch, b"[]")
    wrong = lineage("append", talk, "--lines")

    assert ended.out == "Thread talk has 2 items more, at 1 to 2.\n"
    assert (garbled.code, wrong.code) == (2, 2)
    assert garbled.err.startswith("Error: Line 1 is not JSON: ")
    assert wrong.err == "Error: Line 1 is not an object in JSON.\n"


def test_threads_are_put_away_and_brought_back(lineage: Lineage, talk: str) -> None:
    """With what they spawned, and with the command that takes it back."""
    lineage("spawn", talk, "--id", "kid")

    archived, back = lineage("archive", talk), lineage("unarchive", talk)
    deleted, restored = lineage("delete", talk, "--yes"), lineage("restore", talk, "--json")

    assert archived.out.splitlines() == [
        "Thread talk is archived, with 1 thread that it spawned.",
        "To take that back:",
        "  lineage unarchive talk",
    ]
    assert back.out.splitlines()[0] == "Thread talk is unarchived."
    assert deleted.out.splitlines()[-1] == "  lineage restore talk"
    assert [one["threadId"] for one in answer_of(restored)["threads"]] == ["talk", "kid"]


def test_a_start_says_what_to_do_in_its_tool(lineage: Lineage, talk: str) -> None:
    """The calls of a native fork, in the plain answer and in JSON."""
    lineage("fork", talk, "--id", "try")
    words = ("--driver", "codex", "--message", "Go", "--id", "r", "--command-id", "c1")
    started = lineage("resolve", "try", *words)

    told = json.loads(lineage("resolve", "try", *words, "--json").out)
    second = lineage("resolve", "try", "--driver", "codex", "--message", "Go", "--json")

    assert started.code == 0
    assert started.out.splitlines()[0] == "Run r of thread try is starting."
    assert "  thread/fork {" in started.out
    assert told["base"]["__typename"] == "NativeFork"
    assert told["base"]["plan"]["calls"][0]["params"]["lastTurnId"] == "t1"
    assert (second.code, json.loads(second.out)["runId"]) == (3, "r")


def test_a_start_as_text_prints_the_text_and_nothing_else(
    lineage: Lineage, talk: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So that it can be piped; also where the tool could fork by itself."""
    lineage("fork", talk, "--id", "try")
    read_from(monkeypatch, "Grüße\n".encode())

    ended = lineage(
        *("resolve", "try", "--driver", "codex", "--message", "-", "--id", "r", "--text")
    )

    assert ended.code == 0
    assert ended.out.startswith('What follows is context from thread "talk"')
    assert ended.out.endswith("=== end of the context\n\nGrüße\n")
    assert "lineage confirm r --native-thread ID" in ended.err


def test_a_start_is_confirmed_or_given_up(lineage: Lineage, talk: str) -> None:
    """What it was to deliver waits, is delivered, or failed for good."""
    lineage("fork", talk, "--id", "try")
    start = ("resolve", "try", "--driver", "claude", "--message", "Go", "--id")
    lineage(*start, "r1", "--cannot", "fork")
    waits = answer_of(lineage("fail", "r1", "--reason", "away", "--json"))
    lineage(*start, "r2")
    words = ("--native-thread", "n", "--native-turn", "m", "--weak", "--json")
    delivered = answer_of(lineage("confirm", "r2", *words))
    lineage(*start, "r3")
    final = lineage("fail", "r3", "--reason", "wrong", "--final")

    assert [one["status"] for one in waits["transfers"]] == ["PENDING"]
    assert (waits["run"]["status"], waits["run"]["error"]) == ("failed", "away")
    assert [one["status"] for one in delivered["transfers"]] == ["CONSUMED"]
    assert (delivered["run"]["status"], delivered["run"]["nativeTurnId"]) == ("running", "m")
    assert final.out.splitlines()[0] == "Run r3 of thread try is failed: wrong"


@pytest.mark.usefixtures("graph_settings")
def test_runs_are_taken_back(lineage: Lineage) -> None:
    """Down to one that stays, or all of them."""
    lineage("record-thread", "talk", "--driver", "claude")
    for number in (1, 2, 3):
        lineage("record-run", "talk", "--id", f"run-{number}", "--status", "completed")

    some = lineage("rollback", "talk", "--keep-through", "run-2")
    rest = answer_of(lineage("rollback", "talk", "--everything", "--json"))

    assert (some.code, some.out) == (0, "Rolled back: 1 run of thread talk.\n")
    assert [one["runId"] for one in rest["runs"]] == ["run-1", "run-2"]
    assert all(one["rolledBackAt"] for one in rest["runs"])


@pytest.mark.usefixtures("talk")
def test_the_beginning_of_an_id_is_enough_for_commands(lineage: Lineage) -> None:
    """As long as no other begins so."""
    answer = answer_of(lineage("fork", "ta", "--json"))

    assert answer["transfer"]["sourceThreadId"] == "talk"


def read_from(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    """Put something into standard input."""
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


@pytest.mark.parametrize(
    "command",
    [
        *("fork", "switch", "delta", "merge-back", "spawn", "complete", "transfers"),
        *("resolve", "confirm", "fail", "rollback"),
        *("record-thread", "record-run", "update-run", "append", "record-checkpoint"),
        *("archive", "unarchive", "delete", "restore"),
    ],
)
def test_every_command_that_tells_has_an_example(lineage: Lineage, command: str) -> None:
    """One that can be typed."""
    assert f"  lineage {command}" in lineage(command, "--help").out
