"""What a pi session was made from: forks, hand-offs, and children of extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import (
    Actor,
    EdgeKind,
    Evidence,
    Proof,
    SourcePoint,
    ThreadId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.questions import LineageQuestion
from graph.records import ForkRecord, SpawnRecord, TransferRecord
from graph.transfers import Provider
from importers.pi.importer import PiImporter
from tests.importing import ALL, import_paths
from tests.unit.importers.pi.sessions import Written, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.importing import Imported

pytestmark = pytest.mark.anyio

SHARED = Evidence(proof=Proof.FILE, rule="parentSession and shared entries")
FORK = ThreadId("fork")
MAIN = ThreadId("main")
NEW = ThreadId("new")
HANDED = Evidence(proof=Proof.INFERRED, rule="parentSession and no shared entry: a hand-off")


async def history(imported: Imported, thread_id: ThreadId) -> list[str]:
    """The runs of a thread's history."""
    pages = await imported.store.history(
        [thread_id], include_rolled_back=False, first=ALL, after=None
    )
    return [row.run.run_id for row in pages[thread_id].rows]


async def test_a_fork_inherits_what_it_shares_with_its_source(tmp_path: Path) -> None:
    """Its own runs are those that it does not share; the point is the last that it does."""
    main = Written("main").turn("1").turn("2").turn("3")
    fork = main.fork("fork", entries=4).turn("4")
    for session in (main, fork):
        session.write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    thread = imported.threads[FORK]
    assert thread.fork == ForkRecord(
        source_thread_id=MAIN, point_native_turn_id="2u", at=told(47), evidence=SHARED
    )
    assert [run.run_id for run in thread.runs] == ["fork/4u"]
    assert await history(imported, FORK) == ["main/1u", "main/2u", "fork/4u"]


async def test_a_fork_is_the_same_without_its_source(tmp_path: Path) -> None:
    """What is older than the session was copied; the name of the source's file names it."""
    main = Written("main").turn("1").turn("2")
    fork = main.fork("fork").turn("3")
    with_source = await import_paths(
        PiImporter(), [main.write(tmp_path / "both"), fork.write(tmp_path / "both")]
    )

    alone = await import_paths(PiImporter(), [fork.write(tmp_path / "alone")])

    assert alone.only.fork == with_source.threads[FORK].fork
    assert alone.only.runs == with_source.threads[FORK].runs


async def test_what_was_copied_is_told_by_ids_and_not_by_clocks(tmp_path: Path) -> None:
    """A clock that was put back makes no run somebody else's."""
    main = Written("main").turn("1")
    fork = main.fork("fork")
    fork.second = 1
    fork.turn("2")
    for session in (main, fork):
        session.write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    assert [run.run_id for run in imported.threads[FORK].runs] == ["fork/2u"]


async def test_a_damaged_line_of_the_source_gives_the_fork_no_run(tmp_path: Path) -> None:
    """What stands before a copied entry was copied, too."""
    main = Written("main").turn("1").turn("2")
    main.fork("fork").turn("3").write(tmp_path)
    path = main.write(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([lines[0], b"{broken\n", *lines[2:]]))

    imported = await import_paths(PiImporter(), [tmp_path])

    assert [run.run_id for run in imported.threads[FORK].runs] == ["fork/3u"]


async def test_a_hand_off_is_no_fork(tmp_path: Path) -> None:
    """The same header without a shared entry: a root of its own."""
    main = Written("main").turn("1")
    new = main.fork("new", entries=0).turn("2")
    for session in (main, new):
        session.write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    thread = imported.threads[NEW]
    assert (thread.fork, thread.spawn, thread.child_of) == (None, None, None)
    assert [run.run_id for run in thread.runs] == ["new/2u"]
    assert imported.transfers == {
        MAIN: (),
        NEW: (
            TransferRecord(
                transfer_id=TransferId("new/hand-off"),
                type=TransferType.PROVIDER_HANDOFF,
                status=TransferStatus.CONSUMED,
                source_thread_id=MAIN,
                target_thread_id=NEW,
                source_point=SourcePoint(thread_id=MAIN),
                target_provider=Provider(instance_id="pi", driver="pi"),
                evidence=HANDED,
                created_by=Actor.SYSTEM,
                created_at=told(43),
                consumed_at=told(43),
            ),
        ),
    }


