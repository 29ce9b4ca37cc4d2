"""The import as a use case, with an importer of a made-up tool and the graph in memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from graph.errors import BadInput, SourceNotFound, SourceNotRecognized, StoreUnavailable
from graph.model import EdgeKind, Evidence, Proof, ThreadId
from graph.records import Batch, ItemRecord, Recorded, SpawnRecord
from importers.contract import Skip
from resolvers.find_transcripts import Selection
from resolvers.import_report import ImportProgress
from resolvers.import_transcripts import ImportOrder, import_transcripts
from tests.memory_store import MemoryStore
from tests.notes_importer import Note, NotesImporter, write_note

pytestmark = pytest.mark.anyio

UNSTORABLE = "unstorable"
ROOT, FORK, CHILD = ThreadId("a-root"), ThreadId("b-fork"), ThreadId("c-child")


@dataclass
class WatchedStore(MemoryStore):
    """The graph in memory, with notes on what was written to it."""

    recorded: list[ThreadId] = field(default_factory=list[ThreadId])
    appended: list[int] = field(default_factory=list[int])

    async def record(self, batch: Batch) -> Recorded:
        """Take note of the threads and their items."""
        self.recorded.extend(thread.thread_id for thread in batch.threads)
        self.appended.extend(
            item.position for thread in batch.threads for item in thread.items.items
        )
        return await super().record(batch)

    async def append_items(self, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
        """Take note of the positions."""
        self.appended.extend(item.position for item in items)
        await super().append_items(thread_id, items)


class ParticularStore(WatchedStore):
    """The graph in memory, which can't hold one certain text: a database refuses a few values."""

    async def record(self, batch: Batch) -> Recorded:
        """Refuse the whole batch for one text in it."""
        for thread in batch.threads:
            _refuse_unstorable(thread.items.items)
        return await super().record(batch)

    async def append_items(self, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
        """Refuse the items for one text among them."""
        _refuse_unstorable(items)
        await super().append_items(thread_id, items)


def _refuse_unstorable(items: Sequence[ItemRecord]) -> None:
    if any(item.text == UNSTORABLE for item in items):
        raise BadInput("A value can't be stored.")


@pytest.fixture
def store() -> WatchedStore:
    """A graph that holds nothing yet."""
    return WatchedStore()


def order(
    path: Path,
    *,
    processes: int = 0,
    importer: NotesImporter | None = None,
    again: bool = False,
) -> ImportOrder:
    """Import the notes at *path*; *again* also those that did not change."""
    return ImportOrder(
        importers=(importer or NotesImporter(),),
        selection=Selection(paths=(path,)),
        processes=processes,
        again=again,
    )


def write_family(folder: Path) -> None:
    """A root with two runs, a fork of it, and a child that it spawned."""
    write_note(folder, Note(thread_id=ROOT, runs=2, items=("one", "two")))
    write_note(folder, Note(thread_id=FORK, runs=1, forked_from=ROOT))
    write_note(folder, Note(thread_id=CHILD, spawned_by=ROOT))


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.iterdir())


@pytest.mark.parametrize("processes", [0, 2])
async def test_transcripts_become_threads_with_their_edges_runs_and_items(
    tmp_path: Path, store: WatchedStore, processes: int
) -> None:
    """The same, whether they are read here or in other processes."""
    write_family(tmp_path)

    report = await import_transcripts(store, order(tmp_path, processes=processes))

    threads = await store.threads_by_id([ROOT, FORK, CHILD])
    assert {i: (t.parent_thread_id, t.run_count) for i, t in threads.items()} == {
        ROOT: (None, 2),
        FORK: (ROOT, 1),
        CHILD: (ROOT, 0),
    }
    assert (report.files, report.threads_written, report.runs, report.items) == (3, 3, 3, 2)
    assert report.edges == Counter({EdgeKind.FORK: 1, EdgeKind.SPAWN: 1})
    assert (report.placeholders, report.skipped) == (0, Counter())


@pytest.mark.parametrize("again", [False, True])
async def test_importing_again_writes_nothing(
    tmp_path: Path, store: WatchedStore, *, again: bool
) -> None:
    """What is there as it is stays untouched, whether it was read or not."""
    write_family(tmp_path)
    await import_transcripts(store, order(tmp_path))
    store.recorded.clear()

    report = await import_transcripts(store, order(tmp_path, again=again))

    assert store.recorded == []
    assert (report.threads_written, report.threads_unchanged) == (0, 3)
    assert report.threads_not_read == (0 if again else 3)


async def test_a_named_thread_without_a_transcript_is_counted_as_a_placeholder(
    tmp_path: Path, store: WatchedStore
) -> None:
    """Also when nothing is written any more."""
    write_note(tmp_path, Note(thread_id=FORK, forked_from="gone"))
    reports = [
        await import_transcripts(store, order(tmp_path)),
        await import_transcripts(store, order(tmp_path)),
        await import_transcripts(store, order(tmp_path, again=True)),
    ]

    assert [report.placeholders for report in reports] == [1, 1, 1]


