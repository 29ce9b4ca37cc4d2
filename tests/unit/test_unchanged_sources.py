"""What an import need not read again, and what it must."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from graph.errors import StoreUnavailable
from graph.model import ThreadId
from graph.records import Batch, Recorded
from importers.contract import Content, Part, ReadOptions, Source
from resolvers.find_transcripts import Selection
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.memory_store import MemoryStore
from tests.notes_importer import Note, NotesImporter, write_note

pytestmark = pytest.mark.anyio


@dataclass(frozen=True, slots=True)
class WatchedImporter(NotesImporter):
    """Reads notes, and takes down which."""

    read_ids: list[ThreadId] = field(default_factory=list[ThreadId])

    def read(self, source: Source, options: ReadOptions) -> Iterator[Part]:
        """Take the thread down."""
        self.read_ids.append(source.thread_id)
        # The compiler's own class cell is lost in a class with slots.
        return NotesImporter.read(self, source, options)


@dataclass
class BreakingStore(MemoryStore):
    """The graph in memory, which goes away with the *records*-th batch."""

    records: int = 0

    async def record(self, batch: Batch) -> Recorded:
        """Write it, unless it is the last straw."""
        self.records -= 1
        if self.records == 0:
            raise StoreUnavailable("The graph went away.")
        return await super().record(batch)


async def ids_read(store: MemoryStore, order: ImportOrder, *, reader: int = 1) -> list[ThreadId]:
    """The threads that an import reads."""
    importer = WatchedImporter(reader=reader)
    await import_transcripts(store, replace(order, importers=(importer,)))
    return sorted(importer.read_ids)


def order(folder: Path, **options: object) -> ImportOrder:
    """Import the notes of a folder."""
    return ImportOrder(
        importers=(),
        selection=Selection(paths=(folder,)),
        options=replace(ReadOptions(), **options),
        processes=0,
    )


async def test_only_what_changed_is_read_again(tmp_path: Path) -> None:
    """The files say whether they changed, also to another process."""
    store = MemoryStore()
    for name in ("a", "b", "c"):
        write_note(tmp_path, Note(thread_id=name, items=("one",)))
    first = await ids_read(store, order(tmp_path))
    write_note(tmp_path, Note(thread_id="b", items=("one", "two")))

    second = await ids_read(store, order(tmp_path))
    third = await ids_read(store, order(tmp_path))

    assert (first, second, third) == (["a", "b", "c"], ["b"], [])


async def test_again_reads_everything(tmp_path: Path) -> None:
    """For those who want it."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a"))
    await ids_read(store, order(tmp_path))

    assert await ids_read(store, replace(order(tmp_path), again=True)) == ["a"]


@pytest.mark.parametrize(
    "options", [{"content": Content.NONE}, {"redact": True}, {"provider": "work"}]
)
async def test_another_way_of_reading_reads_again(
    tmp_path: Path, options: dict[str, object]
) -> None:
    """The same file gives another thread, and back again."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a"))
    await ids_read(store, order(tmp_path))

    other = await ids_read(store, order(tmp_path, **options))
    back = await ids_read(store, order(tmp_path))

    assert (other, back) == (["a"], ["a"])


async def test_a_newer_release_reads_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may understand more of the same file."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a"))
    await ids_read(store, order(tmp_path))
    monkeypatch.setattr("resolvers.unchanged_sources.version", "{}-next".format)

    assert await ids_read(store, order(tmp_path)) == ["a"]


async def test_a_newer_reader_reads_again(tmp_path: Path) -> None:
    """Also within a release: nobody has to ask for it, and once is enough."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a"))
    await ids_read(store, order(tmp_path))

    newer = await ids_read(store, order(tmp_path), reader=2)
    again = await ids_read(store, order(tmp_path), reader=2)

    assert (newer, again) == (["a"], [])


async def test_a_thread_of_many_parts_is_not_read_again_either(tmp_path: Path) -> None:
    """It is remembered once its last part is written."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a", items=tuple("abcdefgh")))
    await ids_read(store, order(tmp_path))

    assert await ids_read(store, order(tmp_path)) == []


async def test_what_an_interrupted_import_wrote_is_not_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is gone on with where it was, but for the end of its last batch."""
    monkeypatch.setattr("resolvers.write_findings.BATCH_NODES", 1)
    store = BreakingStore(records=3)
    for name in ("a", "b", "c", "d"):
        write_note(tmp_path, Note(thread_id=name))
    with pytest.raises(StoreUnavailable):
        await ids_read(store, order(tmp_path))

    assert await ids_read(MemoryStore(store.facts), order(tmp_path)) == ["b", "c", "d"]


async def test_what_failed_is_read_again(tmp_path: Path) -> None:
    """The graph still holds what an earlier state of the file said."""
    store = MemoryStore()
    path = write_note(tmp_path, Note(thread_id="a"))
    await ids_read(store, order(tmp_path))
    write_note(tmp_path, Note(thread_id="a", fails=True))

    failing = [await ids_read(store, order(tmp_path)) for _ in range(2)]

    assert path.exists()
    assert failing == [["a"], ["a"]]


async def test_a_thread_that_still_runs_is_read_again(tmp_path: Path) -> None:
    """Its run may end by time alone, without a change of the file."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a", runs=1, status="running"))
    await ids_read(store, order(tmp_path))

    assert await ids_read(store, order(tmp_path)) == ["a"]


async def test_what_was_written_from_elsewhere_is_read_again(tmp_path: Path) -> None:
    """A copy of the home that stands as it did says nothing of what the graph holds since."""
    store = MemoryStore()
    home, backup = tmp_path / "home", tmp_path / "backup"
    for folder, title in ((home, "new"), (backup, "old")):
        folder.mkdir()
        write_note(folder, Note(thread_id="a", title=title))
    await ids_read(store, order(home))
    await ids_read(store, order(backup))

    assert await ids_read(store, order(home)) == ["a"]


async def test_a_file_of_the_same_content_but_another_time_is_no_change_of_the_graph(
    tmp_path: Path,
) -> None:
    """The importer says what a change is."""
    store = MemoryStore()
    path = write_note(tmp_path, Note(thread_id="a"))
    await ids_read(store, order(tmp_path))
    os.utime(path, (1, 1))

    assert await ids_read(store, order(tmp_path)) == []
