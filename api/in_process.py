"""GraphQL without HTTP: a program that has the graph open asks it and tells it in GraphQL's words.

What such a program says is read, hashed and answered as that of a client, so that a command can be
sent again by the one after it was sent by the other.
"""

from collections.abc import Mapping
from typing import Any

from graphql import GraphQLError

from api.context import Context
from api.schema import build_schema
from graph.command_store import CommandGraph
from graph.errors import BadInput, LineageError
from graph.store import ThreadGraph


async def ask(graph: ThreadGraph, document: str, variables: Mapping[str, Any]) -> dict[str, Any]:
    """The data that GraphQL answers; what goes wrong is raised as the error that it is.

    ``BadInput`` for variables that can't be right. Nothing is masked: who asks has the graph.
    """
    commands = graph if isinstance(graph, CommandGraph) else None
    result = await build_schema().execute(
        document,
        variable_values=dict(variables),
        context_value=Context(graph, commands=commands),
    )
    for error in result.errors or ():
        raise _cause_of(error)
    return result.data or {}


def _cause_of(error: GraphQLError) -> Exception:
    cause = error.original_error
    while isinstance(cause, GraphQLError) and cause.original_error is not None:
        cause = cause.original_error
    if isinstance(cause, LineageError):
        return cause
    if error.path is None:
        return BadInput(error.message)
    return cause or error
