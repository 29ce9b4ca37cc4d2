"""``lineage merge-back``: what a fork did, for the thread that it was forked from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId
from cli.options import AsJson, DataFolder
from cli.telling import Answer, Mutation, Order, meant, tell
from cli.transfer_words import next_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

MERGE_BACK = Mutation(
    name="mergeBack",
    accepted="""... on MergeBackCreated { commandId replayed transfer { ...TransferFacts }
        superseded { ...TransferFacts } }""",
)


def merge_back(
    fork: Annotated[
        str, typer.Argument(metavar="FORK", help="The fork, or the beginning of its id.")
    ],
    *,
    run: Annotated[
        str | None,
        typer.Option(
            "--run",
            metavar="RUN",
            help="Up to this run; default: the newest that can be built on.",
            show_default=False,
        ),
    ] = None,
    into: Annotated[
        str | None,
        typer.Option(
            "--into",
            metavar="THREAD",
            help="The fork's source, to be sure of it.",
            show_default=False,
        ),
    ] = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Bring back what a fork did: the next start of its source gets it.

    `lineage delta` shows first what that would be. A merge-back of the same fork that still waits
    is superseded.

    Examples:

        lineage merge-back try-2
        lineage merge-back try-2 --run RUN --into 01a22c1b-3c70
    """

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {
            "forkThreadId": await meant(graph, fork),
            "runId": run,
            "intoThreadId": None if into is None else await meant(graph, into),
        }

    tell(MERGE_BACK, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    transfer = answer["transfer"]
    into = transfer["targetThreadId"]
    yield (
        f"The next start of {into} brings back what {transfer['sourceThreadId']} did up to run "
        f"{transfer['sourcePoint']['runId']}."
    )
    if answer["superseded"] is not None:
        yield f"It takes the place of {answer['superseded']['transferId']}, which still waited."
    yield next_step("To start it:", f'lineage resolve {into} --message "…"')
