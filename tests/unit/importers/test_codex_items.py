"""What a thread's items are, in which order, and how much of them is kept."""

from __future__ import annotations

import json

import pytest

from graph.model import ItemId, RunId, Timestamp
from graph.records import ItemRecord
from importers.contract import MAX_TEXT_BYTES, Content, ReadOptions
from tests.unit.importers.codex_home import (
    CodexHome,
    Written,
    answered,
    asked,
    compacted,
    completed,
    encoded,
    event,
    item,
    kept_at,
    meta,
    model_item,
    said,
    started,
    turn,
    uuid,
)

THREAD = uuid(0)
ONE, TWO = uuid(1), uuid(2)
RUN = RunId(f"{THREAD}/{ONE}")
PROMPT = [{"type": "text", "text": "hello"}]


def items_of(
    home: CodexHome, lines: list[Written], options: ReadOptions | None = None
) -> list[ItemRecord]:
    """The items of a thread with these lines in one turn."""
    home.rollout(THREAD, [meta(THREAD), started(ONE), *lines, completed(ONE)])
    return home.read(options=options).items[THREAD]


def told(items: list[ItemRecord]) -> list[tuple[str, str | None, str | None, str | None]]:
    """Kind, role, status and text of items."""
    return [(each.kind, each.role, each.status, each.text) for each in items]


def test_a_prompt_told_twice_is_one_item(home: CodexHome) -> None:
    """As the model saw it and as an event: the event counts, with its own id and exact text."""
    items = items_of(
        home,
        [
            said("user", "<environment_context>x</environment_context>"),
            said("user", "hello", id="msg_1"),
            item("UserMessage", THREAD, ONE, id="u1", content=PROMPT),
            said("assistant", "hi", id="msg_2"),
            item(
                "AgentMessage", THREAD, ONE, id="msg_2", content=[{"type": "Text", "text": "hi"}]
            ),
        ],
    )

    assert items == [
        ItemRecord(
            item_id=ItemId(f"{THREAD}/u1"),
            position=0,
            run_id=RUN,
            kind="message",
            role="user",
            text="hello",
            text_bytes=5,
            native_item_id="u1",
            at=Timestamp(kept_at(4)),
        ),
        ItemRecord(
            item_id=ItemId(f"{THREAD}/msg_2"),
            position=1,
            run_id=RUN,
            kind="message",
            role="assistant",
            text="hi",
            text_bytes=2,
            native_item_id="msg_2",
            at=Timestamp(kept_at(6)),
        ),
    ]


def test_without_events_the_models_messages_are_the_conversation(home: CodexHome) -> None:
    """What Codex itself put before the model in the user's name is not."""
    items = items_of(
        home,
        [
            said("developer", "rules"),
            said("user", "# AGENTS.md instructions for /w"),
            said("user", "hello"),
            said("assistant", "hi"),
        ],
    )

    assert told(items) == [
        ("message", "user", None, "hello"),
        ("message", "assistant", None, "hi"),
    ]


def test_a_command_is_its_line_its_exit_code_and_its_output(home: CodexHome) -> None:
    """In every form that versions of Codex wrote them."""
    shell = json.dumps({"command": ["bash", "-lc", "ls -l"]})
    old = json.dumps({"output": "a\n", "metadata": {"exit_code": 2}})
    new = "Chunk ID: 1\nProcess exited with code 0\nOutput:\nb\n"
    items = items_of(
        home,
        [
            model_item("function_call", name="shell", arguments=shell, call_id="1"),
            model_item("function_call_output", call_id="1", output=old),
            model_item("function_call", name="exec_command", arguments='{"cmd":"x"}', call_id="2"),
            model_item("function_call_output", call_id="2", output=new),
            model_item("local_shell_call", action={"command": ["ls", "/"]}, call_id="3"),
            model_item("function_call_output", call_id="3", output={"content": "c"}),
        ],
    )

    assert told(items) == [
        ("command", "tool", "failed", "ls -l\nexit code 2\na\n"),
        ("command", "tool", "completed", "x\nexit code 0\nb\n"),
        ("command", "tool", "completed", "ls /\nc"),
    ]


