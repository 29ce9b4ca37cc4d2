"""Agents: whose they are, by which call they were started, and what is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import Actor, Evidence, Proof, RunId, SpawnEdge, ThreadId
from graph.records import HistoryBaseRecord, SpawnCallRecord, SpawnRecord
from importers.claude_code.importer import ClaudeCodeImporter
from tests.importing import ALL, import_paths
from tests.unit.importers.claude_code.writing import PROJECT, Written, agent_id, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.importing import Imported

pytestmark = pytest.mark.anyio

MAIN = ThreadId("main")
CHILD = agent_id("main", "a1")
BY_SIDECAR = Evidence(proof=Proof.FILE, rule="agent metadata")
BY_LINES = Evidence(proof=Proof.INFERRED, rule="agentId of a session's lines")
BY_SIDECHAIN = Evidence(proof=Proof.FILE, rule="isSidechain")


def spawning(call: str = "t1", **told_by_tool: str) -> Written:
    """A session that starts an agent in its first run."""
    session = Written("main").begin().prompt("1u").call("c", call, "Task", prompt="do it")
    return session.result("r", call, toolUseResult=told_by_tool or "text").answer("1a")


def agent(name: str = "a1") -> Written:
    """An agent of the session that was given a task."""
    return Written("main", second=12, agent=name).prompt("au", "do it").answer("aa")


async def edges(imported: Imported, parent: ThreadId) -> list[SpawnEdge]:
    """The spawn edges of a thread, as the store settled them."""
    pages = await imported.store.spawn_edges([parent], status=None, first=ALL, after=None)
    return list(pages[parent].rows)


async def test_an_agent_is_spawned_by_the_call_in_its_sidecar(tmp_path: Path) -> None:
    """The run is that of the call in the session's file."""
    spawning().write(tmp_path)
    agent().write(tmp_path, toolUseId="t1", agentType="Explore", description="look", name="Al")

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    child = imported.threads[CHILD]
    assert await edges(imported, MAIN) == [
        SpawnEdge(
            parent_thread_id=MAIN,
            child_thread_id=CHILD,
            status="open",
            origin="provider_native",
            run_id=RunId("main/1u"),
            call_id="t1",
            at=told(13),
            evidence="file: agent metadata",
        )
    ]
    assert (child.title, child.agent_role, child.agent_nickname) == ("look", "Explore", "Al")
    assert (child.created_by, child.native_thread_id) == (Actor.AGENT, "a1")
    assert [run.run_id for run in child.runs] == [f"{CHILD}/au"]
    assert (await imported.store.threads_by_id([CHILD]))[CHILD].session_id == "main"


@pytest.mark.parametrize("sidecar", ["", "[]", "{", '{"toolUseId": 5, "parentAgentId": ""}'])
async def test_a_broken_sidecar_is_no_metadata(tmp_path: Path, sidecar: str) -> None:
    """The tool's own words tell the call then."""
    spawning(agentId="a1").write(tmp_path)
    path = agent().write(tmp_path)
    path.with_suffix(".meta.json").write_text(sidecar)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert imported.threads[CHILD].spawn == SpawnRecord(
        child_thread_id=CHILD, parent_thread_id=MAIN, at=told(13), evidence=BY_LINES
    )
    (edge,) = await edges(imported, MAIN)
    assert (edge.run_id, edge.call_id) == ("main/1u", "t1")


async def test_a_sidecar_that_is_a_folder_is_none(tmp_path: Path) -> None:
    """Nothing that stands beside a transcript can stop it."""
    path = agent().write(tmp_path)
    path.with_suffix(".meta.json").mkdir()

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert list(imported.threads) == [CHILD]
    assert imported.skips == []


async def test_an_agent_may_be_named_in_the_text_for_the_model_only(tmp_path: Path) -> None:
    """The last such line counts: what stands before it is the agent's own report."""
    text = "  agentId: x\nreport\nagentId: a1 (use SendMessage with to: 'a1')"
    session = Written("main").begin().prompt("1u").call("c", "t1", "Agent", prompt="do it")
    session.result("r", "t1", [{"type": "text", "text": text}]).answer("1a").write(tmp_path)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert imported.only.spawn_calls == (
        SpawnCallRecord(call_id="t1", run_id=RunId("main/1u"), child_thread_id=CHILD, at=told(12)),
    )


