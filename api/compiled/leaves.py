"""Columns of plain values: as graphql-core writes them, or not at all.

``Unfit`` for a value of another type: graphql-core may still have an answer for it, or the right
error. msgspec looks at a column many times faster than a loop here would.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
from graphql import GRAPHQL_MAX_INT, GRAPHQL_MIN_INT, GraphQLEnumType, GraphQLNamedType

from api.compiled.refusals import NotCompiled, Unfit
from api.scalars import MOST_EXACT_NUMBER, exact_json_of

Leaf = Callable[[Sequence[Any]], Sequence[Any]]
"""What stands in the answer for the values of a column."""

SMALL_INT = Annotated[int, msgspec.Meta(ge=GRAPHQL_MIN_INT, le=GRAPHQL_MAX_INT)]
EXACT_INT = Annotated[int, msgspec.Meta(ge=-MOST_EXACT_NUMBER, le=MOST_EXACT_NUMBER)]


def leaf_of(
    named: GraphQLNamedType, members: type[Enum] | None, *, words: bool, nullable: bool
) -> Leaf:
    """How values of a scalar or enum are written; *members* is the enum's class.

    With *words* the members of an enum are plain words. ``NotCompiled`` for a scalar that is not
    known here.
    """
    if isinstance(named, GraphQLEnumType):
        return _enum(named, members, words=words, nullable=nullable)
    if named.name == "BigInt":
        return _big_int(nullable=nullable)
    if named.name not in SCALARS:
        raise NotCompiled
    return _checked(SCALARS[named.name], nullable=nullable)


SCALARS: Mapping[str, Any] = {
    "String": str,
    "ID": str,
    "DateTime": str,
    "Boolean": bool,
    "Int": SMALL_INT,
}


def _checked(value_type: Any, *, nullable: bool) -> Leaf:  # noqa: ANN401 - a type
    column_type = list[value_type | None] if nullable else list[value_type]

    def leaf(column: Sequence[Any]) -> Sequence[Any]:
        try:
            return msgspec.convert(column, column_type)
        except msgspec.ValidationError:
            raise Unfit from None

    return leaf


def _big_int(*, nullable: bool) -> Leaf:
    exact, whole = (_checked(kind, nullable=nullable) for kind in (EXACT_INT, int))

    def leaf(column: Sequence[Any]) -> Sequence[Any]:
        try:
            return exact(column)
        except Unfit:
            return [None if value is None else exact_json_of(value) for value in whole(column)]

    return leaf


def _enum(
    named: GraphQLEnumType, members: type[Enum] | None, *, words: bool, nullable: bool
) -> Leaf:
    names: dict[object, str | None] = {
        member.value: member.name for member in members or () if member.name in named.values
    }
    kinds: set[object] = {members}
    if words and all(value == name for value, name in names.items()):
        return _checked(Literal[tuple(names)], nullable=nullable)
    if words:
        kinds.add(str)
    if nullable:
        names[None] = None
        kinds.add(type(None))

    def leaf(column: Sequence[Any]) -> Sequence[Any]:
        if not set(map(type, column)) <= kinds:
            raise Unfit
        try:
            return [names[value] for value in column]
        except KeyError:
            raise Unfit from None

    return leaf
