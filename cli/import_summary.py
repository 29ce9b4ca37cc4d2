"""What an import says when it is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.filesize import decimal
from rich.text import Text

from cli.terminal import ANSWERS, counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from importers.contract import Skip
    from resolvers.import_report import ImportReport


def print_summary(report: ImportReport) -> None:
    """Print what was written, what was there already, and what was left out and why."""
    for line in _lines(report):
        ANSWERS.print(line, soft_wrap=True)


def _lines(report: ImportReport) -> Iterator[Text]:
    rate = f", {report.threads / report.seconds:,.0f} threads/s" if report.seconds else ""
    yield Text.assemble(
        (f"{report.threads_written:,} threads written", "bold"),
        f", {report.threads_unchanged:,} unchanged, from {counted(report.files, 'file')} "
        f"({decimal(report.bytes)}) in {report.seconds:.1f} s{rate}.",
    )
    if report.threads_not_read:
        words = "had not changed since they were imported, and were not read (--again reads all)"
        yield Text(f"  {counted(report.threads_not_read, 'thread')} {words}", "faint")
    yield Text(f"  {counted(report.runs, 'run')}, {counted(report.items, 'item')}")
    edges = [
        counted(number, kind.lower().replace("_", " "))
        for kind, number in sorted(report.edges.items())
    ]
    if edges:
        yield Text(f"  {', '.join(edges)}")
    if report.placeholders:
        words = "named by others, but never imported"
        yield Text(f"  {counted(report.placeholders, 'thread')} {words}", "faint")
    for thread_id in report.conflicts:
        words = f"  {thread_id}: left out, another tool's thread has this id"
        yield Text(words, "interrupted")
    yield from _skipped(report.skipped, report.examples)


def _skipped(skipped: Mapping[str, int], examples: list[Skip]) -> Iterator[Text]:
    if skipped:
        yield Text("Left out:", "interrupted")
    for reason, number in sorted(skipped.items()):
        yield Text(f"  {number:,} x {reason.replace('-', ' ')}", "interrupted")
        for skip in examples:
            if skip.reason == reason:
                line = "" if skip.line is None else f":{skip.line}"
                detail = f"  {skip.detail}" if skip.detail else ""
                yield Text(f"      {skip.path}{line}{detail}", "faint")
