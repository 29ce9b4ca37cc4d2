"""Every sample of the real pi gives the threads, runs and edges that really were."""

from __future__ import annotations

import pytest

from importers.pi.importer import PiImporter
from tests.importing import import_paths
from tests.prompt_truth import differences, expected, observed
from tests.samples_on_disk import SAMPLES, scenarios, truth

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("scenario", scenarios("pi"))
async def test_an_import_tells_what_really_happened(scenario: str) -> None:
    """Own, inherited and abandoned prompts, forks and their points, compactions."""
    imported = await import_paths(PiImporter(), [SAMPLES / scenario / "sessions"])

    facts = expected(truth(scenario))
    found = await observed(imported.store, sorted(imported.threads))
    assert differences(facts, found) == []
    assert set(found) == set(facts)
    # A fork of a fork lacks the labels that its messages hang on: nothing is lost by it.
    assert set(imported.reasons) <= {"parent-not-found"}
