"""What only a real web server and a real connection can show."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import anyio
import httpx
import pytest
import uvicorn

from api.app import build_app
from graph.store import ThreadGraph
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

JSON = {"content-type": "application/json"}
MEBIBYTE = 1 << 20


@asynccontextmanager
async def listening() -> AsyncGenerator[str]:
    """The address of a service on a free port of this machine."""

    @asynccontextmanager
    async def open_graph() -> AsyncGenerator[ThreadGraph]:
        yield MemoryStore()

    app = build_app(open_graph=open_graph)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, lifespan="on", ws="none"))
    with socket.create_server(("127.0.0.1", 0)) as opened:
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(server.serve, [opened])
            yield f"http://127.0.0.1:{opened.getsockname()[1]}"
            server.should_exit = True


@pytest.mark.parametrize(
    ("headers", "status"), [(JSON, 413), ({"content-type": "text/plain"}, 415)]
)
async def test_a_client_that_still_writes_gets_its_refusal(
    headers: dict[str, str], status: int
) -> None:
    """The rest of a body is read and forgotten, so that the answer is not lost on the way."""
    async with listening() as address, httpx.AsyncClient() as client:
        statuses = [
            (
                await client.post(
                    f"{address}/graphql", content=b" " * (20 * MEBIBYTE), headers=headers
                )
            ).status_code
            for _ in range(5)
        ]

    assert statuses == [status] * 5


async def test_a_question_is_answered_over_a_real_connection() -> None:
    """Lifespan, route and answer, as a client meets them."""
    async with listening() as address, httpx.AsyncClient() as client:
        answer = await client.post(f"{address}/graphql", json={"query": "{ access { canWrite } }"})
        ready = await client.get(f"{address}/health/ready")

    assert answer.json() == {"data": {"access": {"canWrite": False}}}
    assert ready.json() == {"status": "ready"}
