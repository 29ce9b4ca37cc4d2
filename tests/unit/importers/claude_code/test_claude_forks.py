"""Which session another was copied from, where it was cut, and whose the runs are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import Evidence, Proof, RunId, ThreadId
from graph.records import ForkRecord
from importers.claude_code.importer import ClaudeCodeImporter
from tests.importing import ALL, import_paths
from tests.unit.importers.claude_code.writing import Written, at, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.importing import Imported

pytestmark = pytest.mark.anyio

MAIN, FORK = ThreadId("main"), ThreadId("fork")
BY_REQUEST = Evidence(proof=Proof.FILE, rule="requestSessionId")
BY_FORKED_FROM = Evidence(proof=Proof.FILE, rule="forkedFrom")
BY_NEAREST = Evidence(proof=Proof.FILE, rule="requestSessionId and messages with the same ids")
BY_FIRST_LINES = Evidence(proof=Proof.FILE, rule="sessionId of the first lines")
BY_PARENT = Evidence(proof=Proof.FILE, rule="parentUuid in another session")
BY_SHARED_IDS = Evidence(proof=Proof.INFERRED, rule="messages with the same ids")


async def imported_from(folder: Path, *sessions: Written) -> Imported:
    """The sessions written into a folder of projects and imported."""
    for session in sessions:
        session.write(folder)
    return await import_paths(ClaudeCodeImporter(), [folder])


async def history(imported: Imported, thread_id: ThreadId) -> list[str]:
    """The runs of a thread's history."""
    pages = await imported.store.history(
        [thread_id], include_rolled_back=False, first=ALL, after=None
    )
    return [row.run.run_id for row in pages[thread_id].rows]


async def test_a_fork_inherits_what_was_copied_into_it(tmp_path: Path) -> None:
    """Its own runs are those behind the copy; the point is the last that was copied."""
    main = Written("main").begin().turn("1").turn("2")
    fork = main.fork("fork").turn("3")
    main.turn("4")

    imported = await imported_from(tmp_path, main, fork)

    thread = imported.threads[FORK]
    assert thread.fork == ForkRecord(
        source_thread_id=MAIN, point_native_turn_id="2u", at=told(15), evidence=BY_REQUEST
    )
    assert [run.run_id for run in thread.runs] == ["fork/3u"]
    assert [item.text for item in thread.items.items] == ["prompt 3u", "answer 3a"]
    assert await history(imported, FORK) == ["main/1u", "main/2u", "fork/3u"]
    assert thread.created_at == told(15)


async def test_a_fork_is_the_same_without_its_source(tmp_path: Path) -> None:
    """The copied lines name the session; what is older than the file was copied."""
    main = Written("main").begin().turn("1").turn("2")
    fork = main.fork("fork").turn("3")
    both = await imported_from(tmp_path / "both", main, fork)

    alone = await imported_from(tmp_path / "alone", fork)

    assert alone.only.fork == both.threads[FORK].fork
    assert alone.only.runs == both.threads[FORK].runs
    assert alone.only.items == both.threads[FORK].items


async def test_a_copied_prompt_without_an_answer_is_not_the_forks_own(tmp_path: Path) -> None:
    """Prompts carry no mark: what the fork's first line is younger than was copied."""
    main = Written("main").begin().turn("1").prompt("2u")
    fork = main.fork("fork").turn("3")

    imported = await imported_from(tmp_path, main, fork)

    assert [run.run_id for run in imported.threads[FORK].runs] == ["fork/3u"]
    assert imported.threads[FORK].fork == ForkRecord(
        source_thread_id=MAIN, point_native_turn_id="2u", at=told(14), evidence=BY_REQUEST
    )


async def test_a_fork_of_a_fork_has_the_nearest_source(tmp_path: Path) -> None:
    """Copied lines name who made them, so those of the first fork name the first fork."""
    main = Written("main").begin().turn("1")
    fork = main.fork("fork").turn("2")
    second = fork.fork("second").turn("3")

    imported = await imported_from(tmp_path, main, fork, second)

    record = imported.threads[ThreadId("second")].fork
    assert record is not None
    assert (record.source_thread_id, record.point_native_turn_id) == ("fork", "2u")
    assert await history(imported, ThreadId("second")) == ["main/1u", "fork/2u", "second/3u"]