async def test_a_hand_off_is_an_edge_between_two_trees(tmp_path: Path) -> None:
    """In any order of the files, and without the file that it came from, too."""
    main = Written("main").turn("1")
    new = main.fork("new", entries=0).turn("2")
    paths = [session.write(tmp_path / "both") for session in (main, new)]

    lineages = [
        await (await import_paths(PiImporter(), named, backwards=backwards)).store.lineage(
            LineageQuestion(thread_id=NEW)
        )
        for named, backwards in (
            (paths, False),
            (paths, True),
            ([new.write(tmp_path / "alone")], False),
        )
    ]

    assert [[node.thread_id for node in told.nodes] for told in lineages] == [[NEW, MAIN]] * 3
    assert [node.recorded for told in lineages for node in told.nodes][1::2] == [True, True, False]
    assert [told.edges for told in lineages] == [lineages[0].edges] * 3
    [edge] = lineages[0].edges
    assert (edge.kind, edge.edge_id) == (EdgeKind.TRANSFER, "TRANSFER:new/hand-off")


async def test_what_names_no_origin_or_holds_nothing_is_no_hand_off(tmp_path: Path) -> None:
    """Nor is a child in the folder of the session that it names, nor an old branch."""
    main = Written("main").turn("1")
    empty = main.fork("empty", entries=0)
    lone = Written("lone").turn("2")
    branched = Written("branched", 50).turn("3")
    branched.lines[0]["branchedFrom"] = main.file_name
    folder = main.write(tmp_path).with_suffix("")
    child = main.fork("child", entries=0).turn("4")
    for session in (empty, lone, branched):
        session.write(tmp_path)
    child.write(folder)

    imported = await import_paths(PiImporter(), [tmp_path])

    assert imported.threads[ThreadId("child")].spawn is not None
    assert set(imported.transfers.values()) == {()}


async def test_a_fork_of_a_fork_is_a_fork_of_the_fork(tmp_path: Path) -> None:
    """Each run is told once, by the session that it was typed in."""
    main = Written("main").turn("1").turn("2")
    fork = main.fork("fork").turn("3")
    again = fork.fork("again").turn("4")
    for session in (main, fork, again):
        session.write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path], backwards=True)

    assert await history(imported, ThreadId("again")) == [
        "main/1u",
        "main/2u",
        "fork/3u",
        "again/4u",
    ]


async def test_a_fork_that_left_inherited_runs_keeps_its_point(tmp_path: Path) -> None:
    """Its history leaves out what it went back behind; whose run the last kept one is, too."""
    main = Written("main").turn("1").turn("2")
    fork = main.fork("fork").turn("3")
    again = fork.fork("again").go_to("1a").turn("4")
    for session in (main, fork, again):
        session.write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    made = imported.threads[ThreadId("again")].fork
    assert made is not None
    assert (made.point_native_turn_id, made.kept_through_run_id) == ("3u", "main/1u")
    assert await history(imported, ThreadId("again")) == ["main/1u", "again/4u"]


async def test_a_fork_that_left_all_inherited_runs_keeps_none(tmp_path: Path) -> None:
    """A second root in a fork."""
    main = Written("main").turn("1")
    fork = main.fork("fork").go_to(None).turn("2")
    for session in (main, fork):
        session.write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    made = imported.threads[FORK].fork
    assert made is not None
    assert made.kept_through_run_id == ""
    assert await history(imported, FORK) == ["fork/2u"]


@pytest.mark.parametrize("folder", ["/gone/with the machine/", "C:\\Users\\me\\sessions\\"])
async def test_a_source_is_found_by_the_name_of_its_file(tmp_path: Path, folder: str) -> None:
    """The path names the place of creation, on whatever system."""
    main = Written("main").turn("1")
    fork = main.fork("fork", parent=folder + main.file_name).turn("2")
    main.write(tmp_path / "here")
    fork.write(tmp_path / "there")

    imported = await import_paths(PiImporter(), [tmp_path])

    made = imported.threads[FORK].fork
    assert made is not None
    assert made.source_thread_id == "main"


