"""``lineage database``: the local Neo4j, started, stopped and looked at by hand."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from cli.graph_connection import start_local
from cli.options import AsJson, DataFolder
from cli.plain_errors import NOT_DONE
from cli.settings import read_settings
from cli.terminal import ANSWERS, REMARKS, print_json
from graph.local_neo4j import status as status_of
from graph.local_neo4j import stop as stop_server

if TYPE_CHECKING:
    from pathlib import Path

    from graph.local_neo4j import LocalNeo4jStatus

app = typer.Typer(
    help="The local Neo4j: start it, stop it, see how it is.\n\n"
    "Commands start it when they need it, and it ends when nobody uses it; "
    "nothing here is needed for daily use.",
    no_args_is_help=True,
)


@app.command()
def start(
    *,
    data: DataFolder = None,
    idle: Annotated[
        int | None,
        typer.Option(
            metavar="SECONDS",
            help="How long it stays up when nobody uses it, "
            "instead of LINEAGE_DATABASE_IDLE_SECONDS.",
            show_default=False,
        ),
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(
            help="Where it listens, instead of LINEAGE_DATABASE_PORT; 0 takes a free port.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Start the local Neo4j, or find the running one, and say how to reach it.

    Example:

        lineage database start --idle 7200
    """
    flags = {
        "lineage_data": data,
        "lineage_database_idle_seconds": idle,
        "lineage_database_port": port,
    }
    settings = read_settings(flags)
    if settings.neo4j_uri is not None:
        REMARKS.print(
            "NEO4J_URI is set, so the other commands use that Neo4j, not the local one.",
            style="faint",
            soft_wrap=True,
        )
    start_local(settings)
    _show(settings.lineage_data, as_json=as_json)


@app.command()
def stop(*, data: DataFolder = None) -> None:
    """Stop the local Neo4j, also when it is in use, and wait until it has ended.

    Nothing is lost: the next command that needs it starts it with the same data.
    """
    settings = read_settings({"lineage_data": data})
    began = time.monotonic()
    with REMARKS.status("Stopping the local Neo4j"):
        was_running = stop_server(settings.lineage_data)
    if was_running:
        seconds = time.monotonic() - began
        words = f"Stopped after {seconds:.1f} s. Its data is in {settings.lineage_data}."
        ANSWERS.print(words, soft_wrap=True)
    else:
        ANSWERS.print(f"No local Neo4j runs for {settings.lineage_data}.", soft_wrap=True)


@app.command()
def status(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Say how to reach the local Neo4j and how it is.

    The exit code is 1 where none runs. The password is in the file that is named.
    """
    _show(read_settings({"lineage_data": data}).lineage_data, as_json=as_json)


def _show(data_dir: Path, *, as_json: bool) -> None:
    found = status_of(data_dir)
    if as_json:
        rows = {} if found is None else _facts(found)
        print_json({"running": found is not None, **rows})
    elif found is None:
        ANSWERS.print(f"No local Neo4j runs for {data_dir}.", soft_wrap=True)
    else:
        ANSWERS.print(_lines(found), soft_wrap=True)  # a path is never cut
    if found is None:
        raise typer.Exit(NOT_DONE)


def _facts(found: LocalNeo4jStatus) -> dict[str, object]:
    return {
        "uri": found.server.uri,
        "user": found.server.user,
        "database": found.server.database,
        "passwordFile": str(found.password_file),
        "dataFolder": str(found.server.data_dir),
        "version": found.server.version,
        "pid": found.server.pid,
        "startedAt": found.started_at,
        "memoryBytes": found.memory_bytes,
        "leases": found.leases,
        "idleSeconds": found.idle_seconds,
        "idleLeftSeconds": found.idle_left_seconds,
        "log": str(found.log),
    }


def _lines(found: LocalNeo4jStatus) -> Text:
    rows = {
        "address": found.server.uri,
        "user": found.server.user,
        "password": f"in the file {found.password_file}",
        "data": str(found.server.data_dir),
        "version": f"Neo4j {found.server.version}",
        "process": f"{found.server.pid}, {found.memory_bytes / 1e6:,.0f} MB of memory",
        "ends": _end(found),
        "log": str(found.log),
    }
    lines = [Text.assemble((f"{name:<10}", "faint"), words) for name, words in rows.items()]
    return Text("\n").join(lines)


def _end(found: LocalNeo4jStatus) -> str:
    if found.idle_left_seconds is None:
        users = "a command uses" if found.leases == 1 else f"{found.leases} commands use"
        return f"not while {users} it, then after {found.idle_seconds:,.0f} s"
    return f"in {found.idle_left_seconds:,.0f} s, unless it is used"
