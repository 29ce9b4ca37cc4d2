"""What mutations are told, in the words of the API."""

import strawberry

from api.enums import Actor, EdgeKind, Strength
from api.limits import ABSENT
from api.scalars import BigInt
from graph.model import Timestamp


@strawberry.input(description="One configured account of a tool.")
class ProviderInput:
    """One configured account of a tool."""

    instance_id: str
    driver: str = strawberry.field(description="The tool: codex, claude, opencode, pi, …")
    continuation_key: str | None = strawberry.field(
        default=ABSENT,
        description="Accounts with the same one can go on with each other's threads.",
    )


@strawberry.input(description="A provider's own id for something.")
class NativeRefInput:
    """A provider's own id for something."""

    driver: str
    native_id: str | None = ABSENT
    strength: Strength
    ordinal: int | None = ABSENT


@strawberry.input(description="A capability that a thread selects.")
class CapabilityRootInput:
    """A capability that a thread selects."""

    id: str
    environment_id: str
    path: str


@strawberry.input(description="What a thread hangs on.")
class ParentInput:
    """What a thread hangs on."""

    thread_id: str
    kind: EdgeKind = strawberry.field(
        default=EdgeKind.SPAWN,
        description="SPAWN: its parent's agent spawned it; PARENT: it reviews or guards it.",
    )
    run_id: str | None = ABSENT
    call_id: str | None = ABSENT


@strawberry.input(description="A thread that begins.")
class RecordThreadInput:
    """A thread that begins."""

    command_id: strawberry.ID
    thread_id: str
    provider: ProviderInput | None = ABSENT
    model: str | None = ABSENT
    title: str | None = ABSENT
    history_mode: str | None = ABSENT
    thread_source: str | None = ABSENT
    service_name: str | None = strawberry.field(
        default=ABSENT, description="The originator, where none is given."
    )
    originator: str | None = ABSENT
    session_id: str | None = ABSENT
    created_by: Actor | None = ABSENT
    cwd: str | None = ABSENT
    agent_nickname: str | None = ABSENT
    agent_role: str | None = ABSENT
    agent_path: str | None = ABSENT
    selected_capability_roots: list[CapabilityRootInput] | None = ABSENT
    initial_window_id: str | None = strawberry.field(
        default=ABSENT, description="Its first context window; required for codex."
    )
    parent: ParentInput | None = ABSENT


@strawberry.input(description="A run that was begun elsewhere. It touches no transfer.")
class StartRunInput:
    """A run that was begun elsewhere."""

    command_id: strawberry.ID
    thread_id: str
    run_id: str | None = strawberry.field(
        default=ABSENT, description="Absent: one is made from the command id."
    )
    provider: ProviderInput | None = strawberry.field(
        default=ABSENT, description="Absent: that of the thread."
    )
    model: str | None = ABSENT
    status: str = "running"
    native_thread_ref: NativeRefInput | None = strawberry.field(
        default=ABSENT, description="The provider's thread that serves it; absent: none."
    )
    native_turn_ref: NativeRefInput | None = ABSENT
    started_at: Timestamp | None = strawberry.field(default=ABSENT, description="Absent: now.")


@strawberry.input(description="The tokens that a run has used; what is absent stays.")
class UsageInput:
    """The tokens that a run has used."""

    input_tokens: BigInt | None = ABSENT
    cached_input_tokens: BigInt | None = ABSENT
    output_tokens: BigInt | None = ABSENT
    reasoning_tokens: BigInt | None = ABSENT


@strawberry.input(description="What is new of a run; what is absent stays.")
class UpdateRunInput:
    """What is new of a run."""

    command_id: strawberry.ID
    run_id: str
    status: str | None = ABSENT
    native_thread_ref: NativeRefInput | None = ABSENT
    native_turn_ref: NativeRefInput | None = ABSENT
    usage: UsageInput | None = ABSENT
    completed_at: Timestamp | None = strawberry.field(
        default=ABSENT, description="Absent: now, where the run ends."
    )
    error: str | None = ABSENT


