"""What is left behind in a pi session, and what only looks like it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from importers.pi.importer import PiImporter
from tests.importing import import_paths
from tests.unit.importers.pi.sessions import Written, told

if TYPE_CHECKING:
    from pathlib import Path

    from graph.records import ThreadRecord

pytestmark = pytest.mark.anyio


def left(thread: ThreadRecord) -> dict[str | None, str | None]:
    """When each run was left behind, by pi's own id."""
    return {run.native_turn_id: run.rolled_back_at for run in thread.runs}


async def test_a_branch_that_was_left_is_rolled_back_when_the_next_run_began(
    tmp_path: Path,
) -> None:
    """Pi moves without a word: the next prompt hangs on an earlier entry."""
    session = Written("s").turn("1").turn("2").turn("3").go_to("1a").turn("4")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert left(imported.only) == {"1u": None, "2u": told(47), "3u": told(47), "4u": None}


async def test_the_summary_of_a_branch_says_when_it_was_left(tmp_path: Path) -> None:
    """A marker is better than what came later."""
    session = Written("s").turn("1").turn("2").go_to("1a")
    session.entry("b", "branch_summary", fromId="1a", summary="what 2 was").turn("3")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert left(imported.only) == {"1u": None, "2u": told(45), "3u": None}
    assert [
        (item.kind, item.text, item.run_id)
        for item in imported.only.items.items
        if item.kind != "message"
    ] == [("branch_summary", "what 2 was", "s/1u")]


async def test_a_setting_after_a_move_does_not_count_as_the_next_run(tmp_path: Path) -> None:
    """What was left is rolled back with the next prompt, whatever stands before that."""
    session = Written("s").turn("1").turn("2").go_to("1a")
    session.entry("m", "model_change", provider="p", modelId="other")

    before = await import_paths(PiImporter(), [session.write(tmp_path / "before")])
    after = await import_paths(PiImporter(), [session.turn("3").write(tmp_path / "after")])

    assert left(before.only)["2u"] == told(45)
    assert left(after.only)["2u"] == told(46)


async def test_a_branch_that_is_gone_back_to_is_current_again(tmp_path: Path) -> None:
    """Only the way to the last line counts."""
    session = Written("s").turn("1").turn("2").go_to("1a").turn("3").go_to("2a").turn("4")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert left(imported.only) == {"1u": None, "2u": None, "3u": told(47), "4u": None}


async def test_a_second_root_leaves_everything_before_it(tmp_path: Path) -> None:
    """The first prompt can be gone back to, too."""
    session = Written("s").turn("1").turn("2").go_to(None).turn("3")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert left(imported.only) == {"1u": told(45), "2u": told(45), "3u": None}


async def test_results_of_parallel_tools_are_no_branches(tmp_path: Path) -> None:
    """Pi chains them, and belong to the run of their prompt."""
    calls = [
        {"type": "toolCall", "id": name, "name": "bash", "arguments": {"command": f"echo {name}"}}
        for name in ("x", "y")
    ]
    session = Written("s").prompt("1u").answer("1c", content=calls, stopReason="toolUse")
    for name in ("y", "x"):
        content = [{"type": "text", "text": f"{name}\n"}]
        message = {"role": "toolResult", "toolCallId": name, "content": content}
        session.entry(f"r{name}", "message", message=message)
    session.answer("1a")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert left(imported.only) == {"1u": None}
    assert [
        (item.item_id, item.kind, item.text, item.status, item.run_id)
        for item in imported.only.items.items[1:]
    ] == [
        ("s/1c.1", "command", "echo y\ny\n", "completed", "s/1u"),
        ("s/1c", "command", "echo x\nx\n", "completed", "s/1u"),
        ("s/1a", "message", "answer 1a", None, "s/1u"),
    ]


async def test_a_lost_line_does_not_cut_off_what_came_before_it(tmp_path: Path) -> None:
    """An entry whose parent is nowhere goes on from the line before it."""
    session = Written("s").turn("1").turn("2")
    path = session.write(tmp_path)
    lines = session.raw()
    lines[2] = b'{"type":"message","id":"1a","parentI\n'
    path.write_bytes(b"".join(lines))

    imported = await import_paths(PiImporter(), [path])

    assert left(imported.only) == {"1u": None, "2u": None}
    assert imported.reasons == ["not-json", "parent-not-found"]


async def test_a_parent_may_stand_later_in_the_file(tmp_path: Path) -> None:
    """Lines are resolved when all of them are known."""
    session = Written("s").turn("1").turn("2")
    path = session.write(tmp_path)
    lines = session.raw()
    lines[2], lines[3] = lines[3], lines[2]
    path.write_bytes(b"".join(lines))

    imported = await import_paths(PiImporter(), [path])

    assert left(imported.only) == {"1u": None, "2u": None}
    assert imported.reasons == []


async def test_an_answer_may_stand_before_its_prompt(tmp_path: Path) -> None:
    """It is that prompt's all the same."""
    session = Written("s").turn("1").turn("2")
    path = session.write(tmp_path)
    header, *lines = session.raw()
    path.write_bytes(b"".join([header, *reversed(lines)]))

    imported = await import_paths(PiImporter(), [path])

    assert [(run.native_turn_id, run.status) for run in imported.only.runs] == [
        ("2u", "completed"),
        ("1u", "completed"),
    ]


@pytest.mark.parametrize("parents", [("2a", "1u"), ("1u", "1u")])
async def test_a_cycle_ends_where_it_would_close(tmp_path: Path, parents: tuple[str, str]) -> None:
    """No chain of parents is followed for ever, not even one of an entry to itself."""
    session = Written("s").turn("1").turn("2")
    session.lines[1]["parentId"], session.lines[2]["parentId"] = parents

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    assert [run.native_turn_id for run in imported.only.runs] == ["1u", "2u"]
    assert imported.reasons == ["parent-cycle"]


async def test_an_entry_that_was_written_twice_is_one(tmp_path: Path) -> None:
    """The first of two entries with one id counts."""
    session = Written("s").turn("1").turn("2")
    path = session.write(tmp_path)
    lines = session.raw()
    path.write_bytes(b"".join([*lines, *lines[1:]]))

    imported = await import_paths(PiImporter(), [path])

    assert left(imported.only) == {"1u": None, "2u": None}
    assert len(imported.only.items.items) == 4
    assert imported.reasons == ["duplicate-entry"] * 4


async def test_a_chain_may_be_as_long_as_it_likes(tmp_path: Path) -> None:
    """Nothing recurses along the tree."""
    session = Written("s")
    for number in range(10_000):
        session.second = 1
        session.turn(str(number))
    session.second = 50
    session.go_to("0a").turn("last")

    imported = await import_paths(PiImporter(), [session.write(tmp_path)])

    runs = imported.only.runs
    assert len(runs) == 10_001
    assert [run.native_turn_id for run in runs if run.rolled_back_at is None] == ["0u", "lastu"]
