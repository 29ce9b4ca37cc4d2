"""Starts whose plans real programs perform: what the program then reads is our history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adapters.plan import NativeCall, NativePlan
from importers.claude_code.importer import IMPORTER as CLAUDE_CODE
from importers.codex.importer import CodexImporter
from importers.opencode.importer import IMPORTER as OPENCODE
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.commands.starts import ref, start
from tests.node_programs import brought_program
from tests.real_agents.claude_sessions import PROMPTS, SESSION_ID, sdk_with_session
from tests.real_agents.codex_server import CodexRefused, CodexServer, codex_server
from tests.real_agents.model_stand_in import model_stand_in
from tests.real_agents.opencode_server import opencode_server
from tests.real_agents.performing import perform

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.neo4j_store import Neo4jStore
    from importers.contract import Importer
    from tests.api.asking import Answer
    from tests.commands.telling import Teller

pytestmark = pytest.mark.anyio

AGENTS = Path(__file__).parents[1] / "real_agents"
SAID = ("first", "second", "third")
HISTORY = """query($id: String!) { thread(threadId: $id) { history { edges { node {
    runId items(first: 500) { edges { node { kind role text } } } } } } } }"""


@pytest.fixture
def model_address() -> Iterator[str]:
    """Where a stand-in for the models of the programs listens."""
    with model_stand_in() as address:
        yield address


async def imported(graph: Neo4jStore, importer: Importer, path: Path) -> None:
    """Have in the graph what a tool has written."""
    order = ImportOrder(importers=(importer,), selection=Selection(paths=(path,)))
    await import_transcripts(graph, order)


async def forked(teller: Teller, thread_id: str, at: int, driver: str) -> NativePlan:
    """Fork a thread at one of its runs, counted from 1, and start the fork with its own tool."""
    history = await teller.client.data(HISTORY, id=thread_id)
    run_ids = [edge["node"]["runId"] for edge in history["thread"]["history"]["edges"]]
    await teller.tell(
        "forkThread",
        sourceThreadId=thread_id,
        targetThreadId="fork",
        at={"runId": run_ids[at - 1]},
    )
    provider = {"instanceId": driver, "driver": driver}
    answer = await start(teller, "fork", provider, runId="new", message="fourth")
    return plan_of(answer["base"])


def plan_of(base: Answer) -> NativePlan:
    """The plan that a start was answered."""
    assert base["__typename"] == "NativeFork", base
    calls = [NativeCall(call["method"], call["params"]) for call in base["plan"]["calls"]]
    return NativePlan(tuple(calls))


async def answered(teller: Teller, native: dict[str, Any], **told: Any) -> None:  # noqa: ANN401
    """The provider accepted the start and answered."""
    confirmed = await teller.tell(
        "confirmStart", runId="new", nativeThreadRef=native, initialWindowId="w", **told
    )
    assert confirmed["__typename"] == "StartConfirmed", confirmed
    assert [transfer["status"] for transfer in confirmed["transfers"]] == ["CONSUMED"]
    await teller.said_by_assistant("fork", "new", "reply to fourth")
    await teller.tell("updateRun", runId="new", status="completed")


async def told(teller: Teller, thread_id: str) -> list[tuple[str, str]]:
    """What was asked and answered in a thread's history, as the service tells it."""
    history = await teller.client.data(HISTORY, id=thread_id)
    return [
        (item["node"]["role"], item["node"]["text"])
        for edge in history["thread"]["history"]["edges"]
        for item in edge["node"]["items"]["edges"]
        if item["node"]["kind"] == "message" and item["node"]["role"] in {"user", "assistant"}
    ]


def conversation(*texts: str) -> list[tuple[str, str]]:
    """What is asked and answered by the stand-in of a model."""
    return [
        message
        for text in texts
        for message in (("user", text), ("assistant", f"reply to {text}"))
    ]


def read(server: CodexServer, thread_id: str) -> list[tuple[str, str]]:
    """What was asked and answered in a thread, as Codex itself tells it."""
    thread = server.call("thread/read", {"threadId": thread_id, "includeTurns": True})["thread"]
    return [
        ("assistant", item["text"])
        if item["type"] == "agentMessage"
        else ("user", "\n".join(part["text"] for part in item["content"]))
        for turn in thread["turns"]
        for item in turn["items"]
        if item["type"] in {"userMessage", "agentMessage"}
    ]


