"""``lineage record-checkpoint``: the state of the files that a run left."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId, NewId
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, tell
from cli.transfer_words import next_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

RECORD_CHECKPOINT = Mutation(
    name="recordCheckpoint",
    accepted="""... on CheckpointRecorded { commandId replayed checkpoint { checkpointId threadId
        runId parentCheckpointId status nativeRef { ...Ref } files at } }""",
)


def record_checkpoint(
    thread: ThreadWords,
    run: Annotated[str, typer.Argument(metavar="RUN", help="The id of the run that left it.")],
    *,
    new_id: NewId = None,
    parent: Annotated[
        str | None,
        typer.Option("--parent", help="The checkpoint before it.", show_default=False),
    ] = None,
    status: Annotated[
        str, typer.Option("--status", help="ready, missing, error or stale.")
    ] = "ready",
    file: Annotated[
        list[str] | None,
        typer.Option(
            "--file", help="A changed file; may be given several times.", show_default=False
        ),
    ] = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Record the state of the files that a run left.

    A fork can begin there. The same id again says what is new of it.

    Examples:

        lineage record-checkpoint talk run-1 --file parser.py
        lineage record-checkpoint talk run-1 --id cp-1 --status stale
    """

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {
            "threadId": await meant(graph, thread),
            "runId": run,
            "checkpointId": new_id,
            "parentCheckpointId": parent,
            "status": status,
            "files": file or None,
        }

    order = Order(command_id=command_id, as_json=as_json, data=data)
    tell(RECORD_CHECKPOINT, order, told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    checkpoint = answer["checkpoint"]
    thread_id, checkpoint_id = checkpoint["threadId"], checkpoint["checkpointId"]
    yield f"Checkpoint {checkpoint_id} of run {checkpoint['runId']} is {checkpoint['status']}."
    yield next_step("To fork there:", f"lineage fork {thread_id} --at-checkpoint {checkpoint_id}")
