"""Every mutation: what it is told, and the command that it is."""

import strawberry

from api.context import Info, graph_to_command
from api.mutations.accepted import (
    Accepted,
    CheckpointRecorded,
    ItemsAppended,
    RunRecorded,
    ThreadForked,
    ThreadRecorded,
)
from api.mutations.commands import answer, command_of, now, result_of
from api.mutations.inputs import (
    AppendItemsInput,
    ForkThreadInput,
    RecordCheckpointInput,
    RecordThreadInput,
    StartRunInput,
    UpdateRunInput,
)
from api.mutations.reading import (
    checkpoint_seen,
    fork_wish,
    items_said,
    run_news,
    run_seen,
    thread_to_record,
)
from api.mutations.refusals import Refusal
from resolvers.append_items import append_items
from resolvers.fork_thread import fork_thread
from resolvers.record_checkpoint import record_checkpoint
from resolvers.record_runs import start_run, update_run
from resolvers.record_thread import record_thread

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
