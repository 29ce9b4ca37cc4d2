"""Every sample home of a real Codex gives the threads, runs and edges that really were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from graph.records import Batch
from importers.codex.importer import CodexImporter
from importers.contract import ReadOptions, ThreadRead
from tests.memory_store import MemoryStore
from tests.samples_on_disk import scenarios, truth, unpack_home
from tests.truth import absent, differences, expected
from tests.truth_in_store import observed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.anyio


async def record(store: MemoryStore, paths: Sequence[Path]) -> None:
    """Import paths into a store, thread by thread."""
    importer = CodexImporter()
    plan = importer.plan(paths)
    for source in plan.sources:
        for part in importer.read(source, ReadOptions()):
            if isinstance(part, ThreadRead):
                await store.record(Batch(threads=(part.thread,)))
    await store.record(Batch(spawns=plan.spawns))


@pytest.mark.parametrize("scenario", scenarios("codex"))
async def test_an_import_tells_what_really_happened(scenario: str, tmp_path: Path) -> None:
    """Parents, forks and their points, own and inherited turns, compactions, links, archives."""
    told = truth(scenario)
    facts = expected(told)
    store = MemoryStore()

    await record(store, [unpack_home(scenario, tmp_path)])

    found = await observed(store, sorted({*facts, *absent(told)}))
    assert differences(facts, found) == []
    assert set(found) == set(facts)