async def test_a_fork_of_a_fork_without_an_answer_is_told_by_what_was_copied(
    tmp_path: Path,
) -> None:
    """Nothing that was copied names the first fork, but only its file has all of it."""
    main = Written("main").begin().turn("1")
    fork = main.fork("fork").prompt("2u")
    second = fork.fork("second").turn("3")

    imported = await imported_from(tmp_path, main, fork, second)

    record = imported.threads[ThreadId("second")].fork
    assert record is not None
    assert (record.source_thread_id, record.evidence) == ("fork", BY_NEAREST)
    assert await history(imported, ThreadId("second")) == ["main/1u", "fork/2u", "second/3u"]


async def test_a_nearer_source_that_comes_later_takes_the_place_of_the_other(
    tmp_path: Path,
) -> None:
    """The edge is the same as if it had been there from the start."""
    main = Written("main").begin().turn("1")
    fork = main.fork("fork").prompt("2u")
    second = fork.fork("second").turn("3")

    imported = await imported_from(tmp_path, main, second)
    before = imported.store.facts.forks[ThreadId("second")].source_thread_id
    fork.write(tmp_path)
    await import_paths(ClaudeCodeImporter(), [tmp_path], into=imported)

    assert before == "main"
    assert await history(imported, ThreadId("second")) == ["main/1u", "fork/2u", "second/3u"]


async def test_a_branch_names_its_source_on_every_line(tmp_path: Path) -> None:
    """In a branch of a branch all lines name the first branch, whoever made them."""
    main = Written("main").turn("1")
    branch = main.branch("fork").turn("2")
    second = branch.branch("second").turn("3")

    imported = await imported_from(tmp_path, main, branch, second)

    forks = {thread.thread_id: thread.fork for thread in imported.threads.values()}
    assert forks == {
        "main": None,
        "fork": ForkRecord(
            source_thread_id=MAIN, point_native_turn_id="1u", at=told(14), evidence=BY_FORKED_FROM
        ),
        "second": ForkRecord(
            source_thread_id=FORK, point_native_turn_id="2u", at=told(17), evidence=BY_FORKED_FROM
        ),
    }
    assert await history(imported, ThreadId("second")) == ["main/1u", "fork/2u", "second/3u"]


async def test_a_branch_that_wrote_its_copy_twice_has_it_once(tmp_path: Path) -> None:
    """Old versions wrote the copied part again, without marks and without parents."""
    main = Written("main").turn("1")
    branch = main.branch("fork")
    branch.lines.extend({**line, "parentUuid": None} for line in main.lines)
    branch.turn("2")

    imported = await imported_from(tmp_path, main, branch)

    assert [run.run_id for run in imported.threads[FORK].runs] == ["fork/2u"]
    assert imported.reasons == ["repeated-line", "repeated-line"]


async def test_copies_with_new_ids_are_followed_to_the_first(tmp_path: Path) -> None:
    """The point is the run that was typed, however often it was copied under other ids."""
    main = Written("main").begin().turn("1")
    fork = main.sdk_fork("fork")
    second = fork.sdk_fork("second").turn("2")

    imported = await imported_from(tmp_path, main, fork, second)

    record = imported.threads[ThreadId("second")].fork
    assert record is not None
    assert (record.source_thread_id, record.point_native_turn_id) == ("fork", "1u")
    assert imported.threads[FORK].runs == ()
    assert await history(imported, ThreadId("second")) == ["main/1u", "second/2u"]


async def test_old_copies_that_say_nothing_are_told_by_their_ids(tmp_path: Path) -> None:
    """The copy stands in one block; the original has other lines between its messages."""
    main = Written("main").turn("1").control("mode").turn("2").control("mode")
    fork = main.copy("fork").turn("3")
    main.turn("4")

    imported = await imported_from(tmp_path, main, fork)

    assert imported.threads[MAIN].fork is None
    assert imported.threads[FORK].fork == ForkRecord(
        source_thread_id=MAIN, point_native_turn_id="2u", at=told(16), evidence=BY_SHARED_IDS
    )
    assert [run.run_id for run in imported.threads[FORK].runs] == ["fork/3u"]
    assert [run.run_id for run in imported.threads[MAIN].runs] == ["main/1u", "main/2u", "main/4u"]


