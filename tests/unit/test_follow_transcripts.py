"""Following a folder of transcripts."""

from __future__ import annotations

import shutil
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import anyio
import psutil
import pytest

from graph.errors import LineageError, SourceNotFound, StoreUnavailable
from graph.model import ThreadId
from graph.records import Batch, Recorded
from importers.contract import Importer
from importers.known import known_importers
from resolvers.find_transcripts import Selection
from resolvers.follow_transcripts import follow_transcripts
from resolvers.import_report import ImportReport
from resolvers.import_transcripts import ImportOrder
from tests.memory_store import MemoryStore
from tests.notes_importer import Note, NotesImporter, write_note
from tests.samples_on_disk import unpack_home

pytestmark = pytest.mark.anyio


MANY = 300
"""More conversations than descriptors that a process may have by default on some systems."""

MOST_DESCRIPTORS = 30


@dataclass(frozen=True, slots=True)
class NamedNotes(NotesImporter):
    """Notes of a tool with a name of its own, in a home that may not be there yet."""

    name: str = "notes"

    @property
    def driver(self) -> str:
        return self.name


@dataclass
class Heard:
    """What a follower said."""

    reports: list[ImportReport] = field(default_factory=list[ImportReport])
    troubles: list[LineageError] = field(default_factory=list[LineageError])


@asynccontextmanager
async def following(
    store: MemoryStore,
    folder: Path | None,
    *importers: Importer,
    selection: Selection | None = None,
) -> AsyncGenerator[Heard]:
    """Follow the folder, from after the first import until the end of the context.

    Without one, follow where the importers' tools keep their transcripts.
    """
    heard = Heard()
    paths = () if folder is None else (folder,)
    order = ImportOrder(
        importers=importers or (NotesImporter(),),
        selection=selection or Selection(paths=paths),
        processes=0,
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
        await until(lambda: bool(heard.reports or heard.troubles))
        yield heard
        together.cancel_scope.cancel()


async def until(holds: Callable[[], bool]) -> None:
    """Wait for something that happens soon."""
    with anyio.fail_after(60):
        while not holds():  # noqa: ASYNC110 - what it waits for tells nobody
            await anyio.sleep(0.02)


async def titles(store: MemoryStore) -> dict[str, str | None]:
    """The titles of the threads that are known."""
    ids = await store.thread_ids_starting_with("", first=100)
    threads = await store.threads_by_id(ids)
    return {thread_id: threads[thread_id].title for thread_id in ids}


async def until_titles(store: MemoryStore, expected: dict[str, str | None]) -> None:
    """Wait until these are the threads that are known, with these titles."""
    with anyio.fail_after(60):
        while await titles(store) != expected:  # noqa: ASYNC110 - as above
            await anyio.sleep(0.02)


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


async def test_all_tools_are_followed_at_once_also_one_that_is_new(tmp_path: Path) -> None:
    """Where nothing is named: what appears later is imported, and then watched like the rest."""
    store = MemoryStore()
    old, new = NamedNotes(home=tmp_path / "old"), NamedNotes(home=tmp_path / "new", name="new")
    (tmp_path / "old").mkdir()
    write_note(tmp_path / "old", Note(thread_id="a"))
    async with following(store, None, old, new):
        (tmp_path / "new").mkdir()
        write_note(tmp_path / "new", Note(thread_id="b", title="first"))
        await until_titles(store, {"a": None, "b": "first"})
        write_note(tmp_path / "new", Note(thread_id="b", title="second"))
        write_note(tmp_path / "old", Note(thread_id="a", title="changed"))

        await until_titles(store, {"a": "changed", "b": "second"})


async def test_a_machine_without_transcripts_is_followed_until_there_are_some(
    tmp_path: Path,
) -> None:
    """That there are none yet is told, and is no end."""
    store = MemoryStore()
    async with following(store, None, NamedNotes(home=tmp_path / "notes")) as heard:
        (tmp_path / "notes").mkdir()
        write_note(tmp_path / "notes", Note(thread_id="a", title="first"))

        await until_titles(store, {"a": "first"})

    assert [type(trouble) for trouble in heard.troubles[:1]] == [SourceNotFound]


async def test_only_the_chosen_tools_are_followed(tmp_path: Path) -> None:
    """What narrows an import narrows the watch of it."""
    store = MemoryStore()
    importers = [NamedNotes(home=tmp_path / name, name=name) for name in ("one", "two")]
    for importer in importers:
        (tmp_path / importer.name).mkdir()
        write_note(tmp_path / importer.name, Note(thread_id=f"{importer.name}-old"))
    async with following(store, None, *importers, selection=Selection(drivers=("two",))):
        for importer in importers:
            write_note(tmp_path / importer.name, Note(thread_id=f"{importer.name}-new"))

        await until_titles(store, {"two-old": None, "two-new": None})


async def test_following_all_tools_holds_no_file_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many conversations there are and change: one descriptor waits for changes."""
    homes = all_homes(tmp_path, monkeypatch)
    sessions = sorted((homes["claude"] / "projects").rglob("*.jsonl"))
    for number in range(MANY):
        shutil.copy(sessions[0], sessions[0].with_name(f"copy-{number}.jsonl"))
    store, process = MemoryStore(), psutil.Process()
    before = process.num_fds()
    async with following(store, None, *known_importers()) as heard:
        idle = process.num_fds()
        for path in sessions[0].parent.glob("*.jsonl"):
            path.write_bytes(path.read_bytes() + b"\n")
        fresh = sessions[0].with_name("fresh.jsonl")
        shutil.copy(sessions[0], fresh)
        await until(lambda: ThreadId("fresh") in store.facts.known)
        changed = process.num_fds()

    drivers = {record.driver for record in store.facts.records.values()}
    assert drivers == {"codex", "claude", "pi", "opencode"}
    assert heard.reports[0].threads > MANY
    assert max(idle, changed) - before < MOST_DESCRIPTORS


def all_homes(folder: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Path]:
    """A home of every tool where it looks for it, with a sample in it."""
    for name in ("CODEX_HOME", "CLAUDE_CONFIG_DIR", "XDG_DATA_HOME", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    for name in ("PI_CODING_AGENT_SESSION_DIR", "PI_CODING_AGENT_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(folder / "home"))
    homes: dict[str, Path] = {}
    for tool, (scenario, place) in {
        "codex": ("codex-0.171.0/forks-paginated", ".codex"),
        "claude": ("claude-code-2.1.332/fork-session", ".claude"),
        "pi": ("pi-0.73.1/branches", ".pi/agent"),
        "opencode": ("opencode-1.18.33/forks", ".local/share/opencode"),
    }.items():
        homes[tool] = folder / "home" / place
        homes[tool].parent.mkdir(parents=True, exist_ok=True)
        unpack_home(scenario, folder / "unpacked").rename(homes[tool])
    return homes
