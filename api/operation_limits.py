"""What one operation may ask for, measured before anything is executed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, cast

from graphql import (
    DocumentNode,
    FieldNode,
    FragmentDefinitionNode,
    FragmentSpreadNode,
    GraphQLError,
    InlineFragmentNode,
    OperationDefinitionNode,
    SelectionNode,
    SelectionSetNode,
    ValueNode,
    VariableNode,
    get_operation_ast,
    value_from_ast_untyped,
)
from strawberry.extensions import SchemaExtension

from api.field_shapes import FieldShape, Shapes
from api.limits import DEFAULT_LINEAGE_NODES, DEFAULT_PAGE, DEFAULT_THREADS_PAGE
from graph.errors import LimitExceeded

MAX_TOKENS = 2_000
MAX_DEPTH = 30
MAX_ALIASES = 100
MAX_DIRECTIVES = 100
MAX_ROOT_FIELDS = 25
MAX_OBJECTS = 100_000

KEPT_CHECKS = 1_024

UNSIZED_LIST = 20
"""How long a list is taken to be that no argument bounds, such as ``ancestors``."""

DEFAULT_SIZES = {"threads": DEFAULT_THREADS_PAGE, "lineage": DEFAULT_LINEAGE_NODES}
SIZE_ARGUMENTS = ("first", "last", "maxNodes")


class OperationLimits(SchemaExtension):
    """Refuses an operation that is too large, deep or wide with ``LimitExceeded``."""

    def __init__(self, shapes: Shapes, checked: set[tuple[object, ...]] | None = None) -> None:
        """Measure against the *shapes* of the schema's fields; *checked* is known to be right."""
        self._shapes = shapes
        self._checked: set[tuple[object, ...]] = set() if checked is None else checked

    def on_operation(self) -> Iterator[None]:
        """Let the parser stop early."""
        self.execution_context.parse_options["max_tokens"] = MAX_TOKENS
        yield

    def on_validate(self) -> Iterator[None]:
        """Measure what is valid: no fragment then contains itself."""
        context = self.execution_context
        document = context.graphql_document
        if document is not None and not context.pre_execution_errors:
            operation = get_operation_ast(document, context.operation_name)
            try:
                if operation is not None:
                    self._check(document, operation, context.variables or {})
            except LimitExceeded as error:
                context.pre_execution_errors = [GraphQLError(str(error), original_error=error)]
        yield

    def _check(
        self,
        document: DocumentNode,
        operation: OperationDefinitionNode,
        variables: Mapping[str, Any],
    ) -> None:
        """Check an operation once for each document and the sizes that its variables name."""
        name = None if operation.name is None else operation.name.value
        source = None if document.loc is None else document.loc.source.body
        known = (source, name, *((key, _size_in(value)) for key, value in variables.items()))
        if source is None or known not in self._checked:
            check_operation(self._shapes, document, operation, variables)
            if len(self._checked) >= KEPT_CHECKS:
                self._checked.clear()
            self._checked.add(known)


def _size_in(value: object) -> int | None:
    """What of a variable can decide how large an answer is."""
    if isinstance(value, list):
        return len(cast("list[object]", value))
    return value if isinstance(value, int) else None


@dataclass(frozen=True, slots=True)
class Measure:
    """How much a selection asks for; *objects* is the most that its answer can hold."""

    objects: int = 0
    depth: int = 0
    aliases: int = 0
    directives: int = 0
    fields: int = 0


def check_operation(
    shapes: Shapes,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Mapping[str, Any],
) -> None:
    """``LimitExceeded`` where an operation of a valid document asks for too much."""
    measured = measure(shapes, document, operation, variables)
    for name, asked, limit in (
        ("The number of root fields", measured.fields, MAX_ROOT_FIELDS),
        ("The depth of the query", measured.depth, MAX_DEPTH),
        ("The number of aliases", measured.aliases, MAX_ALIASES),
        ("The number of directives", measured.directives, MAX_DIRECTIVES),
        ("The number of objects that the query may answer", measured.objects, MAX_OBJECTS),
    ):
        if asked > limit:
            raise LimitExceeded(name, asked, limit)


