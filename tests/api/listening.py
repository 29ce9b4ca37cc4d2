"""The application in a real web server, on a real connection."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import uvicorn

from api.app import build_app
from graph.store import ThreadGraph
from tests.memory_store import MemoryStore


@asynccontextmanager
async def listening(graph: ThreadGraph | None = None) -> AsyncGenerator[str]:
    """The address of a service on a free port of this machine, by default of an empty graph."""

    @asynccontextmanager
    async def open_graph() -> AsyncGenerator[ThreadGraph]:
        yield graph or MemoryStore()

    app = build_app(open_graph=open_graph)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as opened:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [opened])
            yield f"http://127.0.0.1:{opened.getsockname()[1]}"
            server.should_exit = True
