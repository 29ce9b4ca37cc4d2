"""What a rollout's metas say of its thread."""

from __future__ import annotations

from typing import Any

import pytest

from graph.model import Actor, CapabilityRoot
from tests.unit.importers.codex_home import (
    CodexHome,
    at,
    completed,
    encoded,
    kept_at,
    meta,
    spawn_source,
    started,
    turn,
    uuid,
)

THREAD = uuid(0)
OTHER = uuid(-100)
TURN = uuid(1)


def test_the_first_meta_says_whose_file_it_is(home: CodexHome) -> None:
    """Metas copied from a fork's ancestors come later and never count."""
    home.rollout(THREAD, [meta(THREAD, cwd="/own"), meta(OTHER, cwd="/other"), *turn(TURN)])

    found = home.read()

    assert list(found.threads) == [THREAD]
    assert found.threads[THREAD].cwd == "/own"


def test_the_newest_own_meta_tells_what_was_changed_since(home: CodexHome) -> None:
    """Memory mode, agent version and git are re-appended; a copy may lack what it leaves alone."""
    home.rollout(
        THREAD,
        [
            meta(THREAD, git={"branch": "main", "commit_hash": "abc"}, history_mode="legacy"),
            meta(THREAD, memory_mode="disabled", multi_agent_version="v1"),
            meta(OTHER, memory_mode="other", multi_agent_version="v2", git={"branch": "theirs"}),
        ],
    )

    thread = home.read().threads[THREAD]

    assert thread.memory_mode == "disabled"
    assert thread.multi_agent_version == "v1"
    assert (thread.git_branch, thread.git_commit) == ("main", "abc")


def test_a_thread_without_a_mode_is_legacy(home: CodexHome) -> None:
    """Codex wrote no history mode before mid 2026."""
    home.rollout(THREAD, [meta(THREAD), *turn(TURN)])

    assert home.read().threads[THREAD].history_mode == "legacy"


def test_an_unknown_history_mode_is_shown_and_not_read(home: CodexHome) -> None:
    """It is never taken as legacy: the thread is there, its runs and items are not."""
    home.rollout(THREAD, [meta(THREAD, history_mode="quantum"), *turn(TURN)])

    found = home.read()

    thread = found.threads[THREAD]
    assert (thread.history_mode, thread.runs, found.items[THREAD]) == ("quantum", (), [])
    assert found.reasons == ["unknown-history-mode"]


def test_an_unknown_mode_in_a_copied_meta_hides_nothing(home: CodexHome) -> None:
    """Only the first meta decides how a file is read."""
    home.rollout(THREAD, [meta(THREAD), meta(OTHER, history_mode="quantum"), *turn(TURN)])

    assert len(home.read().threads[THREAD].runs) == 1


def test_an_agent_type_is_an_agent_role(home: CodexHome) -> None:
    """The older key of the same thing."""
    home.rollout(THREAD, [meta(THREAD, agent_type="explorer", source=spawn_source(OTHER))])

    assert home.read().threads[THREAD].agent_role == "explorer"


SOURCES: list[tuple[object, str | None, str]] = [
    ("cli", "cli", "cli"),
    ("vscode", "vscode", "vscode"),
    ("exec", "exec", "exec"),
    ("mcp", "mcp", "appServer"),
    ("unknown", "unknown", "unknown"),
    ("something new", "something new", "unknown"),
    ({"custom": "atlas"}, '{"custom":"atlas"}', "custom:atlas"),
    ({"custom": "mine"}, '{"custom":"mine"}', "custom:mine"),
    ({"internal": "memory"}, '{"internal":"memory"}', "internal"),
    ({"subagent": "review"}, '{"subagent":"review"}', "subAgentReview"),
    ({"subagent": "compact"}, '{"subagent":"compact"}', "subAgentCompact"),
    ({"subagent": "memory_consolidation"}, '{"subagent":"memory_consolidation"}', "subAgent"),
    ({"subagent": {"other": "guardian"}}, '{"subagent":{"other":"guardian"}}', "subAgentOther"),
    (
        {"subagent": {"thread_spawn": {"parent_thread_id": OTHER, "depth": 1}}},
        f'{{"subagent":{{"thread_spawn":{{"depth":1,"parent_thread_id":"{OTHER}"}}}}}}',
        "subAgentThreadSpawn",
    ),
    ('{"subagent":"review"}', '{"subagent":"review"}', "subAgentReview"),
    (None, None, "vscode"),
]


