"""How a lineage is written down for other programs."""

from __future__ import annotations

from io import StringIO

import pytest

from graph.errors import StoreUnavailable
from graph.model import ThreadId
from graph.questions import LineageGraph, LineageQuestion
from graph.records import Batch
from resolvers.export_lineage import Json, Mermaid, export_lineage
from tests.conformance.told import spawned, thread
from tests.memory_store import MemoryStore

pytestmark = pytest.mark.anyio


async def test_labels_are_escaped_for_a_flowchart() -> None:
    """Quotes, brackets, markup and line breaks of a title can't break the drawing."""
    store = MemoryStore()
    title = 'say "hi" <b>#1</b> & `x`\n] end'
    await store.record(
        Batch(threads=(thread("a", title=title), spawned("b", by="a"), spawned("c", by="unseen")))
    )
    await store.record(Batch(threads=(spawned("unseen", by="b", title=None),)))
    text = StringIO()

    await export_lineage(store, LineageQuestion(thread_id=ThreadId("b")), Mermaid(text))

    assert text.getvalue().splitlines() == [
        "flowchart TD",
        '  t0["say #34;hi#34; #60;b#62;#35;1#60;/b#62; #38; #96;x#96; ] end<br>a"]',
        '  t1["b"]',
        '  t2["unseen"]',
        '  t3["c"]',
        "  t0 -- spawn --> t1",
        "  t1 -- spawn --> t2",
        "  t2 -- spawn --> t3",
    ]


async def test_a_tree_that_changes_meanwhile_is_no_export() -> None:
    """Pages of two versions do not fit together."""

    class Changing(MemoryStore):
        async def lineage(self, question: LineageQuestion) -> LineageGraph:
            page = await super().lineage(question)
            await self.record(Batch(threads=(spawned(f"new-{page.version}", by="a"),)))
            return page

    store = Changing()
    await store.record(Batch(threads=(thread("a"), spawned("b", by="a"))))

    with pytest.raises(StoreUnavailable):
        await export_lineage(
            store, LineageQuestion(thread_id=ThreadId("a"), max_nodes=1), Json(StringIO())
        )
