"""Every mutation: what it is told, and the command that it is."""

import strawberry

from api.context import Info, graph_to_command
from api.limits import given
from api.mutations.accepted import (
    Accepted,
    CheckpointRecorded,
    ItemsAppended,
    MergeBackCreated,
    ProviderSwitched,
    RunRecorded,
    SpawnEdgeUpdated,
    SubagentCompleted,
    SubagentSpawned,
    ThreadForked,
    ThreadRecorded,
    ThreadRolledBack,
    ThreadsArchived,
    ThreadsDeleted,
    ThreadsRestored,
    ThreadsUnarchived,
    ThreadUpdated,
)
from api.mutations.commands import answer, command_of, converted, now, result_of
from api.mutations.inputs import (
    AppendItemsInput,
    ArchiveThreadInput,
    CompleteSubagentInput,
    ConfirmStartInput,
    DeleteThreadInput,
    FailStartInput,
    ForkThreadInput,
    MergeBackInput,
    RecordCheckpointInput,
    RecordThreadInput,
    ResolveStartContextInput,
    RestoreThreadInput,
    RollbackThreadInput,
    SetSpawnEdgeStatusInput,
    SpawnSubagentInput,
    StartRunInput,
    SwitchProviderInput,
    UnarchiveThreadInput,
    UpdateRunInput,
    UpdateThreadMetadataInput,
)
from api.mutations.reading import (
    checkpoint_seen,
    fork_wish,
    items_said,
    merge_wish,
    provider,
    run_news,
    run_seen,
    spawn_wish,
    start_accepted,
    start_wish,
    thread_patch,
    thread_to_record,
)
from api.mutations.refusals import Refusal
from api.mutations.start_context import StartConfirmed, StartContext, StartFailed
from graph.model import RunId, ThreadId
from resolvers.append_items import append_items
from resolvers.fork_thread import fork_thread
from resolvers.merge_back import merge_back
from resolvers.put_away_threads import (
    archive_thread,
    delete_thread,
    restore_thread,
    unarchive_thread,
)
from resolvers.record_checkpoint import record_checkpoint
from resolvers.record_runs import start_run, update_run
from resolvers.record_thread import record_thread
from resolvers.rollback_thread import rollback_thread
from resolvers.settle_start import confirm_start, fail_start
from resolvers.start_context import resolve_start_context
from resolvers.subagents import complete_subagent, set_spawn_edge_status, spawn_subagent
from resolvers.switch_provider import switch_provider
from resolvers.update_thread_metadata import update_thread_metadata

Answer = Accepted | Refusal


