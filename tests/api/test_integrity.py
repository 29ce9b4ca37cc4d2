"""Whether the graph is sound, over the API."""

import pytest

from graph.records import Batch
from tests.api.asking import serving
from tests.api.families import run, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


async def test_a_report_has_findings_and_unconfirmed_starts() -> None:
    """A sound graph has no finding; a start that nobody confirmed is none."""
    store = MemoryStore()
    starting = run("one", 2, status="starting", completed_at=None)
    await store.record(Batch(threads=(thread("one", runs=(run("one", 1), starting)),)))

    async with serving(store) as client:
        data = await client.data(
            "{ integrity { findings { rule ids message } unconfirmedStarts { runId status } } }"
        )

    assert data["integrity"] == {
        "findings": [],
        "unconfirmedStarts": [{"runId": "one/turn-2", "status": "starting"}],
    }
