"""``lineage complete``: what a spawned thread came back with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId
from cli.options import AsJson, DataFolder
from cli.telling import Answer, Mutation, Order, meant, tell
from cli.terminal import first_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

TEXT_WIDTH = 200

COMPLETE = Mutation(
    name="completeSubagent",
    accepted="""... on SubagentCompleted { commandId replayed child { ...ThreadFacts }
        transfer { ...TransferFacts } }""",
)


def complete(
    child: Annotated[
        str,
        typer.Argument(metavar="CHILD", help="The spawned thread, or the beginning of its id."),
    ],
    *,
    outcome: Annotated[
        str, typer.Option("--outcome", help="completed, failed or cancelled.")
    ] = "completed",
    error: Annotated[
        str | None, typer.Option("--error", help="Why it failed.", show_default=False)
    ] = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Record that a spawned thread is done; its result is what its assistant said last.

    The first report counts; a later one is answered with the first result.

    Examples:

        lineage complete review-1
        lineage complete review-1 --outcome failed --error "no answer for an hour"
    """

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {"childThreadId": await meant(graph, child), "outcome": outcome, "error": error}

    tell(COMPLETE, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    transfer = answer["transfer"]
    source, target = transfer["sourceThreadId"], transfer["targetThreadId"]
    yield f"{source} is {transfer['outcome']}; {target} gets this result:"
    yield f"  {first_line(transfer['resultText'], TEXT_WIDTH)}"
