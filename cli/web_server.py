"""The web server that `lineage serve` runs the application in."""

from __future__ import annotations

import logging
import signal
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Generator

    from starlette.applications import Starlette

GRACE_SECONDS = 5


async def run_server(app: Starlette, listening: socket.socket) -> None:
    """Serve until Ctrl-C or SIGTERM, then let what runs end, for a while."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    # graphql-core leaves what stands beside a failed field where it is; the log has the failure.
    warnings.filterwarnings(
        "ignore", r"coroutine '(Executor|GraphQLCoreConverter)", RuntimeWarning
    )
    config = uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        access_log=False,
        http="httptools",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    await _Server(config).serve([listening])


class _Server(uvicorn.Server):
    """A server that lets the command end in its own way when a signal ended it."""

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Take the signals while serving, and don't raise them again afterwards."""
        ending = (signal.SIGINT, signal.SIGTERM)
        before = {number: signal.signal(number, self.handle_exit) for number in ending}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
