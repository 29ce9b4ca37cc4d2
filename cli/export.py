"""``lineage export``: a whole lineage for other programs."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, assert_never

import typer

from cli.graph_connection import with_graph
from cli.options import DataFolder, ThreadWords
from cli.settings import read_settings
from cli.terminal import REMARKS
from graph.questions import LineageDirection, LineageQuestion
from resolvers.export_lineage import Json, Mermaid, export_lineage
from resolvers.find_thread import find_thread

if TYPE_CHECKING:
    from collections.abc import Generator

    from graph.questions import Truncation
    from graph.store import ThreadGraph
    from resolvers.export_lineage import Format, Sink

PAGE = 1_000


class Formats(StrEnum):
    """How a lineage is written down."""

    JSON = "json"
    MERMAID = "mermaid"


class Directions(StrEnum):
    """Which part of the tree."""

    WHOLE_TREE = "whole-tree"
    ANCESTORS = "ancestors"
    DESCENDANTS = "descendants"


def export(
    thread: ThreadWords,
    *,
    form: Annotated[
        Formats, typer.Option("--format", help="JSON with all fields, or a flowchart.")
    ] = Formats.JSON,
    direction: Annotated[
        Directions, typer.Option("--direction", help="Which part of the tree.")
    ] = Directions.WHOLE_TREE,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Where to, instead of the terminal."),
    ] = None,
    data: DataFolder = None,
) -> None:
    """Write the whole tree of a thread down, for other programs.

    JSON has all fields of the threads and edges. Mermaid is a flowchart that GitHub and many
    editors show.

    Examples:

        lineage export 01a22c1b-3c70 --output tree.json
        lineage export 01a22c1b-3c70 --format mermaid --direction ancestors
    """
    settings = read_settings({"lineage_data": data})
    with _sink(output) as sink:

        async def work(graph: ThreadGraph) -> Truncation | None:
            question = LineageQuestion(
                thread_id=await find_thread(graph, thread),
                direction=LineageDirection[direction.name],
                max_nodes=PAGE,
            )
            return await export_lineage(graph, question, _format(form, sink))

        truncation = with_graph(settings, work)
    if truncation is not None:
        REMARKS.print(f"Cut off {truncation.limit} levels away.", style="interrupted")


def _format(form: Formats, sink: Sink) -> Format:
    match form:
        case Formats.JSON:
            return Json(sink)
        case Formats.MERMAID:
            return Mermaid(sink)
        case _:
            assert_never(form)


@contextmanager
def _sink(output: Path | None) -> Generator[Sink]:
    """Standard output, or a file that appears when it is whole."""
    if output is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    unfinished = output.with_name(f"{output.name}.part")
    try:
        with unfinished.open("w", encoding="utf-8") as file:
            yield file
        unfinished.replace(output)
    finally:
        unfinished.unlink(missing_ok=True)
