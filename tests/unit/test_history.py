"""Which stretches of runs a fork inherits, from the links of its chain alone."""

from __future__ import annotations

import pytest

from graph.history import WHOLE, ChainLink, RunPlace, Stretch, inherited
from graph.model import ThreadId, Timestamp


def link(
    thread_id: str,
    at: str | None = None,
    point: RunPlace | None = None,
    kept: RunPlace | None = None,
    *,
    reverts_all: bool = False,
) -> ChainLink:
    """A link of a chain."""
    return ChainLink(
        thread_id=ThreadId(thread_id),
        at=None if at is None else Timestamp(at),
        point=point,
        kept=kept,
        reverts_all=reverts_all,
    )


def place(thread_id: str, ordinal: int, rolled_back_at: str | None = None) -> RunPlace:
    """Where a run stands."""
    gone = None if rolled_back_at is None else Timestamp(rolled_back_at)
    return RunPlace(ThreadId(thread_id), ordinal, gone)


def stretch(thread_id: str, distance: int, last: int, at: str | None = None) -> Stretch:
    """The runs of a thread up to one."""
    return Stretch(ThreadId(thread_id), distance, last, None if at is None else Timestamp(at))


A = link("a")


@pytest.mark.parametrize(
    ("chain", "expected"),
    [
        pytest.param([], [], id="nothing known"),
        pytest.param([A], [], id="no fork"),
        pytest.param([link("b"), A], [], id="an unknown point"),
        pytest.param(
            [link("b", "5", place("a", 2)), A], [stretch("a", 1, 2, "5")], id="up to the point"
        ),
        pytest.param(
            [link("b", "5", place("a", 2, "3")), A],
            [stretch("a", 1, 2, "5")],
            id="a point that was rolled back still cuts its own thread",
        ),
        pytest.param(
            [link("c", "9", place("b", 1)), link("b", "5", place("a", 2)), A],
            [stretch("a", 2, 2, "5"), stretch("b", 1, 1, "9")],
            id="a fork of a fork",
        ),
        pytest.param(
            [link("c", "9", place("a", 1)), link("b", "5", place("a", 2)), A],
            [stretch("a", 2, 1, "5")],
            id="a point in what the source inherited",
        ),
        pytest.param(
            [link("c", "9", place("a", 3)), link("b", "5", place("a", 2)), A],
            [],
            id="a point behind what the source inherited",
        ),
        pytest.param(
            [link("c", "9", place("a", 1, "4")), link("b", "5", place("a", 2)), A],
            [],
            id="a point that the source did not inherit because it was rolled back",
        ),
        pytest.param(
            [link("b", "5", place("a", 3), place("a", 1)), A],
            [stretch("a", 1, 1, "5")],
            id="kept through a run",
        ),
        pytest.param(
            [link("b", "5", place("a", 3), place("a", 1, "2")), A],
            [stretch("a", 1, 3, "5")],
            id="kept through a run that was rolled back before, which says nothing",
        ),
        pytest.param([link("b", "5", place("a", 3), reverts_all=True), A], [], id="all reverted"),
        pytest.param(
            [link("c", "9", place("b", 4)), link("b"), A],
            [stretch("b", 1, 4, "9")],
            id="the source inherits nothing",
        ),
    ],
)
def test_a_chain_of_forks_gives_the_stretches_of_a_history(
    chain: list[ChainLink], expected: list[Stretch]
) -> None:
    """The farthest first, each cut at the point of the fork below it."""
    assert inherited(chain) == expected


def test_a_long_chain_gives_a_stretch_for_each_thread() -> None:
    """Thousands of forks of forks are no difficulty."""
    chain = [link(f"t{n}", "5", place(f"t{n + 1}", 1)) for n in range(5_000)]

    stretches = inherited([*chain, link("t5000")])

    assert stretches == [stretch(f"t{n}", n, 1, "5") for n in range(5_000, 0, -1)]
    assert all(part.last < WHOLE for part in stretches)
