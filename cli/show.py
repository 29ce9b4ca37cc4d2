"""``lineage show``: one thread, where it came from, what came of it, and how to go on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.text import Text

from cli.graph_connection import with_graph
from cli.options import AsJson, DataFolder, ThreadWords
from cli.settings import read_settings
from cli.terminal import ANSWERS, counted, first_line, print_json, status_style
from cli.tree_drawing import handed_words
from graph.model import EdgeKind
from resolvers.continue_thread import CannotContinue, ContinueCommand
from resolvers.find_thread import find_thread
from resolvers.show_thread import Relative, ThreadFacts, show_thread

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import Run, Thread
    from graph.store import ThreadGraph

NAME_WIDTH = 100
SHORT_NAME_WIDTH = 50
LABEL_WIDTH = 10


def show(thread: ThreadWords, *, as_json: AsJson = False, data: DataFolder = None) -> None:
    """Show a thread: where it came from, what came of it, and how to go on.

    Its facts and its runs are shown too, and the command that continues it in its tool.

    Examples:

        lineage show 01a22c1b-3c70-7923-9903-9ae8952e0f3e
        lineage show 01a22c1b-3c70 --json | jq -r .continuation.command
    """
    settings = read_settings({"lineage_data": data})
    facts = with_graph(settings, lambda graph: _ask(graph, thread))
    if as_json:
        print_json(facts)
        return
    for line in _lines(facts):
        ANSWERS.print(line, soft_wrap=True)


async def _ask(graph: ThreadGraph, words: str) -> ThreadFacts:
    return await show_thread(graph, await find_thread(graph, words))


def _lines(facts: ThreadFacts) -> Iterator[Text]:
    yield Text(_name(facts.thread, NAME_WIDTH), "bold")
    for label, words, style in _facts(facts):
        if words:
            yield _fact(label, words, style)
    yield from _origins(facts)
    yield from _results(facts)
    yield from _runs(facts)
    yield Text("\nTo continue", "bold")
    match facts.continuation:
        case ContinueCommand(command):
            yield Text(f"  {command}")
        case CannotContinue(reason):
            yield Text(f"  Not possible: {reason}.", "interrupted")


def _origins(facts: ThreadFacts) -> Iterator[Text]:
    if facts.above:
        yield Text("\nWhere it came from", "bold")
    for relative in facts.above:
        line = _relative(relative, _from_words(relative))
        if relative.edge.run_id is not None:
            run = relative.edge.run_id.removeprefix(f"{relative.thread.thread_id}/")
            line.append(f"  in run {run}", "faint")
        yield line


def _results(facts: ThreadFacts) -> Iterator[Text]:
    if facts.below:
        yield Text("\nWhat came of it", "bold")
    for relative in facts.below:
        yield _relative(relative, _below_words(relative))
    if facts.more_below:
        words = f"  … and more: lineage tree {facts.thread.thread_id} --below"
        yield Text(words, "faint")


def _runs(facts: ThreadFacts) -> Iterator[Text]:
    if facts.runs:
        yield Text("\nRuns", "bold")
        yield from map(_run, facts.runs)
    if facts.run_count > len(facts.runs):
        yield Text(f"  … and {facts.run_count - len(facts.runs):,} more", "faint")


def _facts(facts: ThreadFacts) -> Iterator[tuple[str, str, str]]:
    thread = facts.thread
    yield "id", thread.thread_id, ""
    if not thread.recorded:
        yield "known", "only as the end of an edge; its transcript was never imported", "faint"
        return
    yield "status", thread.status or "", status_style(thread.status)
    holds = [counted(facts.run_count, "run"), counted(facts.item_count, "item")]
    if facts.window_count > 1:
        holds.append(counted(facts.window_count, "context window"))
    yield "holds", ", ".join(holds), ""
    tool = (thread.driver, thread.cli_version, thread.model, thread.originator)
    yield "tool", ", ".join(word for word in tool if word), ""
    place = (thread.cwd, thread.git_branch and f"branch {thread.git_branch}")
    yield "where", ", ".join(word for word in place if word), ""
    yield "created", thread.created_at or "", ""
    yield "updated", thread.updated_at or "", ""
    yield "archived", thread.archived_at or "", "faint"
    yield "deleted", thread.deleted_at or "", "failed"
    if thread.session_id != thread.thread_id:
        yield "session", thread.session_id or "", ""
    yield "file", thread.source_file or "", "faint"


def _fact(label: str, words: str, style: str) -> Text:
    return Text.assemble((f"  {label:<{LABEL_WIDTH}}", "faint"), (words, style))


def _name(thread: Thread, width: int) -> str:
    if not thread.recorded:
        return "A thread that was never imported"
    words = first_line(thread.name or thread.title or thread.preview, width)
    return words or thread.agent_path or thread.agent_nickname or "no title"


def _relative(relative: Relative, relation: tuple[str, str]) -> Text:
    words, style = relation
    name = _name(relative.thread, SHORT_NAME_WIDTH)
    return Text.assemble(
        (f"  {words}", style), f"  {name}", (f"  {relative.thread.thread_id}", "faint")
    )


def _from_words(relative: Relative) -> tuple[str, str]:
    edge = relative.edge
    match edge.kind:
        case EdgeKind.FORK if edge.context_only:
            return "with a copy of the context of", "fork"
        case EdgeKind.FORK:
            return "fork of", "fork"
        case EdgeKind.SPAWN:
            return f"spawned ({edge.status}) by", "spawn"
        case EdgeKind.PARENT:
            return "child of", "child"
        case EdgeKind.HISTORY_BASE:
            return "goes on from the history of", "faint"
        case EdgeKind.TRANSFER:
            return f"{handed_words(edge)} from", "fork"


def _below_words(relative: Relative) -> tuple[str, str]:
    edge = relative.edge
    match edge.kind:
        case EdgeKind.FORK if edge.context_only:
            return "copy of its context", "fork"
        case EdgeKind.FORK:
            return "fork", "fork"
        case EdgeKind.SPAWN:
            return f"spawned ({edge.status})", "spawn"
        case EdgeKind.PARENT:
            return relative.thread.agent_role or "child", "child"
        case EdgeKind.HISTORY_BASE:
            return "history that goes on from it", "faint"
        case EdgeKind.TRANSFER:
            return f"{handed_words(edge)} to", "fork"


def _run(run: Run) -> Text:
    kind = "" if run.kind == "TURN" else f"  {run.kind.lower()}"
    text = Text.assemble(
        (f"  {run.ordinal:>4}  ", "faint"),
        (f"{run.status:<12}", status_style(run.status)),
        f"{(run.started_at or '')[:19].replace('T', ' ')}",
        (kind, "child"),
    )
    if run.rolled_back_at is not None:
        text.append("  rolled back", "interrupted")
    if run.input_tokens is not None or run.output_tokens is not None:
        text.append(f"  {run.input_tokens or 0:,} in, {run.output_tokens or 0:,} out", "faint")
    if run.error:
        text.append(f"  {first_line(run.error, SHORT_NAME_WIDTH)}", "failed")
    return text
