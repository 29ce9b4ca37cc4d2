"""What a store promises about the sums of what hangs below a thread."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.model import ThreadId
from graph.questions import Totals, TotalsBelow
from tests.conformance.told import at, forked, ids, reviewing, run, spawned, tell, thread

if TYPE_CHECKING:
    from graph.records import RunRecord
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

NOTHING = TotalsBelow(spawned=Totals(), forked=Totals())


def costing(thread_id: str, tokens: int, **known: object) -> tuple[RunRecord, ...]:
    """One run that took a second and so many tokens each way."""
    return (
        run(
            f"{thread_id}/1",
            1,
            completed_at=at(2),
            input_tokens=tokens,
            output_tokens=tokens * 2,
            **known,
        ),
    )


def sums(threads: int, tokens: int) -> Totals:
    """What so many threads of one run each and so many tokens add up to."""
    return Totals(
        threads=threads,
        runs=threads,
        input_tokens=tokens,
        output_tokens=2 * tokens,
        duration_ms=1_000 * threads,
    )


async def test_spawns_and_parents_are_summed_apart_from_the_rest(store: ThreadGraph) -> None:
    """What hangs on a fork, also its spawns and those of a fork of a spawn, is the rest."""
    await tell(
        store,
        thread("a", runs=costing("a", 1)),
        spawned("b", by="a", runs=costing("b", 10)),
        reviewing("c", of="b", runs=costing("c", 100)),
        forked("d", of="a", runs=costing("d", 1_000)),
        spawned("e", by="d", runs=costing("e", 10_000)),
        forked("f", of="b", runs=costing("f", 100_000)),
    )

    found = await store.totals_below(ids("a", "b", "c"))

    assert found == {
        "a": TotalsBelow(spawned=sums(2, 110), forked=sums(3, 111_000)),
        "b": TotalsBelow(spawned=sums(1, 100), forked=sums(1, 100_000)),
        "c": NOTHING,
    }


async def test_a_thread_counts_once_however_it_is_reached(store: ThreadGraph) -> None:
    """A spawn that copied its parent's context is spawned; a cycle counts without its start."""
    await tell(
        store,
        spawned("a", by="c", runs=costing("a", 1)),
        spawned("b", by="a", runs=costing("b", 10)),
        spawned("c", by="b", fork=forked("c", of="a").fork, runs=costing("c", 100)),
    )

    found = await store.totals_below(ids("a", "b"))

    assert found == {
        "a": TotalsBelow(spawned=sums(2, 110), forked=Totals()),
        "b": TotalsBelow(spawned=sums(2, 101), forked=Totals()),
    }


async def test_placeholders_count_for_nothing_and_inherited_runs_neither(
    store: ThreadGraph,
) -> None:
    """A walk goes on past a placeholder; rolled-back runs count, those before a fork do not."""
    await tell(
        store,
        thread("a", runs=costing("a", 1)),
        forked("b", of="unseen", runs=costing("b", 10, rolled_back_at=at(3))),
        spawned("unseen-too", by="b"),
        forked("c", of="a", point="a/1"),
    )
    await tell(store, spawned("d", by="e"), spawned("f", by="d", runs=costing("f", 5)))

    found = await store.totals_below(ids("unseen", "a", "e", "nobody"))

    assert found == {
        "unseen": TotalsBelow(
            spawned=Totals(), forked=Totals(**{**_fields(sums(1, 10)), "threads": 2})
        ),
        "a": TotalsBelow(spawned=Totals(), forked=Totals(threads=1)),
        "e": TotalsBelow(spawned=Totals(**{**_fields(sums(1, 5)), "threads": 2}), forked=Totals()),
        "nobody": NOTHING,
    }


def _fields(totals: Totals) -> dict[str, int]:
    return {
        "threads": totals.threads,
        "runs": totals.runs,
        "input_tokens": totals.input_tokens,
        "output_tokens": totals.output_tokens,
        "duration_ms": totals.duration_ms,
    }


async def test_a_thread_itself_counts_its_own_runs(store: ThreadGraph) -> None:
    """The own sums come with the row of a thread; a placeholder has none."""
    await tell(store, spawned("a", by="unseen", runs=costing("a", 7, rolled_back_at=at(3))))

    found = await store.threads_by_id(ids("a", "unseen"))

    assert Totals.own(found[ThreadId("a")]) == sums(1, 7)
    assert Totals.own(found[ThreadId("unseen")]) == Totals()