@strawberry.input(description="One thing that was said or done.")
class ItemInput:
    """One thing that was said or done."""

    item_id: str | None = strawberry.field(
        default=ABSENT, description="Absent: one is made from the command id."
    )
    kind: str = strawberry.field(description="message, command, file_change, plan, error, …")
    role: str | None = strawberry.field(
        default=ABSENT, description="user, assistant, tool or system."
    )
    text: str | None = ABSENT
    status: str | None = ABSENT
    native_ref: NativeRefInput | None = ABSENT
    at: Timestamp | None = strawberry.field(default=ABSENT, description="Absent: now.")


@strawberry.input(description="Items that go behind the last of a thread, all or none.")
class AppendItemsInput:
    """Items that go behind the last of a thread."""

    command_id: strawberry.ID
    thread_id: str
    run_id: str | None = ABSENT
    items: list[ItemInput] = strawberry.field(description="At most 1,000, in order.")


@strawberry.input(description="A checkpoint of a run, or what is new of it.")
class RecordCheckpointInput:
    """A checkpoint of a run."""

    command_id: strawberry.ID
    thread_id: str
    run_id: str
    checkpoint_id: str | None = strawberry.field(
        default=ABSENT, description="Absent: one is made from the command id."
    )
    parent_checkpoint_id: str | None = ABSENT
    status: str = strawberry.field(default="ready", description="ready, missing, error or stale.")
    native_ref: NativeRefInput | None = ABSENT
    files: list[str] | None = ABSENT


@strawberry.input(one_of=True, description="Where a fork begins: exactly one of these.")
class ForkPointInput:
    """Where a fork begins."""

    latest_stable: bool | None = strawberry.field(
        default=ABSENT, description="True: at the newest run that can be built on."
    )
    run_id: str | None = ABSENT
    checkpoint_id: str | None = ABSENT


@strawberry.input(description="A fork of a thread.")
class ForkThreadInput:
    """A fork of a thread."""

    command_id: strawberry.ID
    source_thread_id: str
    target_thread_id: str | None = strawberry.field(
        default=ABSENT, description="Absent: one is made from the command id."
    )
    at: ForkPointInput | None = strawberry.field(
        default=ABSENT, description="Absent: at the latest stable run."
    )
    title: str | None = ABSENT
    thread_source: str | None = ABSENT
    created_by: Actor | None = strawberry.field(default=ABSENT, description="Absent: USER.")


@strawberry.input(description="What a fork did is to be brought back to its source.")
class MergeBackInput:
    """What a fork did is to be brought back to its source."""

    command_id: strawberry.ID
    fork_thread_id: str
    run_id: str | None = strawberry.field(
        default=ABSENT, description="Up to this run; absent: the latest stable one."
    )
    into_thread_id: str | None = strawberry.field(
        default=ABSENT, description="The fork's source, for whoever wants to be sure."
    )


@strawberry.input(description="Runs of a thread are taken back.")
class RollbackThreadInput:
    """Runs of a thread are taken back."""

    command_id: strawberry.ID
    thread_id: str
    keep_through_run_id: str | None = strawberry.field(
        default=ABSENT,
        description="The last of the thread's own runs that stays; absent: none of them does.",
    )


@strawberry.input(description="Another provider for the next run of a thread.")
class SwitchProviderInput:
    """Another provider for the next run of a thread."""

    command_id: strawberry.ID
    thread_id: str
    provider: ProviderInput
    model: str | None = ABSENT


@strawberry.input(description="A thread that an agent spawns.")
class SpawnSubagentInput:
    """A thread that an agent spawns."""

    command_id: strawberry.ID
    parent_thread_id: str
    parent_run_id: str | None = ABSENT
    child_thread_id: str | None = strawberry.field(
        default=ABSENT, description="Absent: one is made from the command id."
    )
    task: str | None = strawberry.field(default=ABSENT, description="What it is given to do.")
    call_id: str | None = ABSENT
    provider: ProviderInput | None = ABSENT
    origin: str = strawberry.field(
        default="app_owned",
        description="app_owned, or provider_native: the provider's own, which is only observed.",
    )


