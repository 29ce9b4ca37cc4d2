"""What really happened in a sample home, as the graph must tell it.

``expected`` projects a scenario's ``truth.json`` into facts; whoever asks the graph, in whatever
way, brings its answers into the same facts and names the ``differences``. Where the two may
differ, the projection leaves it out, and ``EXCUSES`` says why, each once.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, cast

from graph.model import EdgeKind

if TYPE_CHECKING:
    from collections.abc import Mapping

EXCUSES = {
    "context_fork": "a spawn that copied its parent's context is a FORKED_FROM with contextOnly, "
    "whose point is the turn in which the copy was cut",
    "ephemeral": "ephemeral threads are on no disk",
    "deleted": "deleted threads are absent, or placeholders where something names them; so are "
    "the runs that a fork inherits from them",
    "migrated": "the migration removed the rolled-back turns from the file",
    "owner": "the owner of a turn is the thread that lists it in own_turns",
    "history_mode": "a null history mode is not stated",
    "unseen": "what the program that drove Codex could not see is not in the truth: how a turn "
    "ended that it saw running, the call ids of exec, what started a thread that it did not "
    "start itself, the facts of a guardian's turns",
}
"""Why the projection is not the truth word for word."""

NOT_STATED = "not stated"
"""Stands in a fact for what the truth says nothing about; it equals anything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParentFact:
    """Whose child a thread is; *status* and *call_id* belong to spawns only."""

    kind: EdgeKind
    thread_id: str
    run_id: str | None
    call_id: str | None
    status: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkFact:
    """What a thread is a fork of, and through which run."""

    source_thread_id: str
    point_run_id: str | None
    context_only: bool
    attached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFact:
    """One own run."""

    run_id: str
    status: str
    rolled_back: bool
    compaction: bool
    root_run_id: str | None
    parent_run_id: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadFact:
    """All that is compared of one thread."""

    archived: bool
    history_mode: str
    session_id: str
    parent: ParentFact | None
    fork: ForkFact | None
    attached_to: str | None
    runs: tuple[RunFact, ...]
    inherited: tuple[str, ...]
    compactions: tuple[tuple[str, bool], ...]


def expected(truth: Mapping[str, Any]) -> dict[str, ThreadFact]:
    """What the graph must hold of a scenario, by thread id."""
    told = _Truth(truth)
    return {
        thread["id"]: told.fact(thread)
        for thread in truth["threads"].values()
        if not thread.get("deleted") and not thread.get("ephemeral")
    }


def absent(truth: Mapping[str, Any]) -> set[str]:
    """The threads that must not be recorded."""
    return {
        thread["id"]
        for thread in truth["threads"].values()
        if thread.get("deleted") or thread.get("ephemeral")
    }


def differences(
    expected_facts: Mapping[str, ThreadFact], observed_facts: Mapping[str, ThreadFact]
) -> list[str]:
    """Each fact that differs, named; what the truth does not state is equal to anything."""
    found: list[str] = []
    for thread_id, fact in expected_facts.items():
        other = observed_facts.get(thread_id)
        if other is None:
            found.append(f"{thread_id}: is not there")
            continue
        found.extend(
            f"{thread_id}.{field.name}: expected {stated}, found {told}"
            for field in fields(fact)
            if (stated := getattr(fact, field.name))
            != (told := _as_stated(stated, getattr(other, field.name)))
        )
    return found