@pytest.mark.parametrize("mode", ["paginated", "legacy"])
async def test_codex_forks_at_a_turn_as_it_is_told(
    mode: str, teller: Teller, graph: Neo4jStore, tmp_path: Path, model_address: str
) -> None:
    """Both of its history modes, each by the release that has it; the fork goes on from there."""
    program = brought_program(AGENTS / f"codex_{mode}", "@openai/codex-*/vendor/*/bin/codex")
    with codex_server(program, tmp_path / "home", model_address) as server:
        thread_id = server.start_thread()
        for text in SAID:
            server.say(thread_id, text)
        await imported(graph, CodexImporter(), tmp_path / "home")

        plan = await forked(teller, thread_id, 2, "codex")
        fork_id = perform(plan, server.call)[0]["thread"]["id"]
        turn_id = server.say(fork_id, "fourth")
        await answered(teller, ref(fork_id), nativeTurnRef=ref(turn_id), historyMode=mode)

        expected = conversation("first", "second", "fourth")
        assert read(server, fork_id) == expected
        assert await told(teller, "fork") == expected


async def test_a_codex_that_lost_a_call_ends_in_a_failed_start(
    teller: Teller, tmp_path: Path, model_address: str
) -> None:
    """A turn without a name needs a rollback; the next start says so and gets a handoff."""
    program = brought_program(AGENTS / "codex_paginated", "@openai/codex-*/vendor/*/bin/codex")
    with codex_server(program, tmp_path / "home", model_address) as server:
        thread_id = server.start_thread(historyMode="legacy")
        await teller.recorded("source", historyMode="legacy")
        for text in SAID:
            server.say(thread_id, text)
            await teller.completed(
                "source", text, nativeThreadRef=ref(thread_id), nativeTurnRef=None
            )
            await teller.said_by_assistant("source", text, f"reply to {text}")
        plan = await forked(teller, "source", 2, "codex")

        with pytest.raises(CodexRefused, match="unknown variant `thread/rollback`") as refused:
            perform(plan, server.call)
        failed = await teller.tell("failStart", runId="new", reason=str(refused.value))
        again = await start(teller, "fork", capabilities={"rollback": False})

        assert [call.method for call in plan.calls] == ["thread/fork", "thread/rollback"]
        assert [transfer["status"] for transfer in failed["transfers"]] == ["PENDING"]
        assert again["base"]["__typename"] == "PortableContext"
        assert again["base"]["transfer"]["steps"][-1]["reason"] == (
            "Codex does not name the turn, and this one does not roll back."
        )


async def test_claude_code_forks_at_an_answer_as_it_is_told(
    teller: Teller, graph: Neo4jStore, tmp_path: Path
) -> None:
    """By its SDK, up to and with the last message of the run."""
    sdk = sdk_with_session(tmp_path)
    await imported(graph, CLAUDE_CODE, sdk.config)

    plan = await forked(teller, SESSION_ID, 2, "claude")
    fork_id = perform(plan, sdk.call)[0]["sessionId"]
    await answered(teller, ref(fork_id, "claude"))

    assert sdk.prompts(fork_id) == PROMPTS[:2]
    assert await told(teller, "fork") == [
        *sdk.said(fork_id),
        ("user", "fourth"),
        ("assistant", "reply to fourth"),
    ]


async def test_opencode_forks_before_the_next_message_as_it_is_told(
    teller: Teller, graph: Neo4jStore, tmp_path: Path, model_address: str
) -> None:
    """By its server; the fork goes on from there."""
    program = brought_program(AGENTS / "opencode", "opencode-*/bin/opencode")
    with opencode_server(program, tmp_path, model_address) as server:
        session_id = server.call("POST /session", {})["id"]
        for text in SAID:
            server.say(session_id, text)
        await imported(graph, OPENCODE, tmp_path / "data" / "opencode")

        plan = await forked(teller, session_id, 2, "opencode")
        fork_id = perform(plan, server.call)[0]["id"]
        server.say(fork_id, "fourth")
        await answered(teller, ref(fork_id, "opencode"))

        expected = conversation("first", "second", "fourth")
        assert await told(teller, "fork") == expected
        assert [
            (message["info"]["role"], part["text"])
            for message in server.messages(fork_id)
            for part in message["parts"]
            if part["type"] == "text"
        ] == expected
