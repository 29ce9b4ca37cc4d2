"""``lineage transfers``: what was handed from thread to thread, and what still waits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from cli.options import AsJson, DataFolder
from cli.telling import look_up, meant, print_lines, word_of
from cli.terminal import ANSWERS, REMARKS, print_json
from cli.transfer_words import transfer_line

if TYPE_CHECKING:
    from collections.abc import Mapping

    from graph.store import ThreadGraph

MOST = 500

TRANSFERS = """query($filter: TransferFilter, $first: Int) {
    transfers(filter: $filter, first: $first) {
        edges { node { ...TransferFacts } } pageInfo { hasNextPage } } }"""


def transfers(
    thread: Annotated[
        str | None,
        typer.Argument(
            metavar="THREAD",
            help="Those from or to this thread; the beginning of its id is enough.",
            show_default=False,
        ),
    ] = None,
    *,
    status: Annotated[
        list[str] | None,
        typer.Option(
            "--status",
            help="pending, resolved-native, resolved-portable, consumed, failed or superseded; "
            "may be given several times.",
            show_default=False,
        ),
    ] = None,
    kind: Annotated[
        list[str] | None,
        typer.Option(
            "--type",
            help="fork, provider-handoff, merge-back, subagent-spawn or subagent-result; "
            "may be given several times.",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", min=1, max=MOST, help="How many at most.")] = 50,
    as_json: AsJson = False,
    data: DataFolder = None,
) -> None:
    """List context transfers: what was handed where, and what still waits.

    They come by the time they were made.

    Examples:

        lineage transfers 01a22c1b-3c70
        lineage transfers --status pending --type merge-back
        lineage transfers --json | jq -r '.transfers[].transferId'
    """

    async def asked(graph: ThreadGraph) -> Mapping[str, object]:
        wanted = {
            "threadId": None if thread is None else await meant(graph, thread),
            "status": [word_of(word) for word in status or ()] or None,
            "type": [word_of(word) for word in kind or ()] or None,
        }
        given = {name: value for name, value in wanted.items() if value is not None}
        return {"filter": given, "first": limit}

    found = look_up(TRANSFERS, data, asked)["transfers"]
    shown, more = [edge["node"] for edge in found["edges"]], found["pageInfo"]["hasNextPage"]
    if as_json:
        print_json({"transfers": shown, "more": more})
        return
    print_lines(map(transfer_line, shown))
    if not shown:
        ANSWERS.print("There are no such transfers.")
    if more:
        words = "--limit shows more" if limit < MOST else "--status and --type find fewer"
        REMARKS.print(f"There are more than these {limit}; {words}.", style="faint")
