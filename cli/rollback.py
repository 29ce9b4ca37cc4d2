"""``lineage rollback``: runs of a thread, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, tell
from cli.terminal import counted
from cli.transfer_words import transfer_line
from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

ROLLBACK = Mutation(
    name="rollbackThread",
    accepted="""... on ThreadRolledBack { commandId replayed thread { ...ThreadFacts }
        runs { ...RunFacts } transfers { ...TransferFacts } }""",
)


def rollback(
    thread: ThreadWords,
    *,
    keep_through: Annotated[
        str | None,
        typer.Option(
            "--keep-through", metavar="RUN", help="The last run that stays.", show_default=False
        ),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--everything", help="No run of the thread's own stays.")
    ] = False,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Take the last runs of a thread back, as its tool did.

    They are kept and marked. Forks that were made before have them still; what they had delivered
    waits anew.

    Examples:

        lineage rollback 01a22c1b-3c70 --keep-through RUN
        lineage rollback try-2 --everything
    """
    if everything == (keep_through is not None):
        raise BadInput("How much stays? Give --keep-through RUN, or --everything for nothing.")

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {"threadId": await meant(graph, thread), "keepThroughRunId": keep_through}

    tell(ROLLBACK, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    taken = counted(len(answer["runs"]), "run")
    yield f"Rolled back: {taken} of thread {answer['thread']['threadId']}."
    yield from map(transfer_line, answer["transfers"])
