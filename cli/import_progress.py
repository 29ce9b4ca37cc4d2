"""The progress of an import, for people who wait for it."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.progress import (
    BarColumn,
    DownloadColumn,
    Progress,
    TextColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)

from cli.terminal import REMARKS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from resolvers.import_report import ImportProgress


@contextmanager
def progress_bar() -> Generator[Callable[[ImportProgress], None]]:
    """What to call with each progress; drawn where standard error is a terminal, else nothing."""
    columns = (
        TextColumn("Importing"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}", style="faint"),
    )
    with Progress(
        *columns, console=REMARKS, transient=True, disable=not REMARKS.is_terminal
    ) as progress:
        task = progress.add_task("looking for transcripts", total=None)

        def show(now: ImportProgress) -> None:
            words = f"{now.threads:,} threads, {now.items:,} items"
            progress.update(task, description=words, total=now.bytes, completed=now.bytes_done)

        yield show
