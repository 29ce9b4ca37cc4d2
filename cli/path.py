"""``lineage path``: how two threads are connected."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from cli.graph_connection import with_graph
from cli.options import AsJson, DataFolder
from cli.settings import read_settings
from cli.terminal import ANSWERS, first_line, print_json, status_style
from graph.model import EdgeKind
from resolvers.find_thread import find_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import LineageEdge, Thread
    from graph.questions import LineagePath
    from graph.store import ThreadGraph

NAME_WIDTH = 60
DOWN = {
    EdgeKind.FORK: "was forked into",
    EdgeKind.SPAWN: "spawned",
    EdgeKind.PARENT: "has the child",
}
UP = {
    EdgeKind.FORK: "is a fork of",
    EdgeKind.SPAWN: "was spawned by",
    EdgeKind.PARENT: "is a child of",
}

End = Annotated[
    str, typer.Argument(help="A thread's id, or as much of its beginning as no other has.")
]


def path(start: End, end: End, *, as_json: AsJson = False, data: DataFolder = None) -> None:
    """Tell how two threads are connected, over the fewest forks and spawns.

    The way may lead up and down, and into another tree through a thread that hangs on both.

    Examples:

        lineage path 01a22c1b-3c70 01a22c1b-4520
        lineage path 01a22c1b-3c70 01a22c1b-4520 --json | jq '.path.edges | length'
    """
    settings = read_settings({"lineage_data": data})
    found = with_graph(settings, lambda graph: _ask(graph, start, end))
    if as_json:
        told = None if found is None else {"nodes": found.nodes, "edges": found.edges}
        print_json({"path": told})
        return
    if found is None:
        ANSWERS.print("The two threads are not connected.")
        return
    for line in _lines(found):
        ANSWERS.print(line, soft_wrap=True)


async def _ask(graph: ThreadGraph, start: str, end: str) -> LineagePath | None:
    return await graph.path(await find_thread(graph, start), await find_thread(graph, end))


def _lines(found: LineagePath) -> Iterator[Text]:
    for position, thread in enumerate(found.nodes):
        if position:
            yield _edge(found.edges[position - 1], found.nodes[position - 1])
        yield _thread(thread)


def _edge(edge: LineageEdge, above: Thread) -> Text:
    """What the thread of the line above did with the one below."""
    words = DOWN if edge.from_thread_id == above.thread_id else UP
    line = Text(f"  {words[edge.kind]}", "faint")
    if edge.run_id is not None:
        line.append(f"  in run {edge.run_id.removeprefix(f'{edge.from_thread_id}/')}")
    return line


def _thread(thread: Thread) -> Text:
    name = thread.name or thread.title or thread.agent_path or thread.preview
    line = Text(first_line(name, NAME_WIDTH) if thread.recorded else "not imported", "bold")
    if thread.status is not None:
        line.append(f"  {thread.status}", status_style(thread.status))
    return line.append(f"  {thread.thread_id}", "faint")
