"""What an operation selects, read once for each document."""

from collections.abc import Mapping
from typing import Any

import pytest
from graphql import GraphQLSchema, OperationDefinitionNode, build_schema, parse
from graphql.pyutils import Path

from api.selections import Selected, Selections

SCHEMA = build_schema(
    """
    interface Named { name: String }
    type Query { person: Person  named: Named }
    type Person implements Named { name: String  age: Int  friends(first: Int): [Person] }
    type Place implements Named { name: String }
    """
)
Shape = Mapping[str, Any]


def selections_of(
    text: str, operation_name: str | None = None, **variables: bool | None
) -> Selections:
    """The selections of an operation of *text*."""
    selections = Selections()
    selections.read(SCHEMA, parse(text), operation_name, variables)
    return selections


def shape_at(selections: Selections, *keys: str, type_name: str = "Person") -> Shape | None:
    """The names that are selected at a path, and what is selected below them."""
    path: Path | None = None
    for key in keys:
        path = Path(path, key, "Query" if path is None else "Person")
    assert path is not None
    selected = selections.at(path)
    return None if selected is None else shape_of(selected, type_name)


def shape_of(selected: Selected, type_name: str) -> Shape:
    """The answered names, each with the field's name or what is selected below it."""
    return {
        key: shape_of(field, "Person") if field.name == "friends" else field.name
        for key, field in selected.fields(type_name).items()
    }


@pytest.mark.parametrize(
    ("text", "variables", "shape"),
    [
        ("{ person { b: age  name  age } }", {}, {"b": "age", "name": "name", "age": "age"}),
        ("{ person { name }  person { age  name } }", {}, {"name": "name", "age": "age"}),
        (
            "{ person { friends { name }  friends { n: name } } }",
            {},
            {"friends": {"name": "name", "n": "name"}},
        ),
        ("{ person { ... { __typename  age } } }", {}, {"__typename": "__typename", "age": "age"}),
        (
            "{ person { ... on Person { age } ... on Named { name } } }",
            {},
            {"age": "age", "name": "name"},
        ),
        (
            (
                "{ person { ...F  age } }"
                " fragment F on Person { name  ...G } fragment G on Named { n: name }"
            ),
            {},
            {"name": "name", "n": "name", "age": "age"},
        ),
        (
            "query($a: Boolean!) { person { name @skip(if: $a)  age @include(if: $a) } }",
            {"a": True},
            {"age": "age"},
        ),
        (
            "query($a: Boolean!) { person { name @skip(if: $a)  age @include(if: $a) } }",
            {"a": False},
            {"name": "name"},
        ),
        (
            (
                "query($a: Boolean = false) { person { age  ...F @include(if: $a) } }"
                " fragment F on Person { name }"
            ),
            {},
            {"age": "age"},
        ),
        (
            "{ person { name @skip(if: true)  age @skip(if: false) @include(if: true) } }",
            {},
            {"age": "age"},
        ),
        (
            "query($a: Boolean!) { person { name @include(if: true) @skip(if: $a)  age } }",
            {"a": True},
            {"age": "age"},
        ),
    ],
)
def test_a_selection_has_the_shape_of_the_answer(
    text: str, variables: dict[str, Any], shape: Shape
) -> None:
    """Merged, in the order of the answer, without what directives leave out."""
    assert shape_at(selections_of(text, **variables), "person") == shape


@pytest.mark.parametrize(
    ("type_name", "shape"),
    [("Person", {"name": "name", "age": "age"}), ("Place", {"name": "name"})],
)
def test_a_fragment_counts_for_the_types_that_it_is_on(type_name: str, shape: Shape) -> None:
    """What stands behind an interface decides."""
    selections = selections_of("{ named { name ... on Person { age } } }")

    assert shape_at(selections, "named", type_name=type_name) == shape


def test_positions_in_lists_are_passed_over() -> None:
    """The selection is the same for all rows."""
    selections = selections_of("{ person { friends { friends { age } } } }")

    path = Path(None, "person", "Query").add_key("friends", "Person").add_key(3)
    selected = selections.at(path.add_key("friends", "Person"))

    assert selected is not None
    assert shape_of(selected, "Person") == {"age": "age"}


def test_arguments_are_those_that_are_given() -> None:
    """Of variables the values; absent variables give no argument."""
    text = (
        "query($n: Int  $m: Int) { person { a: friends(first: 2) { age }"
        " b: friends(first: $n) { age } c: friends(first: $m) { age } } }"
    )
    selected = selections_of(text).at(Path(None, "person", "Query"))

    assert selected is not None
    fields = selected.fields("Person")
    assert [fields[key].arguments({"n": 5}) for key in "abc"] == [{"first": 2}, {"first": 5}, {}]


def test_the_operation_is_the_one_that_is_executed() -> None:
    """A document may hold several."""
    text = "query A { person { age } } query B { person { name } }"

    assert shape_at(selections_of(text, "B"), "person") == {"name": "name"}


def test_a_condition_without_a_value_is_left_to_graphql() -> None:
    """It has an error for it."""
    text = "query($a: Boolean = true) { person { name  age @skip(if: $a) } }"

    assert shape_at(selections_of(text, a=None), "person") is None


def test_a_document_is_read_once() -> None:
    """What readers keep with a selection is there the next time, also for another parse."""
    path = Path(None, "person", "Query")
    text = "query($a: Boolean!) { person { name @skip(if: $a) } }"
    first = selections_of(text, a=True).at(path)

    again, other = selections_of(text, a=True).at(path), selections_of(text, a=False).at(path)

    assert first is again
    assert first is not other


def test_fields_with_other_directives_are_marked() -> None:
    """What they do is not known here."""
    schema: GraphQLSchema = build_schema(
        "directive @odd on FIELD | INLINE_FRAGMENT  type Query { a: Int b: Int c: Int }"
    )
    document = parse("{ a  b @odd  ... @odd { c } }")
    assert isinstance(document.definitions[0], OperationDefinitionNode)
    selections = Selections()

    selections.read(schema, document, None, {})

    plain = {
        key: selected.plain
        for key in "abc"
        if (selected := selections.at(Path(None, key, "Query"))) is not None
    }
    assert plain == {"a": True, "b": False, "c": False}
