"""The web application: every route, and what a request meets on its way."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http import HTTPStatus
from typing import TypedDict

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from api import health
from api.endpoint import GraphQLEndpoint, respond
from api.errors import Errors
from api.graphiql.page import STATIC
from api.kept_answers import KeptAnswers
from api.media_types import JSON
from api.schema import build_schema
from graph.command_store import CommandGraph
from graph.standings import KnowsTrees
from graph.store import ThreadGraph

MAX_BODY_BYTES = 1 << 20


class State(TypedDict):
    """What the lifespan opens and every request finds on ``request.state``."""

    graph: ThreadGraph
    commands: CommandGraph | None
    kept: KeptAnswers | None


def build_app(  # noqa: PLR0913 - each is said by its name
    *,
    open_graph: Callable[[], AbstractAsyncContextManager[ThreadGraph]],
    introspection: bool = True,
    max_body_bytes: int = MAX_BODY_BYTES,
    allowed_hosts: Sequence[str] = ("*",),
    compiled: bool = True,
    kept_bytes: int = 0,
    read_only: bool = False,
) -> Starlette:
    """Give the web application that answers from the graph that *open_graph* opens.

    The graph is opened when the application starts and closed when it ends. *introspection*
    false keeps the schema to itself: no introspection, no GraphiQL, no "did you mean".
    *compiled* false executes every field on its own, with the same answers. *kept_bytes* is how
    much of its answers it may keep, for as long as their trees do not change; 0 keeps none. With
    *read_only*, or over a graph that takes no commands, every mutation is forbidden.
    *allowed_hosts* are the names that the service may be asked by: on a machine where only its
    own programs may ask, its own names keep out web pages whose name suddenly leads to it.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[State]:
        async with open_graph() as graph:
            kept = None
            if kept_bytes and isinstance(graph, KnowsTrees):
                kept = KeptAnswers(graph, kept_bytes)
            commands = graph if isinstance(graph, CommandGraph) and not read_only else None
            yield {"graph": graph, "commands": commands, "kept": kept}

    endpoint = GraphQLEndpoint(
        schema=build_schema(introspection=introspection),
        introspection=introspection,
        max_body_bytes=max_body_bytes,
        compiled=compiled,
    )
    routes: list[BaseRoute] = [
        Route("/", to_graphql),
        Route("/graphql", endpoint.answer, methods=["GET", "POST"]),
        Route("/health/live", health.live),
        Route("/health/ready", health.ready),
    ]
    if introspection:
        routes.append(Mount("/graphiql", StaticFiles(directory=STATIC)))
    return Starlette(
        routes=routes,
        middleware=[
            Middleware(TrustedHostMiddleware, allowed_hosts=allowed_hosts, www_redirect=False)
        ],
        lifespan=lifespan,
        exception_handlers={Exception: tell_unexpected},
    )


async def to_graphql(_: Request) -> Response:
    """Send a visitor of the root to the GraphQL endpoint."""
    return RedirectResponse("/graphql")


async def tell_unexpected(_: Request, error: Exception) -> Response:
    """The masked answer to whatever went wrong outside of a field."""
    return respond(Errors().answer_to(error), JSON, HTTPStatus.INTERNAL_SERVER_ERROR)
