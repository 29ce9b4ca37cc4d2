"""What an import did, for people and for programs."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.model import EdgeKind, ThreadId
from importers.contract import Skip
from resolvers.reading import edges_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph.records import ThreadRecord, TransferRecord

EXAMPLES_OF_A_REASON = 5


class ImportReport(msgspec.Struct, rename="camel"):
    """What was read and written so far.

    *runs*, *items* and *edges* count what was written, not what was already there.
    *threads_not_read* are those of the unchanged whose files were not even read; what was left
    out of them is not told again. *skipped* counts by reason what was left out; *examples* holds
    the first few of each reason. *conflicts* are threads whose id another tool's thread has.
    *placeholders* counts threads that edges name and nobody has recorded.
    """

    files: int = 0
    bytes: int = 0
    threads_written: int = 0
    threads_unchanged: int = 0
    threads_not_read: int = 0
    runs: int = 0
    items: int = 0
    edges: Counter[EdgeKind] = msgspec.field(default_factory=Counter[EdgeKind])
    skipped: Counter[str] = msgspec.field(default_factory=Counter[str])
    examples: list[Skip] = msgspec.field(default_factory=list[Skip])
    conflicts: list[ThreadId] = msgspec.field(default_factory=list[ThreadId])
    placeholders: int = 0
    seconds: float = 0.0

    @property
    def threads(self) -> int:
        """How many threads the transcripts gave, written or not."""
        return self.threads_written + self.threads_unchanged

    def add_written(self, thread: ThreadRecord, transfers: Iterable[TransferRecord] = ()) -> None:
        """Count a thread that was written, with what it holds."""
        self.threads_written += 1
        self.runs += len(thread.runs)
        self.items += len(thread.items.items)
        self.edges.update(kind for kind, _ in edges_of(thread, transfers))

    def add_skips(self, skips: Iterable[Skip]) -> None:
        """Count what was left out."""
        for skip in skips:
            self.skipped[skip.reason] += 1
            if self.skipped[skip.reason] <= EXAMPLES_OF_A_REASON:
                self.examples.append(skip)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportProgress:
    """How far an import is: of the sources and bytes of the plan, and what it found so far."""

    sources: int
    sources_done: int
    bytes: int
    bytes_done: int
    threads: int
    items: int
