"""Which way a conversation went: rewinds, and what only looks like one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import RunId, ThreadId, Timestamp
from graph.records import WindowRecord
from importers.claude_code.importer import ClaudeCodeImporter
from tests.importing import import_paths
from tests.unit.importers.claude_code.writing import NO_MESSAGE, PROJECT, Written, at, told

if TYPE_CHECKING:
    from pathlib import Path

    from tests.importing import Imported

pytestmark = pytest.mark.anyio


async def import_session(folder: Path, session: Written) -> Imported:
    """One session, written and imported."""
    return await import_paths(ClaudeCodeImporter(), [session.write(folder)])


def left(imported: Imported) -> dict[str | None, Timestamp | None]:
    """The runs of the one thread, with when they were left behind."""
    return {run.native_turn_id: run.rolled_back_at for run in imported.only.runs}


async def test_a_rewind_leaves_runs_behind(tmp_path: Path) -> None:
    """They stay runs of the thread, rolled back when the next run began elsewhere."""
    session = Written("s").turn("1").turn("2").turn("3").go_to("2a").turn("4")
    session.go_to("1a").turn("5")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {
        "1u": None,
        "2u": told(19),
        "3u": told(17),
        "4u": told(19),
        "5u": None,
    }
    assert {item.run_id for item in imported.only.items.items} == {
        f"s/{name}u" for name in "12345"
    }


async def test_going_back_to_a_branch_that_was_left_brings_its_runs_back(tmp_path: Path) -> None:
    """What the conversation goes through now was not left."""
    session = Written("s").turn("1").turn("2").go_to("1a").turn("3").go_to("2a").turn("4")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None, "3u": told(17), "4u": None}


async def test_a_rewind_to_the_first_prompt_makes_a_second_root(tmp_path: Path) -> None:
    """A prompt without a parent begins anew."""
    session = Written("s").turn("1").turn("2")
    session.control("last-prompt", leafUuid=NO_MESSAGE, explicit=True).go_to(None).turn("3")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": told(15), "2u": told(15), "3u": None}


async def test_a_command_after_a_rewind_to_the_first_prompt_is_a_root(tmp_path: Path) -> None:
    """The marker says that there is nothing to go on from, whatever comes next."""
    session = Written("s").turn("1")
    session.control("last-prompt", leafUuid=NO_MESSAGE, explicit=True).go_to(None)
    session.user("m", "<local-command-caveat>…</local-command-caveat>", isMeta=True).turn("2")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": told(14), "2u": None}


async def test_a_hook_without_a_parent_is_no_rewind(tmp_path: Path) -> None:
    """What is no prompt goes on from the line before it: nothing is left for a lost link."""
    session = Written("s").turn("1").go_to(None)
    session.link("progress", "p", data={"type": "hook_progress"}).turn("2")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None}


async def test_parallel_tools_are_no_rewind(tmp_path: Path) -> None:
    """Results hang on their own calls and come in any order, also late."""
    session = Written("s").prompt("1u").call("c1", "t1", "Bash", command="a")
    session.call("c2", "t2", "Bash", command="b")
    session.go_to("c2").result("r2", "t2").go_to("c1").result("r1", "t1").answer("1a").turn("2")
    session.go_to("c1").result("late", "t1")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None}


async def test_an_answer_that_was_tried_again_is_no_rewind(tmp_path: Path) -> None:
    """Two answers to one prompt are one run."""
    session = Written("s").prompt("1u").answer("a").go_to("1u").answer("b").turn("2")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None}


async def test_an_answer_to_a_notification_shows_the_way(tmp_path: Path) -> None:
    """After a rewind nothing may be typed for a while, but an agent may report."""
    session = Written("s").turn("1").turn("2").go_to("1a")
    session.user("n", "<task-notification>x</task-notification>").answer("na")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": told(16)}


async def test_a_parent_may_come_later_in_the_file(tmp_path: Path) -> None:
    """The order of lines is not the order of links."""
    session = Written("s").turn("1").turn("2").turn("3")
    session.lines[2], session.lines[3] = session.lines[3], session.lines[2]

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None, "3u": None}
    assert [item.run_id for item in imported.only.items.items] == [
        f"s/{name}u" for name in "112233"
    ]


async def test_a_parent_that_is_nowhere_is_the_line_before(tmp_path: Path) -> None:
    """A lost line leaves nothing behind."""
    session = Written("s").turn("1").turn("2").turn("3")
    del session.lines[3]

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None, "3u": None}


async def test_cycles_end(tmp_path: Path) -> None:
    """The edge that closes one is cut at the latest line, and counted."""
    session = Written("s").turn("1").turn("2")
    session.lines[0]["parentUuid"] = "2a"
    session.lines[1]["parentUuid"] = "1a"

    imported = await import_session(tmp_path, session)

    assert set(left(imported)) == {"1u", "2u", "2a"}
    assert imported.reasons == ["parent-cycle"]


async def test_a_repeated_line_counts_once(tmp_path: Path) -> None:
    """The first one has the parent; the others are counted."""
    session = Written("s").turn("1").turn("2")
    session.lines.append({**session.lines[0], "parentUuid": "2a"})

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None}
    assert imported.reasons == ["repeated-line"]


async def test_what_a_compaction_writes_again_counts_once(tmp_path: Path) -> None:
    """Some versions write earlier turns again, with new ids and their old times."""
    session = Written("s").turn("1").turn("2")
    again = [dict(line) for line in session.lines[2:]]
    again[0]["uuid"] = again[1]["parentUuid"] = "2u-again"
    again[1]["uuid"] = "2a-again"
    session.compaction("c").lines.extend(again)
    session.go_to("2a-again").turn("3")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None, "3u": None}
    assert len(imported.only.items.items) == 7
    assert imported.reasons == ["repeated-line", "repeated-line"]


async def test_a_compaction_opens_a_context_window(tmp_path: Path) -> None:
    """In the run that it goes on from; what came before it is not left."""
    session = Written("s").turn("1").compaction("c").answer("ca").turn("2").compaction("d")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None}
    assert imported.only.windows == (
        WindowRecord(number=1, run_id=RunId("s/1u")),
        WindowRecord(number=2, run_id=RunId("s/2u")),
    )


async def test_a_compaction_of_a_run_that_was_left_is_kept(tmp_path: Path) -> None:
    """It is rolled back with its run."""
    session = Written("s").turn("1").turn("2").compaction("c").go_to("1a").turn("3")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": told(17), "3u": None}
    assert imported.only.windows == (
        WindowRecord(number=1, run_id=RunId("s/2u"), rolled_back=True),
    )


async def test_a_compaction_whose_message_is_nowhere_goes_on_from_the_line_before(
    tmp_path: Path,
) -> None:
    """It may name a message that was never written."""
    session = Written("s").turn("1").compaction("c", logicalParentUuid="nowhere").turn("2")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None}
    assert imported.only.windows == (WindowRecord(number=1, run_id=RunId("s/1u")),)


async def test_a_compaction_after_a_rewind_leaves_the_old_branch(tmp_path: Path) -> None:
    """It goes on from the message that it names, not from the last line."""
    session = Written("s").turn("1").turn("2").go_to("1a").compaction("c").turn("3")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": told(17), "3u": None}


async def test_a_compaction_of_a_part_leaves_nothing(tmp_path: Path) -> None:
    """What it sums up was not left by the user, wherever the boundary goes on from."""
    session = Written("s").turn("1").turn("2").compaction("c", logicalParentUuid="1a")
    session.lines[-1]["summarizeMetadata"] = {"direction": "from"}
    session.turn("3")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None, "3u": None}


async def test_lines_that_a_compaction_kept_may_come_after_it(tmp_path: Path) -> None:
    """With their old times, below the summary."""
    session = Written("s").turn("1").prompt("2u")
    kept = {**session.lines[1], "uuid": "2a", "parentUuid": "cs", "timestamp": at(14)}
    session.compaction("c", logicalParentUuid="2a")
    session.lines.append(kept)
    session.go_to("2a").turn("3")

    imported = await import_session(tmp_path, session)

    assert left(imported) == {"1u": None, "2u": None, "3u": None}


async def test_runs_keep_the_order_of_the_file(tmp_path: Path) -> None:
    """Also where its times are equal, go backwards or are missing."""
    session = Written("s").turn("1").turn("2").turn("3").turn("4")
    session.lines[2]["timestamp"] = at(11)
    session.lines[4]["timestamp"] = at(5)
    del session.lines[6]["timestamp"]

    imported = await import_session(tmp_path, session)

    assert [run.native_turn_id for run in await imported.runs(ThreadId("s"))] == [
        "1u",
        "2u",
        "3u",
        "4u",
    ]
    assert [run.started_at for run in imported.only.runs] == [
        told(11),
        told(11.000001),
        told(11.000002),
        told(11.000003),
    ]


async def test_two_files_of_a_session_are_one_thread(tmp_path: Path) -> None:
    """It went on in another project's folder: both ways are where it stands."""
    session = Written("s").turn("1")
    other = session.copy("s").turn("3")
    session.turn("2").write(tmp_path)
    moved = tmp_path / "-elsewhere" / "s.jsonl"
    moved.parent.mkdir()
    moved.write_bytes(b"".join(other.raw()))

    imported = await import_paths(ClaudeCodeImporter(), [tmp_path / PROJECT, tmp_path])

    assert left(imported) == {"1u": None, "2u": None, "3u": None}
    assert [item.position for item in imported.only.items.items] == [0, 1, 2, 3, 4, 5]


async def test_very_long_chains_are_walked(tmp_path: Path) -> None:
    """No recursion, and no walk from each link to the root."""
    session = Written("s", second=0)
    for turn in range(4_000):
        session.second = 0
        session.turn(str(turn))

    imported = await import_session(tmp_path, session)

    assert len(imported.only.runs) == 4_000
    assert not any(left(imported).values())
