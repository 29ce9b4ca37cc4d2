"""``lineage integrity``: whether what is stored is sound."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from rich.text import Text

from cli.graph_connection import with_graph
from cli.options import AsJson, DataFolder
from cli.plain_errors import NOT_DONE
from cli.settings import read_settings
from cli.terminal import ANSWERS, counted, print_json

if TYPE_CHECKING:
    from graph.questions import IntegrityReport
    from graph.store import ThreadGraph


def integrity(*, as_json: AsJson = False, data: DataFolder = None) -> None:
    """Check whether the stored graph is sound, and say what is wrong and what to do.

    Places, sums, numbers and owners are worked out anew from what is stored. In a large graph that
    takes minutes. Exit code 1 says that something is wrong.

    Examples:

        lineage integrity
        lineage integrity --json | jq '.findings[].rule'
    """
    settings = read_settings({"lineage_data": data})
    report = with_graph(settings, _ask)
    if as_json:
        print_json({"findings": report.findings, "unconfirmedStarts": report.unconfirmed_starts})
    else:
        _say(report)
    if report.findings:
        raise typer.Exit(NOT_DONE)


async def _ask(graph: ThreadGraph) -> IntegrityReport:
    return await graph.integrity()


def _say(report: IntegrityReport) -> None:
    for finding in report.findings:
        line = Text.assemble((finding.rule, "failed"), f"  {finding.message}")
        ANSWERS.print(line, soft_wrap=True)
    for run in report.unconfirmed_starts:
        line = Text(f"Run {run.run_id} is {run.status} and was never confirmed.", "interrupted")
        ANSWERS.print(line, soft_wrap=True)
    if report.findings:
        ANSWERS.print(f"{counted(len(report.findings), 'fault')} found.")
    else:
        ANSWERS.print("The graph is sound.")
