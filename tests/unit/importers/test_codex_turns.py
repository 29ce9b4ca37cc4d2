"""How turns begin and end, and what they cost."""

from __future__ import annotations

from graph.model import RunKind, Timestamp
from graph.records import RunRecord
from importers.contract import ReadOptions
from tests.unit.importers.codex_home import (
    CodexHome,
    Written,
    answered,
    asked,
    compacted,
    completed,
    event,
    item,
    kept_at,
    meta,
    started,
    turn,
    uuid,
)

THREAD = uuid(0)
CHILD = uuid(50)
ONE, TWO, THREE, FOUR = uuid(1), uuid(2), uuid(3), uuid(4)


def runs_of(home: CodexHome, lines: list[Written], now: float | None = None) -> list[RunRecord]:
    """The runs of a thread with these lines after its meta."""
    home.rollout(THREAD, [meta(THREAD), *lines])
    options = ReadOptions(now=None if now is None else Timestamp(kept_at(now)))
    return list(home.read(options=options).threads[THREAD].runs)


def statuses(runs: list[RunRecord]) -> list[tuple[str | None, str]]:
    """Which turn ended how."""
    return [(run.native_turn_id, run.status) for run in runs]


def test_a_turn_is_what_stands_between_its_start_and_its_end(home: CodexHome) -> None:
    """Times are those of the lines; trigger and links are those of the start."""
    attribution = {"turn_trigger": "poke", "parent_turn_id": TWO, "root_turn_id": THREE}

    runs = runs_of(
        home,
        [
            started(ONE, turn_attribution=attribution),
            {"type": "turn_context", "payload": {"turn_id": ONE, "model": "gpt-x"}},
            asked("do"),
            completed(ONE),
        ],
    )

    assert runs == [
        RunRecord(
            run_id=runs[0].run_id,
            native_turn_id=ONE,
            status="completed",
            driver="codex",
            provider_instance_id="codex",
            model="gpt-x",
            started_at=Timestamp(kept_at(1)),
            completed_at=Timestamp(kept_at(4)),
            parent_native_turn_id=TWO,
            root_native_turn_id=THREE,
            trigger="poke",
            rollout_id=THREAD,
        )
    ]
    assert runs[0].run_id == f"{THREAD}/{ONE}"


def test_old_words_for_start_and_end_are_read(home: CodexHome) -> None:
    """A turn once started and completed by other names."""
    runs = runs_of(home, [event("turn_started", turn_id=ONE), event("turn_complete", turn_id=ONE)])

    assert statuses(runs) == [(ONE, "completed")]


def test_an_abort_without_a_name_ends_the_active_turn(home: CodexHome) -> None:
    """One with the name of another turn leaves the active one alone."""
    runs = runs_of(
        home,
        [
            started(ONE),
            event("turn_aborted", turn_id=None, reason="interrupted"),
            started(TWO),
            event("turn_aborted", turn_id=THREE, reason="interrupted"),
            completed(TWO),
        ],
    )

    assert statuses(runs) == [(ONE, "interrupted"), (TWO, "completed")]


def test_a_turn_that_is_replaced_was_interrupted(home: CodexHome) -> None:
    """And stays so, for what replaced it was its successor."""
    runs = runs_of(home, [started(ONE), started(TWO), completed(TWO), completed(ONE)])

    assert statuses(runs) == [(ONE, "interrupted"), (TWO, "completed")]


def test_a_turn_with_an_error_failed(home: CodexHome) -> None:
    """The error's words are kept, whatever shape it has."""
    runs = runs_of(home, [started(ONE), completed(ONE, error={"message": "no quota"})])

    assert [(run.status, run.error) for run in runs] == [("failed", "no quota")]


def test_a_turn_without_a_start_began_when_its_end_says(home: CodexHome) -> None:
    """The line of its start was lost."""
    runs = runs_of(home, [completed(ONE, started_at=1785585600)])

    assert [(run.native_turn_id, run.started_at) for run in runs] == [(ONE, kept_at(0))]


