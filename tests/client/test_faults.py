"""What the client does when the service, or the way to it, fails."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from lineage_client import (
    InternalError,
    LineageChanged,
    LineageClient,
    ServiceError,
    TimedOut,
    Unavailable,
    UnexpectedAnswer,
    Unreachable,
)
from tests.client.scripted import failed, found, scripted

AWAY = failed("UNAVAILABLE", retryable=True, correlationId="c0ffee")


@pytest.fixture(autouse=True)
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made between attempts, which take no time here."""
    made: list[float] = []
    monkeypatch.setattr("lineage_client.connection.sleep", made.append)
    return made


def test_what_is_unavailable_for_the_moment_is_asked_again(pauses: list[float]) -> None:
    """With growing pauses, until there is an answer."""
    with scripted(AWAY, (503, "away"), found({"a": 1})) as script:
        answer = LineageClient(script.address).query("{ a }")

    assert answer == {"a": 1}
    assert len(script.asked) == 3
    assert pauses == [0.2, 0.4]


def test_what_stays_unavailable_is_an_error(pauses: list[float]) -> None:
    """After as many attempts as were asked for; the error has what the service said."""
    with scripted(AWAY, AWAY) as script, pytest.raises(Unavailable) as error:
        LineageClient(script.address, attempts=2).query("{ a }")

    assert (error.value.code, error.value.retryable) == ("UNAVAILABLE", True)
    assert (error.value.correlation_id, error.value.path) == ("c0ffee", ("thread",))
    assert pauses == [0.2]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (failed("UNAVAILABLE"), Unavailable),
        (failed("TIMEOUT", retryable=True), TimedOut),
        (failed("INTERNAL"), InternalError),
        (failed("A_CODE_OF_LATER"), ServiceError),
        ((500, "<html>"), UnexpectedAnswer),
        ((200, "[]"), UnexpectedAnswer),
        ((200, {"data": None}), UnexpectedAnswer),
        ((404, {"detail": "Not Found"}), UnexpectedAnswer),
    ],
)
def test_other_failures_are_told_at_once(
    answer: tuple[int, object], kind: type[Exception], pauses: list[float]
) -> None:
    """Asking again would not help, or cost as much again."""
    with scripted(answer) as script, pytest.raises(kind):
        LineageClient(script.address).query("{ a }")

    assert pauses == []


def test_an_address_where_nobody_answers_is_named(pauses: list[float]) -> None:
    """Perhaps the service is just starting: it is asked again first."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"

    with pytest.raises(Unreachable, match=address):
        LineageClient(address, attempts=3).query("{ a }")

    assert len(pauses) == 2


def page(version: str, cursor: str | None) -> tuple[int, dict[str, Any]]:
    """A page of a lineage without nodes."""
    return 200, {
        "data": {
            "lineage": {
                "version": version,
                "endCursor": cursor,
                "truncated": None if cursor is None else {"reason": "NODES", "limit": 9},
                "nodes": [],
                "edges": [],
            }
        }
    }


def test_a_lineage_that_changes_while_it_is_read_is_read_again() -> None:
    """Pages of two states would be no lineage that ever was."""
    with scripted(
        page("a:1", "c"), page("a:2", "d"), page("a:2", "e"), page("a:2", None)
    ) as script:
        lineage = LineageClient(script.address).lineage("a")

    cursors = [asked["variables"]["after"] for asked in script.asked]
    assert cursors == [None, "c", None, "e"]
    assert (lineage.version, lineage.truncated) == ("a:2", None)


def test_a_lineage_that_never_holds_still_is_an_error() -> None:
    """It is not read for ever."""
    restless = [page(f"a:{number}", "c") for number in range(6)]

    with scripted(*restless) as script, pytest.raises(LineageChanged, match="'a'"):
        LineageClient(script.address).lineage("a")


def delta(tip: str, cursor: str | None) -> tuple[int, object]:
    """A page of what can be merged back, up to a run."""
    info = {"hasNextPage": cursor is not None, "endCursor": cursor}
    page: dict[str, object] = {"pageInfo": info, "edges": []}
    return found({"mergeBackDelta": {"tip": {"runId": tip}, "list": page}})


def test_what_comes_back_ends_with_one_run_on_all_pages() -> None:
    """A fork that goes on meanwhile would end each page with another run."""
    with scripted(delta("run-1", "c"), delta("run-1", None)) as script:
        items = list(LineageClient(script.address).merge_back_items("fork"))

    asked = [(one["variables"]["run"], one["variables"].get("after")) for one in script.asked]
    assert (items, asked) == ([], [(None, None), ("run-1", "c")])
