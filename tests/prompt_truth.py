"""What really happened in a sample whose truth names runs by what was typed.

``expected`` projects a scenario's ``truth.json`` into facts, ``observed`` brings a store's answers
into the same facts, and ``differences`` names each fact that differs. Where the two may differ,
the projection leaves it out, and ``EXCUSES`` says why, each once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from graph.model import ThreadId
from graph.questions import Direction, ThreadTransfersQuestion
from tests.importing import ALL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from graph.model import Item, RunId
    from graph.store import ThreadGraph
    from graph.transfers import Transfer

EXCUSES = {
    "empty fork": "a fork before the first message leaves no evidence on disk: no edge",
    "deleted": "what the tool deleted is absent, and so are the runs that only it had",
}
"""Why the projection is not the truth word for word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionFact:
    """All that is compared of one session; runs are told by their prompts."""

    own_prompts: tuple[str, ...]
    abandoned_prompts: tuple[str, ...]
    inherited_prompts: tuple[str, ...]
    forked_from: str | None
    fork_point_prompt: str | None
    handed_off_from: str | None
    parent: str | None
    spawned_by_prompt: str | None
    session_id: str
    compactions: int
    archived: bool


def expected(truth: Mapping[str, Any]) -> dict[str, SessionFact]:
    """What the graph must hold of a scenario, by thread id."""
    sessions: dict[str, dict[str, Any]] = truth["sessions"]
    return {
        session["id"]: _expected(session, sessions)
        for session in sessions.values()
        # Excused under "deleted".
        if not session.get("deleted")
    }


async def observed(store: ThreadGraph, thread_ids: Sequence[str]) -> dict[str, SessionFact]:
    """What a store tells of the threads; those that are not recorded are left out."""
    ids = [ThreadId(thread_id) for thread_id in thread_ids]
    threads = await store.threads_by_id(ids)
    recorded = [thread_id for thread_id in ids if thread_id in threads]
    forks = await store.fork_origins(recorded)
    runs = await store.runs(recorded, include_rolled_back=True, first=ALL, after=None)
    history = await store.history(recorded, include_rolled_back=False, first=ALL, after=None)
    windows = await store.context_windows(recorded)
    hand_offs = await store.thread_transfers(
        recorded, ThreadTransfersQuestion(direction=Direction.IN, first=ALL)
    )
    facts: dict[str, SessionFact] = {}
    for thread_id in recorded:
        thread = threads[thread_id]
        parent = thread.agent_parent_thread_id
        fork = forks.get(thread_id)
        point = fork.point.run_id if fork is not None and fork.point is not None else None
        own = runs[thread_id].rows
        inherited = [row.run for row in history[thread_id].rows if row.distance > 0]
        prompts = await _prompts(
            store, [*(run.run_id for run in own), *(run.run_id for run in inherited), point]
        )
        facts[thread_id] = SessionFact(
            own_prompts=tuple(prompts[run.run_id] for run in own if run.rolled_back_at is None),
            abandoned_prompts=tuple(
                prompts[run.run_id] for run in own if run.rolled_back_at is not None
            ),
            inherited_prompts=tuple(prompts[run.run_id] for run in inherited),
            forked_from=fork.thread_id if fork is not None else None,
            fork_point_prompt=prompts[point] if point is not None else None,
            handed_off_from=_only_source(hand_offs[thread_id].rows),
            parent=parent,
            spawned_by_prompt=await _spawned_by(store, parent, thread_id) if parent else None,
            session_id=thread.session_id or "",
            compactions=len(windows[thread_id]),
            archived=thread.archived_at is not None,
        )
    return facts


def differences(
    expected_facts: Mapping[str, SessionFact], observed_facts: Mapping[str, SessionFact]
) -> list[str]:
    """Each fact that differs, named."""
    found: list[str] = []
    for thread_id, fact in expected_facts.items():
        other = observed_facts.get(thread_id)
        if other is None:
            found.append(f"{thread_id}: is not there")
            continue
        found.extend(
            f"{thread_id}.{field.name}: expected {stated!r}, found {told!r}"
            for field in fields(fact)
            if (stated := getattr(fact, field.name)) != (told := getattr(other, field.name))
        )
    return found


def _expected(session: Mapping[str, Any], sessions: Mapping[str, dict[str, Any]]) -> SessionFact:
    # Excused under "empty fork".
    point = session.get("fork_point_prompt")
    source = session["forked_from"] if point is not None else None
    parent, handed = session.get("parent"), session.get("handed_off_from")
    return SessionFact(
        own_prompts=tuple(session["own_prompts"]),
        abandoned_prompts=(
            *session.get("abandoned_prompts", ()),
            # Their rows are gone, but not their events.
            *session.get("deleted_prompts", ()),
            *session.get("hidden_prompts", ()),
        ),
        inherited_prompts=tuple(session["inherited_prompts"]),
        forked_from=sessions[source]["id"] if source else None,
        fork_point_prompt=point,
        handed_off_from=sessions[handed]["id"] if handed else None,
        parent=sessions[parent]["id"] if parent else None,
        spawned_by_prompt=session.get("spawned_by_prompt"),
        session_id=_top(session, sessions)["id"],
        compactions=session["compactions"],
        archived=session.get("archived", False),
    )


def _only_source(transfers: Sequence[Transfer]) -> str | None:
    """The thread that the only transfer into another one came from."""
    sources = [transfer.source_thread_id for transfer in transfers]
    return sources[0] if len(sources) == 1 else ", ".join(sources) or None


def _top(session: Mapping[str, Any], sessions: Mapping[str, dict[str, Any]]) -> Mapping[str, Any]:
    parent = session.get("parent")
    return session if parent is None else _top(sessions[parent], sessions)


async def _prompts(store: ThreadGraph, run_ids: Sequence[RunId | None]) -> dict[RunId, str]:
    known = [run_id for run_id in run_ids if run_id is not None]
    items = await store.items_of_runs(known, first=ALL, after=None)
    return {run_id: _prompt(items[run_id].rows) for run_id in known}


def _prompt(items: Sequence[Item]) -> str:
    return next((item.text or "" for item in items if item.role == "user"), "")


async def _spawned_by(store: ThreadGraph, parent: ThreadId, child: ThreadId) -> str | None:
    edges = await store.spawn_edges([parent], status=None, first=ALL, after=None)
    edge = next(edge for edge in edges[parent].rows if edge.child_thread_id == child)
    return None if edge.run_id is None else (await _prompts(store, [edge.run_id]))[edge.run_id]
