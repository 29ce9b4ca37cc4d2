"""What a person sees while the local Neo4j starts: once a download, then some seconds."""

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
    from collections.abc import Generator

    from graph.neo4j_jars import OnProgress


@contextmanager
def start_progress() -> Generator[OnProgress]:
    """What to call with the bytes of the download; drawn on a terminal, else one line."""
    waiting = REMARKS.status("Starting the local Neo4j")
    download = Progress(
        TextColumn("Downloading Neo4j, once"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=REMARKS,
        transient=True,
        disable=not REMARKS.is_terminal,
    )
    task = download.add_task("")
    begun: list[int] = []

    def show(done: int, total: int) -> None:
        # A terminal shows one of the two at a time.
        if not begun:
            begun.append(total)
            waiting.stop()
            download.start()
            if not REMARKS.is_terminal:
                REMARKS.print(f"Downloading Neo4j, once ({total / 1e6:,.0f} MB).")
        download.update(task, completed=done, total=total)
        if done >= total:
            download.stop()
            waiting.start()

    waiting.start()
    try:
        yield show
    finally:
        download.stop()
        waiting.stop()
