"""``lineage tree``: the forks and spawns around a thread."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from cli.graph_connection import with_graph
from cli.options import AsJson, DataFolder, ThreadWords
from cli.settings import read_settings
from cli.terminal import ANSWERS, REMARKS, print_json
from cli.tree_drawing import draw_tree
from graph.questions import MAX_DEPTH, LineageDirection, LineageQuestion, TruncationReason
from resolvers.find_thread import find_thread

if TYPE_CHECKING:
    from graph.model import ThreadId
    from graph.questions import LineageGraph, Truncation
    from graph.store import ThreadGraph

MOST_NODES = 10_000


def tree(
    thread: ThreadWords,
    *,
    below: Annotated[
        bool, typer.Option("--below", help="Only the thread and what came of it.")
    ] = False,
    max_depth: Annotated[
        int, typer.Option("--max-depth", min=0, max=MAX_DEPTH, help="How many levels down.")
    ] = MAX_DEPTH,
    max_nodes: Annotated[
        int, typer.Option("--max-nodes", min=1, max=MOST_NODES, help="How many threads.")
    ] = 1_000,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Draw the tree of forks and spawns that a thread belongs to.

    The thread itself is marked. Threads that others name but that were never imported are drawn
    as `not imported`.

    Examples:

        lineage tree 01a22c1b-3c70-7923-9903-9ae8952e0f3e
        lineage tree 01a22c1b-3c70 --below --max-depth 2
        lineage tree 01a22c1b-3c70 --json | jq '.nodes | length'
    """
    settings = read_settings({"lineage_data": data})
    question = partial(
        LineageQuestion,
        direction=LineageDirection.DESCENDANTS if below else LineageDirection.WHOLE_TREE,
        max_depth=max_depth,
        max_nodes=max_nodes,
    )
    thread_id, lineage = with_graph(settings, lambda graph: _ask(graph, thread, question))
    if as_json:
        print_json(_answer(lineage))
        return
    for line in draw_tree(lineage, thread_id, width=_width()):
        ANSWERS.print(line, soft_wrap=not ANSWERS.is_terminal, crop=ANSWERS.is_terminal)
    if lineage.truncated is not None:
        REMARKS.print(_cut_off(lineage.truncated), style="interrupted")


async def _ask(
    graph: ThreadGraph, words: str, question: partial[LineageQuestion]
) -> tuple[ThreadId, LineageGraph]:
    thread_id = await find_thread(graph, words)
    return thread_id, await graph.lineage(question(thread_id=thread_id))


def _width() -> int:
    """The width to draw for; what is piped may be as wide as it needs."""
    return ANSWERS.width if ANSWERS.is_terminal else 3 * MAX_DEPTH + 100


def _answer(lineage: LineageGraph) -> dict[str, object]:
    return {
        "nodes": lineage.nodes,
        "edges": lineage.edges,
        "truncated": lineage.truncated,
        "version": lineage.version,
    }


def _cut_off(truncation: Truncation) -> str:
    match truncation.reason:
        case TruncationReason.NODES:
            return f"Cut off after {truncation.limit} threads; --max-nodes takes more."
        case TruncationReason.DEPTH:
            return f"Cut off {truncation.limit} levels down; --max-depth goes deeper."
