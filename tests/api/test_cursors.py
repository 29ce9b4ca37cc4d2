"""Cursors: what they hold, and what they refuse."""

from base64 import urlsafe_b64encode

import msgspec
import pytest

from api.cursors import Cursors, cursors_of
from graph.errors import InvalidCursor
from graph.model import ThreadId, Timestamp
from graph.questions import DescendantPosition, ThreadPosition

RUNS = cursors_of(int, "runs", "thread-1")


def test_a_cursor_gives_its_place_back() -> None:
    """Of any kind of place, with any text in it."""
    threads = cursors_of(ThreadPosition, "threads")
    place = ThreadPosition(Timestamp("2026-11-30T12:00:00.000000Z"), ThreadId("нить/:\n\0 ✓"))

    assert threads.read(threads.write(place)) == place
    assert RUNS.read(RUNS.write(7)) == 7


def test_lists_that_are_asked_alike_share_their_cursors() -> None:
    """A cursor outlives the process that made it."""
    assert cursors_of(int, "runs", "thread-1").read(RUNS.write(7)) == 7


@pytest.mark.parametrize("arguments", [("items", "thread-1"), ("runs", "thread-2"), ("runs",)])
def test_a_cursor_of_another_list_is_refused(arguments: tuple[str, ...]) -> None:
    """Its arguments are part of it."""
    with pytest.raises(InvalidCursor, match="other arguments"):
        cursors_of(int, *arguments).read(RUNS.write(7))


def forged(cursors: Cursors[int], position: object) -> str:
    """A cursor with a place that this service never wrote."""
    packed = cursors.digest + msgspec.msgpack.encode(position)
    return urlsafe_b64encode(packed).rstrip(b"=").decode()


@pytest.mark.parametrize("position", [-1, 2**53, 2**64 - 1, "7", None, [7], 1.5])
def test_a_forged_place_is_refused(position: object) -> None:
    """No number reaches the graph that it can't hold."""
    with pytest.raises(InvalidCursor):
        RUNS.read(forged(RUNS, position))


def test_a_forged_place_of_several_parts_is_refused() -> None:
    """Each part is looked at."""
    descendants = cursors_of(DescendantPosition, "descendants")

    with pytest.raises(InvalidCursor):
        descendants.read(descendants.write(DescendantPosition(-1, ThreadId("a"))))


@pytest.mark.parametrize("change", ["{}=", "{}A", " {}", "{}\n", "é{}"])
def test_a_changed_cursor_is_refused(change: str) -> None:
    """Only the very text is a cursor."""
    with pytest.raises(InvalidCursor):
        RUNS.read(change.format(RUNS.write(7)))
