"""``lineage import``: transcripts on disk become a graph."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import anyio
import typer

from cli.found_transcripts import print_found, print_found_json
from cli.graph_connection import with_graph
from cli.import_progress import progress_bar
from cli.import_summary import print_summary
from cli.options import AsJson, DataFolder
from cli.plain_errors import INTERRUPTED, NOT_DONE, say_error
from cli.settings import read_settings
from cli.since import read_since
from cli.terminal import ANSWERS, REMARKS, print_json
from graph.model import Timestamp
from importers.contract import Content, ReadOptions
from importers.known import known_importers
from resolvers.find_transcripts import Selection, find_transcripts
from resolvers.follow_transcripts import follow_transcripts
from resolvers.import_transcripts import ImportOrder, import_transcripts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from graph.errors import LineageError
    from graph.store import ThreadGraph
    from resolvers.find_transcripts import FoundTranscripts
    from resolvers.import_report import ImportReport

STOPPED = "Stopped. What was written stays; the same command goes on from there."


def import_(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Homes, folders or single transcripts; without any, where Codex, Claude Code, "
            "pi and OpenCode keep theirs.",
            show_default=False,
        ),
    ] = None,
    *,
    tool: Annotated[
        list[str] | None,
        typer.Option(
            "--tool",
            metavar="NAME",
            help="Only this tool's: codex, claude, pi or opencode; can be given several times.",
            show_default=False,
        ),
    ] = None,
    since: Annotated[
        str | None,
        typer.Option(
            "--since",
            metavar="WHEN",
            help="Only conversations written to since then: 2026-11-30, or how long ago: 7d, 12h.",
            show_default=False,
        ),
    ] = None,
    project: Annotated[
        Path | None,
        typer.Option(
            "--project",
            metavar="DIR",
            help="Only conversations that work in this folder or below it.",
            show_default=False,
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what there is to import, and import nothing.")
    ] = False,
    again: Annotated[
        bool,
        typer.Option("--again", help="Read also what has not changed since it was imported."),
    ] = False,
    content: Annotated[
        Content,
        typer.Option("--content", help="How much of the conversations' text to keep."),
    ] = Content.FULL,
    redact: Annotated[
        bool, typer.Option("--redact", help="Replace keys, tokens and passwords in texts.")
    ] = False,
    provider: Annotated[
        str | None,
        typer.Option(
            "--provider",
            metavar="NAME",
            help="The account that the threads belong to; else the tool's name.",
            show_default=False,
        ),
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="Go on importing what changes, until Ctrl-C.")
    ] = False,
    workers: Annotated[
        int | None,
        typer.Option(
            "--workers",
            metavar="N",
            min=0,
            max=64,
            help="How many processes read; instead of LINEAGE_IMPORT_WORKERS.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Read transcripts into the graph.

    Nothing in the folders is ever changed. Importing again, in parts or after the files grew
    changes nothing that is already right, and reads only what changed. What can't be read is
    left out and counted.

    Examples:

        lineage import
        lineage import --dry-run
        lineage import --tool claude --since 7d --project ~/work/shop
        lineage import ~/.codex/sessions/2026/11 --content preview
        lineage import --redact --watch
        lineage import /backup/codex-home --provider work --json
    """
    settings = read_settings({"lineage_data": data, "lineage_import_workers": workers})
    selection = Selection(
        paths=tuple(path.expanduser().absolute() for path in paths or ()),
        drivers=tuple(tool or ()),
        since=None if since is None else read_since(since, datetime.now().astimezone()),
        project=None if project is None else project.expanduser().absolute(),
    )
    if dry_run:
        _say_found(selection, as_json=as_json)
        return
    order = ImportOrder(
        importers=known_importers(),
        selection=selection,
        options=ReadOptions(content=content, redact=redact, provider=provider),
        processes=settings.lineage_import_workers,
        again=again,
        clock=now,
    )
    say = print_json if as_json else print_summary
    try:
        if watch:
            with_graph(settings, lambda graph: _follow(graph, order, say))
            return
        report = with_graph(settings, lambda graph: _import(graph, order, quietly=as_json))
    except KeyboardInterrupt:
        REMARKS.print(STOPPED, style="interrupted")
        raise typer.Exit(INTERRUPTED) from None
    say(report)
    if report.threads == 0:
        say_error("No conversation could be read.")
        raise typer.Exit(NOT_DONE)


def now() -> Timestamp:
    """The time, as the graph writes it."""
    at = datetime.now(UTC).replace(tzinfo=None)
    return Timestamp(f"{at.isoformat(timespec='microseconds')}Z")


def _say_found(selection: Selection, *, as_json: bool) -> None:
    found = anyio.run(find_transcripts, known_importers(), selection)
    if as_json:
        print_found_json(found)
        return
    print_found(found, ANSWERS)
    ANSWERS.print("Nothing was imported.", style="faint")


async def _import(graph: ThreadGraph, order: ImportOrder, *, quietly: bool) -> ImportReport:
    def say(found: Sequence[FoundTranscripts]) -> None:
        if not quietly:
            print_found(found, REMARKS)

    with progress_bar() as on_progress:
        return await import_transcripts(graph, order, on_progress, say)


async def _follow(
    graph: ThreadGraph, order: ImportOrder, say: Callable[[ImportReport], None]
) -> None:
    await follow_transcripts(graph, order, on_report=say, on_trouble=_say_trouble)


def _say_trouble(error: LineageError) -> None:
    REMARKS.print(f"{error} It is tried again.", style="interrupted")
