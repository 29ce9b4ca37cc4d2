"""The sums of threads and of what hangs below them, over the API."""

from typing import cast

import pytest

from graph.records import Batch
from graph.store import ThreadGraph
from tests.api.asking import Client, CountingGraph, serving
from tests.api.families import fork, run, spawn, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio

EVERY_SUM = "threads runs inputTokens outputTokens durationMs"


async def test_totals_part_what_was_spawned_from_what_was_forked() -> None:
    """Own, spawned and forked add up to the subtree; large sums stay exact."""
    store = MemoryStore()
    much = 2**53
    await store.record(
        Batch(
            threads=(
                thread("top", runs=(run("top", 1, input_tokens=1, output_tokens=2),)),
                thread("agent", runs=(run("agent", 2, input_tokens=much, output_tokens=4),)),
                thread("branch", turns=2, fork=fork("top", 1)),
            ),
            spawns=(spawn("top", "agent"), spawn("branch", "unseen")),
        )
    )

    async with serving(store) as client:
        data = await client.data(
            f"""{{ thread(threadId: "top") {{ totals {{ own {{ {EVERY_SUM} }}
                spawned {{ {EVERY_SUM} }} forked {{ {EVERY_SUM} }} }} }} }}"""
        )

    nothing = {"inputTokens": 0, "outputTokens": 0, "durationMs": 0}
    assert data["thread"]["totals"] == {
        "own": {**nothing, "threads": 1, "runs": 1, "inputTokens": 1, "outputTokens": 2},
        "spawned": {
            **nothing,
            "threads": 1,
            "runs": 1,
            "inputTokens": str(much),
            "outputTokens": 4,
        },
        "forked": {**nothing, "threads": 1, "runs": 2},
    }


async def test_own_sums_come_with_the_thread(client: Client, counting: CountingGraph) -> None:
    """A lineage with the own sums of every node is one round trip; a placeholder has none."""
    data = await client.data(
        '{ lineage(threadId: "root") { nodes { threadId totals { own { threads runs } } } } }'
    )

    assert counting.calls == {"lineage": 1}
    assert [
        (node["threadId"], *node["totals"]["own"].values()) for node in data["lineage"]["nodes"]
    ] == [("root", 1, 3), ("fork", 1, 2), ("helper", 1, 1), ("unseen", 0, 0), ("deeper", 1, 0)]


async def test_sums_below_many_threads_cost_one_round_trip() -> None:
    """Both sums of all threads of a list together."""
    store = MemoryStore()
    names = [f"thread-{number}" for number in range(20)]
    await store.record(
        Batch(threads=(thread("top"), *(thread(name, fork=fork("top", 1)) for name in names)))
    )
    counting = CountingGraph(store)

    async with serving(cast("ThreadGraph", counting)) as client:
        await client.data(
            """{ threads { edges { node { totals { own { runs } spawned { runs }
                 forked { runs } } } } } }"""
        )

    assert counting.calls == {"threads": 1, "totals_below": 1}
