"""How a command tells the graph something, once, and says what came of it."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import uuid4

import typer
from rich.text import Text

from cli.fragments import with_fragments
from cli.graph_connection import with_graph
from cli.plain_errors import REFUSED
from cli.settings import read_settings
from cli.terminal import ANSWERS, REMARKS, print_json
from graph.errors import BadInput, StoreTimeout, StoreUnavailable, ThreadNotFound
from resolvers.find_thread import find_thread

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping
    from pathlib import Path

    from graph.store import ThreadGraph

Answer: TypeAlias = "Mapping[str, Any]"
"""What GraphQL answers, by its names."""

REFUSAL = """... on Refusal { commandId code message } ... on StartInProgress { runId }
... on Unsupported { missing } ... on HandoffTooSmall { budgetTokens neededTokens }"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """How a command is to be sent and answered, whatever it tells."""

    command_id: str | None
    as_json: bool
    data: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """A mutation and what is asked of it when it is accepted."""

    name: str
    accepted: str

    @property
    def document(self) -> str:
        """The operation by which it is sent."""
        kind = self.name[0].upper() + self.name[1:]
        return with_fragments(
            f"mutation($input: {kind}Input!) {{ {self.name}(input: $input) "
            f"{{ __typename {self.accepted} {REFUSAL} }} }}"
        )


def tell(
    mutation: Mutation,
    order: Order,
    told: Callable[[ThreadGraph], Awaitable[Mapping[str, object]]],
    say: Callable[[Answer], Iterable[Text | str]],
) -> None:
    """Carry a command out and print its answer, or its refusal; that ends in an exit code.

    *told* is the input of the mutation; what is ``None`` in it was not given. *say* is the answer
    in plain words.
    """
    # An empty one is told to be wrong.
    command_id = str(uuid4()) if order.command_id is None else order.command_id
    settings = read_settings({"lineage_data": order.data})

    async def work(graph: ThreadGraph) -> Answer:
        # Loading the schema takes a moment that no other command should wait for.
        from api.in_process import ask  # noqa: PLC0415

        given = {name: value for name, value in (await told(graph)).items() if value is not None}
        given["commandId"] = command_id
        try:
            return (await ask(graph, mutation.document, {"input": given}))[mutation.name]
        except (StoreUnavailable, StoreTimeout):
            REMARKS.print(
                f"It may be done or not. To be sure, again with --command-id {command_id}"
            )
            raise

    answer = with_graph(settings, work)
    if order.as_json:
        print_json(answer)
    if "code" in answer:
        words = Text.assemble(("Refused: ", "bold red"), f"{answer['code']}: {answer['message']}")
        REMARKS.print(words, soft_wrap=True)
        raise typer.Exit(REFUSED)
    if not order.as_json:
        print_lines(say(answer))
    if answer["replayed"]:
        REMARKS.print("It was done before; nothing happened now.", style="faint")


def look_up(
    question: str, data: Path | None, asked: Callable[[ThreadGraph], Awaitable[Answer]]
) -> Answer:
    """What a question is answered with; *asked* are its variables."""
    settings = read_settings({"lineage_data": data})

    async def work(graph: ThreadGraph) -> Answer:
        from api.in_process import ask  # noqa: PLC0415 - as above

        return await ask(graph, with_fragments(question), await asked(graph))

    return with_graph(settings, work)


def print_lines(lines: Iterable[Text | str]) -> None:
    """Print what was asked for, line by line, whatever it holds."""
    for line in lines:
        ANSWERS.print(line, soft_wrap=True, markup=False)


async def meant(graph: ThreadGraph, words: str) -> str:
    """The thread that a person means; the words themselves where there is none.

    Then the command is refused as it is for everybody, and has its receipt.
    """
    try:
        return await find_thread(graph, words)
    except ThreadNotFound:
        return words


def provider_told(
    driver: str | None, instance: str | None, continuation_key: str | None
) -> Mapping[str, str] | None:
    """The account that the options name, ``None`` where they name none."""
    if driver is None:
        if instance is not None or continuation_key is not None:
            raise BadInput("--instance and --continuation-key need --driver.")
        return None
    told = {"instanceId": instance or driver, "driver": driver}
    return told if continuation_key is None else {**told, "continuationKey": continuation_key}


def native_ref(driver: str | None, native_id: str | None, *, weak: bool) -> Answer | None:
    """A provider's own id, ``None`` where none is given."""
    if native_id is None:
        return None
    if driver is None:
        raise BadInput("Whose native id that is, is not known: say it with --driver.")
    strength = "WEAK" if weak else "STRONG"
    return {"driver": driver, "nativeId": native_id, "strength": strength}


def text_of(words: str | None) -> str | None:
    """A text from the command line, or from standard input where it is ``-``."""
    if words != "-":
        return words
    try:
        return sys.stdin.buffer.read().decode("utf-8")
    except UnicodeDecodeError as error:
        raise BadInput("What comes from standard input is not UTF-8 text.") from error


def word_of(value: str | None) -> str | None:
    """A word as the schema's enums write it: capitals, with underscores."""
    return None if value is None else re.sub(r"[- ]", "_", value).upper()
