"""``lineage delta``: what a merge-back of a fork would bring back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from cli.options import AsJson, DataFolder
from cli.telling import Answer, look_up, meant, print_lines
from cli.terminal import counted, first_line, print_json
from cli.transfer_words import next_step

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from graph.store import ThreadGraph

TEXT_WIDTH = 90

DELTA = """query($fork: String!, $run: String, $first: Int) {
    mergeBackDelta(forkThreadId: $fork, runId: $run) {
        forkThreadId intoThreadId base { ...Point } tip { ...Point } runs { ...RunFacts }
        items(first: $first) { totalCount edges { node {
            itemId threadId runId position kind role text status at } } }
        itemCount alreadyDelivered filesChanged } }"""


def delta(
    fork: Annotated[
        str, typer.Argument(metavar="FORK", help="The fork, or the beginning of its id.")
    ],
    *,
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="RUN", help="Up to this run.", show_default=False),
    ] = None,
    limit: Annotated[
        int, typer.Option("--limit", min=1, max=500, help="How many items are shown at most.")
    ] = 20,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """Show what a merge-back of a fork would bring back to its source.

    What an earlier merge-back has delivered is counted, not shown again.

    Examples:

        lineage delta try-2
        lineage delta try-2 --json | jq .mergeBackDelta.filesChanged
    """

    async def asked(graph: ThreadGraph) -> Mapping[str, object]:
        return {"fork": await meant(graph, fork), "run": run, "first": limit}

    answer = look_up(DELTA, data, asked)
    if as_json:
        print_json(answer)
    else:
        print_lines(_lines(answer["mergeBackDelta"]))


def _lines(found: Answer | None) -> Iterator[Text | str]:
    if found is None:
        yield "Nothing can be merged back: it is no fork, or it has no run that can be built on."
        return
    fork, into, tip = found["forkThreadId"], found["intoThreadId"], found["tip"]["runId"]
    runs, items = counted(len(found["runs"]), "run"), counted(found["itemCount"], "item")
    yield f"{fork} would bring back to {into}: {items} of {runs}, up to run {tip}."
    if found["alreadyDelivered"]:
        yield f"Delivered before, and left out: {counted(found['alreadyDelivered'], 'item')}."
    shown = found["items"]["edges"]
    for edge in shown:
        item = edge["node"]
        words = first_line(item["text"], TEXT_WIDTH)
        yield Text.assemble((f"  {item['role'] or '':<10}{item['kind']:<12}  ", "faint"), words)
    if len(shown) < found["itemCount"]:
        yield Text(f"  … and {found['itemCount'] - len(shown):,} more", "faint")
    if found["filesChanged"]:
        yield f"Files changed: {', '.join(found['filesChanged'])}"
    yield next_step("To bring it back:", f"lineage merge-back {fork} --run {tip}")
