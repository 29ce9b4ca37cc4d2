"""The GraphQL schema: every question that can be asked, and how it is executed."""

from collections.abc import Iterator
from functools import cache, cached_property

import strawberry
from graphql import GraphQLError, GraphQLSchema, get_operation_ast
from graphql import build_schema as schema_of
from strawberry.extensions import (
    DisableIntrospection,
    ParserCache,
    SchemaExtension,
    ValidationCache,
)
from strawberry.schema.config import StrawberryConfig
from strawberry.types.execution import ExecutionContext

from api.chosen_fields import FieldChoice
from api.compiled.answer_types import AnswerTypes
from api.compiled.compiler import Compiler
from api.connections import Connection
from api.context import Context, Info, row_or_taken
from api.field_columns import reads_of
from api.field_shapes import shapes_of
from api.integrity import IntegrityReport, integrity
from api.limits import MAX_NODE_IDS
from api.lineage import LineageGraph, lineage
from api.merge_back import MergeBackDelta, merge_back_delta
from api.mutations.mutation import Mutation
from api.node import Node, NodeRow, look_up_nodes, look_up_thread
from api.node_ids import read_node_id
from api.operation_limits import OperationLimits
from api.run import Run
from api.scalars import SCALARS
from api.selections import SelectionReading
from api.thread import Thread
from api.threads import threads
from api.transfer import Transfer
from api.transfers import transfer, transfers
from api.ways import LineagePath, nearest_common_ancestor, path
from graph import model as rows
from graph.errors import BadInput, LimitExceeded
from graph.model import ThreadId

KEPT_DOCUMENTS = 256


@strawberry.type(description="What the caller may do.")
class Access:
    """What the caller may do."""

    can_write: bool


async def node(info: Info, id: strawberry.ID) -> NodeRow | None:  # noqa: A002 - the schema's word
    """The thread, run or transfer of an opaque id."""
    return (await look_up_nodes(info, [read_node_id(id)]))[0]


async def nodes(info: Info, ids: list[strawberry.ID]) -> list[NodeRow | None]:
    """What opaque ids name, in their order."""
    if len(ids) > MAX_NODE_IDS:
        raise LimitExceeded("The number of ids", len(ids), MAX_NODE_IDS)
    return await look_up_nodes(info, [read_node_id(node_id) for node_id in ids])


async def thread(info: Info, thread_id: str) -> rows.Thread | None:
    """The thread of an id."""
    return await row_or_taken(info, await look_up_thread(info, ThreadId(thread_id)))


def access(info: Info) -> Access:
    """What the caller may do."""
    return Access(can_write=info.context.commands is not None)


@strawberry.type
class Query:
    """Every question that can be asked."""

    # What stands behind most fields are rows; graphql_type says what they answer.
    node: object = strawberry.field(
        resolver=node,
        graphql_type=Node | None,
        description="What an opaque id names; null where it is not there.",
    )
    nodes: object = strawberry.field(
        resolver=nodes,
        graphql_type=list[Node | None],
        description=(
            "What opaque ids name, at most 100, in their order; null for each that is not there."
        ),
    )
    thread: object = strawberry.field(
        resolver=thread,
        graphql_type=Thread | None,
        description="A thread, also one that is only named by others; null for an unknown id.",
    )
    threads: object = strawberry.field(
        resolver=threads,
        graphql_type=Connection[Thread],
        description=(
            "The threads that meet the filter: the `first` after a cursor or the `last` before "
            "one, 25 where neither is given, at most 100."
        ),
    )
    lineage: object = strawberry.field(
        resolver=lineage,
        graphql_type=LineageGraph,
        description=(
            "The tree of a thread, or what is above or below it, up to `maxNodes` threads (1,000 "
            "where it is not given, at most 10,000); the error THREAD_NOT_FOUND for an unknown id."
        ),
    )
    path: object = strawberry.field(
        resolver=path,
        graphql_type=LineagePath | None,
        description=(
            "The shortest way between two threads over FORK, SPAWN and PARENT edges in either "
            "direction; null: not connected. Of equally short ones it is the one whose thread "
            "ids come first, read from the end with the smaller id. The error THREAD_NOT_FOUND "
            "for an unknown id."
        ),
    )
    nearest_common_ancestor: object = strawberry.field(
        resolver=nearest_common_ancestor,
        graphql_type=Thread | None,
        description=(
            "The thread nearest above at most 100 threads over FORK, SPAWN and PARENT edges, each "
            "being above itself: the smallest sum of hops, then the smallest thread id; null: "
            "none in common. The error THREAD_NOT_FOUND for an unknown id."
        ),
    )
    merge_back_delta: object = strawberry.field(
        resolver=merge_back_delta,
        graphql_type=MergeBackDelta | None,
        description=(
            "What a fork did since its fork point, up to its own run `runId` or to its latest "
            "stable one; null for no fork, for a fork point that is not known, without a stable "
            "run, and for a run that is not its own, rolled back, or neither completed nor "
            "waiting. The error THREAD_NOT_FOUND for an unknown id."
        ),
    )
    integrity: object = strawberry.field(
        resolver=integrity,
        graphql_type=IntegrityReport,
        description=(
            "Whether the stored graph keeps its invariants, worked out from its facts anew. It "
            "looks at everything that is stored and may take minutes."
        ),
    )
    transfer: object = strawberry.field(
        resolver=transfer,
        graphql_type=Transfer | None,
        description="A context transfer; null for an unknown id.",
    )
    transfers: object = strawberry.field(
        resolver=transfers,
        graphql_type=Connection[Transfer],
        description="The context transfers that meet the filter, by the time they were made.",
    )
    access: Access = strawberry.field(resolver=access, description="What the caller may do.")