def measure(
    shapes: Shapes,
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Mapping[str, Any],
) -> Measure:
    """How much an operation of a valid document asks for."""
    fragments = {
        definition.name.value: definition
        for definition in document.definitions
        if isinstance(definition, FragmentDefinitionNode)
    }
    defaults = {
        definition.variable.name.value: value_from_ast_untyped(definition.default_value)
        for definition in operation.variable_definitions or ()
        if definition.default_value is not None
    }
    return _Measuring(shapes, fragments, {**defaults, **variables}).selections(
        operation.selection_set, operation.operation.value.capitalize(), UNSIZED_LIST
    )


@dataclass(frozen=True, slots=True)
class _Measuring:
    """Measures selections; what a fragment asks for is worked out once."""

    shapes: Shapes
    fragments: Mapping[str, FragmentDefinitionNode]
    variables: Mapping[str, Any]
    known: dict[tuple[str, int], Measure] = field(default_factory=dict[tuple[str, int], Measure])

    def selections(self, selected: SelectionSetNode, type_name: str | None, rows: int) -> Measure:
        """What a selection on a type asks for; *rows*: how long its lists are."""
        parts = [self._selection(part, type_name, rows) for part in selected.selections]
        return Measure(
            objects=sum(part.objects for part in parts),
            depth=max((part.depth for part in parts), default=0),
            aliases=sum(part.aliases for part in parts),
            directives=sum(part.directives for part in parts),
            fields=sum(part.fields for part in parts),
        )

    def _selection(self, selection: SelectionNode, type_name: str | None, rows: int) -> Measure:
        match selection:
            case FieldNode():
                inner = self._field(selection, type_name, rows)
            case InlineFragmentNode():
                condition = selection.type_condition
                narrowed = type_name if condition is None else condition.name.value
                inner = self.selections(selection.selection_set, narrowed, rows)
            case FragmentSpreadNode():
                inner = self._fragment(selection.name.value, rows)
            case _:
                inner = Measure()
        return replace(inner, directives=inner.directives + len(selection.directives or ()))

    def _fragment(self, name: str, rows: int) -> Measure:
        if (name, rows) not in self.known:
            fragment = self.fragments[name]
            self.known[name, rows] = self.selections(
                fragment.selection_set, fragment.type_condition.name.value, rows
            )
        return self.known[name, rows]

    def _field(self, node: FieldNode, type_name: str | None, rows: int) -> Measure:
        aliases = 0 if node.alias is None else 1
        if node.selection_set is None:
            return Measure(depth=1, aliases=aliases, fields=1)
        shape = self.shapes.get(type_name or "", {}).get(node.name.value)
        size = None if shape is None else self._size(node, shape)
        of_each = self.selections(
            node.selection_set,
            None if shape is None else shape.type_name,
            UNSIZED_LIST if size is None else size,
        )
        if shape is None:  # a field of introspection, which answers from memory
            times = 0
        elif shape.is_list:
            times = rows if size is None else size
        else:
            times = 1
        return Measure(
            objects=times * (1 + of_each.objects),
            depth=1 + of_each.depth,
            aliases=aliases + of_each.aliases,
            directives=of_each.directives,
            fields=1,
        )

    def _size(self, node: FieldNode, shape: FieldShape) -> int | None:
        """How many rows a field asks for, ``None`` where it has no say in it."""
        written = {argument.name.value: argument.value for argument in node.arguments or ()}
        if "ids" in shape.arguments:
            ids = self._value(written.get("ids"))
            return len(cast("list[object]", ids)) if isinstance(ids, list) else 1
        sized = [name for name in SIZE_ARGUMENTS if name in shape.arguments]
        for name in sized:
            asked = self._value(written.get(name))
            if isinstance(asked, int):
                return max(0, asked)
        return DEFAULT_SIZES.get(node.name.value, DEFAULT_PAGE) if sized else None

    def _value(self, written: ValueNode | None) -> object:
        if written is None:
            return None
        if isinstance(written, VariableNode):
            return self.variables.get(written.name.value)
        return value_from_ast_untyped(written, dict(self.variables))
