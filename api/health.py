"""Whether the service runs, and whether it can answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import anyio
from starlette.responses import JSONResponse

from graph.errors import LineageError

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from graph.store import ThreadGraph

READY_WITHIN_SECONDS = 5


async def live(_: Request) -> Response:
    """200 as long as the process answers at all."""
    return JSONResponse({"status": "live"})


async def ready(request: Request) -> Response:
    """200 when the graph answers within five seconds, else 503."""
    graph: ThreadGraph = request.state.graph
    try:
        with anyio.fail_after(READY_WITHIN_SECONDS):
            await graph.has_threads()
    except (LineageError, TimeoutError):
        return JSONResponse({"status": "unavailable"}, status_code=503)
    return JSONResponse({"status": "ready"})