async def test_an_edge_that_only_the_plan_knows_is_written(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A tool's database can name a child that left no file."""
    write_note(tmp_path, Note(thread_id=ROOT))
    edge = SpawnRecord(
        child_thread_id=CHILD,
        parent_thread_id=ROOT,
        evidence=Evidence(Proof.DATABASE, "notes"),
    )

    report = await import_transcripts(
        store, order(tmp_path, importer=NotesImporter(spawns=(edge,)))
    )

    child = (await store.threads_by_id([CHILD]))[CHILD]
    assert (child.recorded, child.parent_thread_id) == (False, ROOT)
    assert report.placeholders == 1


async def test_items_that_come_in_parts_are_all_written(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A thread may hold more items than one part."""
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgh")))

    report = await import_transcripts(store, order(tmp_path))

    items = (await store.items([ROOT], first=100, after=None))[ROOT].rows
    assert [item.text for item in items] == list("abcdefgh")
    assert report.items == 8


async def test_a_long_thread_that_did_not_change_is_not_written_again(
    tmp_path: Path, store: WatchedStore
) -> None:
    """Its digest is known too."""
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgh"), settled=0))
    await import_transcripts(store, order(tmp_path))
    store.recorded.clear()
    store.appended.clear()

    report = await import_transcripts(store, order(tmp_path, again=True))

    assert (store.recorded, store.appended) == ([], [])
    assert report.threads_unchanged == 1


async def test_of_a_long_thread_that_grew_only_what_was_not_settled_is_written(
    tmp_path: Path, store: WatchedStore
) -> None:
    """The settled items of an earlier import stay; the last mark before that counts."""
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgh"), settled=7))
    await import_transcripts(store, order(tmp_path))
    store.appended.clear()
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgxyz"), settled=10))

    await import_transcripts(store, order(tmp_path))

    items = (await store.items([ROOT], first=100, after=None))[ROOT].rows
    assert [item.text for item in items] == list("abcdefgxyz")
    assert store.appended == [6, 7, 8, 9]


async def test_a_long_thread_whose_beginning_changed_is_written_whole(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A file that was written anew is not a file that grew."""
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgh")))
    await import_transcripts(store, order(tmp_path))
    store.appended.clear()
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("xbcde")))

    await import_transcripts(store, order(tmp_path))

    items = (await store.items([ROOT], first=100, after=None))[ROOT].rows
    assert [item.text for item in items] == list("xbcde")
    assert store.appended == [0, 1, 2, 3, 4]


async def test_a_long_thread_that_became_short_loses_its_items(
    tmp_path: Path, store: WatchedStore
) -> None:
    """Items after the last one are dropped."""
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgh")))
    await import_transcripts(store, order(tmp_path))
    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("ab")))

    await import_transcripts(store, order(tmp_path))

    items = (await store.items([ROOT], first=100, after=None))[ROOT].rows
    assert [item.text for item in items] == list("ab")


