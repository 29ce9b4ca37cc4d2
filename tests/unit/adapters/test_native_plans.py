"""Which calls fork a native thread at a point, and when there are none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from adapters.capabilities import CapabilityOverrides, capabilities_of
from adapters.plan import (
    ForkPoint,
    NativeCall,
    NativePlan,
    NativeTurn,
    PlanRefused,
    plan_native_fork,
)
from graph.model import NativeRef, RunId, Strength

NEW_THREAD = {"$result": 0, "path": "thread.id"}


def ref(native_id: str | None, strength: Strength = Strength.STRONG) -> NativeRef:
    """A provider's own name."""
    return NativeRef(driver="any", native_id=native_id, strength=strength)


def turn(
    name: str, *, status: str = "completed", received: bool = True, is_named: bool = True
) -> NativeTurn:
    """A run of a native thread; run r1 is turn t1."""
    return NativeTurn(
        run_id=RunId(f"r{name}"),
        status=status,
        received=received,
        native_turn_ref=ref(f"t{name}") if is_named else None,
    )


def point(
    *later: NativeTurn,
    native_turn: NativeRef | None = None,
    mode: str | None = "legacy",
    answer: NativeRef | None = None,
    read_from_files: bool = False,
) -> ForkPoint:
    """The end of run r1 of native thread n, before some later runs of it."""
    return ForkPoint(
        run_id=RunId("r1"),
        native_thread_ref=ref("n"),
        native_turn_ref=native_turn,
        last_answer_ref=answer,
        history_mode=mode,
        turns=(turn("0"), turn("1"), *later),
        read_from_files=read_from_files,
    )


def plan(*calls: tuple[str, dict[str, object]], names_turn: bool) -> NativePlan:
    """A plan of some calls."""
    return NativePlan(
        tuple(NativeCall(method, params) for method, params in calls), names_turn=names_turn
    )


# ── Codex ───────────────────────────────────────────────────────────────────────────────

FORK = "thread/fork"
ROLLBACK = "thread/rollback"


@pytest.mark.parametrize("mode", ["legacy", "paginated"])
@pytest.mark.parametrize(
    "later",
    [
        pytest.param((), id="the newest turn"),
        pytest.param((turn("2"), turn("3")), id="an older turn"),
        pytest.param((turn("2", status="running", received=False),), id="before an active one"),
    ],
)
@pytest.mark.parametrize("strength", [Strength.STRONG, Strength.WEAK])
def test_codex_forks_at_a_turn_that_it_named(
    mode: str, later: tuple[NativeTurn, ...], strength: Strength
) -> None:
    """The turn is the last one kept, nothing comes after it, also at the newest turn."""
    forked = plan_native_fork("codex", point(*later, mode=mode, native_turn=ref("t1", strength)))

    assert forked == plan((FORK, {"threadId": "n", "lastTurnId": "t1"}), names_turn=True)


UNKNOWN = [
    pytest.param(None, id="no ref"),
    pytest.param(ref(None), id="no id"),
    pytest.param(ref("t1", Strength.NONE), id="an id of no strength"),
]


@pytest.mark.parametrize("native_turn", UNKNOWN)
@pytest.mark.parametrize("mode", ["legacy", "paginated"])
def test_codex_forks_at_the_head_where_nothing_came_later(
    native_turn: NativeRef | None, mode: str
) -> None:
    """Without the turn's name the head is the point if it is the end: no rollback is needed."""
    forked = plan_native_fork("codex", point(mode=mode, native_turn=native_turn))

    assert forked == plan((FORK, {"threadId": "n"}), names_turn=False)


def test_codex_rolls_back_the_later_turns_where_the_turn_has_no_name() -> None:
    """Only what the native thread holds is counted: received, not rolled back, finished."""
    later = (
        turn("2"),
        turn("3", status="waiting"),
        turn("4", status="interrupted"),
        turn("5", status="failed"),
        turn("6", status="failed", received=False),
        replace(turn("7"), rolled_back=True),
        turn("8", status="queued", received=False),
        turn("9", status="cancelled", received=False),
    )

    forked = plan_native_fork("codex", point(*later))

    assert forked == plan(
        (FORK, {"threadId": "n"}),
        (ROLLBACK, {"threadId": NEW_THREAD, "numTurns": 4}),
        names_turn=False,
    )


