"""``lineage serve``: the graph over GraphQL."""

from __future__ import annotations

from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from cli.graph_connection import with_graph
from cli.import_progress import progress_bar
from cli.import_summary import print_summary
from cli.importing import now
from cli.listening import listen
from cli.options import DataFolder
from cli.settings import Settings, read_settings
from cli.terminal import REMARKS
from graph.command_store import CommandGraph
from graph.errors import BadInput
from importers.known import known_importers
from resolvers.find_transcripts import Selection
from resolvers.first_failure import first_failure
from resolvers.forget_receipts import keep_forgetting_receipts
from resolvers.import_transcripts import ImportOrder, import_transcripts

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

    from graph.store import ThreadGraph

FORGETTING_SECONDS = 3_600
"""How long after its start, and then how often, the service removes old receipts."""


def serve(
    *,
    host: Annotated[
        str | None,
        typer.Option("--host", help="The address, instead of LINEAGE_HOST.", show_default=False),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            "--port", metavar="N", help="The port, instead of LINEAGE_PORT.", show_default=False
        ),
    ] = None,
    import_if_empty: Annotated[
        list[Path] | None,
        typer.Option(
            "--import-if-empty",
            metavar="PATH",
            help="Import these transcripts first, unless the graph holds some already; "
            "may be given several times.",
            show_default=False,
        ),
    ] = None,
    insecure: Annotated[
        bool,
        typer.Option("--insecure", help="Serve also where others can reach it, to everybody."),
    ] = False,
    read_only: Annotated[
        bool | None,
        typer.Option("--read-only", help="Only answer questions.", show_default=False),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Answer questions about the graph and take commands over GraphQL, until Ctrl-C.

    GraphiQL, a page to try queries in, is at the same address.

    Examples:

        lineage serve
        lineage serve --port 9000 --data ~/graphs/work
        NEO4J_URI=neo4j://graph.example:7687 NEO4J_PASSWORD=… lineage serve
    """
    settings = read_settings(
        {
            "lineage_host": host,
            "lineage_port": port,
            "lineage_read_only": read_only,
            "lineage_data": data,
        }
    )
    if not (settings.serves_loopback_only or insecure):
        raise BadInput(
            f"Serving on {settings.lineage_host} would let everybody who can reach it read and "
            "change every conversation: there are no users or passwords yet. "
            "Serve on 127.0.0.1, or add --insecure if that is what you want."
        )
    samples = [path.expanduser().absolute() for path in import_if_empty or ()]
    # The port is taken before anything slow begins.
    with listen(settings.lineage_host, settings.lineage_port) as listening:
        with_graph(settings, lambda graph: _serve(graph, settings, listening, samples))


async def _serve(
    graph: ThreadGraph, settings: Settings, listening: socket.socket, samples: Sequence[Path]
) -> None:
    # Loading these takes a moment that no other command should wait for.
    from api.app import build_app  # noqa: PLC0415
    from cli.web_server import run_server  # noqa: PLC0415

    if samples and not await graph.has_threads():
        await _import(graph, samples)
    app = build_app(
        # Opened before the server starts: what goes wrong then is said in plain words,
        # and Ctrl-C ends it at once.
        open_graph=lambda: nullcontext(graph),
        introspection=settings.lineage_introspection,
        max_body_bytes=settings.lineage_max_body_bytes,
        allowed_hosts=settings.allowed_hosts,
        read_only=settings.lineage_read_only,
        kept_bytes=settings.lineage_kept_answers_bytes,
    )
    REMARKS.print(f"GraphQL and GraphiQL are at [bold]{_address(listening)}/graphql[/bold]")
    REMARKS.print("Ctrl-C ends it.", style="faint")
    with first_failure():
        async with anyio.create_task_group() as beside:
            days = settings.lineage_receipts_days
            if days and not settings.lineage_read_only and isinstance(graph, CommandGraph):
                beside.start_soon(_forget_receipts, graph, days)
            await run_server(app, listening)
            beside.cancel_scope.cancel()


async def _forget_receipts(graph: CommandGraph, days: int) -> None:
    """At first after a while: a service that has just started has something else to do."""
    await keep_forgetting_receipts(
        graph,
        days=days,
        clock=lambda: datetime.now(UTC),
        pause=lambda: anyio.sleep(FORGETTING_SECONDS),
    )


async def _import(graph: ThreadGraph, paths: Sequence[Path]) -> None:
    order = ImportOrder(importers=known_importers(), selection=Selection(paths=paths), clock=now)
    with progress_bar() as on_progress:
        report = await import_transcripts(graph, order, on_progress)
    print_summary(report)


def _address(listening: socket.socket) -> str:
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
