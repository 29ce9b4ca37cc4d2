"""Following a folder of transcripts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import pytest

from graph.errors import LineageError, StoreUnavailable
from graph.model import ThreadId
from graph.records import Batch, Recorded
from resolvers.find_transcripts import Selection
from resolvers.follow_transcripts import follow_transcripts
from resolvers.import_report import ImportReport
from resolvers.import_transcripts import ImportOrder
from tests.memory_store import MemoryStore
from tests.notes_importer import Note, NotesImporter, write_note

pytestmark = pytest.mark.anyio


@dataclass
class Heard:
    """What a follower said."""

    reports: list[ImportReport] = field(default_factory=list[ImportReport])
    troubles: list[LineageError] = field(default_factory=list[LineageError])


@asynccontextmanager
async def following(store: MemoryStore, folder: Path) -> AsyncGenerator[Heard]:
    """Follow the folder, from after the first import until the end of the context."""
    heard = Heard()
    order = ImportOrder(
        importers=(NotesImporter(),), selection=Selection(paths=(folder,)), processes=0
    )

    async def follow() -> None:
        await follow_transcripts(
            store,
            order,
            on_report=heard.reports.append,
            on_trouble=heard.troubles.append,
            look_again_milliseconds=300,
        )

    async with anyio.create_task_group() as together:
        together.start_soon(follow)
        await until(lambda: len(heard.reports) == 1)
        yield heard
        together.cancel_scope.cancel()


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    with anyio.fail_after(20):
        while not holds():  # noqa: ASYNC110 - what it waits for tells nobody
            await anyio.sleep(0.02)


async def titles(store: MemoryStore) -> dict[str, str | None]:
    """The titles of the threads that are known."""
    ids = await store.thread_ids_starting_with("", first=100)
    threads = await store.threads_by_id(ids)
    return {thread_id: threads[thread_id].title for thread_id in ids}


async def test_what_changes_is_imported_and_nothing_else(tmp_path: Path) -> None:
    """New files and changed ones, as they come."""
    store = MemoryStore()
    write_note(tmp_path, Note(thread_id="a", title="old"))
    write_note(tmp_path, Note(thread_id="b", title="stays"))
    async with following(store, tmp_path) as heard:
        write_note(tmp_path, Note(thread_id="a", title="new"))
        write_note(tmp_path, Note(thread_id="c", title="came"))

        await until(lambda: sum(report.threads_written for report in heard.reports) == 4)

    assert await titles(store) == {"a": "new", "b": "stays", "c": "came"}
    assert sum(report.threads_unchanged for report in heard.reports) == 0


async def test_a_file_that_is_deleted_stays_in_the_graph_and_ends_nothing(tmp_path: Path) -> None:
    """The graph remembers what was."""
    store = MemoryStore()
    gone = write_note(tmp_path, Note(thread_id="a", title="gone"))
    async with following(store, tmp_path) as heard:
        gone.unlink()
        write_note(tmp_path, Note(thread_id="b", title="came"))

        await until(lambda: len(heard.reports) > 1)

    assert await titles(store) == {"a": "gone", "b": "came"}


async def test_a_graph_that_is_away_is_told_and_tried_again(tmp_path: Path) -> None:
    """A change is not lost because the graph was away when it happened."""

    @dataclass
    class ComesAndGoes(MemoryStore):
        away: bool = False

        async def record(self, batch: Batch) -> Recorded:
            if self.away:
                message = "The graph is away."
                raise StoreUnavailable(message)
            return await super().record(batch)

    store = ComesAndGoes()
    async with following(store, tmp_path) as heard:
        store.away = True
        write_note(tmp_path, Note(thread_id="a"))
        await until(lambda: len(heard.troubles) > 0)
        store.away = False

        await until(lambda: len(heard.reports) > 1)

    assert ThreadId("a") in await store.threads_by_id([ThreadId("a")])


async def test_a_folder_that_goes_away_and_comes_back_is_followed(tmp_path: Path) -> None:
    """A home may be moved or made anew."""
    store = MemoryStore()
    folder = tmp_path / "home"
    folder.mkdir()
    async with following(store, folder) as heard:
        folder.rename(tmp_path / "elsewhere")
        await until(lambda: len(heard.troubles) > 0)
        folder.mkdir()
        write_note(folder, Note(thread_id="a"))

        await until(lambda: len(heard.reports) > 1)

    assert ThreadId("a") in await store.threads_by_id([ThreadId("a")])