@pytest.mark.parametrize(("source", "text", "kind"), SOURCES)
def test_a_source_is_kept_and_has_a_kind(
    home: CodexHome, source: object, text: str | None, kind: str
) -> None:
    """A word or an object, also as JSON text; a missing one is the tool's default."""
    home.rollout(THREAD, [meta(THREAD, source=source)])

    thread = home.read().threads[THREAD]

    assert (thread.source, thread.source_kind) == (text, kind)


DELEGATES: list[tuple[Any, str | None, Actor]] = [
    ("cli", None, Actor.USER),
    ({"subagent": "review"}, "review", Actor.SYSTEM),
    ({"subagent": {"other": "guardian"}}, "guardian", Actor.SYSTEM),
    ({"subagent": {"other": "agent_job:nightly"}}, "nightly", Actor.SYSTEM),
    ({"internal": "memory_consolidation"}, None, Actor.SYSTEM),
    (spawn_source(OTHER), None, Actor.AGENT),
]


@pytest.mark.parametrize(("source", "role", "made_by"), DELEGATES)
def test_the_source_says_who_made_a_thread(
    home: CodexHome, source: object, role: str | None, made_by: Actor
) -> None:
    """Agents spawn, users start, everything else is done by Codex itself for its own ends."""
    home.rollout(THREAD, [meta(THREAD, source=source)])

    thread = home.read().threads[THREAD]

    assert (thread.agent_role, thread.created_by) == (role, made_by)


def test_capability_roots_keep_their_place(home: CodexHome) -> None:
    """Their keys are camelCase inside a snake_case meta; the order is kept."""
    root = {"id": "p@1", "location": {"type": "environment", "environmentId": "w", "path": "/p"}}
    home.rollout(THREAD, [meta(THREAD, selected_capability_roots=[root])])

    assert home.read().threads[THREAD].selected_capability_roots == (
        CapabilityRoot(id="p@1", environment_id="w", path="/p"),
    )


def test_times_are_always_known(home: CodexHome) -> None:
    """Without a time in the meta it is that of the first line, and the last line is the latest."""
    lines = [meta(THREAD, timestamp=None), started(TURN), completed(TURN)]
    home.rollout(THREAD, encoded(lines, begin=10))

    thread = home.read().threads[THREAD]

    assert thread.created_at == kept_at(10)
    assert thread.updated_at == kept_at(12)
    assert thread.recency_at == kept_at(11)


def test_a_time_in_the_form_of_a_file_name_is_read(home: CodexHome) -> None:
    """Readers accept it in a meta, too."""
    home.rollout(THREAD, [meta(THREAD, timestamp="2026-08-01T11-00-00")])

    assert home.read().threads[THREAD].created_at == "2026-08-01T11:00:00.000000Z"


def test_a_session_is_what_the_file_states(home: CodexHome) -> None:
    """It is never made up: without a word the graph takes the top of the agent tree."""
    home.rollout(THREAD, [meta(THREAD, session_id=OTHER.upper())])
    home.rollout(uuid(5), [meta(uuid(5))])

    threads = home.read().threads

    assert threads[THREAD].session_id == OTHER
    assert threads[uuid(5)].session_id is None


def test_a_header_of_the_first_days_is_a_meta(home: CodexHome) -> None:
    """The oldest files have a bare header and bare model items."""
    header = f'{{"id":"{THREAD}","timestamp":"{at(0)}","instructions":null}}\n'
    state = '{"record_type":"state"}\n'
    prompt = (
        '{"type":"message","role":"user","content":[{"type":"input_text","text":"hello"}]}\n'
        '{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hi"}]}\n'
    )
    home.rollout(THREAD, (header + state + prompt).encode())

    found = home.read()

    assert [run.run_id for run in found.threads[THREAD].runs] == [f"{THREAD}/line-3"]
    assert found.texts(THREAD) == [("message", "hello"), ("message", "hi")]
    assert found.reasons == []


def test_a_preview_is_one_short_line(home: CodexHome) -> None:
    """The first thing that the user said, without its line breaks; without one it is unlisted."""
    home.rollout(THREAD, [meta(THREAD), *turn(TURN, prompt="do\n\n this " + "x" * 300)])
    home.rollout(uuid(5), [meta(uuid(5))])

    threads = home.read().threads

    assert threads[THREAD].preview == "do this " + "x" * 151 + "…"
    assert threads[THREAD].unlisted is False
    assert (threads[uuid(5)].preview, threads[uuid(5)].unlisted) == (None, True)