async def test_the_id_in_the_source_counts_and_not_the_name_of_its_file(tmp_path: Path) -> None:
    """Pi has written files whose name says another id than their header."""
    main = Written("main").turn("1")
    path = main.write(tmp_path)
    renamed = path.with_name(path.name.replace("main", "other"))
    path.rename(renamed)
    main.fork("fork", parent=str(renamed)).turn("2").write(tmp_path)

    imported = await import_paths(PiImporter(), [tmp_path])

    made = imported.threads[FORK].fork
    assert made is not None
    assert made.source_thread_id == "main"


async def test_a_single_file_is_told_with_the_rest_of_its_folders(tmp_path: Path) -> None:
    """Importing in parts gives the same graph: sources may lie in another project's folder."""
    main = Written("main").turn("1")
    main.write(tmp_path / "sessions" / "--a--")
    fork = main.fork("fork")
    fork.second = 1
    path = fork.turn("2").write(tmp_path / "sessions" / "--b--")

    part = await import_paths(PiImporter(), [path])
    whole = await import_paths(PiImporter(), [tmp_path])

    assert part.only == whole.threads[FORK]


async def test_a_source_that_cannot_be_named_makes_no_edge(tmp_path: Path) -> None:
    """Neither a file nor an id in its name: it is said, and nothing is made up."""
    main = Written("main").turn("1")
    path = main.fork("fork", parent="/somewhere/else.jsonl").turn("2").write(tmp_path)

    imported = await import_paths(PiImporter(), [path])

    assert imported.only.fork is None
    assert [run.run_id for run in imported.only.runs] == ["fork/2u"]
    assert imported.reasons == ["unknown-parent-session"]


async def test_a_session_in_the_folder_of_another_was_spawned_by_it(tmp_path: Path) -> None:
    """Extensions keep the runs of subagents there; that is a rule, not a word of pi's."""
    main = Written("main").turn("1")
    path = main.write(tmp_path)
    child = Written("child", 45).turn("2")
    child.write(tmp_path / path.stem / "0f" / "run-0")

    imported = await import_paths(PiImporter(), [tmp_path])

    assert imported.threads[ThreadId("child")].spawn == SpawnRecord(
        child_thread_id=ThreadId("child"),
        parent_thread_id=MAIN,
        at=told(45),
        evidence=Evidence(proof=Proof.INFERRED, rule="in the folder of a session"),
    )
    threads = await imported.store.threads_by_id([ThreadId("child")])
    assert threads[ThreadId("child")].session_id == "main"


async def test_a_spawned_session_that_copied_its_parent_is_both(tmp_path: Path) -> None:
    """The copy is context only: it is no way to browse by."""
    main = Written("main").turn("1")
    path = main.write(tmp_path)
    child = main.fork("child", parent=str(path)).turn("2")
    child.write(tmp_path / path.stem / "run-0")

    imported = await import_paths(PiImporter(), [tmp_path])

    made = imported.threads[ThreadId("child")]
    assert made.spawn is not None
    assert made.fork is not None
    assert made.fork.context_only


@pytest.mark.parametrize(
    ("folder", "spawner"),
    [
        ("2026-11-30T10-45-40-173Z_01a22c0f-749f-77f1-b155-49fb3e157078", True),
        ("2026-11-30T10-45-40_backup", False),
        ("backup", False),
    ],
)
async def test_a_folder_of_a_session_that_is_gone_still_names_it(
    tmp_path: Path,
    folder: str,
    spawner: bool,  # noqa: FBT001 - a parameter of the test
) -> None:
    """By an id that only pi gives; any other folder names nobody."""
    path = Written("child").turn("1").write(tmp_path / folder / "run-0")

    imported = await import_paths(PiImporter(), [path])

    spawn = imported.only.spawn
    assert (spawn is not None and spawn.parent_thread_id) == (
        "01a22c0f-749f-77f1-b155-49fb3e157078" if spawner else False
    )