@strawberry.input(description="What a spawned thread came back with.")
class CompleteSubagentInput:
    """What a spawned thread came back with."""

    command_id: strawberry.ID
    child_thread_id: str
    outcome: str = strawberry.field(description="completed, failed or cancelled.")
    error: str | None = strawberry.field(default=ABSENT, description="Why it failed.")


@strawberry.input(description="How a spawn stands.")
class SetSpawnEdgeStatusInput:
    """How a spawn stands."""

    command_id: strawberry.ID
    child_thread_id: str
    status: str = strawberry.field(description="open, closed, or a word of your own.")


@strawberry.input(
    description="What a provider can do; what is absent is as its driver's row says."
)
class CapabilitiesInput:
    """What a provider can do."""

    fork: bool | None = ABSENT
    fork_at_turn: bool | None = ABSENT
    rollback: bool | None = ABSENT
    full_handoff: bool | None = ABSENT
    delta_handoff: bool | None = ABSENT
    checkpoint_handoff: bool | None = ABSENT


@strawberry.input(description="A run that is to start, with the message that it begins with.")
class ResolveStartContextInput:
    """A run that is to start."""

    command_id: strawberry.ID
    thread_id: str
    provider: ProviderInput | None = strawberry.field(
        default=ABSENT, description="Absent: the one that the thread has selected."
    )
    model: str | None = ABSENT
    message: str = strawberry.field(description="What the user says; it becomes an item.")
    budget_tokens: int | None = strawberry.field(
        default=ABSENT,
        description=(
            "What each handoff may take, 1,024 to 64,000; absent: 16,000. A token is four bytes."
        ),
    )
    capabilities: CapabilitiesInput | None = ABSENT
    run_id: str | None = strawberry.field(
        default=ABSENT, description="Absent: one is made from the command id."
    )


@strawberry.input(description="The provider accepted a start.")
class ConfirmStartInput:
    """The provider accepted a start."""

    command_id: strawberry.ID
    run_id: str
    native_thread_ref: NativeRefInput | None = strawberry.field(
        default=ABSENT, description="The provider's thread that serves the run; absent: none."
    )
    native_turn_ref: NativeRefInput | None = ABSENT
    history_mode: str | None = strawberry.field(
        default=ABSENT, description="That of the provider's thread, for codex."
    )
    initial_window_id: str | None = strawberry.field(
        default=ABSENT,
        description="The first context window; required at a thread's first start with codex.",
    )


@strawberry.input(description="A start that is given up.")
class FailStartInput:
    """A start that is given up."""

    command_id: strawberry.ID
    run_id: str
    reason: str
    retryable: bool = strawberry.field(
        default=True,
        description="True: what it resolved waits for the next start; false: it failed for good.",
    )


@strawberry.input(description="What is new of a thread; null takes it away, what is absent stays.")
class ThreadPatch:
    """What is new of a thread."""

    title: str | None = ABSENT
    name: str | None = ABSENT
    preview: str | None = ABSENT
    model: str | None = ABSENT
    cwd: str | None = ABSENT
    git_branch: str | None = ABSENT
    git_commit: str | None = ABSENT
    git_repository: str | None = ABSENT
    memory_mode: str | None = ABSENT


@strawberry.input(description="A thread that says something else of itself.")
class UpdateThreadMetadataInput:
    """A thread that says something else of itself."""

    command_id: strawberry.ID
    thread_id: str
    patch: ThreadPatch


@strawberry.input(description="A thread to archive, with all that it spawned.")
class ArchiveThreadInput:
    """A thread to archive."""

    command_id: strawberry.ID
    thread_id: str


@strawberry.input(description="A thread to bring back from the archive.")
class UnarchiveThreadInput:
    """A thread to bring back from the archive."""

    command_id: strawberry.ID
    thread_id: str


@strawberry.input(description="A thread to delete, with all that it spawned.")
class DeleteThreadInput:
    """A thread to delete."""

    command_id: strawberry.ID
    thread_id: str


@strawberry.input(description="A deleted thread to restore.")
class RestoreThreadInput:
    """A deleted thread to restore."""

    command_id: strawberry.ID
    thread_id: str
