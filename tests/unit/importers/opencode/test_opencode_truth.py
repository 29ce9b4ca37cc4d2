"""Every sample of the real OpenCode gives the threads, runs and edges that really were."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from importers.opencode.importer import OpenCodeImporter
from tests.importing import import_paths
from tests.prompt_truth import differences, expected, observed
from tests.samples_on_disk import scenarios, truth
from tests.unit.importers.opencode.homes import unpack_sample

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("scenario", scenarios("opencode"))
async def test_an_import_tells_what_really_happened(scenario: str, tmp_path: Path) -> None:
    """Own, inherited and hidden prompts, forks and their points, spawns and their runs."""
    imported = await import_paths(OpenCodeImporter(), [unpack_sample(scenario, tmp_path)])

    facts = expected(truth(scenario))
    found = await observed(imported.store, sorted(imported.threads))
    assert differences(facts, found) == []
    assert set(found) == set(facts)
    assert imported.skips == []