def test_an_open_turn_runs_while_its_file_is_fresh(home: CodexHome) -> None:
    """Fifteen minutes after the last line it was interrupted, and so it is for want of a clock."""
    lines = [started(ONE), asked("do")]

    assert [run.status for run in runs_of(home, lines, now=60)] == ["running"]
    assert [run.completed_at for run in runs_of(home, lines, now=60)] == [None]
    assert [run.status for run in runs_of(home, lines, now=1000)] == ["interrupted"]
    assert [run.completed_at for run in runs_of(home, lines)] == [kept_at(2)]


def test_without_turns_each_message_of_the_user_begins_one(home: CodexHome) -> None:
    """Files of 2025 have no lifecycle events; such a run is named for its line."""
    runs = runs_of(home, [asked("one"), answered("1"), asked("two"), answered("2")])

    assert [(run.run_id, run.status, run.completed_at) for run in runs] == [
        (f"{THREAD}/line-2", "completed", kept_at(3)),
        (f"{THREAD}/line-4", "completed", kept_at(4)),
    ]


def test_a_second_message_inside_a_turn_begins_none(home: CodexHome) -> None:
    """The user steers a running turn."""
    runs = runs_of(home, [started(ONE), asked("go"), asked("left"), completed(ONE)])

    assert len(runs) == 1


def test_rollbacks_hide_the_last_turns_in_view(home: CodexHome) -> None:
    """Markers add up at their place: 1 2 3, one back, 4, two back leaves 1."""
    runs = runs_of(
        home,
        [
            *turn(ONE),
            *turn(TWO),
            *turn(THREE),
            event("thread_rolled_back", num_turns=1),
            *turn(FOUR),
            event("thread_rolled_back", num_turns=2),
        ],
    )

    assert [(run.native_turn_id, run.rolled_back_at) for run in runs] == [
        (ONE, None),
        (TWO, kept_at(18)),
        (THREE, kept_at(13)),
        (FOUR, kept_at(18)),
    ]


def test_a_rollback_of_more_turns_than_there_are_hides_all(home: CodexHome) -> None:
    """And one of none hides none."""
    runs = runs_of(
        home,
        [
            *turn(ONE),
            event("thread_rolled_back", num_turns=9),
            *turn(TWO),
            event("thread_rolled_back", num_turns=0),
        ],
    )

    assert [run.rolled_back_at is not None for run in runs] == [True, False]


def test_a_review_is_one_run_and_what_it_contains_is_not(home: CodexHome) -> None:
    """The reviewer's turn starts in the parent's file and belongs to the reviewer."""
    home.rollout(
        THREAD,
        [
            meta(THREAD),
            item("EnteredReviewMode", THREAD, ONE, id="r"),
            started(TWO),
            item("UserMessage", CHILD, TWO, id="u", content=[{"type": "text", "text": "mine"}]),
            item("ExitedReviewMode", THREAD, ONE, id="x"),
            completed(ONE, root_turn_id=ONE),
        ],
    )

    found = home.read()

    assert [(run.native_turn_id, run.kind) for run in found.threads[THREAD].runs] == [
        (ONE, RunKind.REVIEW)
    ]
    assert found.threads[THREAD].runs[0].root_native_turn_id == ONE
    assert [kind for kind, _ in found.texts(THREAD)] == ["review", "review"]


def test_a_review_has_its_name_from_its_end(home: CodexHome) -> None:
    """In old files nothing else names its turn."""
    runs = runs_of(
        home,
        [
            event("entered_review_mode", user_facing_hint="look"),
            started(TWO),
            asked("look"),
            event("exited_review_mode", review_output={"overall_explanation": "fine"}),
            completed(ONE),
        ],
    )

    assert [(run.native_turn_id, run.kind, run.status) for run in runs] == [
        (ONE, RunKind.REVIEW, "completed")
    ]


def test_a_turn_that_is_outlived_by_an_outer_one_is_foreign(home: CodexHome) -> None:
    """A delegate's start inside a turn that goes on afterwards."""
    runs = runs_of(home, [started(ONE), started(TWO), completed(ONE), *turn(THREE)])

    assert statuses(runs) == [(ONE, "completed"), (THREE, "completed")]


