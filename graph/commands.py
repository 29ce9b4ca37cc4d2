"""What commands find in the graph and leave there, beside what ``graph.records`` holds.

The vocabulary is that of ``graph.model``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NewType

import msgspec

from graph.model import (
    Relationship,
    RunId,
    RunKind,
    Strength,
    ThreadId,
    Timestamp,
    TransferId,
)
from graph.transfers import Provider

CommandId = NewType("CommandId", str)


class RefusalCode(StrEnum):
    """Why a command was not carried out, in words that a program can branch on."""

    THREAD_NOT_FOUND = "THREAD_NOT_FOUND"
    RUN_NOT_FOUND = "RUN_NOT_FOUND"
    CHECKPOINT_NOT_FOUND = "CHECKPOINT_NOT_FOUND"
    TRANSFER_NOT_FOUND = "TRANSFER_NOT_FOUND"
    THREAD_EXISTS = "THREAD_EXISTS"
    THREAD_DELETED = "THREAD_DELETED"
    THREAD_ARCHIVED = "THREAD_ARCHIVED"
    NO_STABLE_POINT = "NO_STABLE_POINT"
    SOURCE_NOT_STABLE = "SOURCE_NOT_STABLE"
    NOT_A_FORK = "NOT_A_FORK"
    NOT_DIRECT_PARENT = "NOT_DIRECT_PARENT"
    READ_ONLY_SUBAGENT = "READ_ONLY_SUBAGENT"
    UNSUPPORTED_HISTORY_MODE = "UNSUPPORTED_HISTORY_MODE"
    UNSUPPORTED = "UNSUPPORTED"
    HANDOFF_TOO_SMALL = "HANDOFF_TOO_SMALL"
    START_IN_PROGRESS = "START_IN_PROGRESS"
    HISTORY_REFERENCED = "HISTORY_REFERENCED"
    TRANSITION_NOT_ALLOWED = "TRANSITION_NOT_ALLOWED"
    CONFLICT = "CONFLICT"


class Receipt(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What became of a command, for whoever sends it again.

    *made* is canonical JSON: the ids of what an accepted command made, or what a refusal says
    beside its *message*. *code* is ``None`` for an accepted one. *body_hash* tells another
    command of the same id from the same one.
    """

    command_id: CommandId
    name: str
    body_hash: str
    code: RefusalCode | None = None
    message: str | None = None
    made: str
    at: Timestamp


class HeldThread(msgspec.Struct, frozen=True, rename="camel"):
    """A thread as it stands while its tree is locked.

    *deleted_by* is the command that deleted it. *spawner_id* and *spawn_origin* are those of its
    spawn edge, *fork_source_id* and *fork_transfer_id* those of its fork edge.
    """

    thread_id: ThreadId
    root_thread_id: ThreadId
    recorded: bool = False
    driver: str | None = None
    provider_instance_id: str | None = None
    continuation_key: str | None = None
    native_thread_id: str | None = None
    model: str | None = None
    history_mode: str | None = None
    title: str | None = None
    name: str | None = None
    preview: str | None = None
    originator: str | None = None
    cwd: str | None = None
    git_branch: str | None = None
    git_commit: str | None = None
    git_repository: str | None = None
    selected_capability_roots: str | None = None
    parent_thread_id: ThreadId | None = None
    relationship_to_parent: Relationship | None = None
    archived_at: Timestamp | None = None
    deleted_at: Timestamp | None = None
    deleted_by: CommandId | None = None
    run_count: int = 0
    item_count: int = 0
    revision: int = 0
    spawner_id: ThreadId | None = None
    spawn_origin: str | None = None
    fork_source_id: ThreadId | None = None
    fork_transfer_id: TransferId | None = None
    fork_context_only: bool = False

    @property
    def provider(self) -> Provider | None:
        """The account that the thread goes on with, where one is known."""
        if self.driver is None or self.provider_instance_id is None:
            return None
        return Provider(
            instance_id=self.provider_instance_id,
            driver=self.driver,
            continuation_key=self.continuation_key,
        )


class CommandRun(msgspec.Struct, frozen=True, rename="camel"):
    """A run with what commands decide by, beside what is shown of it.

    *confirmed_at* is when the provider was said to have accepted its start, *start_command_id*
    the command that began the start. *rolled_back_revision* is the revision of its thread that
    the rollback made. *by_command* is false for what an import wrote: that has no strengths.
    """

    run_id: RunId
    thread_id: ThreadId
    ordinal: int
    status: str
    kind: RunKind = RunKind.TURN
    by_command: bool = False
    rolled_back_at: Timestamp | None = None
    rolled_back_revision: int | None = None
    driver: str | None = None
    provider_instance_id: str | None = None
    continuation_key: str | None = None
    model: str | None = None
    history_mode: str | None = None
    native_thread_id: str | None = None
    native_thread_strength: Strength | None = None
    native_thread_ordinal: int | None = None
    native_turn_id: str | None = None
    native_turn_strength: Strength | None = None
    native_turn_ordinal: int | None = None
    started_at: Timestamp | None = None
    completed_at: Timestamp | None = None
    input_tokens: int | None = None
    cached_input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    confirmed_at: Timestamp | None = None
    start_command_id: CommandId | None = None
    error: str | None = None

    @property
    def provider(self) -> Provider | None:
        """The account that served it, where one is known."""
        if self.driver is None or self.provider_instance_id is None:
            return None
        return Provider(
            instance_id=self.provider_instance_id,
            driver=self.driver,
            continuation_key=self.continuation_key,
        )


class Activity(msgspec.Struct, frozen=True):
    """What goes on in a thread: runs that are under way, and those that can be built on.

    *stable_run_id* is the newest run that a fork can begin at, *unconfirmed_run_id* the one
    whose start was neither confirmed nor given up.
    """

    active_run_ids: list[RunId]
    stable_run_id: RunId | None
    unconfirmed_run_id: RunId | None


class Taken(msgspec.Struct, frozen=True):
    """Which of the ids that were asked for are there."""

    run_ids: list[RunId]
    item_ids: list[str]


class NewestAnswer(msgspec.Struct, frozen=True):
    """What a thread said last, of the runs that were not rolled back.

    *run_count* counts all its runs, *left_count* those that were not rolled back; *last_run_id*
    is the last of these.
    """

    text: str | None
    last_run_id: RunId | None
    run_count: int
    left_count: int


class InTheWay(msgspec.Struct, frozen=True):
    """What keeps threads from being deleted together: threads outside, and unconfirmed starts."""

    referring_ids: list[ThreadId]
    unconfirmed_run_ids: list[RunId]
