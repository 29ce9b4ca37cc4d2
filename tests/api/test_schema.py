"""The schema as text, and the names that clients rely on."""

from pathlib import Path

from graphql import (
    EnumTypeDefinitionNode,
    InputObjectTypeDefinitionNode,
    InterfaceTypeDefinitionNode,
    ObjectTypeDefinitionNode,
    parse,
    print_ast,
)

from api.schema import build_schema

ROOT = Path(__file__).parents[2]
COMMITTED = (ROOT / "api" / "schema.graphql").read_text()
PROMISED = (Path(__file__).parent / "promised.graphql").read_text()


def test_the_committed_schema_is_the_one_that_answers() -> None:
    """`lineage schema > api/schema.graphql` after a change; its diff shows what clients see."""
    assert build_schema().as_str() + "\n" == COMMITTED


def test_every_promised_name_is_there() -> None:
    """Types, fields, arguments and values may be added, and none is ever taken away."""
    assert sorted(names_of(PROMISED) - names_of(COMMITTED)) == []


def names_of(text: str) -> set[str]:
    """A line for each field with its type, each argument with its type, and each value."""
    names: set[str] = set()
    for definition in parse(text, no_location=True).definitions:
        match definition:
            case ObjectTypeDefinitionNode() | InterfaceTypeDefinitionNode():
                for interface in definition.interfaces or ():
                    names.add(f"{definition.name.value} implements {interface.name.value}")
                for field in definition.fields or ():
                    of = f"{definition.name.value}.{field.name.value}"
                    names.add(f"{of}: {print_ast(field.type)}")
                    names |= {
                        f"{of}({print_ast(argument)})".replace(" = null", "")
                        for argument in field.arguments or ()
                    }
            case InputObjectTypeDefinitionNode():
                names |= {
                    f"{definition.name.value}.{field.name.value}"
                    for field in definition.fields or ()
                }
            case EnumTypeDefinitionNode():
                names |= {
                    f"{definition.name.value}.{value.name.value}"
                    for value in definition.values or ()
                }
            case _:
                pass
    return names
