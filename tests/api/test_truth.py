"""Every sample home, asked over the public API, is told as it really happened."""

from pathlib import Path
from typing import Any

import pytest

from graph.model import EdgeKind
from graph.neo4j_store import Neo4jStore
from importers.codex.importer import CodexImporter
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.api.asking import Client
from tests.samples_on_disk import scenarios, truth, unpack_home
from tests.truth import ForkFact, ParentFact, RunFact, ThreadFact, absent, differences, expected

pytestmark = pytest.mark.anyio

THREAD = """
query Told($id: String!, $first: Int!) {
  thread(threadId: $id) {
    recorded archivedAt historyMode sessionId attachedToThreadId
    agentParentThreadId
    forkedFrom { threadId point { runId } contextOnly attached }
    runs(first: $first) {
      edges { node { runId status rolledBackAt kind rootRunId parentRunId } }
    }
    history(first: $first) { edges { node { runId threadId } } }
    contextWindows { number runId rolledBack }
  }
  lineage(threadId: $id, direction: ANCESTORS) {
    edges { kind fromThreadId toThreadId runId status }
  }
}
"""

CALLS = """
query Calls($id: String!, $first: Int!) {
  thread(threadId: $id) {
    spawnEdges(first: $first) { edges { node { childThreadId callId } } }
  }
}
"""


RECORDED = "query Recorded($id: String!) { thread(threadId: $id) { recorded } }"
PLACEHOLDER = {"recorded": False}


@pytest.mark.parametrize("scenario", scenarios("codex"))
async def test_every_sample_home_is_told_as_it_happened(
    scenario: str, neo4j_graph: Neo4jStore, neo4j_client: Client, tmp_path: Path
) -> None:
    """Threads, edges, runs, inherited runs and compactions are those of the truth."""
    told = truth(scenario)
    home = unpack_home(scenario, tmp_path)

    await import_transcripts(
        neo4j_graph, ImportOrder(importers=(CodexImporter(),), selection=Selection(paths=(home,)))
    )

    stated = expected(told)
    observed = {thread_id: await _observed(neo4j_client, thread_id) for thread_id in stated}
    assert differences(stated, {k: fact for k, fact in observed.items() if fact}) == []
    gone = [await neo4j_client.data(RECORDED, id=thread_id) for thread_id in absent(told)]
    assert [thread for thread in gone if thread["thread"] not in (None, PLACEHOLDER)] == []


async def _observed(client: Client, thread_id: str) -> ThreadFact | None:
    data = await client.data(THREAD, id=thread_id, first=500)
    thread = data["thread"]
    if thread is None or not thread["recorded"]:
        return None
    runs = [edge["node"] for edge in thread["runs"]["edges"]]
    return ThreadFact(
        archived=thread["archivedAt"] is not None,
        history_mode=thread["historyMode"] or "",
        session_id=thread["sessionId"],
        parent=await _parent(client, thread_id, thread, data["lineage"]["edges"]),
        fork=_fork(thread["forkedFrom"]),
        attached_to=thread["attachedToThreadId"],
        runs=tuple(
            RunFact(
                run_id=run["runId"],
                status=run["status"],
                rolled_back=run["rolledBackAt"] is not None,
                compaction=run["kind"] == "COMPACTION",
                root_run_id=run["rootRunId"],
                parent_run_id=run["parentRunId"],
            )
            for run in runs
        ),
        inherited=tuple(
            run["node"]["runId"]
            for run in thread["history"]["edges"]
            if run["node"]["threadId"] != thread_id
        ),
        compactions=tuple(
            (window["runId"] or "", window["rolledBack"])
            for window in thread["contextWindows"]
            if window["number"] > 0
        ),
    )


def _fork(origin: dict[str, Any] | None) -> ForkFact | None:
    if origin is None:
        return None
    return ForkFact(
        source_thread_id=origin["threadId"],
        point_run_id=origin["point"]["runId"] if origin["point"] else None,
        context_only=origin["contextOnly"],
        attached=origin["attached"],
    )


async def _parent(
    client: Client, thread_id: str, thread: dict[str, Any], edges: list[dict[str, Any]]
) -> ParentFact | None:
    above = thread["agentParentThreadId"]
    if above is None:
        return None
    edge = next(
        edge
        for edge in edges
        if edge["toThreadId"] == thread_id
        and edge["fromThreadId"] == above
        and edge["kind"] in ("SPAWN", "PARENT")
    )
    call_id = None
    if edge["kind"] == "SPAWN":
        spawns = (await client.data(CALLS, id=above, first=500))["thread"]["spawnEdges"]["edges"]
        call_id = next(
            spawn["node"]["callId"]
            for spawn in spawns
            if spawn["node"]["childThreadId"] == thread_id
        )
    return ParentFact(
        kind=EdgeKind(edge["kind"]),
        thread_id=above,
        run_id=edge["runId"],
        call_id=call_id,
        status=edge["status"],
    )
