"""What every importer offers, whatever tool's transcripts it reads.

An importer is asked three things, in this order: whether it recognizes a path, what there is to
read in it (a *plan*, cheap), and to read one thread of the plan (in any process, in any order).
It reads files only, writes none, and knows no store.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from graph.model import ThreadId, Timestamp
    from graph.records import ItemRecord, SpawnRecord, ThreadRecord, TransferRecord

MAX_TEXT_BYTES = 256 * 1024
"""An item's text over this size is cut; its size before that is kept."""

PREVIEW_CHARACTERS = 200
"""How much of a text ``Content.PREVIEW`` keeps."""


IDLE_SECONDS = 15 * 60
"""A turn that never ended was interrupted once its file has been silent for so long."""


class Content(StrEnum):
    """How much text the items carry."""

    FULL = "full"
    PREVIEW = "preview"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """What the user chose about reading; *provider* is the account's name, else the driver's.

    *now* is the time of the import. A turn that never ended in a file silent for a while before
    it was interrupted; without *now* every such turn was.
    """

    content: Content = Content.FULL
    redact: bool = False
    provider: str | None = None
    now: Timestamp | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Skip:
    """One thing that was left out; *reason* is a stable word to count by, *line* from 1."""

    path: str
    line: int | None = None
    reason: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One thread to read, with all of its files.

    *fingerprint* changes whenever one of the files or what is known about the thread from
    elsewhere changes, and is the same in every process, so that what did not change is not read
    again. *changed_at* tells when the conversation was last written to and *cwd* the folder that
    it works in, as far as a plan knows them. *context* is the importer's own and means nothing
    to anybody else. A source can be pickled.
    """

    thread_id: ThreadId
    paths: tuple[str, ...]
    size: int
    fingerprint: int
    changed_at: Timestamp | None = None
    cwd: str | None = None
    context: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What there is to read.

    *spawns* are edges that are known without a transcript of the child. Threads stand in
    *sources* once each, those that others continue or descend from first where that is known.
    """

    driver: str
    sources: tuple[Source, ...] = ()
    spawns: tuple[SpawnRecord, ...] = ()
    skips: tuple[Skip, ...] = ()
    files: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ThreadRead:
    """The thread, with all of its runs and edges, and the first of its items.

    ``thread.items.complete`` says whether that is all; otherwise ``thread.digest`` is ``None``
    and ``ItemsRead`` follow. *transfers* are those that the transcript proves; the digest covers
    them, so that they are written whenever they change.
    """

    thread: ThreadRecord
    transfers: tuple[TransferRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsRead:
    """The next items of the thread, in order of position, without a gap."""

    thread_id: ThreadId
    items: tuple[ItemRecord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadEnd:
    """The end of a source: what was read in all, and what was left out.

    *digest* is ``None`` where the source held no thread; *item_count* and *settled* are those of
    the whole thread.
    """

    thread_id: ThreadId
    item_count: int = 0
    settled: int = 0
    digest: str | None = None
    skips: tuple[Skip, ...] = ()
    bytes_read: int = 0


Part: TypeAlias = ThreadRead | ItemsRead | ReadEnd
"""What reading a source gives: at most one thread, then items, and always one end."""


class Importer(Protocol):
    """The transcripts of one tool.

    - Nothing that is read is ever written to, and no file is locked.
    - A path that is not there is ``SourceNotFound``; one that can't be a transcript of this tool
      is ``SourceNotRecognized``. Both are raised by ``plan``. Everything smaller (a bad line, a
      file among many, a database) is a skip, counted and never fatal.
    - Reading the same files in any grouping and order gives the same records.
    """

    @property
    def driver(self) -> str:
        """The word that the graph knows the tool by."""
        ...

    @property
    def reader(self) -> int:
        """The version of the reading: a newer one gives other records of some of the same files.

        Files that an older one read are read again, though they did not change.
        """
        ...

    def default_paths(self) -> tuple[Path, ...]:
        """Where the tool keeps its transcripts on this machine; empty when it has none."""
        ...

    def recognizes(self, path: Path) -> bool:
        """Whether the path holds transcripts of this tool, judged by what is in it."""
        ...

    def plan(self, paths: Sequence[Path]) -> Plan:
        """What there is to read below the paths; names, first lines and databases only."""
        ...

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        """The records of one source; can be called in another process."""
        ...