async def test_a_copy_of_all_there_is_has_the_other_as_its_source(tmp_path: Path) -> None:
    """Who has nothing of its own was there first: nobody copies what is not written yet."""
    main = Written("main").turn("1").turn("2")
    fork = main.copy("a-fork").turn("3")

    imported = await imported_from(tmp_path, main, fork)

    record = imported.threads[ThreadId("a-fork")].fork
    assert record is not None
    assert record.source_thread_id == MAIN
    assert imported.threads[MAIN].fork is None


async def test_a_copy_by_a_background_session_is_the_copy(tmp_path: Path) -> None:
    """Its stamp stands on what it copied, too."""
    main = Written("z-main").turn("1")
    fork = main.copy("a-fork", sessionKind="bg").turn("3")
    fork.lines[-2]["sessionKind"] = fork.lines[-1]["sessionKind"] = "bg"
    main.turn("4")

    imported = await imported_from(tmp_path, main, fork)

    record = imported.threads[ThreadId("a-fork")].fork
    assert record is not None
    assert record.source_thread_id == "z-main"
    assert imported.threads[ThreadId("z-main")].fork is None


async def test_two_equal_copies_are_never_each_others_source(tmp_path: Path) -> None:
    """One of them is taken for the original, whatever is imported first."""
    main = Written("main").turn("1")
    twin = main.copy("twin")

    imported = await imported_from(tmp_path, main, twin)

    assert imported.threads[MAIN].fork is None
    assert imported.threads[ThreadId("twin")].fork is not None
    assert imported.threads[ThreadId("twin")].runs == ()


async def test_a_session_that_goes_on_under_a_new_id_is_a_fork(tmp_path: Path) -> None:
    """Old versions kept the first session's id on what they copied."""
    main = Written("main").turn("1")
    fork = main.copy("fork")
    for line in fork.lines:
        line["sessionId"] = "main"
    fork.turn("2")

    alone = await imported_from(tmp_path / "alone", fork)
    both = await imported_from(tmp_path / "both", main, fork)

    for imported in (alone, both):
        assert imported.threads[FORK].fork == ForkRecord(
            source_thread_id=MAIN, point_native_turn_id="1u", at=told(14), evidence=BY_FIRST_LINES
        )
        assert [run.run_id for run in imported.threads[FORK].runs] == ["fork/2u"]


async def test_the_thread_is_the_file_and_not_the_session_of_its_lines(tmp_path: Path) -> None:
    """A file whose lines all name another session is not a copy of it for that alone."""
    renamed = Written("main").turn("1")
    renamed.session = "renamed"

    imported = await imported_from(tmp_path, renamed)

    assert imported.only.thread_id == "renamed"
    assert imported.only.fork is None
    assert [run.run_id for run in imported.only.runs] == ["renamed/1u"]


async def test_a_session_that_holds_only_its_own_part_is_a_fork(tmp_path: Path) -> None:
    """Its first line goes on from a message in another file of the project."""
    main = Written("main").begin().turn("1").turn("2")
    fork = Written("fork", second=20).begin().go_to("1a").turn("3")

    imported = await imported_from(tmp_path, main, fork)

    assert imported.threads[FORK].fork == ForkRecord(
        source_thread_id=MAIN, point_native_turn_id="1u", at=told(20), evidence=BY_PARENT
    )
    assert await history(imported, FORK) == ["main/1u", "fork/3u"]


async def test_a_message_in_several_files_belongs_to_the_first_of_them(tmp_path: Path) -> None:
    """A fork that holds a copy of the message is not taken for the source."""
    main = Written("main").begin().turn("1")
    copy = main.fork("copy").turn("2")
    lazy = Written("lazy", second=30).begin().go_to("1a").turn("3")

    imported = await imported_from(tmp_path, main, copy, lazy)

    record = imported.threads[ThreadId("lazy")].fork
    assert record is not None
    assert record.source_thread_id == MAIN


