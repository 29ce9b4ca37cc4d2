"""``lineage doctor``: what works, and what to do about what does not."""

from __future__ import annotations

import typer
from rich.text import Text

from cli.doctor_checks import Finding, State, examine
from cli.options import AsJson, DataFolder
from cli.plain_errors import NOT_DONE
from cli.settings import read_settings
from cli.terminal import ANSWERS, print_json
from importers.known import known_importers

SUBJECT_WIDTH = 18
MARKS = {State.OK: ("✓", "completed"), State.NOTE: ("·", "faint"), State.PROBLEM: ("✗", "failed")}


def doctor(*, as_json: AsJson = False, data: DataFolder = None) -> None:
    """Say what is configured and works, and what to do about what does not.

    Nothing is started or changed. The exit code is 1 where something does not work.

    Examples:

        lineage doctor
        lineage doctor --json | jq '.[] | select(.state == "problem")'
    """
    settings = read_settings({"lineage_data": data})
    findings: list[Finding] = []
    for finding in examine(settings, known_importers()):
        findings.append(finding)
        if not as_json:
            ANSWERS.print(_line(finding), soft_wrap=True)
    if as_json:
        print_json(findings)
    if any(finding.state is State.PROBLEM for finding in findings):
        raise typer.Exit(NOT_DONE)


def _line(finding: Finding) -> Text:
    mark, style = MARKS[finding.state]
    line = Text.assemble(
        (f"{mark} ", style), (f"{finding.subject:<{SUBJECT_WIDTH}}", "faint"), finding.words
    )
    if finding.remedy is not None:
        line.append(f"\n  {'':<{SUBJECT_WIDTH}}{finding.remedy}", "interrupted")
    return line