def test_a_turn_that_its_provider_cancelled_is_rolled_back_too() -> None:
    """It stands in the native thread like any other that was finished."""
    forked = plan_native_fork("codex", point(turn("2", status="cancelled")))

    assert forked == plan(
        (FORK, {"threadId": "n"}),
        (ROLLBACK, {"threadId": NEW_THREAD, "numTurns": 1}),
        names_turn=False,
    )


def test_codex_refuses_before_it_forks_what_it_could_not_roll_back() -> None:
    """A paginated thread is not rolled back, and no orphan is left behind."""
    forked = plan_native_fork("codex", point(turn("2"), mode="paginated"))

    assert forked == PlanRefused(
        "Codex does not name the turn, and a thread with paginated history is not rolled back."
    )


def test_codex_refuses_where_its_caller_says_that_it_does_not_roll_back() -> None:
    """Newer ones have no rollback: known at the start, it leaves no orphan either."""
    capabilities = capabilities_of("codex", CapabilityOverrides(rollback=False))

    forked = plan_native_fork("codex", point(turn("2")), capabilities)

    assert forked == PlanRefused("Codex does not name the turn, and this one does not roll back.")


@pytest.mark.parametrize("status", ["preparing", "starting", "running"])
def test_codex_refuses_the_head_while_a_turn_is_under_way(status: str) -> None:
    """A fork at the head would copy half a turn."""
    forked = plan_native_fork("codex", point(turn("2", status=status, received=False)))

    assert forked == PlanRefused("Codex does not name the turn, and a later one is under way.")


@pytest.mark.parametrize("native_turn", [None, ref("t1")])
@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        (None, "The history mode of the Codex thread is not known."),
        ("quantum", "The history mode quantum of the thread is not known."),
        ("", "The history mode  of the thread is not known."),
        ("Legacy", "The history mode Legacy of the thread is not known."),
    ],
)
def test_codex_never_takes_an_unknown_mode_for_legacy(
    native_turn: NativeRef | None, mode: str | None, reason: str
) -> None:
    """What a mode allows is not guessed, also where the turn has a name."""
    forked = plan_native_fork("codex", point(native_turn=native_turn, mode=mode))

    assert forked == PlanRefused(reason)


# ── Claude Code ─────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("later", [(), (turn("2"),)])
def test_claude_forks_up_to_the_message_that_its_turn_names(
    later: tuple[NativeTurn, ...],
) -> None:
    """The message is the last one kept; no history mode is asked for."""
    given = point(*later, mode=None, native_turn=ref("m1", Strength.WEAK))

    forked = plan_native_fork("claude", given)

    assert forked == plan(
        ("forkSession", {"sessionId": "n", "upToMessageId": "m1"}), names_turn=True
    )


@pytest.mark.parametrize("read_from_files", [True, False])
def test_claude_forks_up_to_the_newest_answer_of_the_run(read_from_files: bool) -> None:  # noqa: FBT001 - a test's parameter
    """Where an answer is known it is the boundary: the turn may be named by its prompt."""
    given = point(
        turn("2"),
        native_turn=ref("prompt"),
        answer=ref("answer", Strength.WEAK),
        read_from_files=read_from_files,
    )

    forked = plan_native_fork("claude", given)

    assert forked == plan(
        ("forkSession", {"sessionId": "n", "upToMessageId": "answer"}), names_turn=True
    )


def test_claude_is_never_cut_behind_a_prompt() -> None:
    """A run that was read from files is named by its prompt: the answer would be lost."""
    given = point(turn("2"), native_turn=ref("prompt"), read_from_files=True)

    forked = plan_native_fork("claude", given)

    assert forked == PlanRefused(
        "The last message of the run is not known, and the session went on."
    )


@pytest.mark.parametrize("read_from_files", [True, False])
def test_claude_forks_the_whole_session_where_nothing_came_later(read_from_files: bool) -> None:  # noqa: FBT001 - a test's parameter
    """The head is the point; a failed start that was never received is nothing later."""
    later = turn("2", status="failed", received=False)

    forked = plan_native_fork("claude", point(later, read_from_files=read_from_files))

    assert forked == plan(("forkSession", {"sessionId": "n"}), names_turn=False)


