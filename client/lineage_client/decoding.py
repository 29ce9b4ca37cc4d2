"""Answers into values, and values into the fields to ask for: both follow the classes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
Read = Callable[[Any], Any]  # JSON in, a value out: only the class that is read knows its type


def read(kind: type[Value], answer: object) -> Value:
    """The value of a class that an object of an answer holds."""
    return cast("Value", _reader_of(kind)(answer))


@cache
def selection_of(kind: type[object]) -> str:
    """The fields to select for a class."""
    return " ".join(
        f"{camel(name)} {{ {selection_of(row)} }}" if is_dataclass(row) else camel(name)
        for name, row in ((name, _row_of(inner)) for name, inner in fields_of(kind))
    )


def camel(name: str) -> str:
    """The GraphQL name of a Python name."""
    first, *others = name.split("_")
    return first + "".join(other.title() for other in others)


@cache
def fields_of(kind: type[Any]) -> tuple[tuple[str, type[Any]], ...]:
    """The fields of a class, each with its type where it is known."""
    hints = get_type_hints(kind)
    return tuple((field.name, _known(hints[field.name])) for field in fields(kind))


def _known(hint: Any) -> type[Any]:  # noqa: ANN401 - a type as it is annotated
    if get_origin(hint) is UnionType:
        (hint,) = (part for part in get_args(hint) if part is not NoneType)
    return hint


def _row_of(hint: type[Any]) -> type[Any]:
    """What a tuple holds many of, or the type itself."""
    return get_args(hint)[0] if get_origin(hint) is tuple else hint


@cache
def _reader_of(kind: type[Any]) -> Read:
    if kind is datetime:
        return datetime.fromisoformat
    if kind is int:
        return int  # large numbers are told as digits
    if get_origin(kind) is tuple:
        read_row = _reader_of(_row_of(kind))
        return lambda answer: tuple(read_row(row) for row in answer)
    if not is_dataclass(kind):
        return _as_it_is
    parts = [(camel(name), _reader_of(inner)) for name, inner in fields_of(kind)]

    def read_object(answer: dict[str, Any]) -> object:
        return kind(
            *[None if (part := answer[key]) is None else reader(part) for key, reader in parts]
        )

    return read_object


def _as_it_is(answer: object) -> object:
    return answer
