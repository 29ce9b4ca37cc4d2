"""The web application: every route and the order in which a request meets them."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypedDict

from starlette.applications import Starlette
from starlette.responses import RedirectResponse
from starlette.routing import Route

from api import health

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager

    from starlette.requests import Request
    from starlette.responses import Response

    from graph.store import ThreadGraph

MAX_BODY_BYTES = 1 << 20


class State(TypedDict):
    """What the lifespan opens and every request finds on ``request.state``."""

    graph: ThreadGraph


def build_app(
    *,
    open_graph: Callable[[], AbstractAsyncContextManager[ThreadGraph]],
    graphiql: bool = True,
    introspection: bool = True,
    max_body_bytes: int = MAX_BODY_BYTES,
) -> Starlette:
    """Give the web application that answers from the graph that *open_graph* opens.

    The graph is opened when the application starts and closed when it ends.
    """

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[State]:
        async with open_graph() as graph:
            yield {"graph": graph}

    routes = [
        Route("/", to_graphql),
        Route("/health/live", health.live),
        Route("/health/ready", health.ready),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


async def to_graphql(_: Request) -> Response:
    """Send a visitor of the root to the GraphQL endpoint."""
    return RedirectResponse("/graphql")
