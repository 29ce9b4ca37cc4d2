"""Every sample whose truth names runs by what was typed, asked over the public API."""

from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import pytest

from graph.neo4j_store import Neo4jStore
from importers.known import known_importers
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.api.asking import Client
from tests.prompt_truth import SessionFact, differences, expected
from tests.samples_on_disk import scenarios, truth, unpack_home
from tests.unit.importers.claude_code.claude_truth import AgentFact, agents, comparable

pytestmark = pytest.mark.anyio

THREAD = """
query Told($id: String!) {
  thread(threadId: $id) {
    recorded archivedAt sessionId agentParentThreadId
    forkedFrom { threadId point { runId } }
    runs(first: 100) { ...R }
    history(first: 100) { ...R }
    contextWindows { number }
    transfers(direction: IN) { edges { node { sourceThreadId type status } } }
    spawnEdges(first: 100) { edges { node { childThreadId runId callId } } }
  }
}
fragment R on RunConnection {
  edges { node { runId threadId rolledBackAt items(first: 20) { edges { node { role text } } } } }
}
"""

Told = Mapping[str, Any]


@pytest.mark.parametrize(
    "scenario", [*scenarios("claude-code"), *scenarios("pi"), *scenarios("opencode")]
)
async def test_every_sample_home_is_told_as_it_happened(
    scenario: str, neo4j_graph: Neo4jStore, neo4j_client: Client, tmp_path: Path
) -> None:
    """Own, inherited and abandoned prompts, forks and their points, spawns, compactions."""
    home = unpack_home(scenario, tmp_path)
    selection = Selection(paths=(home,))

    await import_transcripts(
        neo4j_graph, ImportOrder(importers=known_importers(), selection=selection)
    )

    told = truth(scenario)
    is_claude = scenario.startswith("claude")
    sessions = expected(comparable(told) if is_claude else told)
    spawned = agents(told) if is_claude else {}
    threads = await _threads(neo4j_client, {*sessions, *spawned})
    assert differences(sessions, _sessions(threads, sessions)) == []
    assert _agents(threads, spawned) == spawned


async def _threads(client: Client, thread_ids: Collection[str]) -> dict[str, Told]:
    asked = {
        thread_id: (await client.data(THREAD, id=thread_id))["thread"] for thread_id in thread_ids
    }
    return {thread_id: thread for thread_id, thread in asked.items() if thread is not None}


def _sessions(threads: Mapping[str, Told], wanted: Collection[str]) -> dict[str, SessionFact]:
    prompts = {
        run["runId"]: _prompt(run) for thread in threads.values() for run in _nodes(thread["runs"])
    }
    spawns = _spawns(threads)
    facts: dict[str, SessionFact] = {}
    for thread_id in wanted:
        thread = threads[thread_id]
        own = _nodes(thread["runs"])
        fork = thread["forkedFrom"]
        point = fork and fork["point"]
        spawn = spawns.get(thread_id)
        facts[thread_id] = SessionFact(
            own_prompts=tuple(_prompt(run) for run in own if run["rolledBackAt"] is None),
            abandoned_prompts=tuple(_prompt(run) for run in own if run["rolledBackAt"]),
            inherited_prompts=tuple(
                _prompt(run) for run in _nodes(thread["history"]) if run["threadId"] != thread_id
            ),
            forked_from=fork and fork["threadId"],
            fork_point_prompt=prompts[point["runId"]] if point else None,
            handed_off_from=_handed_off_from(thread),
            parent=thread["agentParentThreadId"],
            spawned_by_prompt=prompts.get(spawn["runId"]) if spawn else None,
            session_id=thread["sessionId"],
            compactions=len(thread["contextWindows"]),
            archived=thread["archivedAt"] is not None,
        )
    return facts


def _handed_off_from(thread: Told) -> str | None:
    hand_offs = _nodes(thread["transfers"])
    assert all(at["type"] == "PROVIDER_HANDOFF" and at["status"] == "CONSUMED" for at in hand_offs)
    return ", ".join(at["sourceThreadId"] for at in hand_offs) or None


def _agents(threads: Mapping[str, Told], wanted: Collection[str]) -> dict[str, AgentFact]:
    spawns = _spawns(threads)
    return {
        thread_id: AgentFact(
            parent=threads[thread_id]["agentParentThreadId"],
            call_id=spawns[thread_id]["callId"],
            session_id=threads[thread_id]["sessionId"],
            spawned_by_a_run=spawns[thread_id]["runId"] is not None,
        )
        for thread_id in wanted
    }


def _spawns(threads: Mapping[str, Told]) -> dict[str, Told]:
    return {
        edge["childThreadId"]: edge
        for thread in threads.values()
        for edge in _nodes(thread["spawnEdges"])
    }


def _prompt(run: Told) -> str:
    items = _nodes(run["items"])
    return next((item["text"] or "" for item in items if item["role"] == "user"), "")


def _nodes(connection: Told) -> list[Told]:
    return [edge["node"] for edge in connection["edges"]]
