"""The calls by which a session spawned others, and the runs of others that called it.

A fork copies its source's calls word for word: those name the source, or a session that was
made for it, and are nobody's calls here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from graph.model import RunId, ThreadId
from graph.records import SpawnCallRecord
from importers.opencode.conversation import NO_RUN, Conversation, converse
from importers.opencode.moments import moment
from importers.opencode.session import Session
from importers.opencode.storage import Storage
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from importers.opencode.context import Place
    from importers.opencode.database import Database, DatabaseReader
    from importers.opencode.shapes import Part, ToolState
    from importers.opencode.storage import StorageReader

SPAWNING_TOOL = "task"
_TOLD_CHILD = re.compile(r'task_id: (ses_\w+)|<task id="(ses_\w+)"')
_OUTPUT_START = 400


@dataclass(frozen=True, slots=True)
class TaskCall:
    """One call of a session: the run that made it, the child, and how long it took."""

    run_id: RunId
    child_id: ThreadId
    call_id: str | None
    started: int | None
    ended: int | None


def calls_of(
    reader: DatabaseReader | StorageReader, told: Conversation, inherited: Collection[str]
) -> Iterator[TaskCall]:
    """The spawning calls in a session's own messages."""
    passed = Skipping("")
    for place, message in enumerate(told.messages):
        run = told.run_of[place]
        if message.info.role != "assistant" or message.message_id in inherited or run == NO_RUN:
            continue
        for _, part in told.parts_of(reader, message, passed):
            child = _child(part, told.session_id)
            if child is None:
                continue
            state = cast("ToolState", part.state)
            yield TaskCall(
                RunId(f"{told.session_id}/{told.messages[run].message_id}"),
                child,
                part.callID,
                _whole(state.time.start) or message.created,
                _whole(state.time.end),
            )


def copied_calls_name(
    reader: DatabaseReader | StorageReader,
    told: Conversation,
    inherited: Collection[str],
    source_id: ThreadId,
) -> bool:
    """Whether a copied call says that the source made it."""
    passed = Skipping("")
    for message in told.messages:
        if message.message_id in inherited and message.info.role == "assistant":
            for _, part in told.parts_of(reader, message, passed):
                metadata = _metadata(part.state)
                if part.tool == SPAWNING_TOOL and metadata.get("parentSessionId") == source_id:
                    return True
    return False


def call_records(calls: Sequence[TaskCall]) -> Iterator[SpawnCallRecord]:
    """The calls as they are recorded."""
    for call in calls:
        yield SpawnCallRecord(
            call_id=call.call_id,
            run_id=call.run_id,
            child_thread_id=call.child_id,
            at=moment(call.started),
        )


@dataclass(frozen=True, slots=True)
class Callers:
    """Which run of a session's spawner called it, and which run began it all.

    *spawners* are the session's, the direct one first, up to the one that nobody spawned.
    """

    place: Place
    session_id: ThreadId
    parent_id: ThreadId | None
    spawners: tuple[ThreadId, ...]

    @property
    def is_spawned(self) -> bool:
        """Whether another session made this one."""
        return self.parent_id is not None

    def parent_run(self, at: int) -> RunId | None:
        """The run whose call a run of that time answers."""
        if not self.spawners:
            return None
        call = self._call(self.spawners[0], self.session_id, at)
        return None if call is None else call.run_id

    def root_run(self, at: int) -> RunId | None:
        """The run at the top that led to a run of that time."""
        child, run_id = self.session_id, None
        for spawner in self.spawners:
            call = self._call(spawner, child, at)
            if call is None:
                return None
            child, run_id = spawner, call.run_id
        return run_id

    def _call(self, spawner: ThreadId, child: ThreadId, at: int) -> TaskCall | None:
        """The last call of the child that had begun by then, and had not ended."""
        return next(
            (
                call
                for call in reversed(_calls_at(self.place, spawner))
                if call.child_id == child
                and (call.started is None or call.started <= at)
                and (call.ended is None or at <= call.ended)
            ),
            None,
        )


def _calls_at(place: Place, session_id: ThreadId) -> tuple[TaskCall, ...]:
    """All calls of a session: asked again and again by the children of one parent."""
    # A copy of a database never changes; files do.
    return _calls_in(place, session_id) if isinstance(place, Storage) else _kept(place, session_id)


@lru_cache(maxsize=16)
def _kept(place: Database, session_id: ThreadId) -> tuple[TaskCall, ...]:
    return _calls_in(place, session_id)


def _calls_in(place: Place, session_id: ThreadId) -> tuple[TaskCall, ...]:
    with place.open() as reader:
        session = Session(session_id=session_id)
        told = converse(reader, session, Skipping(place.original))
        return tuple(calls_of(reader, told, ()))


def _child(part: Part, session_id: ThreadId) -> ThreadId | None:
    state = part.state
    if part.type != "tool" or part.tool != SPAWNING_TOOL or state is None:
        return None
    metadata = _metadata(state)
    if metadata.get("parentSessionId", session_id) != session_id:
        return None
    child = metadata.get("sessionId")
    if not isinstance(child, str) and isinstance(state.output, str):
        match = _TOLD_CHILD.search(state.output[:_OUTPUT_START])
        child = (match[1] or match[2]) if match is not None else None
    return ThreadId(child) if isinstance(child, str) and child else None


def _metadata(state: ToolState | None) -> dict[str, object]:
    told = None if state is None else state.metadata
    return cast("dict[str, object]", told) if isinstance(told, dict) else {}


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
