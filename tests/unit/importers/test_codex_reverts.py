"""Threads that were reverted: several rollouts, of which one is current."""

from __future__ import annotations

from pathlib import Path

from graph.records import RunRecord
from tests.unit.importers.codex_home import (
    CodexHome,
    Written,
    encoded,
    kept_at,
    meta,
    started,
    turn,
    uuid,
)

SOURCE, THREAD = uuid(0), uuid(100)
FIRST_REVERT, SECOND_REVERT = uuid(110), uuid(120)
ONE, TWO, THREE, FOUR = uuid(101), uuid(102), uuid(111), uuid(121)


def base(rollout_id: str, end: int) -> Written:
    """A reference to a rollout's history up to an ordinal."""
    return {"thread_id": rollout_id, "end_ordinal_exclusive": end}


def write_thread(home: CodexHome) -> None:
    """A thread of two turns, reverted twice: before the second turn, then before the first."""
    home.rollout(THREAD, encoded([meta(THREAD), *turn(ONE), *turn(TWO)], ordinal=0))
    home.rollout(
        THREAD,
        encoded([meta(THREAD, history_base=base(THREAD, 5)), *turn(THREE)], begin=20, ordinal=5),
        rollout_id=FIRST_REVERT,
    )
    home.rollout(
        THREAD,
        encoded([meta(THREAD, history_base=base(THREAD, 1)), *turn(FOUR)], begin=30, ordinal=1),
        rollout_id=SECOND_REVERT,
    )


def left_behind(runs: tuple[RunRecord, ...]) -> list[tuple[str | None, str | None]]:
    """Which turn was left when."""
    return [(run.native_turn_id, run.rolled_back_at) for run in runs]


def test_a_turn_was_left_when_a_rollout_began_that_does_not_reach_it(home: CodexHome) -> None:
    """Reverts flatten: the second one points at the original and leaves the first unreachable."""
    write_thread(home)

    runs = home.read().threads[THREAD].runs

    assert left_behind(runs) == [
        (ONE, kept_at(30)),
        (TWO, kept_at(20)),
        (THREE, kept_at(30)),
        (FOUR, None),
    ]


def test_the_database_says_which_rollout_is_current(home: CodexHome) -> None:
    """By file name, for homes are moved; what the others alone hold was left."""
    write_thread(home)
    name = f"rollout-2026-08-01T12-00-00-{THREAD}_{FIRST_REVERT}.jsonl"
    home.database({"id": THREAD, "rollout_path": f"/elsewhere/{name}"})

    thread = home.read().threads[THREAD]

    assert [turn for turn, when in left_behind(thread.runs) if when is None] == [ONE, THREE]
    assert Path(thread.source_file or "").name == name


def test_items_go_on_through_all_rollouts(home: CodexHome) -> None:
    """Positions are those of the thread; ids of lines say which rollout they mean."""
    write_thread(home)

    items = home.read().items[THREAD]

    assert [each.position for each in items] == list(range(8))
    assert items[0].item_id == f"{THREAD}/line-3"
    assert items[-1].item_id == f"{THREAD}/{SECOND_REVERT}:line-4"


def test_an_open_turn_of_a_left_rollout_was_interrupted(home: CodexHome) -> None:
    """However fresh its file is."""
    home.rollout(THREAD, encoded([meta(THREAD), started(ONE)], ordinal=0))
    home.rollout(
        THREAD,
        encoded([meta(THREAD, history_base=base(THREAD, 1))], begin=20, ordinal=1),
        rollout_id=FIRST_REVERT,
    )

    assert [run.status for run in home.read().threads[THREAD].runs] == ["interrupted"]


def test_a_fork_reverted_into_inherited_turns_keeps_its_point(home: CodexHome) -> None:
    """Its new rollout points straight at the source, with a smaller end."""
    home.rollout(SOURCE, encoded([meta(SOURCE), *turn(uuid(1)), *turn(uuid(2))], ordinal=0))
    forked = {"forked_from_id": SOURCE}
    home.rollout(
        THREAD,
        encoded([meta(THREAD, **forked, history_base=base(SOURCE, 9)), *turn(ONE)], ordinal=9),
    )
    home.rollout(
        THREAD,
        encoded(
            [meta(THREAD, **forked, history_base=base(SOURCE, 5)), *turn(TWO)], begin=20, ordinal=5
        ),
        rollout_id=FIRST_REVERT,
    )

    thread = home.read().threads[THREAD]

    assert thread.fork is not None
    assert thread.fork.point_run_id == f"{SOURCE}/{uuid(2)}"
    assert thread.fork.kept_through_run_id == f"{SOURCE}/{uuid(1)}"
    assert left_behind(thread.runs) == [(ONE, kept_at(20)), (TWO, None)]
    assert thread.history_base is not None
    assert (thread.history_base.thread_id, thread.history_base.end_ordinal) == (SOURCE, 5)


def test_a_fork_reverted_before_all_it_inherited_keeps_nothing(home: CodexHome) -> None:
    """The end then lies before the source's first turn."""
    home.rollout(SOURCE, encoded([meta(SOURCE), *turn(uuid(1))], ordinal=0))
    home.rollout(THREAD, encoded([meta(THREAD, history_base=base(SOURCE, 5))], ordinal=5))
    home.rollout(
        THREAD,
        encoded([meta(THREAD, history_base=base(SOURCE, 1))], begin=20, ordinal=1),
        rollout_id=FIRST_REVERT,
    )

    fork = home.read().threads[THREAD].fork

    assert fork is not None
    assert fork.kept_through_run_id == ""


def test_rollouts_that_refer_to_each_other_end(home: CodexHome) -> None:
    """A cycle of references is damage, not a reason to hang."""
    home.rollout(THREAD, encoded([meta(THREAD, history_base=base(FIRST_REVERT, 5))], ordinal=0))
    home.rollout(
        THREAD,
        encoded([meta(THREAD, history_base=base(THREAD, 5)), *turn(ONE)], begin=20, ordinal=5),
        rollout_id=FIRST_REVERT,
    )
    home.rollout(SOURCE, [meta(SOURCE, history_base=base(uuid(5), 5))])
    home.rollout(uuid(5), [meta(uuid(5), history_base=base(SOURCE, 5))])

    threads = home.read().threads

    assert left_behind(threads[THREAD].runs) == [(ONE, None)]
    assert threads[SOURCE].fork is not None
