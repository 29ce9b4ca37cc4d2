"""``lineage switch``: another provider for the next run of a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.command_options import CommandId, ContinuationKey, Driver, Instance, Model
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, provider_told, tell
from cli.transfer_words import next_step, provider_words
from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

SWITCH = Mutation(
    name="switchProvider",
    accepted="... on ProviderSwitched { commandId replayed thread { ...ThreadFacts } }",
)


def switch(
    thread: ThreadWords,
    *,
    driver: Driver = None,
    instance: Instance = None,
    continuation_key: ContinuationKey = None,
    model: Model = None,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Choose another tool, or another account of it, for the next run of a thread.

    Nothing is handed over yet: the next start is told what the new provider has not received.

    Examples:

        lineage switch 01a22c1b-3c70 --driver claude
        lineage switch 01a22c1b-3c70 --driver codex --instance codex-work --model gpt-5
    """
    provider = provider_told(driver, instance, continuation_key)
    if provider is None:
        raise BadInput("To what is it to be switched? Say it with --driver.")

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {"threadId": await meant(graph, thread), "provider": provider, "model": model}

    tell(SWITCH, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _lines(answer: Answer) -> Iterator[Text | str]:
    thread = answer["thread"]
    yield f"The next run of {thread['threadId']} uses {provider_words(thread)}."
    yield next_step("To start it:", f'lineage resolve {thread["threadId"]} --message "…"')
