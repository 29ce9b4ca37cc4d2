"""``lineage record-thread``: a thread that begins and that no import will find."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.command_options import (
    CommandId,
    ContinuationKey,
    CreatedBy,
    Driver,
    Instance,
    Model,
    Title,
)
from cli.options import AsJson, DataFolder
from cli.telling import Answer, Mutation, Order, meant, provider_told, tell, word_of
from cli.transfer_words import next_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

RECORD_THREAD = Mutation(
    name="recordThread",
    accepted="... on ThreadRecorded { commandId replayed thread { ...ThreadFacts } }",
)


def record_thread(
    thread_id: Annotated[str, typer.Argument(metavar="ID", help="The id of the new thread.")],
    *,
    driver: Driver = None,
    instance: Instance = None,
    continuation_key: ContinuationKey = None,
    model: Model = None,
    title: Title = None,
    cwd: Annotated[
        str | None, typer.Option("--cwd", help="The folder it works in.", show_default=False)
    ] = None,
    history_mode: Annotated[
        str | None,
        typer.Option("--history-mode", help="Of codex: legacy or paginated.", show_default=False),
    ] = None,
    window: Annotated[
        str | None,
        typer.Option(
            "--window", help="Its first context window; codex needs it.", show_default=False
        ),
    ] = None,
    parent: Annotated[
        str | None,
        typer.Option(
            "--parent", metavar="THREAD", help="The thread that it hangs on.", show_default=False
        ),
    ] = None,
    reviews: Annotated[
        bool, typer.Option("--reviews", help="It reviews or guards its parent; else: spawned.")
    ] = False,
    created_by: CreatedBy = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Record a thread that begins, for conversations that no import finds.

    An import that finds it later adds to it.

    Examples:

        lineage record-thread talk --driver claude --title "Mend the parser"
        lineage record-thread talk --driver codex --window w1 --history-mode paginated
    """
    provider = provider_told(driver, instance, continuation_key)

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        above = None
        if parent is not None:
            kind = "PARENT" if reviews else "SPAWN"
            above = {"threadId": await meant(graph, parent), "kind": kind}
        return {
            "threadId": thread_id,
            "provider": provider,
            "model": model,
            "title": title,
            "cwd": cwd,
            "historyMode": history_mode,
            "initialWindowId": window,
            "parent": above,
            "createdBy": word_of(created_by),
        }

    order = Order(command_id=command_id, as_json=as_json, data=data)
    tell(RECORD_THREAD, order, told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    thread_id = answer["thread"]["threadId"]
    yield f"Thread {thread_id} is recorded."
    yield next_step("To record a run of it:", f"lineage record-run {thread_id}")
