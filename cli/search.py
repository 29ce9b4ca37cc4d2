"""``lineage search``: threads by a text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from cli.graph_connection import with_graph
from cli.options import AsJson, DataFolder
from cli.settings import read_settings
from cli.terminal import ANSWERS, REMARKS, first_line, print_json, status_style
from graph.questions import ThreadFilter, ThreadOrder, ThreadsQuestion

if TYPE_CHECKING:
    from graph.model import Thread
    from graph.questions import Page
    from graph.store import ThreadGraph

NAME_WIDTH = 70
MOST = 100


def search(
    text: Annotated[str, typer.Argument(help="A part of a name, a title or a first message.")],
    *,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=MOST, help="How many threads at most.")
    ] = 20,
    archived: Annotated[
        bool, typer.Option("--archived", help="Search what is archived instead.")
    ] = False,
    spawned: Annotated[
        bool, typer.Option("--spawned", help="Search what agents and programs started, too.")
    ] = False,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Find threads by a part of their name, title or beginning, the latest first.

    Capital letters count. Threads that other threads spawned are searched with --spawned alone.

    Examples:

        lineage search "flaky test"
        lineage search --spawned "review of"
        lineage search login --limit 5 --json | jq -r '.threads[].threadId'
    """
    settings = read_settings({"lineage_data": data})
    question = ThreadsQuestion(
        filter=ThreadFilter(search=text, archived=archived, include_spawned=spawned),
        order=ThreadOrder.RECENCY_DESC,
        first=limit,
    )
    page = with_graph(settings, lambda graph: _ask(graph, question))
    if as_json:
        print_json({"threads": list(page.rows), "more": page.has_next})
        return
    for thread in page.rows:
        ANSWERS.print(_line(thread), soft_wrap=True)
    if not page.rows:
        where = "archived thread" if archived else "thread"
        words = f"Nothing found: no {where} has {text!r} in its name, title or first message."
        more = "" if spawned else " --spawned searches what agents and programs started, too."
        ANSWERS.print(Text(words + more))
    elif page.has_next:
        more = "--limit shows more" if limit < MOST else "a longer text finds fewer"
        REMARKS.print(f"There are more than these {limit}; {more}.", style="faint")


async def _ask(graph: ThreadGraph, question: ThreadsQuestion) -> Page[Thread]:
    return await graph.threads(question)


def _line(thread: Thread) -> Text:
    when = (thread.recency_at or "")[:16].replace("T", " ")
    line = Text.assemble((f"{when}  ", "faint"))
    line.append(first_line(thread.name or thread.title or thread.preview, NAME_WIDTH), "bold")
    if thread.status is not None:
        line.append(f"  {thread.status}", status_style(thread.status))
    return line.append(f"  {thread.thread_id}", "faint")
