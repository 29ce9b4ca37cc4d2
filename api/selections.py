"""What an operation selects, in the shape of its answer: once for each answered name.

This is how graphql-core collects fields: fragments are opened, what ``@skip`` and ``@include``
leave out is gone, and fields that are selected twice under one name are one. It depends on the
document, on the operation and on the variables in directives alone, and is kept for these.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Protocol

from graphql import (
    DirectiveNode,
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLSchema,
    InlineFragmentNode,
    NamedTypeNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    VariableNode,
    get_operation_ast,
    is_abstract_type,
    value_from_ast_untyped,
)
from graphql.pyutils import Path
from strawberry.extensions import SchemaExtension

from graph.store import ThreadGraph

KEPT_OPERATIONS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Selected:
    """A field of an answer: all that the document selects under one name at one place.

    *key* is the name in the answer, *name* that in the schema, which may be ``__typename``.
    *plain* is false where a directive is on it that this module does not know, here or on a
    fragment that it comes from. *kept* is for what readers work out from it.
    """

    key: str
    name: str
    nodes: tuple[FieldNode, ...]
    plain: bool
    kept: dict[str, Any]
    _operation: "_Operation"
    _fields: dict[str, Mapping[str, "Selected"]]

    def fields(self, type_name: str) -> Mapping[str, "Selected"]:
        """What is selected on an answer of the object type *type_name*, by answered name."""
        known = self._fields.get(type_name)
        if known is None:
            parts = [node.selection_set for node in self.nodes if node.selection_set is not None]
            known = self._fields[type_name] = self._operation.collect(parts, type_name)
        return known

    def arguments(self, variables: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that are given, by their names in the schema.

        *variables* are the operation's values, as ``Info.variable_values`` has them. A word of
        an enum that is written in the document is text. Defaults are not filled in.
        """
        return {
            written.name.value: value_from_ast_untyped(written.value, dict(variables))
            for written in self.nodes[0].arguments or ()
            if not isinstance(written.value, VariableNode) or written.value.name.value in variables
        }


class Choice(Protocol):
    """Tells a graph what the rows behind a field must carry; see ``api.chosen_fields``."""

    def answered_at(self, path: Path, field_name: str) -> str | None:
        """The name of the object type that a field at *path* answers, under lists."""
        ...

    def graph_for(self, graph: ThreadGraph, selected: Selected, type_name: str) -> ThreadGraph:
        """*graph* for the rows of a field that answers *type_name*: a type, a list or a page."""
        ...

    def fields_of(self, selected: Selected, type_name: str) -> Mapping[type[Any], frozenset[str]]:
        """What is read of the rows of a field that answers *type_name*; empty: not known."""
        ...


@dataclass(slots=True)
class Selections:
    """The selections of the operation that a request executes; none before it is executed."""

    choice: "Choice | None" = None
    _operation: "_Operation | None" = None

    def read(
        self,
        schema: GraphQLSchema,
        document: DocumentNode,
        operation_name: str | None,
        variables: Mapping[str, Any],
    ) -> None:
        """Turn to an operation of a valid document; *variables* are as the request has them."""
        text = document.loc.source.body if document.loc else ""
        known = _document_of(_Read(schema, document, text))
        self._operation = known.operation(operation_name, variables)

    def root_fields(self) -> frozenset[str]:
        """What is selected of the query or mutation itself; none where that is not known."""
        if self._operation is None:
            return frozenset()
        return frozenset(field.name for field in self._operation.root.values())

    def graph_for(
        self, graph: ThreadGraph, path: Path, type_name: str | None = None
    ) -> ThreadGraph:
        """*graph* for the rows of the field at *path*, which answers *type_name*."""
        selected = self.at(path)
        if selected is None or self.choice is None:
            return graph
        answered = type_name or self.choice.answered_at(path, selected.name)
        return graph if answered is None else self.choice.graph_for(graph, selected, answered)

    def at(self, path: Path) -> Selected | None:
        """What is selected at a path of the answer, ``Info.path``; ``None`` if not known."""
        operation, steps = self._operation, list[tuple[str, str]]()
        place: Path | None = path
        while place is not None:
            if isinstance(place.key, str):
                steps.append((place.key, place.typename or ""))
            place = place.prev
        if operation is None:
            return None
        fields = operation.root
        selected: Selected | None = None
        for key, type_name in reversed(steps):
            selected = (fields if selected is None else selected.fields(type_name)).get(key)
            if selected is None:
                return None
        return selected


class SelectionReading(SchemaExtension):
    """Puts what an operation selects into the request's context, for its resolvers."""

    def __init__(self, schema: GraphQLSchema, choice: Choice) -> None:
        """Know the types of *schema*, and what its fields need."""
        self._schema, self._choice = schema, choice

    def on_execute(self) -> Iterator[None]:
        """Read the operation before its first resolver is called."""
        execution = self.execution_context
        if execution.graphql_document is not None and execution.context is not None:
            execution.context.selections.choice = self._choice
            execution.context.selections.read(
                self._schema,
                execution.graphql_document,
                execution.operation_name,
                execution.variables or {},
            )
        yield


@dataclass(frozen=True, slots=True)
class _Read:
    """A document, told apart from others by its text: its own hash walks all of it."""

    schema: GraphQLSchema
    document: DocumentNode = field(compare=False)
    text: str


