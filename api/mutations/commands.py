"""How a mutation becomes a command, and what became of it an answer."""

from collections.abc import Awaitable, Callable
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from enum import Enum
from typing import Annotated, Any, TypeVar, Union

import strawberry
from strawberry.utils.str_converters import to_camel_case

from api.mutations import refusals
from api.mutations.accepted import Accepted
from graph.commands import CommandId
from resolvers import carry_out
from resolvers.carry_out import Command

Done = TypeVar("Done", bound=Accepted)
Told = TypeVar("Told")


def now() -> datetime:
    """The time at which a command is carried out."""
    return datetime.now(UTC)


def command_of(name: str, given: Any) -> Command:  # noqa: ANN401 - any input
    """The command that the input of the mutation *name* is."""
    body = _body(given)
    command_id = CommandId(body.pop("commandId"))
    return Command(command_id=command_id, name=name, body=body)


async def answer(
    done: type[Done], outcome: Awaitable[carry_out.Accepted | carry_out.Refusal]
) -> Done | refusals.Refusal:
    """What is answered when a command has come to its *outcome*: *done*, or the refusal."""
    came_to = await outcome
    if isinstance(came_to, carry_out.Refusal):
        return refusals.told(came_to)
    return done(
        command_id=strawberry.ID(came_to.command_id),
        replayed=came_to.replayed or bool(came_to.made.get("replayed")),
        made=came_to.made,
    )


def result_of(mutation: str, done: type[Accepted]) -> Any:  # noqa: ANN401 - a type for strawberry
    """The union that a mutation answers with: it is done, or one of the refusals."""
    types = (done, *refusals.REFUSALS.values())
    described = f"What {mutation[0].lower()}{mutation[1:]} came to."
    named = strawberry.union(f"{mutation}Result", description=described)
    return Annotated[Union[types], named]  # noqa: UP007 - the types are known when it runs


def converted(value: Any, convert: Callable[[Any], Told]) -> Told | None:  # noqa: ANN401
    """What an argument says, ``None`` where it is absent or null."""
    return None if value is None or value is strawberry.UNSET else convert(value)


def _body(value: Any) -> Any:  # noqa: ANN401 - any input becomes any JSON
    """An input as JSON, by the names of the API; what is absent is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        told = {field.name: getattr(value, field.name) for field in fields(value)}
        return {
            to_camel_case(name): _body(held)
            for name, held in told.items()
            if held is not strawberry.UNSET
        }
    if isinstance(value, list):
        return [_body(held) for held in value]  # pyright: ignore[reportUnknownVariableType] - any JSON
    return value.value if isinstance(value, Enum) else value