def test_a_command_is_told_once(home: CodexHome) -> None:
    """By the call; an item tells only of those that the model did not call."""
    items = items_of(
        home,
        [
            model_item("function_call", name="exec_command", arguments='{"cmd":"x"}', call_id="1"),
            item("CommandExecution", THREAD, ONE, id="1", command="x", aggregated_output="y"),
            model_item("function_call_output", call_id="1", output="y"),
            item(
                "CommandExecution",
                THREAD,
                ONE,
                id="2",
                command=["zsh", "-c", "typed"],
                aggregated_output="z",
                exit_code=1,
            ),
        ],
    )

    assert told(items) == [
        ("command", "tool", "completed", "x\ny"),
        ("command", "tool", "failed", "typed\nexit code 1\nz"),
    ]


def test_a_call_without_an_output_stands_at_the_end_of_its_turn(home: CodexHome) -> None:
    """The turn ended before it came."""
    items = items_of(
        home,
        [
            model_item("function_call", name="exec_command", arguments='{"cmd":"x"}', call_id="1"),
            asked("stop"),
            event("turn_aborted", turn_id=ONE, reason="interrupted"),
        ],
    )

    assert told(items) == [
        ("message", "user", None, "stop"),
        ("interrupt", "system", None, "interrupted"),
        ("command", "tool", None, "x"),
    ]


def test_a_file_change_is_the_names_of_its_files(home: CodexHome) -> None:
    """Of a patch, of its event and of its item; each change once."""
    patch = "*** Begin Patch\n*** Add File: a.py\n+x\n*** Update File: b.py\n*** End Patch"
    items = items_of(
        home,
        [
            model_item("custom_tool_call", name="apply_patch", input=patch, call_id="1"),
            event("patch_apply_end", call_id="1", success=True, changes={"a.py": {}, "b.py": {}}),
            model_item("custom_tool_call_output", call_id="1", output="Success"),
            event("patch_apply_end", call_id="2", success=False, changes={"c.py": {}}),
            item("FileChange", THREAD, ONE, id="3", status="completed", changes=[{"path": "d"}]),
        ],
    )

    assert told(items) == [
        ("file_change", "tool", "completed", "a.py\nb.py"),
        ("file_change", "tool", "failed", "c.py"),
        ("file_change", "tool", "completed", "d"),
    ]


def test_other_things_have_kinds_of_their_own(home: CodexHome) -> None:
    """Reasoning with words, plans, searches, tools, agents, reviews, compactions, errors."""
    plan = json.dumps({"plan": [{"step": "one", "status": "completed"}]})
    notification = "<subagent_notification>\n{}\n</subagent_notification>"
    items = items_of(
        home,
        [
            asked("go"),
            model_item("reasoning", summary=[{"type": "summary_text", "text": "hm"}]),
            model_item("reasoning", summary=[], encrypted_content="abc"),
            model_item("function_call", name="update_plan", arguments=plan, call_id="1"),
            model_item("function_call_output", call_id="1", output="Plan updated"),
            model_item("web_search_call", action={"type": "search", "query": "q"}),
            model_item(
                "function_call", namespace="db", name="ask", arguments='{"a":1}', call_id="2"
            ),
            model_item("function_call_output", call_id="2", output="rows"),
            said("user", notification),
            model_item("agent_message", content=[{"type": "input_text", "text": "done"}]),
            event("sub_agent_activity", kind="started", agent_path="/root/a"),
            item("Plan", THREAD, ONE, id="p", text="the plan"),
            compacted(),
            completed(ONE, error="broke"),
        ],
    )

    assert told(items) == [
        ("message", "user", None, "go"),
        ("reasoning", "assistant", None, "hm"),
        ("plan", "tool", "completed", "[completed] one"),
        ("web_search", "tool", None, "q"),
        ("tool_call", "tool", "completed", 'db.ask {"a":1}\nrows'),
        ("agent_message", "system", None, notification),
        ("agent_message", "system", None, "done"),
        ("agent_activity", "system", "started", "/root/a"),
        ("plan", "assistant", None, "the plan"),
        ("compaction", "system", None, "summary"),
        ("error", "system", None, "broke"),
    ]


def test_an_item_goes_to_the_turn_that_it_names(home: CodexHome) -> None:
    """Completions may come late."""
    home.rollout(
        THREAD,
        [
            meta(THREAD),
            *turn(ONE),
            started(TWO),
            item("CommandExecution", THREAD, ONE, id="late", command="x"),
            completed(TWO),
        ],
    )

    assert [each.run_id for each in home.read().items[THREAD]] == [RUN, RUN, RUN]


