"""What mutations answer when they are done: the same now and whenever they are sent again.

A receipt keeps ids alone, so what is shown is read anew.
"""

from collections.abc import Mapping
from typing import Any, TypeVar

import strawberry

from api.checkpoint import Checkpoint
from api.context import Info, graph_of, graph_to_command
from api.loaders import place_of
from api.node import look_up_thread
from api.run import Run
from api.spawn_edge import SpawnEdge
from api.thread import Thread
from api.transfer import Transfer
from api.transfers import transfer as look_up_transfer
from graph import model as rows
from graph import transfers as transfer_rows
from graph.errors import StatementFailed
from graph.model import CheckpointId, RunId, ThreadId, TransferId

Row = TypeVar("Row")


@strawberry.interface(description="That a command is done.")
class Accepted:
    """That a command is done; *made* are the ids that its receipt keeps."""

    command_id: strawberry.ID
    replayed: bool = strawberry.field(
        description="Whether it was done before: then nothing happened now."
    )
    made: strawberry.Private[Mapping[str, Any]]


async def _thread(accepted: strawberry.Parent[Accepted], info: Info) -> rows.Thread:
    thread_id = ThreadId(accepted.made["threadId"])
    return there(await look_up_thread(info, thread_id), thread_id)


async def run_of(accepted: strawberry.Parent[Accepted], info: Info) -> rows.Run:
    """The run that a command was about."""
    run_id = RunId(accepted.made["runId"])
    found = await info.context.loaders.load(place_of(info), run_id, graph_of(info).runs_by_id)
    return there(found, run_id)


async def _transfer(accepted: strawberry.Parent[Accepted], info: Info) -> transfer_rows.Transfer:
    transfer_id = TransferId(accepted.made["transferId"])
    return there(await look_up_transfer(info, transfer_id), transfer_id)


async def _checkpoint(accepted: strawberry.Parent[Accepted], info: Info) -> rows.Checkpoint:
    checkpoint_id = CheckpointId(accepted.made["checkpointId"])
    commands = graph_to_command(info)
    found = await commands.checkpoints_by_id([checkpoint_id])
    return there(found.get(checkpoint_id), checkpoint_id)


def there(row: Row | None, key: str) -> Row:
    """What a command has written, or a failure: it can't be gone."""
    if row is None:
        raise StatementFailed(f"{key} was written and is not there.")
    return row


@strawberry.type(description="A thread is recorded.")
class ThreadRecorded(Accepted):
    """A thread is recorded."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)


@strawberry.type(description="A run is recorded as it is now.")
class RunRecorded(Accepted):
    """A run is recorded as it is now."""

    run: object = strawberry.field(resolver=run_of, graphql_type=Run)


@strawberry.type(description="Items stand behind the last of a thread.")
class ItemsAppended(Accepted):
    """Items stand behind the last of a thread."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)

    @strawberry.field(description="The position of the first of them, from 0.")
    def first_position(self) -> int:
        """The position of the first item."""
        return self.made["firstPosition"]

    @strawberry.field(description="The position of the last of them.")
    def last_position(self) -> int:
        """The position of the last item."""
        return self.made["lastPosition"]


@strawberry.type(description="A checkpoint is recorded as it is now.")
class CheckpointRecorded(Accepted):
    """A checkpoint is recorded as it is now."""

    checkpoint: object = strawberry.field(resolver=_checkpoint, graphql_type=Checkpoint)


@strawberry.type(description="A fork is there and waits for its first run.")
class ThreadForked(Accepted):
    """A fork is there and waits for its first run."""

    thread: object = strawberry.field(
        resolver=_thread, graphql_type=Thread, description="The fork."
    )
    transfer: object = strawberry.field(
        resolver=_transfer,
        graphql_type=Transfer,
        description="What its first run will resolve.",
    )


async def _superseded(
    accepted: strawberry.Parent[Accepted], info: Info
) -> transfer_rows.Transfer | None:
    if accepted.made["supersededId"] is None:
        return None
    return await look_up_transfer(info, TransferId(accepted.made["supersededId"]))


async def _edge(accepted: strawberry.Parent[Accepted], info: Info) -> rows.SpawnEdge:
    child_id = ThreadId(accepted.made["threadId"])
    return there(await graph_to_command(info).spawn_edge(child_id), child_id)


