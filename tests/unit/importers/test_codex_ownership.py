"""Which lines of a rollout are the thread's own, by the best evidence that there is."""

from __future__ import annotations

from tests.unit.importers.codex_home import (
    CodexHome,
    Written,
    asked,
    encoded,
    event,
    meta,
    said,
    spawn_source,
    started,
    turn,
    uuid,
)

SOURCE, FORK = uuid(0), uuid(100)
OLD_ONE, OLD_TWO, OWN = uuid(1), uuid(2), uuid(101)


def turns_of(
    home: CodexHome, lines: list[Written], ordinal: int | None = None
) -> list[str | None]:
    """The own turns of the fork with these lines."""
    home.rollout(FORK, encoded(lines, ordinal=ordinal))
    return [run.native_turn_id for run in home.read().threads[FORK].runs]


def fork(**fields: object) -> Written:
    """The meta of a fork."""
    return meta(FORK, forked_from_id=SOURCE, **fields)


def test_turns_older_than_the_thread_were_inherited(home: CodexHome) -> None:
    """Copied lines carry the time of the copy; ids carry their own."""
    lines = [fork(), meta(SOURCE), *turn(OLD_ONE), *turn(OLD_TWO), *turn(OWN)]

    assert turns_of(home, lines) == [OWN]


def test_a_fork_without_a_word_of_its_own_has_no_turns(home: CodexHome) -> None:
    """All that stands in it was copied, also what comes after the last copied turn."""
    home.rollout(FORK, [fork(), meta(SOURCE), *turn(OLD_ONE), said("assistant", "copied")])

    found = home.read()

    assert found.threads[FORK].runs == ()
    assert found.items[FORK] == []


def test_a_subagents_history_begins_at_the_ordinal_that_it_states(home: CodexHome) -> None:
    """Also where turn ids have no time."""
    lines = [
        meta(FORK, subagent_history_start_ordinal=5, source=spawn_source(SOURCE)),
        *turn("old"),
        *turn("new"),
    ]

    assert turns_of(home, lines, ordinal=0) == ["new"]


def test_a_migrations_ordinal_is_not_believed(home: CodexHome) -> None:
    """It is the number of lines: the thread's own turns would count as inherited."""
    lines = [
        meta(FORK, subagent_history_start_ordinal=9, source=spawn_source(SOURCE)),
        *turn(OLD_ONE),
        *turn(OWN),
    ]

    assert turns_of(home, lines, ordinal=0) == [OWN]


def test_the_threads_own_settings_end_the_copied_part(home: CodexHome) -> None:
    """The first settings that name the thread itself; what follows them is its own."""
    home.rollout(
        FORK,
        [
            fork(),
            meta(SOURCE),
            event("thread_settings_applied", thread_id=SOURCE),
            *turn("old"),
            event("thread_settings_applied", thread_id=FORK),
            event("turn_aborted", turn_id="old", reason="interrupted"),
            *turn("new", prompt="mine"),
        ],
    )

    found = home.read()

    assert [run.native_turn_id for run in found.threads[FORK].runs] == ["new"]
    assert found.texts(FORK)[-2:] == [("message", "mine"), ("message", "answer")]


def test_turn_ids_of_the_source_are_the_sources(home: CodexHome) -> None:
    """Ids without a time are looked up in the file that they were copied from."""
    home.rollout(SOURCE, [meta(SOURCE), *turn("old"), *turn("older")])

    assert turns_of(home, [fork(), meta(SOURCE), *turn("old"), *turn("new")]) == ["new"]


def test_turns_without_ids_are_counted(home: CodexHome) -> None:
    """As many were copied as the source had; its run at that place is the point."""
    home.rollout(SOURCE, [meta(SOURCE), asked("one"), asked("two")])
    home.rollout(
        FORK,
        [
            fork(timestamp="2026-08-01T13:00:00Z"),
            meta(SOURCE),
            *map(asked, ("one", "two", "three")),
        ],
    )

    thread = home.read().threads[FORK]

    assert [run.run_id for run in thread.runs] == [f"{FORK}/line-5"]
    assert thread.fork is not None
    assert thread.fork.point_run_id == f"{SOURCE}/line-3"


def test_a_copy_that_nothing_tells_of_is_counted(home: CodexHome) -> None:
    """Neither ids nor a source: the turns are taken as the thread's own, and that is said."""
    home.rollout(FORK, [fork(), meta(SOURCE), asked("one")])

    found = home.read()

    assert len(found.threads[FORK].runs) == 1
    assert found.reasons == ["copied-part-unknown"]


def test_without_a_copy_all_turns_are_own(home: CodexHome) -> None:
    """Also one that is older than its thread, by a clock that was set back."""
    assert turns_of(home, [meta(FORK), *turn(OLD_ONE)]) == [OLD_ONE]


def test_an_open_inherited_turn_is_not_own(home: CodexHome) -> None:
    """A copy that was cut inside a turn leaves it open."""
    assert turns_of(home, [fork(), meta(SOURCE), started(OLD_ONE), *turn(OWN)]) == [OWN]


def test_an_old_thread_forked_by_a_new_version_is_told_apart(home: CodexHome) -> None:
    """The copied turns have no ids, the own ones do; the point is found by counting."""
    home.rollout(SOURCE, [meta(SOURCE), asked("one"), asked("two")])
    later = "2026-08-01T13:00:00Z"
    home.rollout(
        FORK, [fork(timestamp=later), meta(SOURCE), asked("one"), asked("two"), *turn(OWN)]
    )

    thread = home.read().threads[FORK]

    assert [run.native_turn_id for run in thread.runs] == [OWN]
    assert thread.fork is not None
    assert thread.fork.point_run_id == f"{SOURCE}/line-3"


def test_a_fork_of_an_empty_thread_is_empty(home: CodexHome) -> None:
    """There is nothing that could be mistaken for another's."""
    home.rollout(FORK, [fork(), meta(SOURCE)])

    found = home.read()

    assert (found.threads[FORK].runs, found.reasons) == ((), [])
