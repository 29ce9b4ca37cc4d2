"""What each field of the schema answers, as far as the size of an answer depends on it."""

from collections.abc import Mapping
from dataclasses import dataclass

from graphql import (
    InterfaceTypeDefinitionNode,
    ListTypeNode,
    NamedTypeNode,
    NonNullTypeNode,
    ObjectTypeDefinitionNode,
    TypeNode,
    parse,
)


@dataclass(frozen=True, slots=True)
class FieldShape:
    """The type that a field answers, whether it is a list, and the field's arguments."""

    type_name: str
    is_list: bool
    arguments: frozenset[str]


Shapes = Mapping[str, Mapping[str, FieldShape]]
"""By type, then by field."""


def shapes_of(schema_text: str) -> Shapes:
    """The shapes of all fields of a schema that is given as text."""
    return {
        definition.name.value: {
            field.name.value: _shape_of(
                field.type, frozenset(argument.name.value for argument in field.arguments or ())
            )
            for field in definition.fields or ()
        }
        for definition in parse(schema_text).definitions
        if isinstance(definition, ObjectTypeDefinitionNode | InterfaceTypeDefinitionNode)
    }


def _shape_of(answered: TypeNode, arguments: frozenset[str]) -> FieldShape:
    is_list = False
    while not isinstance(answered, NamedTypeNode):
        is_list = is_list or isinstance(answered, ListTypeNode)
        if not isinstance(answered, ListTypeNode | NonNullTypeNode):
            raise TypeError(f"{answered} is no type of a field.")
        answered = answered.type
    return FieldShape(answered.name.value, is_list, arguments)