async def test_the_text_of_other_tools_names_no_agent(tmp_path: Path) -> None:
    """A command may print anything."""
    session = Written("main").prompt("1u").call("c", "t1", "Bash", command="cat x")
    session.result("r", "t1", "agentId: a1").write(tmp_path)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert imported.only.spawn_calls == ()


async def test_agents_of_agents_hang_below_each_other(tmp_path: Path) -> None:
    """All their files lie side by side; the sidecar names the agent above."""
    spawning().write(tmp_path)
    above = Written("main", second=12, agent="a1").prompt("au")
    above.call("ac", "t2", "Agent", prompt="more").result("ar", "t2").answer("aa")
    above.write(tmp_path, toolUseId="t1")
    agent("a2").write(tmp_path, toolUseId="t2", parentAgentId="a1", spawnDepth=2)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path], backwards=True)

    below = agent_id("main", "a2")
    assert [edge.child_thread_id for edge in await edges(imported, MAIN)] == [CHILD]
    (edge,) = await edges(imported, CHILD)
    assert (edge.child_thread_id, edge.run_id, edge.call_id) == (below, f"{CHILD}/au", "t2")
    threads = await imported.store.threads_by_id([below])
    assert (threads[below].root_thread_id, threads[below].session_id) == ("main", "main")


async def test_a_very_deep_chain_of_agents_is_followed(tmp_path: Path) -> None:
    """Chains of many dozens were seen."""
    spawning("t0").write(tmp_path)
    for depth in range(100):
        parent = {"parentAgentId": f"a{depth - 1}"} if depth else {}
        made = Written("main", agent=f"a{depth}").prompt(f"u{depth}")
        made.call(f"c{depth}", f"t{depth + 1}", "Agent", prompt="p")
        made.write(tmp_path, toolUseId=f"t{depth}", **parent)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    last = agent_id("main", "a99")
    threads = await imported.store.threads_by_id([last])
    assert (threads[last].root_thread_id, threads[last].depth) == ("main", 100)


async def test_an_agent_that_was_given_more_work_goes_on_in_its_run(tmp_path: Path) -> None:
    """What its session sends is no prompt that somebody typed."""
    more = agent().user("m", "more", isMeta=True, origin={"kind": "coordinator"}).answer("ma")
    more.write(tmp_path, toolUseId="t1")

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert [(run.native_turn_id, run.status) for run in imported.only.runs] == [
        ("au", "completed")
    ]
    assert [(item.kind, item.text) for item in imported.only.items.items] == [
        ("message", "do it"),
        ("message", "answer aa"),
        ("agent_message", "more"),
        ("message", "answer ma"),
    ]


async def test_agents_of_old_versions_lie_beside_their_session(tmp_path: Path) -> None:
    """Their lines name the session."""
    spawning(agentId="a1").write(tmp_path)
    path = tmp_path / PROJECT / "agent-a1.jsonl"
    path.write_bytes(b"".join(agent().raw()))

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    (edge,) = await edges(imported, MAIN)
    assert (edge.child_thread_id, edge.run_id, edge.call_id) == (CHILD, "main/1u", "t1")


async def test_agents_of_workflows_lie_deeper(tmp_path: Path) -> None:
    """The folder of the session's agents may hold folders; a journal is no conversation."""
    folder = tmp_path / PROJECT / "main" / "subagents" / "workflows" / "w1"
    folder.mkdir(parents=True)
    (folder / "agent-a1.jsonl").write_bytes(b"".join(agent().raw()))
    (folder / "journal.jsonl").write_text('{"type":"started"}\n')

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert list(imported.threads) == [CHILD]
    assert imported.skips == []


async def test_a_file_named_for_an_agent_is_one(tmp_path: Path) -> None:
    """Also where its lines do not say so."""
    path = tmp_path / PROJECT / "agent-a1.jsonl"
    path.parent.mkdir()
    path.write_bytes(b"".join(Written("main").turn("1").raw()))

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert list(imported.threads) == [CHILD]