class _Truth:
    def __init__(self, truth: Mapping[str, Any]) -> None:
        self.truth = truth
        self.ids: dict[str, str] = {
            label: thread["id"] for label, thread in truth["threads"].items()
        }
        self.deleted = {
            thread["id"] for thread in truth["threads"].values() if thread.get("deleted")
        }
        # Excused under "owner".
        self.owners: dict[str, str] = {
            turn_id: thread["id"]
            for thread in truth["threads"].values()
            for turn_id in thread["own_turns"]
        }
        self.parents: dict[str, str] = {
            link["turn_id"]: link["parent_turn_id"]
            for thread in truth["threads"].values()
            for link in thread.get("turn_links", [])
        }

    def fact(self, thread: Mapping[str, Any]) -> ThreadFact:
        # Excused under "migrated".
        migrated = "history_mode_before_migration" in thread
        gone: set[str] = set(thread["hidden_turns"]) if migrated else set()
        hidden = set(thread["hidden_turns"]) - gone
        attached_to = thread.get("attached_to")
        return ThreadFact(
            archived=thread["archived"],
            # Excused under "history_mode".
            history_mode=thread["history_mode"] or NOT_STATED,
            session_id=self.ids[thread["session_root"]],
            parent=self._parent(thread),
            fork=self._fork(thread),
            attached_to=self.ids[attached_to] if attached_to else None,
            runs=tuple(
                self._run(turn_id, hidden)
                for turn_id in thread["own_turns"]
                if turn_id not in gone
            ),
            inherited=tuple(
                self._run_id(turn_id)
                for turn_id in thread["inherited_turns"]
                # Excused under "deleted".
                if self.owners[turn_id] not in self.deleted
            ),
            compactions=tuple(
                (self._run_id(compaction["turn_id"]), compaction["turn_id"] in hidden)
                for compaction in thread["compactions"]
            ),
        )

    def _run_id(self, turn_id: str) -> str:
        return f"{self.owners[turn_id]}/{turn_id}"

    def _parent(self, thread: Mapping[str, Any]) -> ParentFact | None:
        if thread["parent"] is None:
            return None
        turn_id = thread["spawned_in_turn"]
        status = thread["expected_edge_status"]
        return ParentFact(
            kind=EdgeKind.PARENT if status is None else EdgeKind.SPAWN,
            thread_id=self.ids[thread["parent"]],
            # Excused under "unseen".
            run_id=NOT_STATED if "discovered" in thread else self._link(turn_id),
            call_id=thread["spawn_call_id"] or (NOT_STATED if status else None),
            status=status,
        )

    def _fork(self, thread: Mapping[str, Any]) -> ForkFact | None:
        # Excused under "context_fork".
        context = thread.get("context_fork")
        if context is not None:
            return ForkFact(
                source_thread_id=self.ids[context["of"]],
                point_run_id=self._run_id(context["cut_inside_turn"]),
                context_only=True,
                attached=False,
            )
        if thread["forked_from"] is None:
            return None
        turn_id = thread.get("fork_source_turn") or (thread["inherited_turns"] or [None])[-1]
        return ForkFact(
            source_thread_id=self.ids[thread["forked_from"]],
            point_run_id=self._run_id(turn_id) if turn_id else None,
            context_only=False,
            attached="attached_to" in thread,
        )

    def _run(self, turn_id: str, hidden: set[str]) -> RunFact:
        turn: dict[str, Any] = self.truth["turns"].get(turn_id, {})
        # Excused under "unseen".
        status = turn.get("status", "inProgress")
        root = self._link(turn["root_turn_id"]) if "root_turn_id" in turn else NOT_STATED
        return RunFact(
            run_id=self._run_id(turn_id),
            status=NOT_STATED if status == "inProgress" else status,
            rolled_back=turn_id in hidden,
            compaction=turn.get("kind") == "compaction",
            root_run_id=root,
            parent_run_id=self._link(self.parents.get(turn_id)) or NOT_STATED,
        )

    def _link(self, turn_id: str | None) -> str | None:
        return None if turn_id is None else self._run_id(turn_id)


def _as_stated(stated: object, told: object) -> object:
    """What is told, with nothing said where the truth says nothing."""
    if stated == NOT_STATED:
        return NOT_STATED
    if isinstance(stated, tuple) and isinstance(told, tuple):
        pairs = zip_longest(
            cast("tuple[object, ...]", stated), cast("tuple[object, ...]", told), fillvalue=None
        )
        return tuple(_as_stated(*pair) for pair in pairs if pair[1] is not None)
    if isinstance(stated, ParentFact | RunFact) and type(stated) is type(told):
        return type(stated)(
            **{
                field.name: _as_stated(getattr(stated, field.name), getattr(told, field.name))
                for field in fields(stated)
            }  # pyright: ignore[reportArgumentType] - each field keeps its type
        )
    return told
