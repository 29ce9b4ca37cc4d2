"""What there is to import, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from rich.filesize import decimal
from rich.text import Text

from cli.terminal import counted, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from graph.model import Timestamp
    from importers.contract import Skip
    from resolvers.find_transcripts import FoundTranscripts


class FoundRow(msgspec.Struct, frozen=True, rename="camel"):
    """The conversations of one tool: where they lie, how many, how large, what was left out."""

    tool: str
    paths: Sequence[str]
    threads: int
    files: int
    bytes: int
    changed_at: Timestamp | None
    skipped: Sequence[Skip]


def print_found(found: Sequence[FoundTranscripts], console: Console) -> None:
    """Print a line for each tool: how much there is, and where."""
    for each in found:
        places = ", ".join(str(path) for path in each.paths)
        threads = counted(len(each.plan.sources), "thread")
        files = counted(each.plan.files, "file")
        changed = f", last on {each.changed_at[:10]}" if each.changed_at else ""
        line = Text.assemble(
            (each.importer.driver, "bold"),
            f"  {threads} in {files}, {decimal(each.size)}{changed}",
            (f"  {places}", "faint"),
        )
        console.print(line, soft_wrap=True)


def print_found_json(found: Sequence[FoundTranscripts]) -> None:
    """Print the same as one line of JSON."""
    print_json(
        [
            FoundRow(
                tool=each.importer.driver,
                paths=[str(path) for path in each.paths],
                threads=len(each.plan.sources),
                files=each.plan.files,
                bytes=each.size,
                changed_at=each.changed_at,
                skipped=each.plan.skips,
            )
            for each in found
        ]
    )