async def test_an_import_that_was_interrupted_is_gone_on_with(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A long thread without its end is read again as a whole."""

    class Interrupted(WatchedStore):
        async def append_items(self, thread_id: ThreadId, items: Sequence[ItemRecord]) -> None:
            message = "The graph is away."
            raise StoreUnavailable(message)

    write_note(tmp_path, Note(thread_id=ROOT, items=tuple("abcdefgh")))
    interrupted = Interrupted()
    with pytest.raises(StoreUnavailable):
        await import_transcripts(interrupted, order(tmp_path))
    store.__dict__.update(interrupted.__dict__)

    await import_transcripts(store, order(tmp_path))

    items = (await store.items([ROOT], first=100, after=None))[ROOT].rows
    assert [item.text for item in items] == list("abcdefgh")


@pytest.mark.parametrize("processes", [0, 1])
async def test_a_source_on_which_the_importer_fails_is_a_skip(
    tmp_path: Path, store: WatchedStore, processes: int
) -> None:
    """One file never stops the rest, whatever is wrong with it."""
    write_family(tmp_path)
    bad = write_note(tmp_path, Note(thread_id="bad", fails=True))

    report = await import_transcripts(store, order(tmp_path, processes=processes))

    assert report.threads_written == 3
    assert report.examples == [
        Skip(path=str(bad), reason="importer-failed", detail="LookupError: an unforeseen thing")
    ]


async def test_a_source_that_takes_its_process_down_is_a_skip(
    tmp_path: Path, store: WatchedStore
) -> None:
    """The others are read by the next process."""
    write_family(tmp_path)
    bad = write_note(tmp_path, Note(thread_id="bad", dies=True))

    report = await import_transcripts(store, order(tmp_path, processes=1))

    assert report.threads_written == 3
    assert report.examples == [
        Skip(path=str(bad), reason="reader-died", detail="The reading process ended with code 9.")
    ]


async def test_skips_are_counted_by_reason_and_a_few_are_shown(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A thousand bad lines don't fill the report."""
    path = write_note(tmp_path, Note(thread_id=ROOT, skips=1000))

    report = await import_transcripts(store, order(tmp_path))

    assert report.skipped == Counter({"not-json": 1000})
    assert report.examples == [
        Skip(path=str(path), line=line, reason="not-json") for line in range(1, 6)
    ]


async def test_a_thread_with_an_id_that_no_index_can_hold_is_a_skip(
    tmp_path: Path, store: WatchedStore
) -> None:
    """The rest of its batch is written."""
    write_family(tmp_path)
    write_note(tmp_path, Note(thread_id="d-fork", forked_from="x" * 600))

    report = await import_transcripts(store, order(tmp_path))

    assert report.threads_written == 3
    assert report.skipped == Counter({"id-too-long": 1})


@pytest.mark.parametrize("before", [0, 50])
async def test_a_thread_with_a_value_that_can_not_be_stored_is_a_skip(
    tmp_path: Path, before: int
) -> None:
    """The rest of its batch is written, and the next import tries the thread again."""
    store = ParticularStore()
    write_family(tmp_path)
    texts = (*(f"text {n}" for n in range(before)), UNSTORABLE)
    write_note(tmp_path, Note(thread_id="b-odd", items=texts))

    report = await import_transcripts(store, order(tmp_path))
    again = await import_transcripts(store, order(tmp_path))

    assert set(await store.threads_by_id([ROOT, FORK, CHILD])) == {ROOT, FORK, CHILD}
    assert report.skipped == Counter({"value-not-storable": 1})
    assert again.skipped == report.skipped
    assert again.threads_unchanged == 3


async def test_a_path_that_is_not_there_is_told_before_anything_is_written(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A typing mistake costs nothing."""
    write_family(tmp_path)
    paths = (tmp_path, tmp_path / "missing")

    with pytest.raises(SourceNotFound) as raised:
        await import_transcripts(
            store, ImportOrder(importers=(NotesImporter(),), selection=Selection(paths=paths))
        )

    assert str(raised.value) == f"There is no file or folder {tmp_path / 'missing'}."
    assert store.recorded == []


async def test_a_file_of_another_program_is_told_with_what_is_known(
    tmp_path: Path, store: WatchedStore
) -> None:
    """Nothing is guessed."""
    other = tmp_path / "letter.txt"
    other.write_text("Dear reader")

    with pytest.raises(SourceNotRecognized) as raised:
        await import_transcripts(store, order(other))

    assert str(raised.value) == (
        f"{other} holds no transcripts that can be read here. Known are those of: notes."
    )


async def test_without_a_path_the_tools_own_places_are_read(
    tmp_path: Path, store: WatchedStore
) -> None:
    """A user need not know where a tool keeps its files."""
    write_family(tmp_path)

    report = await import_transcripts(
        store, ImportOrder(importers=(NotesImporter(home=tmp_path),))
    )

    assert report.threads_written == 3


async def test_without_a_path_and_without_a_tool_the_error_says_so(store: WatchedStore) -> None:
    """There may be nothing to import."""
    with pytest.raises(SourceNotFound) as raised:
        await import_transcripts(store, ImportOrder(importers=(NotesImporter(),)))

    assert str(raised.value) == (
        "No transcripts of notes were found on this machine. Name a folder or file to import."
    )


async def test_what_was_seen_before_is_not_even_read(tmp_path: Path, store: WatchedStore) -> None:
    """A follower reads what changed."""
    write_family(tmp_path)
    seen: dict[ThreadId, int] = {}
    following = ImportOrder(
        importers=(NotesImporter(),), selection=Selection(paths=(tmp_path,)), seen=seen
    )
    await import_transcripts(store, following)
    write_note(tmp_path, Note(thread_id=CHILD, spawned_by=ROOT, title="changed"))

    report = await import_transcripts(store, following)

    assert (report.threads_written, report.threads_unchanged) == (1, 0)
    assert sorted(seen) == [ROOT, FORK, CHILD]


async def test_progress_ends_at_all_bytes_and_sources(tmp_path: Path, store: WatchedStore) -> None:
    """A bar that is full at the end."""
    write_family(tmp_path)
    steps: list[ImportProgress] = []

    report = await import_transcripts(store, order(tmp_path), steps.append)

    size = size_of(tmp_path)
    assert steps[0] == ImportProgress(
        sources=3, sources_done=0, bytes=size, bytes_done=0, threads=0, items=0
    )
    assert (steps[-1].sources_done, steps[-1].bytes_done, report.bytes) == (3, size, size)


async def test_an_error_of_the_graph_comes_out_as_it_is(tmp_path: Path) -> None:
    """Not wrapped in a group of what ran beside it."""

    class Away(MemoryStore):
        async def record(self, batch: Batch) -> Recorded:
            message = "The graph is away."
            raise StoreUnavailable(message)

    write_family(tmp_path)

    with pytest.raises(StoreUnavailable, match="The graph is away"):
        await import_transcripts(Away(), order(tmp_path, processes=1))
