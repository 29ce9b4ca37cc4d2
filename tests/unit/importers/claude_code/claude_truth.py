"""The truth of Claude Code's samples as facts, where it is told otherwise than of other tools.

Sessions are compared by ``tests.prompt_truth``; agents, which its truth knows by the calls that
started them, by ``AgentFact``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.model import ThreadId
from tests.importing import ALL
from tests.unit.importers.claude_code.writing import agent_id

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.store import ThreadGraph

EXCUSES = {
    "commands": "a slash command such as /compact is no run of its own: items only",
    "abandoned": "the truth counts abandoned prompts as own ones, too; they are rolled-back runs",
}
"""Why the projection is not the truth word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentFact:
    """All that is compared of one agent."""

    parent: str
    call_id: str | None
    session_id: str
    spawned_by_a_run: bool


def comparable(truth: Mapping[str, Any]) -> dict[str, Any]:
    """The truth with sessions as ``tests.prompt_truth`` takes them."""
    return {**truth, "sessions": {label: _session(s) for label, s in truth["sessions"].items()}}


def interrupted(truth: Mapping[str, Any]) -> set[str]:
    """What was typed in turns that the user interrupted."""
    sessions = truth["sessions"].values()
    return {prompt for session in sessions for prompt in session.get("interrupted_prompts", ())}


def agents(truth: Mapping[str, Any]) -> dict[ThreadId, AgentFact]:
    """What the graph must hold of a scenario's agents, by thread id."""
    told: dict[str, dict[str, Any]] = truth["agents"]
    edges = {edge["agent"]: edge for edge in truth["edges"]["spawn"]}
    ids = {
        label: agent_id(truth["sessions"][agent["session"]]["id"], agent["agent_id"])
        for label, agent in told.items()
    }
    return {
        ids[label]: AgentFact(
            parent=ids[edge["parent_agent"]]
            if (edge := edges[label])["parent_agent"] is not None
            else truth["sessions"][edge["parent_session"]]["id"],
            call_id=edge["tool_use_id"],
            session_id=truth["sessions"][agent["session"]]["id"],
            spawned_by_a_run=True,
        )
        for label, agent in told.items()
    }


async def observed_agents(
    store: ThreadGraph, thread_ids: Sequence[ThreadId]
) -> dict[ThreadId, AgentFact]:
    """What a store tells of the threads that were spawned."""
    threads = await store.threads_by_id(thread_ids)
    parents = [at for thread in threads.values() if (at := thread.agent_parent_thread_id)]
    edges = await store.spawn_edges(parents, status=None, first=ALL, after=None)
    return {
        edge.child_thread_id: AgentFact(
            parent=edge.parent_thread_id,
            call_id=edge.call_id,
            session_id=threads[edge.child_thread_id].session_id or "",
            spawned_by_a_run=edge.run_id is not None,
        )
        for page in edges.values()
        for edge in page.rows
    }


def _session(session: Mapping[str, Any]) -> dict[str, Any]:
    abandoned = session["abandoned_prompts"]
    own = [
        prompt
        for prompt in session["own_prompts"]
        # Excused under "commands" and "abandoned".
        if not prompt.startswith("/") and prompt not in abandoned
    ]
    return {**session, "own_prompts": own}