def test_an_id_that_repeats_is_used_once(home: CodexHome) -> None:
    """The second has the name of its line, and what shares a line a number more."""
    user = item("UserMessage", THREAD, ONE, id="u", content=PROMPT)

    items = items_of(home, [user, user, asked("x")])

    assert [each.item_id for each in items] == [
        f"{THREAD}/u",
        f"{THREAD}/line-4",
        f"{THREAD}/line-5",
    ]


def test_a_text_is_cut_at_256_kibibytes(home: CodexHome) -> None:
    """At a whole character; its size is that before the cut."""
    text = "é" * MAX_TEXT_BYTES

    (found,) = items_of(home, [asked(text)])

    assert found.text == "é" * (MAX_TEXT_BYTES // 2)
    assert (found.text_bytes, found.truncated) == (2 * MAX_TEXT_BYTES, True)


def test_a_preview_keeps_200_characters(home: CodexHome) -> None:
    """A shorter text is whole."""
    options = ReadOptions(content=Content.PREVIEW)

    items = items_of(home, [asked("x" * 201), answered("y")], options)

    assert [(each.text, each.text_bytes, each.truncated) for each in items] == [
        ("x" * 200, 201, True),
        ("y", 1, False),
    ]


def test_without_content_only_the_size_is_kept(home: CodexHome) -> None:
    """Everything else of the item is there."""
    (found,) = items_of(home, [asked("secret")], ReadOptions(content=Content.NONE))

    assert (found.text, found.text_bytes, found.truncated) == (None, 6, False)


def test_secrets_are_redacted_where_that_is_asked_for(home: CodexHome) -> None:
    """In items, titles and previews."""
    options = ReadOptions(redact=True)
    home.rollout(THREAD, [meta(THREAD), *turn(ONE, prompt="use AKIAIOSFODNN7EXAMPLE now")])
    home.database({"id": THREAD, "title": "AKIAIOSFODNN7EXAMPLE"})

    found = home.read(options=options)

    assert found.items[THREAD][0].text == "use [redacted:AWS Access Key] now"
    assert found.threads[THREAD].title == "[redacted:AWS Access Key]"
    assert found.threads[THREAD].preview == "use [redacted:AWS Access Key] now"


def test_items_of_ended_turns_are_settled(home: CodexHome) -> None:
    """Those of the open turn at the end of a growing file are not."""
    home.rollout(THREAD, [meta(THREAD), *turn(ONE), started(TWO), asked("more")])
    home.rollout(uuid(5), [meta(uuid(5)), *turn(uuid(6))])

    ends = home.read().ends

    assert (ends[THREAD].item_count, ends[THREAD].settled) == (3, 2)
    assert (ends[uuid(5)].item_count, ends[uuid(5)].settled) == (2, 2)


GROWN = [
    meta(THREAD),
    *turn(ONE),
    started(TWO),
    asked("more"),
    model_item("function_call", name="exec_command", arguments='{"cmd":"x"}', call_id="1"),
    answered("meanwhile"),
    model_item("function_call_output", call_id="1", output="y"),
    completed(TWO),
    *turn(uuid(3)),
]


@pytest.mark.parametrize("length", range(1, len(GROWN)))
def test_settled_items_stay_as_they_are(home: CodexHome, length: int) -> None:
    """However a file grows, what was settled before is the same afterwards."""
    home.rollout(THREAD, encoded(GROWN[:length]))
    before = home.read()
    home.rollout(THREAD, encoded(GROWN))
    after = home.read()

    settled = before.ends[THREAD].settled
    assert before.items[THREAD][:settled] == after.items[THREAD][:settled]


def test_the_end_of_a_sources_turn_is_no_item_of_the_fork(home: CodexHome) -> None:
    """A fork freezes the turn that it was cut in, under the source's id."""
    frozen = event("turn_aborted", turn_id=uuid(-5), reason="interrupted")
    base = {"thread_id": uuid(-9), "end_ordinal_exclusive": 9}
    home.rollout(THREAD, [meta(THREAD, history_base=base), frozen, *turn(ONE)])

    assert [each.kind for each in home.read().items[THREAD]] == ["message", "message"]
