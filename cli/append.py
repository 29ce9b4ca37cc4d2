"""``lineage append``: what was said and done in a thread."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, cast

import msgspec
import typer

from cli.command_options import CommandId, OfRun
from cli.options import AsJson, DataFolder, ThreadWords
from cli.telling import Answer, Mutation, Order, meant, tell, text_of
from cli.terminal import counted
from graph.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from rich.text import Text

    from graph.store import ThreadGraph

APPEND = Mutation(
    name="appendItems",
    accepted="""... on ItemsAppended { commandId replayed thread { ...ThreadFacts }
        firstPosition lastPosition }""",
)


def append(
    thread: ThreadWords,
    text: Annotated[
        str | None,
        typer.Argument(metavar="TEXT", help="What was said; - reads it.", show_default=False),
    ] = None,
    *,
    role: Annotated[
        str | None,
        typer.Option("--role", help="user, assistant, tool or system.", show_default=False),
    ] = None,
    kind: Annotated[
        str, typer.Option("--kind", help="message, command, file_change, plan, error, …")
    ] = "message",
    run: OfRun = None,
    item_id: Annotated[
        str | None,
        typer.Option("--id", help="Its id; default: made of the command id.", show_default=False),
    ] = None,
    lines: Annotated[
        bool,
        typer.Option(
            "--lines",
            help="Read items from standard input instead, a line of JSON each, by the names of "
            "the API's ItemInput: kind, role, text, …; at most 1,000, all or none.",
        ),
    ] = False,
    command_id: CommandId = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Append what was said or done to a thread.

    One item, or many from standard input.

    Examples:

        lineage append talk "Why does the build fail?" --role user --run run-1
        make 2>&1 | lineage append talk - --kind command --role assistant --run run-1
        lineage append talk --lines --run run-1 < items.jsonl
    """
    items = _items_from_lines(text) if lines else [_item(item_id, kind, role, text)]

    async def told(graph: ThreadGraph) -> Mapping[str, object]:
        return {"threadId": await meant(graph, thread), "runId": run, "items": items}

    tell(APPEND, Order(command_id=command_id, as_json=as_json, data=data), told, _lines)


def _item(
    item_id: str | None, kind: str, role: str | None, text: str | None
) -> Mapping[str, object]:
    if text is None:
        raise BadInput("What is to be appended? Give a text, - for standard input, or --lines.")
    told = {"itemId": item_id, "kind": kind, "role": role, "text": text_of(text)}
    return {name: value for name, value in told.items() if value is not None}


def _items_from_lines(text: str | None) -> list[Mapping[str, object]]:
    if text is not None:
        raise BadInput("With --lines the texts come from standard input: give none.")
    items: list[Mapping[str, object]] = []
    for number, line in enumerate(sys.stdin.buffer, start=1):
        if not line.strip():
            continue
        try:
            item: object = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise BadInput(f"Line {number} is not JSON: {error}.") from error
        if not isinstance(item, dict):
            raise BadInput(f"Line {number} is not an object in JSON.")
        items.append(cast("Mapping[str, object]", item))
    return items


def _lines(answer: Answer) -> Iterator[Text | str]:
    first, last = answer["firstPosition"], answer["lastPosition"]
    where = f"at {first}" if first == last else f"at {first} to {last}"
    appended = counted(last - first + 1, "item")
    yield f"Thread {answer['thread']['threadId']} has {appended} more, {where}."