async def test_an_agent_may_be_there_before_its_session(tmp_path: Path) -> None:
    """The session is a place without a thread until it comes."""
    agent().write(tmp_path, toolUseId="t1")
    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])
    before = await edges(imported, MAIN)

    spawning().write(tmp_path)
    await import_paths(ClaudeCodeImporter(), [tmp_path], into=imported)

    assert [(edge.run_id, edge.call_id) for edge in before] == [(None, "t1")]
    (edge,) = await edges(imported, MAIN)
    assert (edge.run_id, edge.call_id) == ("main/1u", "t1")


async def test_an_agent_is_known_by_its_lines(tmp_path: Path) -> None:
    """Whatever its file is called."""
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join(agent().raw()))

    imported = await import_paths(ClaudeCodeImporter(), [path])

    assert list(imported.threads) == [CHILD]


async def test_agents_that_were_written_into_the_session_are_threads(tmp_path: Path) -> None:
    """The oldest versions had no files for agents: the task tells which call started which."""
    session = Written("main", version="1.0.3").prompt("1u")
    session.call("c1", "t1", "Task", prompt="first task").call("c2", "t2", "Task", prompt="other")
    for name, task in (("y", "other"), ("x", "first  task")):
        side = Written("main", version="1.0.3", second=session.second)
        side.prompt(f"{name}u", task).answer(f"{name}a")
        session.lines.extend({**line, "isSidechain": True} for line in side.lines)
    session.result("r1", "t1").go_to("c2").result("r2", "t2").answer("1a").write(tmp_path)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    x, y = agent_id("main", "xu"), agent_id("main", "yu")
    assert set(imported.threads) == {"main", x, y}
    assert imported.threads[x].spawn == SpawnRecord(
        child_thread_id=x,
        parent_thread_id=MAIN,
        run_id=RunId("main/1u"),
        call_id="t1",
        at=told(14),
        evidence=BY_SIDECHAIN,
    )
    assert [edge.call_id for edge in await edges(imported, MAIN)] == ["t1", "t2"]
    assert [item.text for item in imported.threads[x].items.items] == ["first  task", "answer xa"]
    assert [run.native_turn_id for run in imported.threads[MAIN].runs] == ["1u"]
    assert imported.skips == []


async def test_agents_lines_in_a_newer_session_are_counted(tmp_path: Path) -> None:
    """They stand in files of their own there."""
    session = Written("main").turn("1")
    session.link("user", "x", isSidechain=True, message={"role": "user", "content": "x"})
    session.write(tmp_path)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert [run.native_turn_id for run in imported.only.runs] == ["1u"]
    assert imported.reasons == ["agent-lines-in-session"]


async def test_a_fork_agent_refers_to_its_sessions_history(tmp_path: Path) -> None:
    """It is spawned, and no fork; the call that it repeats is not its own."""
    spawning().write(tmp_path)
    made = Written("main", second=12, agent="a1")
    made.control("fork-context-ref", agentId="a1", parentSessionId="main", parentLastUuid="1u")
    made.call("ac", "t1", "Task", prompt="do it").result("ar", "t1", "you are a fork").answer("aa")
    made.write(tmp_path, toolUseId="t1", isFork=True)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    child = imported.threads[CHILD]
    assert child.spawn is not None
    assert child.fork is None
    assert child.history_base == HistoryBaseRecord(
        thread_id=MAIN, evidence=Evidence(proof=Proof.FILE, rule="fork-context-ref")
    )
    assert [run.native_turn_id for run in child.runs] == ["ar"]
    assert [item.text for item in child.items.items] == ["answer aa"]


@pytest.mark.parametrize("name", ["acompact-1", "aprompt_suggestion-1"])
async def test_agents_of_the_program_itself_are_counted_and_left_out(
    tmp_path: Path, name: str
) -> None:
    """They repeat what the session says."""
    Written("main").turn("1").write(tmp_path)
    agent(name).write(tmp_path)

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert list(imported.threads) == ["main"]
    assert imported.reasons == ["agent-of-the-program"]


async def test_a_fork_does_not_spawn_the_agents_of_its_source(tmp_path: Path) -> None:
    """Copied calls are the source's."""
    main = spawning(agentId="a1")
    fork = main.fork("fork").turn("2")
    for session in (main, fork):
        session.write(tmp_path)
    agent().write(tmp_path, toolUseId="t1")

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path])

    assert imported.threads[ThreadId("fork")].spawn_calls == ()
    assert [edge.child_thread_id for edge in await edges(imported, MAIN)] == [CHILD]