class ValidatedOnce(ValidationCache):
    """Knows valid documents by their text: the hash of a document walks all of it."""

    def __init__(self, validated: set[str]) -> None:
        """Take the texts in *validated* for valid, and add to them."""
        super().__init__()
        self._validated = validated

    def on_validate(self) -> Iterator[None]:
        """Validate what is not known yet."""
        context = self.execution_context
        text = context.query
        if text is not None and text in self._validated:
            context.pre_execution_errors = []
            yield
            return
        yield from super().on_validate()
        if text is not None and not context.pre_execution_errors:
            if len(self._validated) >= KEPT_DOCUMENTS:
                self._validated.clear()
            self._validated.add(text)


class NamedOperation(SchemaExtension):
    """Refuses a query of several operations that does not say which: none is guessed."""

    def on_validate(self) -> Iterator[None]:
        """Look once the query is parsed."""
        context = self.execution_context
        asked: Context = context.context
        if context.graphql_document is not None and not context.pre_execution_errors:
            operation = get_operation_ast(context.graphql_document, asked.operation_name)
            if operation is None:
                context.pre_execution_errors = [unclear_operation()]
        yield


def unclear_operation() -> GraphQLError:
    """The error of a query whose operation is not named, or named wrongly."""
    unclear = BadInput("operationName must be the name of one of the operations of the query.")
    return GraphQLError(str(unclear), original_error=unclear)


class LineageSchema(strawberry.Schema):
    """A schema that leaves the logging of errors to those who word them."""

    @cached_property
    def written(self) -> GraphQLSchema:
        """Its types, as graphql-core reads them from its text."""
        return schema_of(self.as_str())

    @cached_property
    def types(self) -> AnswerTypes:
        """What its fields answer."""
        return AnswerTypes(self, self.written)

    @cached_property
    def choice(self) -> FieldChoice:
        """What the rows behind its fields must carry."""
        return FieldChoice(self.written, reads_of(self.types.plain))

    @cached_property
    def compiler(self) -> Compiler:
        """What compiles selections of it."""
        return Compiler(self.types)

    def process_errors(
        self, errors: list[GraphQLError], execution_context: ExecutionContext | None = None
    ) -> None:
        """Log nothing: ``api.errors`` logs what is masked."""


@cache
def build_schema(*, introspection: bool = True) -> LineageSchema:
    """The schema; without *introspection* clients can't ask it for its own types."""
    hidden: list[type[SchemaExtension]] = [] if introspection else [DisableIntrospection]
    schema = LineageSchema(
        Query,
        Mutation,
        types=[Thread, Run, Transfer],
        config=StrawberryConfig(scalar_map=SCALARS),
        extensions=[
            ParserCache,
            *hidden,
            lambda: ValidatedOnce(validated),
            NamedOperation,
            lambda: OperationLimits(
                shapes, checked
            ),  # after the validation: it trusts the document
            lambda: SelectionReading(schema.written, schema.choice),
        ],
    )
    validated = set[str]()
    shapes, checked = shapes_of(schema.as_str()), set[tuple[object, ...]]()
    return schema
