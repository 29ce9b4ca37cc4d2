"""Columns of plain values: as graphql-core writes them, or not at all.

Each function gives the values as they stand in the answer. ``Unfit`` for a value of another type:
graphql-core may still have an answer for it, or the right error.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Any

from graphql import GRAPHQL_MAX_INT, GRAPHQL_MIN_INT, GraphQLEnumType, GraphQLNamedType

from api.compiled.refusals import NotCompiled, Unfit
from api.scalars import MOST_EXACT_NUMBER, exact_json_of

Leaf = Callable[[Sequence[Any]], Sequence[Any]]
"""What stands in the answer for the values of a column, which hold no ``None``."""


def leaf_of(named: GraphQLNamedType, members: type[Enum] | None, *, words: bool) -> Leaf:
    """How values of a scalar or enum are written; *members* is the enum's class.

    With *words* the members of an enum may be plain words, too. ``NotCompiled`` for a scalar that
    is not known here.
    """
    if isinstance(named, GraphQLEnumType):
        return _words_of(named, members, words=words)
    if named.name not in SCALARS:
        raise NotCompiled
    return SCALARS[named.name]


def written(column: Sequence[Any], leaf: Leaf, *, nullable: bool) -> Sequence[Any]:
    """A column as it stands in the answer."""
    if None not in column:
        return leaf(column)
    if not nullable:
        raise Unfit
    present = iter(leaf([value for value in column if value is not None]))
    return [None if value is None else next(present) for value in column]


def _texts(column: Sequence[Any]) -> Sequence[Any]:
    if not set(map(type, column)) <= {str}:
        raise Unfit
    return column


def _truths(column: Sequence[Any]) -> Sequence[Any]:
    if not set(map(type, column)) <= {bool}:
        raise Unfit
    return column


def _numbers(column: Sequence[Any]) -> Sequence[Any]:
    if not set(map(type, column)) <= {int}:
        raise Unfit
    if column and (min(column) < GRAPHQL_MIN_INT or max(column) > GRAPHQL_MAX_INT):
        raise Unfit
    return column


def _large_numbers(column: Sequence[Any]) -> Sequence[Any]:
    if not set(map(type, column)) <= {int}:
        raise Unfit
    if column and (min(column) < -MOST_EXACT_NUMBER or max(column) > MOST_EXACT_NUMBER):
        return [exact_json_of(value) for value in column]
    return column


SCALARS: Mapping[str, Leaf] = {
    "String": _texts,
    "ID": _texts,
    "DateTime": _texts,
    "Boolean": _truths,
    "Int": _numbers,
    "BigInt": _large_numbers,
}


def _words_of(named: GraphQLEnumType, members: type[Enum] | None, *, words: bool) -> Leaf:
    names: dict[object, str] = {
        member.value: member.name for member in members or () if member.name in named.values
    }
    kinds: set[object] = {members, str} if words else {members}

    def leaf(column: Sequence[Any]) -> Sequence[Any]:
        if not set(map(type, column)) <= kinds:
            raise Unfit
        try:
            return [names[value] for value in column]
        except KeyError:
            raise Unfit from None

    return leaf