def test_a_turn_that_only_compacts_is_a_compaction(home: CodexHome) -> None:
    """One that compacts on its way to an answer is a turn."""
    runs = runs_of(
        home,
        [
            started(ONE),
            compacted(window_number=1),
            completed(ONE),
            started(TWO),
            compacted(window_number=2),
            asked("and on"),
            completed(TWO),
        ],
    )

    assert [run.kind for run in runs] == [RunKind.COMPACTION, RunKind.TURN]


def usage(**tokens: int) -> Written:
    """Tokens as Codex writes them."""
    return {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, **tokens}


def count(total: int, last: int) -> Written:
    """A ``token_count`` event."""
    info = {
        "total_token_usage": usage(input_tokens=total),
        "last_token_usage": usage(input_tokens=last),
    }
    return event("token_count", info=info)


def test_counts_of_tokens_become_the_cost_of_turns(home: CodexHome) -> None:
    """Totals only grow: a count that repeats one costs nothing, an empty one says nothing."""
    runs = runs_of(
        home,
        [
            started(ONE),
            count(10, 10),
            count(10, 10),
            event("token_count", info=None),
            count(25, 15),
            completed(ONE),
            started(TWO),
            count(30, 5),
            completed(TWO),
            *turn(THREE),
        ],
    )

    assert [run.input_tokens for run in runs] == [25, 5, None]


def test_a_count_that_is_lost_takes_no_tokens_back(home: CodexHome) -> None:
    """A damaged line that lacks one that was there before: nobody uses less than nothing."""
    whole = {"total_token_usage": usage(input_tokens=5, output_tokens=9)}
    broken = {"total_token_usage": usage(input_tokens=8)}
    runs = runs_of(
        home,
        [
            started(ONE),
            event("token_count", info={**whole, "last_token_usage": usage(output_tokens=9)}),
            completed(ONE),
            started(TWO),
            event("token_count", info=broken),
            completed(TWO),
        ],
    )

    assert [(run.input_tokens, run.output_tokens) for run in runs] == [(0, 9), (3, 0)]


def test_the_first_count_of_a_file_goes_on_from_elsewhere(home: CodexHome) -> None:
    """A fork's total includes what it inherited: only the last response is its own."""
    runs = runs_of(home, [started(ONE), count(1000, 7), completed(ONE)])

    assert [run.input_tokens for run in runs] == [7]


def record(thread_id: str, turn_id: str, **tokens: int) -> Written:
    """A ``token_usage_record`` line."""
    payload = {"thread_id": thread_id, "turn_id": turn_id, "turn_token_usage": usage(**tokens)}
    return {"type": "token_usage_record", "payload": payload}


def test_usage_records_are_believed_over_counts(home: CodexHome) -> None:
    """They name the turn; their sum for the turn grows with each response."""
    runs = runs_of(
        home,
        [
            started(ONE),
            record(THREAD, ONE, input_tokens=3, output_tokens=1),
            count(100, 100),
            record(THREAD, ONE, input_tokens=8, cached_input_tokens=2, output_tokens=4),
            completed(ONE),
        ],
    )

    assert [
        (run.input_tokens, run.cached_input_tokens, run.output_tokens, run.reasoning_tokens)
        for run in runs
    ] == [(8, 2, 4, 0)]


def test_a_turn_starts_once(home: CodexHome) -> None:
    """A start that is said twice, also much later, is the same turn."""
    runs = runs_of(home, [started(ONE), started(ONE), completed(ONE), *turn(TWO), started(ONE)])

    assert statuses(runs) == [(ONE, "completed"), (TWO, "completed")]


def test_a_turn_that_was_hidden_while_open_can_be_foreign(home: CodexHome) -> None:
    """Damage: a rollback inside a turn, whose outer turn then ends."""
    runs = runs_of(
        home,
        [started(ONE), started(TWO), event("thread_rolled_back", num_turns=1), completed(ONE)],
    )

    assert statuses(runs) == [(ONE, "completed")]