@lru_cache(maxsize=KEPT_OPERATIONS)
def _document_of(read: _Read) -> "_Document":
    return _Document(read.schema, read.document)


class _Document:
    """A document and its operations, each for the values of the variables in directives."""

    def __init__(self, schema: GraphQLSchema, document: DocumentNode) -> None:
        self._schema, self._document = schema, document
        self._fragments = {
            definition.name.value: definition
            for definition in document.definitions
            if isinstance(definition, FragmentDefinitionNode)
        }
        self._deciding = _variables_in_directives(document)
        self._operations: dict[tuple[object, ...], _Operation] = {}

    def operation(self, name: str | None, variables: Mapping[str, Any]) -> "_Operation | None":
        """The operation of a name; ``None`` where a directive has no value to decide by."""
        node = get_operation_ast(self._document, name)
        if node is None:
            return None
        given = {**_defaults_of(node), **variables}
        deciding = {
            name: given.get(name)
            for definition in node.variable_definitions or ()
            if (name := definition.variable.name.value) in self._deciding
        }
        if not all(isinstance(value, bool) for value in deciding.values()):
            return None
        known = (name, *deciding.values())
        if known not in self._operations:
            self._operations[known] = _Operation(self._schema, self._fragments, deciding, node)
        return self._operations[known]


class _Operation:
    """One operation with its directives decided."""

    def __init__(
        self,
        schema: GraphQLSchema,
        fragments: Mapping[str, FragmentDefinitionNode],
        deciding: Mapping[str, Any],
        node: OperationDefinitionNode,
    ) -> None:
        self._schema, self._fragments, self._deciding = schema, fragments, deciding
        self.root = self.collect([node.selection_set], node.operation.value.capitalize())

    def collect(self, parts: Iterable[SelectionSetNode], type_name: str) -> Mapping[str, Selected]:
        """The fields that selection sets select on an object type, in the answer's order."""
        collecting = _Collecting(type_name, {}, set(), set())
        for part in parts:
            self._visit(part.selections, collecting, plain=True)
        return {
            key: Selected(
                key=key,
                name=nodes[0].name.value,
                nodes=tuple(nodes),
                plain=key not in collecting.special,
                kept={},
                _operation=self,
                _fields={},
            )
            for key, nodes in collecting.grouped.items()
        }

    def _visit(
        self, selections: Iterable[SelectionNode], into: "_Collecting", *, plain: bool
    ) -> None:
        for selection in selections:
            if not self._is_included(selection.directives or ()):
                continue
            still_plain = plain and _only_decides(selection.directives or ())
            match selection:
                case FieldNode():
                    key = (selection.alias or selection.name).value
                    into.grouped.setdefault(key, []).append(selection)
                    if not still_plain:
                        into.special.add(key)
                case InlineFragmentNode():
                    if self._applies(selection.type_condition, into.type_name):
                        inner = selection.selection_set.selections
                        self._visit(inner, into, plain=still_plain)
                case FragmentSpreadNode():
                    name = selection.name.value
                    fragment = self._fragments[name]
                    applies = self._applies(fragment.type_condition, into.type_name)
                    if applies and name not in into.visited:
                        into.visited.add(name)
                        inner = fragment.selection_set.selections
                        self._visit(inner, into, plain=still_plain)
                case _:
                    raise TypeError(f"{selection} is no selection.")

    def _is_included(self, directives: Iterable[DirectiveNode]) -> bool:
        conditions = {directive.name.value: self._condition(directive) for directive in directives}
        return not conditions.get("skip", False) and conditions.get("include", True)

    def _condition(self, directive: DirectiveNode) -> bool:
        for argument in directive.arguments or ():
            if argument.name.value == "if":
                return bool(value_from_ast_untyped(argument.value, dict(self._deciding)))
        return False

    def _applies(self, condition: NamedTypeNode | None, type_name: str) -> bool:
        if condition is None or condition.name.value == type_name:
            return True
        asked, answered = (
            self._schema.get_type(name) for name in (condition.name.value, type_name)
        )
        return (
            asked is not None
            and answered is not None
            and is_abstract_type(asked)
            and self._schema.is_sub_type(asked, answered)
        )


@dataclass(frozen=True, slots=True)
class _Collecting:
    """The fields that are found so far, and the fragments that were opened."""

    type_name: str
    grouped: dict[str, list[FieldNode]]
    special: set[str]
    visited: set[str]


def _only_decides(directives: Iterable[DirectiveNode]) -> bool:
    return all(directive.name.value in {"skip", "include"} for directive in directives)


def _defaults_of(operation: OperationDefinitionNode) -> dict[str, Any]:
    return {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in operation.variable_definitions or ()
        if definition.default_value is not None
    }


def _variables_in_directives(document: DocumentNode) -> set[str]:
    """The variables that decide what is selected, in any operation of a document."""
    found: set[str] = set()
    waiting: list[SelectionSetNode] = [
        definition.selection_set
        for definition in document.definitions
        if isinstance(definition, OperationDefinitionNode | FragmentDefinitionNode)
    ]
    while waiting:
        for selection in waiting.pop().selections:
            found.update(
                argument.value.name.value
                for directive in selection.directives or ()
                for argument in directive.arguments or ()
                if isinstance(argument.value, VariableNode)
            )
            if isinstance(selection, FieldNode | InlineFragmentNode) and selection.selection_set:
                waiting.append(selection.selection_set)
    return found
