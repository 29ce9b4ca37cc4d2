"""An importer of a tool that does not exist: one small JSON file a thread.

It keeps the importers' contract, and does on demand what real transcripts can't be made to do:
fail in an unforeseen way, or take its process down.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import msgspec

from graph.model import Evidence, ItemId, Proof, RunId, ThreadId, Timestamp
from graph.records import ForkRecord, ItemRecord, ItemsRecord, RunRecord, SpawnRecord, ThreadRecord
from importers.contract import (
    ItemsRead,
    Part,
    Plan,
    ReadEnd,
    ReadOptions,
    Skip,
    Source,
    ThreadRead,
)

PART = 3
"""How many items a part holds."""

SUFFIX = ".note"
AT = Timestamp("2026-11-30T12:00:00.000000Z")


class Note(msgspec.Struct, frozen=True, kw_only=True):
    """What a file holds; *settled* ``None`` means all of the items."""

    thread_id: str
    items: tuple[str, ...] = ()
    settled: int | None = None
    runs: int = 0
    status: str = "completed"
    forked_from: str | None = None
    spawned_by: str | None = None
    title: str | None = None
    skips: int = 0
    fails: bool = False
    dies: bool = False


def write_note(folder: Path, note: Note) -> Path:
    """Write the note as a file of its thread's name."""
    path = folder / f"{note.thread_id}{SUFFIX}"
    path.write_bytes(msgspec.json.encode(note))
    return path


@dataclass(frozen=True, slots=True)
class NotesImporter:
    """Reads the notes of a folder, or single ones."""

    spawns: tuple[SpawnRecord, ...] = ()
    home: Path | None = None
    reader: int = 1

    @property
    def driver(self) -> str:
        return "notes"

    def default_paths(self) -> tuple[Path, ...]:
        return () if self.home is None else (self.home,)

    def recognizes(self, path: Path) -> bool:
        return path.is_dir() or path.suffix == SUFFIX

    def plan(self, paths: Sequence[Path]) -> Plan:
        files = sorted(
            file
            for path in paths
            for file in (path.glob(f"*{SUFFIX}") if path.is_dir() else [path])
        )
        sources = tuple(
            Source(
                thread_id=ThreadId(file.stem),
                paths=(str(file),),
                size=file.stat().st_size,
                fingerprint=int.from_bytes(blake2b(file.read_bytes(), digest_size=7).digest()),
                context=None,
            )
            for file in files
        )
        return Plan(driver="notes", sources=sources, spawns=self.spawns, files=len(files))

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        content = Path(source.paths[0]).read_bytes()
        note = msgspec.json.decode(content, type=Note)
        if note.fails:
            message = "an unforeseen thing"
            raise LookupError(message)
        if note.dies:
            os._exit(9)
        digest = blake2b(content, digest_size=8).hexdigest()
        settled = len(note.items) if note.settled is None else note.settled
        items = tuple(_items(note))
        whole = len(items) <= PART
        yield ThreadRead(thread=_thread(note, items[:PART], settled, digest if whole else None))
        for start in range(PART, len(items), PART):
            yield ItemsRead(thread_id=ThreadId(note.thread_id), items=items[start : start + PART])
        yield ReadEnd(
            thread_id=ThreadId(note.thread_id),
            item_count=len(items),
            settled=settled,
            digest=digest,
            skips=tuple(
                Skip(path=source.paths[0], line=line + 1, reason="not-json")
                for line in range(note.skips)
            ),
            bytes_read=len(content),
        )


def _items(note: Note) -> Iterator[ItemRecord]:
    for position, text in enumerate(note.items):
        yield ItemRecord(
            item_id=ItemId(f"{note.thread_id}/{position}"),
            position=position,
            kind="message",
            role="user",
            text=text,
            text_bytes=len(text),
        )


def _thread(
    note: Note, items: tuple[ItemRecord, ...], settled: int, digest: str | None
) -> ThreadRecord:
    evidence = Evidence(Proof.FILE, "note")
    thread_id = ThreadId(note.thread_id)
    fork = spawn = None
    if note.forked_from is not None:
        fork = ForkRecord(source_thread_id=ThreadId(note.forked_from), evidence=evidence)
    if note.spawned_by is not None:
        spawn = SpawnRecord(
            child_thread_id=thread_id,
            parent_thread_id=ThreadId(note.spawned_by),
            evidence=evidence,
        )
    return ThreadRecord(
        thread_id=thread_id,
        driver="notes",
        provider_instance_id="notes",
        title=note.title,
        created_at=AT,
        updated_at=AT,
        recency_at=AT,
        runs=tuple(
            RunRecord(run_id=RunId(f"{thread_id}/r{n}"), status=note.status, started_at=AT)
            for n in range(note.runs)
        ),
        items=ItemsRecord(items=items, settled=settled, complete=digest is not None),
        fork=fork,
        spawn=spawn,
        digest=digest,
    )
