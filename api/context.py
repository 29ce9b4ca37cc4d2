"""What a field function finds on ``info.context``."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

import strawberry

from api.errors import WritingForbidden
from api.loaders import Loaders
from api.selections import Selections
from graph.command_store import CommandGraph
from graph.store import ThreadGraph


class Answers(Protocol):
    """Takes fields whose whole answer can be written as JSON at once; see ``api.compiled``."""

    async def take_list(self, info: "Info", rows: Sequence[Any]) -> bool:
        """Take a field that answers *rows*; false: it must answer them itself."""
        ...

    async def take_edges(self, info: "Info", listing: Any) -> bool:  # noqa: ANN401 - a ``Listing``
        """Take the edges of a connection; false: it must answer them itself."""
        ...

    async def take_object(self, info: "Info", row: object) -> bool:
        """Take a field that answers a row and may be null; false: it must answer it itself."""
        ...

    def put_into(self, data: Any) -> None:  # noqa: ANN401 - the data of an answer
        """Put what was taken into its places."""
        ...


@dataclass(frozen=True, slots=True)
class Context:
    """The graph, which operation of the query is meant, and what was asked of the graph so far.

    *selections* has what the operation selects. *answers* is there if who sends the answer puts
    in what is taken. *commands* is the same graph to write to, ``None`` where nobody may.
    """

    graph: ThreadGraph
    operation_name: str | None = None
    commands: CommandGraph | None = None
    loaders: Loaders = field(default_factory=Loaders)
    selections: Selections = field(default_factory=Selections)
    answers: Answers | None = None


Info = strawberry.Info[Context, None]

Row = TypeVar("Row")


def graph_of(info: Info, type_name: str | None = None) -> ThreadGraph:
    """The graph for a field: its rows carry what is selected of them.

    *type_name* says what the field answers where that is not plain from the schema.
    """
    context = info.context
    return context.selections.graph_for(context.graph, info.path, type_name)


def graph_to_command(info: Info) -> CommandGraph:
    """The graph that takes commands; ``WritingForbidden`` where the service only reads."""
    if info.context.commands is None:
        raise WritingForbidden("This service only answers questions: it was started read-only.")
    return info.context.commands


def selects(info: Info, name: str) -> bool:
    """Whether a field is selected of what the field of *info* answers; true if not known."""
    selections = info.context.selections
    selected, choice = selections.at(info.path), selections.choice
    answered = (
        None
        if selected is None or choice is None
        else choice.answered_at(info.path, selected.name)
    )
    if selected is None or answered is None:
        return True
    return any(field.name == name for field in selected.fields(answered).values())


async def rows_or_taken(info: Info, rows: Sequence[Row]) -> list[Row]:
    """What a field answers with *rows*: nothing where they are taken."""
    answers = info.context.answers
    if answers is not None and await answers.take_list(info, rows):
        return []
    return list(rows)


async def row_or_taken(info: Info, row: Row | None) -> Row | None:
    """What a field that may be null answers with a row: nothing where it is taken."""
    answers = info.context.answers
    if row is None or (answers is not None and await answers.take_object(info, row)):
        return None
    return row
