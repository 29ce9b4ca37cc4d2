"""``lineage fork``: a new thread that goes on from a point of another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId, CreatedBy, NewId, Title
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, tell, word_of
from cli.transfer_words import next_step
from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

FORK = Mutation(
    name="forkThread",
    accepted="""... on ThreadForked { commandId replayed thread { ...ThreadFacts }
        transfer { ...TransferFacts } }""",
)


def fork(
    thread: ThreadWords,
    *,
    at_run: Annotated[
        str | None,
        typer.Option(
            "--at-run",
            metavar="RUN",
            help="After this run; default: the newest that can be built on.",
            show_default=False,
        ),
    ] = None,
    at_checkpoint: Annotated[
        str | None,
        typer.Option(
            "--at-checkpoint", metavar="ID", help="At this checkpoint.", show_default=False
        ),
    ] = None,
    new_id: NewId = None,
    title: Title = None,
    thread_source: Annotated[
        str | None,
        typer.Option("--thread-source", help="A word for why it is there.", show_default=False),
    ] = None,
    created_by: CreatedBy = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Fork a thread: at its newest stable run, at another run, or at a checkpoint.

    Nothing is copied and no tool is asked: the fork's first start gets its history, natively or
    as text.

    Examples:

        lineage fork 01a22c1b-3c70
        lineage fork 01a22c1b-3c70 --at-run RUN --id try-2 --title "Another way"
        lineage fork 01a22c1b-3c70 --json | jq -r .thread.threadId
    """
    if at_run is not None and at_checkpoint is not None:
        raise BadInput("A fork begins at a run or at a checkpoint: give one of them.")
    at = {"latestStable": True}
    if at_run is not None:
        at = {"runId": at_run}
    if at_checkpoint is not None:
        at = {"checkpointId": at_checkpoint}

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {
            "sourceThreadId": await meant(graph, thread),
            "targetThreadId": new_id,
            "at": at,
            "title": title,
            "threadSource": thread_source,
            "createdBy": word_of(created_by),
        }

    tell(FORK, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    made, point = answer["thread"]["threadId"], answer["transfer"]["sourcePoint"]
    yield f"Thread {made} is a fork of {point['threadId']} after run {point['runId']}."
    yield next_step(
        "It has no provider yet. To start it:",
        f'lineage resolve {made} --driver TOOL --message "…"',
    )