async def test_a_fork_behind_a_compaction_points_at_the_run_before_it(tmp_path: Path) -> None:
    """Only what the compaction left was copied: the source's file knows the run."""
    main = Written("main").begin().turn("1").turn("2").compaction("c")
    fork = main.fork("fork")
    fork.lines = [line for line in fork.lines if line.get("uuid", "cb") in {"cb", "cs"}]
    fork.lines[-1]["requestSessionId"] = "main"
    fork.turn("3")

    imported = await imported_from(tmp_path, main, fork)

    record = imported.threads[FORK].fork
    assert record is not None
    assert (record.source_thread_id, record.point_native_turn_id) == ("main", "2u")
    assert imported.threads[FORK].windows == ()
    assert await history(imported, FORK) == ["main/1u", "main/2u", "fork/3u"]


async def test_a_fork_that_left_inherited_runs_keeps_its_point(tmp_path: Path) -> None:
    """The history ends where the fork went back to."""
    main = Written("main").begin().turn("1").turn("2").turn("3")
    fork = main.fork("fork").turn("4").go_to("1a").turn("5")

    imported = await imported_from(tmp_path, main, fork)

    record = imported.threads[FORK].fork
    assert record is not None
    assert record.point_native_turn_id == "3u"
    assert record.kept_through_run_id == "main/1u"
    assert await history(imported, FORK) == ["main/1u", "fork/5u"]


async def test_a_fork_that_began_anew_keeps_nothing(tmp_path: Path) -> None:
    """All that it inherited was left."""
    main = Written("main").begin().turn("1")
    fork = main.fork("fork").turn("2").go_to(None).turn("3")

    imported = await imported_from(tmp_path, main, fork)

    record = imported.threads[FORK].fork
    assert record is not None
    assert record.kept_through_run_id == RunId("")
    assert await history(imported, FORK) == ["fork/3u"]


async def test_what_the_source_left_later_is_still_inherited(tmp_path: Path) -> None:
    """A rewind of the source says nothing about its forks."""
    main = Written("main").begin().turn("1").turn("2")
    fork = main.fork("fork").turn("3")
    main.second = fork.second
    main.go_to("1a").turn("4")

    imported = await imported_from(tmp_path, main, fork)

    assert await history(imported, FORK) == ["main/1u", "main/2u", "fork/3u"]
    assert await history(imported, MAIN) == ["main/1u", "main/4u"]


@pytest.mark.parametrize(("back", "typed"), [(0.9, "else"), (3600, "prompt 1u")])
async def test_a_clock_that_was_put_back_makes_no_copy(
    tmp_path: Path, back: float, typed: str
) -> None:
    """A little, or with what was typed first still standing first."""
    session = Written("s", second=11 + back)
    session.control("queue-operation", timestamp=at(session.second), content=typed)
    session.second = 10
    session.turn("1").turn("2")

    imported = await imported_from(tmp_path, session)

    assert [run.native_turn_id for run in imported.only.runs] == ["1u", "2u"]
    assert imported.skips == []


async def test_a_copy_whose_source_is_unknown_is_counted(tmp_path: Path) -> None:
    """Old lines that nothing names a session for are nobody's runs, and no guess is made."""
    main = Written("main").turn("1")
    copy = main.copy("fork")
    copy.lines[:0] = Written("fork", second=20).begin().lines
    copy.second = 20
    copy.turn("2")

    imported = await imported_from(tmp_path, copy)

    assert imported.only.fork is None
    assert [run.run_id for run in imported.only.runs] == ["fork/2u"]
    assert imported.reasons == ["unknown-source"]


async def test_a_cleared_session_has_no_parent(tmp_path: Path) -> None:
    """Nothing points back, so nothing is inferred."""
    main = Written("main").begin().turn("1")
    cleared = Written("cleared", second=main.second + 1)
    cleared.user("c", "<command-name>/clear</command-name>").begin().turn("2")

    imported = await imported_from(tmp_path, main, cleared)

    assert {thread.fork for thread in imported.threads.values()} == {None}
    assert [run.run_id for run in imported.threads[ThreadId("cleared")].runs] == ["cleared/2u"]


async def test_sessions_that_name_each_other_end(tmp_path: Path) -> None:
    """A cycle of copies is none of the reader's making, and no walk is endless."""
    one = Written("one").turn("1").branch("two")
    two = Written("two").turn("1").branch("one")
    one.session, two.session = "two", "one"

    imported = await imported_from(tmp_path, one, two)

    sources = {
        thread.fork and thread.fork.source_thread_id for thread in imported.threads.values()
    }
    assert sources == {"one", "two"}