async def _record_thread(info: Info, input: RecordThreadInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("recordThread", input)
    done = record_thread(graph, command, thread_to_record(input), clock=now)
    return await answer(ThreadRecorded, done)


async def _start_run(info: Info, input: StartRunInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("startRun", input)
    return await answer(RunRecorded, start_run(graph, command, run_seen(input), clock=now))


async def _update_run(info: Info, input: UpdateRunInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("updateRun", input)
    return await answer(RunRecorded, update_run(graph, command, run_news(input), clock=now))


async def _append_items(info: Info, input: AppendItemsInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("appendItems", input)
    return await answer(ItemsAppended, append_items(graph, command, items_said(input), clock=now))


async def _record_checkpoint(
    info: Info,
    input: RecordCheckpointInput,  # noqa: A002
) -> Answer:
    graph, command = graph_to_command(info), command_of("recordCheckpoint", input)
    done = record_checkpoint(graph, command, checkpoint_seen(input), clock=now)
    return await answer(CheckpointRecorded, done)


async def _fork_thread(info: Info, input: ForkThreadInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("forkThread", input)
    return await answer(ThreadForked, fork_thread(graph, command, fork_wish(input), clock=now))


async def _merge_back(info: Info, input: MergeBackInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("mergeBack", input)
    return await answer(MergeBackCreated, merge_back(graph, command, merge_wish(input), clock=now))


async def _switch_provider(info: Info, input: SwitchProviderInput) -> Answer:  # noqa: A002
    done = switch_provider(
        graph_to_command(info),
        command_of("switchProvider", input),
        thread_id=ThreadId(input.thread_id),
        provider=provider(input.provider),
        model=given(input.model),
        clock=now,
    )
    return await answer(ProviderSwitched, done)


async def _spawn_subagent(info: Info, input: SpawnSubagentInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("spawnSubagent", input)
    done = spawn_subagent(graph, command, spawn_wish(input), clock=now)
    return await answer(SubagentSpawned, done)


async def _complete_subagent(
    info: Info,
    input: CompleteSubagentInput,  # noqa: A002
) -> Answer:
    done = complete_subagent(
        graph_to_command(info),
        command_of("completeSubagent", input),
        child_thread_id=ThreadId(input.child_thread_id),
        outcome=input.outcome,
        error=given(input.error),
        clock=now,
    )
    return await answer(SubagentCompleted, done)


async def _set_spawn_edge_status(
    info: Info,
    input: SetSpawnEdgeStatusInput,  # noqa: A002
) -> Answer:
    done = set_spawn_edge_status(
        graph_to_command(info),
        command_of("setSpawnEdgeStatus", input),
        child_thread_id=ThreadId(input.child_thread_id),
        status=input.status,
        clock=now,
    )
    return await answer(SpawnEdgeUpdated, done)


async def _resolve_start_context(
    info: Info,
    input: ResolveStartContextInput,  # noqa: A002
) -> Answer:
    graph, command = graph_to_command(info), command_of("resolveStartContext", input)
    done = resolve_start_context(graph, command, start_wish(input), clock=now)
    return await answer(StartContext, done)


async def _confirm_start(info: Info, input: ConfirmStartInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("confirmStart", input)
    done = confirm_start(graph, command, start_accepted(input), clock=now)
    return await answer(StartConfirmed, done)


async def _fail_start(info: Info, input: FailStartInput) -> Answer:  # noqa: A002
    done = fail_start(
        graph_to_command(info),
        command_of("failStart", input),
        run_id=RunId(input.run_id),
        reason=input.reason,
        retryable=input.retryable,
        clock=now,
    )
    return await answer(StartFailed, done)


async def _rollback_thread(info: Info, input: RollbackThreadInput) -> Answer:  # noqa: A002
    done = rollback_thread(
        graph_to_command(info),
        command_of("rollbackThread", input),
        thread_id=ThreadId(input.thread_id),
        keep_through_run_id=converted(input.keep_through_run_id, RunId),
        clock=now,
    )
    return await answer(ThreadRolledBack, done)


async def _update_thread_metadata(
    info: Info,
    input: UpdateThreadMetadataInput,  # noqa: A002
) -> Answer:
    done = update_thread_metadata(
        graph_to_command(info),
        command_of("updateThreadMetadata", input),
        thread_id=ThreadId(input.thread_id),
        patch=thread_patch(input.patch),
        clock=now,
    )
    return await answer(ThreadUpdated, done)


async def _archive_thread(info: Info, input: ArchiveThreadInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("archiveThread", input)
    done = archive_thread(graph, command, ThreadId(input.thread_id), clock=now)
    return await answer(ThreadsArchived, done)


async def _unarchive_thread(info: Info, input: UnarchiveThreadInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("unarchiveThread", input)
    done = unarchive_thread(graph, command, ThreadId(input.thread_id), clock=now)
    return await answer(ThreadsUnarchived, done)


async def _delete_thread(info: Info, input: DeleteThreadInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("deleteThread", input)
    done = delete_thread(graph, command, ThreadId(input.thread_id), clock=now)
    return await answer(ThreadsDeleted, done)


async def _restore_thread(info: Info, input: RestoreThreadInput) -> Answer:  # noqa: A002
    graph, command = graph_to_command(info), command_of("restoreThread", input)
    done = restore_thread(graph, command, ThreadId(input.thread_id), clock=now)
    return await answer(ThreadsRestored, done)


@strawberry.type
class Mutation:
    """Every mutation; each can be sent again with the same commandId and is done once."""

    record_thread: object = strawberry.field(
        resolver=_record_thread,
        graphql_type=result_of("RecordThread", ThreadRecorded),
        description="Record a thread that begins, with what it hangs on.",
    )
    start_run: object = strawberry.field(
        resolver=_start_run,
        graphql_type=result_of("StartRun", RunRecorded),
        description="Record a run that was begun elsewhere, as the newest of its thread.",
    )
    update_run: object = strawberry.field(
        resolver=_update_run,
        graphql_type=result_of("UpdateRun", RunRecorded),
        description="Record what became of a run; an ended one keeps its status.",
    )
    append_items: object = strawberry.field(
        resolver=_append_items,
        graphql_type=result_of("AppendItems", ItemsAppended),
        description="Record what was said and done, behind the last item of a thread.",
    )
    record_checkpoint: object = strawberry.field(
        resolver=_record_checkpoint,
        graphql_type=result_of("RecordCheckpoint", CheckpointRecorded),
        description="Record the state of the files that a run left, or what is new of it.",
    )
    fork_thread: object = strawberry.field(
        resolver=_fork_thread,
        graphql_type=result_of("ForkThread", ThreadForked),
        description="Fork a thread. No provider is asked: the fork's first run chooses one.",
    )
    merge_back: object = strawberry.field(
        resolver=_merge_back,
        graphql_type=result_of("MergeBack", MergeBackCreated),
        description=(
            "Let the next run of a fork's source bring back what the fork did. A merge-back of "
            "the same fork that still waits is superseded."
        ),
    )
    switch_provider: object = strawberry.field(
        resolver=_switch_provider,
        graphql_type=result_of("SwitchProvider", ProviderSwitched),
        description="Choose the provider of a thread's next run; nothing is handed over yet.",
    )
    spawn_subagent: object = strawberry.field(
        resolver=_spawn_subagent,
        graphql_type=result_of("SpawnSubagent", SubagentSpawned),
        description="Make a thread that an agent spawned, with its task and no history.",
    )
    complete_subagent: object = strawberry.field(
        resolver=_complete_subagent,
        graphql_type=result_of("CompleteSubagent", SubagentCompleted),
        description="Record what a spawned thread came back with; the first report counts.",
    )
    set_spawn_edge_status: object = strawberry.field(
        resolver=_set_spawn_edge_status,
        graphql_type=result_of("SetSpawnEdgeStatus", SpawnEdgeUpdated),
        description="Say how a spawn stands.",
    )
    resolve_start_context: object = strawberry.field(
        resolver=_resolve_start_context,
        graphql_type=result_of("ResolveStartContext", StartContext),
        description=(
            "Begin a run and resolve how its provider gets the context of the thread. Nothing is "
            "asked of the provider; confirm the start, or let it fail."
        ),
    )
    confirm_start: object = strawberry.field(
        resolver=_confirm_start,
        graphql_type=result_of("ConfirmStart", StartConfirmed),
        description="Say that the provider accepted a start; what it resolved is consumed.",
    )
    fail_start: object = strawberry.field(
        resolver=_fail_start,
        graphql_type=result_of("FailStart", StartFailed),
        description="Give a start up; what it resolved waits again unless it can't be retried.",
    )
    rollback_thread: object = strawberry.field(
        resolver=_rollback_thread,
        graphql_type=result_of("RollbackThread", ThreadRolledBack),
        description=(
            "Take back the newest of a thread's own runs. They stay to be read; forks that were "
            "made before keep them. What they had received waits for the next run."
        ),
    )
    update_thread_metadata: object = strawberry.field(
        resolver=_update_thread_metadata,
        graphql_type=result_of("UpdateThreadMetadata", ThreadUpdated),
        description="Change what is said of a thread; null takes a field away.",
    )
    archive_thread: object = strawberry.field(
        resolver=_archive_thread,
        graphql_type=result_of("ArchiveThread", ThreadsArchived),
        description="Archive a thread and all that it spawned; its forks stay.",
    )
    unarchive_thread: object = strawberry.field(
        resolver=_unarchive_thread,
        graphql_type=result_of("UnarchiveThread", ThreadsUnarchived),
        description="Bring one thread back from the archive, and none that it spawned.",
    )
    delete_thread: object = strawberry.field(
        resolver=_delete_thread,
        graphql_type=result_of("DeleteThread", ThreadsDeleted),
        description=(
            "Delete a thread and all that it spawned, until it is restored. Edges, transfers and "
            "forks stay; refused while a thread outside goes on from its history."
        ),
    )
    restore_thread: object = strawberry.field(
        resolver=_restore_thread,
        graphql_type=result_of("RestoreThread", ThreadsRestored),
        description="Restore a deleted thread and all that the same command deleted.",
    )
