"""``lineage spawn``: a thread that another one's agent starts, with a task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import CommandId, ContinuationKey, Driver, Instance, NewId, OfRun
from cli.options import AsJson, DataFolder
from cli.telling import Answer, Mutation, Order, meant, provider_told, tell, text_of
from cli.transfer_words import next_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

SPAWN = Mutation(
    name="spawnSubagent",
    accepted="""... on SubagentSpawned { commandId replayed child { ...ThreadFacts }
        edge { ...EdgeFacts } transfer { ...TransferFacts } }""",
)
APP_OWNED, NATIVE = "app_owned", "provider_native"


def spawn(
    parent: Annotated[
        str, typer.Argument(metavar="PARENT", help="The parent, or the beginning of its id.")
    ],
    *,
    task: Annotated[
        str | None,
        typer.Option("--task", help="What it is given to do; - reads it.", show_default=False),
    ] = None,
    run: OfRun = None,
    new_id: NewId = None,
    call_id: Annotated[
        str | None,
        typer.Option("--call-id", help="The tool call that spawned it.", show_default=False),
    ] = None,
    driver: Driver = None,
    instance: Instance = None,
    continuation_key: ContinuationKey = None,
    native: Annotated[
        bool, typer.Option("--native", help="The provider's own child, which is only observed.")
    ] = False,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Record a thread that an agent spawns, with its task and without its parent's history.

    It may run in another tool than its parent.

    Examples:

        lineage spawn 01a22c1b-3c70 --task "Review the parser" --driver claude
        cat task.md | lineage spawn 01a22c1b-3c70 --task - --json | jq -r .child.threadId
    """
    provider, given = provider_told(driver, instance, continuation_key), text_of(task)

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {
            "parentThreadId": await meant(graph, parent),
            "parentRunId": run,
            "childThreadId": new_id,
            "task": given,
            "callId": call_id,
            "provider": provider,
            "origin": NATIVE if native else APP_OWNED,
        }

    tell(SPAWN, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    edge = answer["edge"]
    child = edge["childThreadId"]
    yield f"Thread {child} is spawned by {edge['parentThreadId']}."
    if edge["origin"] == APP_OWNED:
        driver = "" if answer["child"]["driver"] else "--driver TOOL "
        yield next_step(
            "To start it:", f'lineage resolve {child} {driver}--message "{{its task}}"'
        )
    yield next_step(
        "When it is done:", f"lineage complete {child} --outcome completed (or failed, cancelled)"
    )
