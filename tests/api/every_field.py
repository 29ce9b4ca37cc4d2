"""Questions that select every field of the schema, whatever is added to it."""

from collections.abc import Iterator

from graphql import (
    GraphQLField,
    GraphQLNamedType,
    GraphQLObjectType,
    build_schema,
    get_named_type,
    is_abstract_type,
    is_leaf_type,
    is_required_argument,
)

from api import schema

SCHEMA = build_schema(schema.build_schema().as_str())

ARGUMENTS = {
    "threadId": '"root"',
    "threadIds": '["helper", "deeper"]',
    "fromThreadId": '"fork"',
    "toThreadId": '"deeper"',
    "forkThreadId": '"fork"',
    "transferId": '"transfer"',
    "id": '"VGhyZWFkOnJvb3Q"',
    "ids": '["VGhyZWFkOnJvb3Q", "UnVuOnJvb3QvdHVybi0x"]',
    "environments": "[]",
}
"""What is given for an argument that is required."""

SIZES = {"first": "2", "maxNodes": "5"}
"""What keeps an answer small."""


def every_field() -> Iterator[str]:
    """Questions of one root field each, with everything below it; no type stands within itself.

    Where a field answers several types, each is asked for by itself.
    """
    assert SCHEMA.query_type is not None
    for name, field in SCHEMA.query_type.fields.items():
        answered = _answered(field)
        if is_abstract_type(answered):
            for possible in SCHEMA.get_possible_types(answered):
                inner = " ".join(_inner(possible, ()))
                yield f"{{ {_asked(name, field)} {{ ... on {possible.name} {{ {inner} }} }} }}"
        else:
            yield f"{{ {_written(name, field, ())} }}"


def _answered(field: GraphQLField) -> GraphQLNamedType:
    named: GraphQLNamedType = get_named_type(field.type)  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType] - recursive types
    return named


def _asked(name: str, field: GraphQLField) -> str:
    given = " ".join(
        f"{argument}: {SIZES.get(argument) or ARGUMENTS[argument]}"
        for argument, definition in field.args.items()
        if is_required_argument(definition) or argument in SIZES
    )
    return f"{name}({given})" if given else name


def _written(name: str, field: GraphQLField, within: tuple[str, ...]) -> str:
    asked, answered = _asked(name, field), _answered(field)
    if is_leaf_type(answered):
        return asked
    return f"{asked} {{ __typename {' '.join(_inner(answered, within))} }}"


def _inner(answered: object, within: tuple[str, ...]) -> Iterator[str]:
    if not isinstance(answered, GraphQLObjectType):
        return
    if answered.name in within:
        yield next(
            name for name, field in answered.fields.items() if is_leaf_type(_answered(field))
        )
        return
    for name, field in answered.fields.items():
        yield _written(name, field, (*within, answered.name))
