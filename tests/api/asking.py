"""How the tests ask the application: over HTTP, without a network."""

from collections import Counter
from collections.abc import (
    AsyncGenerator,
    Awaitable,
    Callable,
    Collection,
    Mapping,
    MutableMapping,
)
from contextlib import asynccontextmanager
from typing import Any, cast

import httpx
from msgspec import Struct
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from api.app import build_app
from graph.store import ThreadGraph

Answer = dict[str, Any]

COMPILED = True
"""Whether selections are compiled where a test does not say so; each test runs with both."""


class Client(httpx.AsyncClient):
    """An HTTP client that can also ask a GraphQL question."""

    async def ask(self, query: str, **variables: object) -> Answer:
        """The whole answer to a question."""
        response = await self.post("/graphql", json={"query": query, "variables": variables})
        return response.json()

    async def data(self, query: str, **variables: object) -> Answer:
        """The data of an answer without errors."""
        answer = await self.ask(query, **variables)
        assert "errors" not in answer, answer["errors"]
        return answer["data"]

    async def code(self, query: str, **variables: object) -> str:
        """The code of the one error of an answer."""
        answer = await self.ask(query, **variables)
        assert len(answer["errors"]) == 1, answer
        return answer["errors"][0]["extensions"]["code"]


@asynccontextmanager
async def serving(graph: ThreadGraph, **settings: Any) -> AsyncGenerator[Client]:  # noqa: ANN401
    """A client of an application that answers from *graph*."""

    @asynccontextmanager
    async def open_graph() -> AsyncGenerator[ThreadGraph]:
        yield graph

    app = build_app(open_graph=open_graph, **{"compiled": COMPILED, **settings})  # pyright: ignore[reportArgumentType] - any settings
    async with serving_app(app) as client:
        yield client


@asynccontextmanager
async def serving_app(app: Starlette) -> AsyncGenerator[Client]:
    """A client of an application that is started before, and ended afterwards."""
    async with app.router.lifespan_context(app) as state:

        async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
            scope["state"] = dict(cast("MutableMapping[str, object]", state))
            await app(scope, receive, send)

        transport = httpx.ASGITransport(with_state, raise_app_exceptions=False)
        async with Client(transport=transport, base_url="http://lineage.test") as client:
            yield client


class CountingGraph:
    """Counts the calls of each method of a graph."""

    def __init__(self, graph: ThreadGraph, calls: Counter[str] | None = None) -> None:
        """Count the calls of *graph*, together with other *calls* where given."""
        self._graph = graph
        self.calls: Counter[str] = Counter() if calls is None else calls

    def selecting(self, fields: Mapping[type[Struct], Collection[str]]) -> "CountingGraph":
        """The same graph with fewer fields, counted together."""
        return CountingGraph(self._graph.selecting(fields), self.calls)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        """The method, counted."""
        method = cast("Callable[..., Awaitable[object]]", getattr(self._graph, name))

        async def counted(*arguments: object, **named: object) -> object:
            self.calls[name] += 1
            return await method(*arguments, **named)

        return counted


class FailingGraph:
    """Raises the same error whatever it is asked, or only by the method that is named."""

    def __init__(
        self, error: Exception, graph: ThreadGraph | None = None, method: str | None = None
    ) -> None:
        """Raise *error*; with *method*, all others are those of *graph*."""
        self._error = error
        self._graph = graph
        self._method = method

    def selecting(self, fields: Mapping[type[Struct], Collection[str]]) -> "FailingGraph":
        """The same graph with fewer fields, which fails alike."""
        narrow = None if self._graph is None else self._graph.selecting(fields)
        return FailingGraph(self._error, narrow, self._method)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[object]]:
        """A method that fails, or one of the graph's."""

        async def failing(*_: object, **__: object) -> object:
            raise self._error

        works = self._method is not None and name != self._method
        return getattr(self._graph, name) if works else failing