@strawberry.type(description="A merge-back waits for the next run of the fork's source.")
class MergeBackCreated(Accepted):
    """A merge-back waits for the next run of the fork's source."""

    transfer: object = strawberry.field(resolver=_transfer, graphql_type=Transfer)
    superseded: object = strawberry.field(
        resolver=_superseded,
        graphql_type=Transfer | None,
        description="The merge-back of the same fork that waited until now, if there was one.",
    )


async def _runs(accepted: strawberry.Parent[Accepted], info: Info) -> list[rows.Run]:
    run_ids = [RunId(run_id) for run_id in accepted.made["runIds"]]
    found = await graph_of(info).runs_by_id(run_ids)
    return [there(found.get(run_id), run_id) for run_id in run_ids]


async def transfers_of(
    accepted: strawberry.Parent[Accepted], info: Info
) -> list[transfer_rows.Transfer]:
    """The transfers that a command has changed or made, in its order."""
    transfer_ids = [TransferId(transfer_id) for transfer_id in accepted.made["transferIds"]]
    found = await graph_of(info).transfers_by_id(transfer_ids)
    return [there(found.get(transfer_id), transfer_id) for transfer_id in transfer_ids]


@strawberry.type(description="Runs of a thread no longer count.")
class ThreadRolledBack(Accepted):
    """Runs of a thread no longer count."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    runs: object = strawberry.field(
        resolver=_runs,
        graphql_type=list[Run],
        description="The runs that were rolled back now, in order.",
    )
    transfers: object = strawberry.field(
        resolver=transfers_of,
        graphql_type=list[Transfer],
        description=(
            "The merge-backs that were superseded, as what they were to bring was rolled back; "
            "then what the next run is to be given again."
        ),
    )


@strawberry.type(description="The next run of a thread will use another provider.")
class ProviderSwitched(Accepted):
    """The next run of a thread will use another provider."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)


@strawberry.type(description="A thread was spawned and has its task.")
class SubagentSpawned(Accepted):
    """A thread was spawned and has its task."""

    child: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    edge: object = strawberry.field(resolver=_edge, graphql_type=SpawnEdge)
    transfer: object = strawberry.field(resolver=_transfer, graphql_type=Transfer)


@strawberry.type(description="What a spawned thread came back with is recorded.")
class SubagentCompleted(Accepted):
    """What a spawned thread came back with is recorded."""

    child: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    transfer: object = strawberry.field(
        resolver=_transfer, graphql_type=Transfer, description="The first result, for ever."
    )


@strawberry.type(description="How a spawn stands is recorded.")
class SpawnEdgeUpdated(Accepted):
    """How a spawn stands is recorded."""

    edge: object = strawberry.field(resolver=_edge, graphql_type=SpawnEdge)


async def _threads(accepted: strawberry.Parent[Accepted], info: Info) -> list[rows.Thread]:
    thread_ids = [ThreadId(thread_id) for thread_id in accepted.made["threadIds"]]
    found = await graph_of(info).threads_by_id(thread_ids)
    return [found[thread_id] for thread_id in thread_ids if thread_id in found]


@strawberry.type(description="A thread says something else of itself.")
class ThreadUpdated(Accepted):
    """A thread says something else of itself."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)


@strawberry.type(description="A thread is archived, with all that it spawned.")
class ThreadsArchived(Accepted):
    """A thread is archived, with all that it spawned."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    threads: object = strawberry.field(
        resolver=_threads,
        graphql_type=list[Thread],
        description="All that were archived: the thread first, then the deepest first.",
    )


@strawberry.type(description="A thread is no longer archived; those that it spawned still are.")
class ThreadsUnarchived(Accepted):
    """A thread is no longer archived."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    threads: object = strawberry.field(resolver=_threads, graphql_type=list[Thread])


@strawberry.type(
    description="A thread is deleted, with all that it spawned; both can be restored."
)
class ThreadsDeleted(Accepted):
    """A thread is deleted, with all that it spawned."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    threads: object = strawberry.field(
        resolver=_threads,
        graphql_type=list[Thread],
        description="All that were deleted: the thread first, then the deepest first.",
    )


@strawberry.type(description="A thread is restored, with all that the same command deleted.")
class ThreadsRestored(Accepted):
    """A thread is restored, with all that the same command deleted."""

    thread: object = strawberry.field(resolver=_thread, graphql_type=Thread)
    threads: object = strawberry.field(resolver=_threads, graphql_type=list[Thread])
