"""What a field answers: the type under its lists and non-nulls, out of the schema."""

from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from graphql import (
    GraphQLEnumType,
    GraphQLList,
    GraphQLNamedType,
    GraphQLNonNull,
    GraphQLObjectType,
    GraphQLSchema,
    GraphQLType,
)
from strawberry import Schema
from strawberry.types.enum import StrawberryEnumDefinition

from api.compiled.refusals import NotCompiled
from api.field_columns import plain_fields


@dataclass(frozen=True, slots=True)
class AnswerType:
    """The type of a field; lists of lists are not compiled."""

    named: GraphQLNamedType
    nullable: bool
    is_list: bool
    nullable_items: bool


class AnswerTypes:
    """The types of all fields of a schema, and which fields of rows stand behind them."""

    def __init__(self, schema: Schema, written: GraphQLSchema) -> None:
        """Take the types as they are *written*, and what stands behind them from *schema*."""
        self._schema, self._written = schema, written
        self.plain = plain_fields(schema, written)

    def answered(self, type_name: str, field_name: str) -> AnswerType:
        """The type of a field; ``NotCompiled`` where there is none, or a list of lists."""
        parent = self._written.get_type(type_name)
        if not isinstance(parent, GraphQLObjectType) or field_name not in parent.fields:
            raise NotCompiled
        answered, nullable = _unwrapped(parent.fields[field_name].type)
        if isinstance(answered, GraphQLNamedType):
            return AnswerType(answered, nullable, is_list=False, nullable_items=False)
        item, nullable_items = _unwrapped(cast("GraphQLList[GraphQLType]", answered).of_type)
        if not isinstance(item, GraphQLNamedType):
            raise NotCompiled
        return AnswerType(item, nullable, is_list=True, nullable_items=nullable_items)

    def members(self, named: GraphQLNamedType) -> type[Enum] | None:
        """The class of an enum."""
        if not isinstance(named, GraphQLEnumType):
            return None
        definition = self._schema.get_type_by_name(named.name)
        if not isinstance(definition, StrawberryEnumDefinition):
            return None
        return cast("type[Enum]", definition.wrapped_cls)


def _unwrapped(answered: GraphQLType) -> tuple[GraphQLType, bool]:
    """A type without its non-null, and whether it may be null."""
    if isinstance(answered, GraphQLNonNull):
        inner: GraphQLType = cast("GraphQLNonNull[Any]", answered).of_type
        return inner, False
    return answered, True