@pytest.mark.parametrize("later", [turn("2"), turn("2", status="running", received=False)])
def test_claude_refuses_the_head_where_the_session_went_on(later: NativeTurn) -> None:
    """There is no rollback that could take away what came later."""
    forked = plan_native_fork("claude", point(later))

    assert forked == PlanRefused(
        "The last message of the run is not known, and the session went on."
    )


# ── OpenCode ────────────────────────────────────────────────────────────────────────────

SESSION_FORK = "POST /session/{id}/fork"


def test_opencode_forks_before_the_first_message_of_the_next_run() -> None:
    """Its boundary is exclusive; what the session does not hold is passed over."""
    later = (
        turn("2", status="failed", received=False),
        replace(turn("3"), rolled_back=True),
        turn("4"),
        turn("5"),
    )

    forked = plan_native_fork("opencode", point(*later, mode=None, native_turn=ref("t1")))

    assert forked == plan((SESSION_FORK, {"id": "n", "messageID": "t4"}), names_turn=True)


def test_opencode_forks_at_the_head_without_a_message() -> None:
    """An argument without a value is left out."""
    forked = plan_native_fork("opencode", point(native_turn=ref("t1")))

    assert forked == plan((SESSION_FORK, {"id": "n"}), names_turn=False)


@pytest.mark.parametrize("later", [turn("2"), turn("2", status="running", received=False)])
def test_opencode_refuses_where_the_next_run_has_no_name(later: NativeTurn) -> None:
    """The own turn's name does not help: it would be left out with all that it answers."""
    nameless = replace(later, native_turn_ref=ref("t2", Strength.NONE))

    forked = plan_native_fork("opencode", point(nameless, native_turn=ref("t1")))

    assert forked == PlanRefused("The first message of the next run is not known.")


def test_opencode_forks_before_a_run_that_is_under_way() -> None:
    """What is half written comes after the boundary."""
    later = turn("2", status="running", received=False)

    forked = plan_native_fork("opencode", point(later))

    assert forked == plan((SESSION_FORK, {"id": "n", "messageID": "t2"}), names_turn=True)


# ── Everywhere ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("driver", ["cursor", "grok", "acp", "pi"])
def test_a_driver_whose_fork_is_not_known_is_refused(driver: str) -> None:
    """Whatever a caller says of what it can do, nobody knows the call."""
    forked = plan_native_fork(driver, point(native_turn=ref("t1")))

    assert forked == PlanRefused(f"No native fork of {driver} is known.")


@pytest.mark.parametrize("driver", ["codex", "claude", "opencode"])
@pytest.mark.parametrize(
    "turns",
    [
        pytest.param((), id="no history"),
        pytest.param((turn("0"), turn("2")), id="other turns"),
        pytest.param((turn("1", received=False),), id="never received"),
        pytest.param((replace(turn("1"), rolled_back=True), turn("2")), id="rolled back"),
    ],
)
def test_a_point_outside_the_native_thread_is_refused(
    driver: str, turns: tuple[NativeTurn, ...]
) -> None:
    """A boundary that the provider does not have would be an error there, or worse a guess."""
    given = replace(point(native_turn=ref("t1"), answer=ref("a1")), turns=turns)

    assert plan_native_fork(driver, given) == PlanRefused(
        "The native thread does not hold the run."
    )


@pytest.mark.parametrize("driver", ["codex", "claude", "opencode"])
@pytest.mark.parametrize(
    "native_thread",
    [ref(None), ref(""), ref("n", Strength.NONE)],
    ids=["none", "empty", "weakest"],
)
def test_a_native_thread_without_a_name_is_refused(driver: str, native_thread: NativeRef) -> None:
    """There is nothing to fork."""
    given = replace(point(native_turn=ref("t1")), native_thread_ref=native_thread)

    assert plan_native_fork(driver, given) == PlanRefused(
        "The native thread of the run is not known."
    )


@pytest.mark.parametrize("driver", ["codex", "claude", "opencode"])
def test_a_run_id_of_ours_never_reaches_a_provider(driver: str) -> None:
    """An application's own name of a turn is no native one."""
    given = replace(point(turn("2", is_named=False)), turns=(turn("1", is_named=False),))

    forked = plan_native_fork(driver, given)

    assert isinstance(forked, NativePlan)
    assert "r1" not in str(forked)
