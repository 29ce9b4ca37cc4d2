"""Every sample of the real Claude Code gives the threads, runs and edges that really were."""

from __future__ import annotations

import pytest

from graph.model import ThreadId
from importers.claude_code.importer import ClaudeCodeImporter
from tests.importing import import_paths
from tests.prompt_truth import differences, expected, observed
from tests.samples_on_disk import SAMPLES, scenarios, truth
from tests.unit.importers.claude_code.claude_truth import (
    agents,
    comparable,
    interrupted,
    observed_agents,
)

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("scenario", scenarios("claude-code"))
async def test_an_import_tells_what_really_happened(scenario: str) -> None:
    """Own, inherited and abandoned prompts, forks and their points, compactions, agents."""
    imported = await import_paths(ClaudeCodeImporter(), [SAMPLES / scenario / "projects"])

    told = truth(scenario)
    facts = expected(comparable(told))
    found = await observed(imported.store, sorted(facts))
    assert differences(facts, found) == []
    assert set(imported.threads) == {*facts, *agents(told)}
    assert imported.skips == []


@pytest.mark.parametrize("scenario", scenarios("claude-code"))
async def test_an_import_tells_which_agents_there_were(scenario: str) -> None:
    """Who started them, by which call, in a run, and in whose session."""
    imported = await import_paths(ClaudeCodeImporter(), [SAMPLES / scenario / "projects"])

    ids = [ThreadId(thread_id) for thread_id in sorted(imported.threads)]
    assert await observed_agents(imported.store, ids) == agents(truth(scenario))


@pytest.mark.parametrize("scenario", scenarios("claude-code"))
async def test_an_import_tells_how_every_turn_ended(scenario: str) -> None:
    """All were completed but those that the user interrupted."""
    imported = await import_paths(ClaudeCodeImporter(), [SAMPLES / scenario / "projects"])

    prompts = {
        item.run_id: item.text
        for thread in imported.threads.values()
        for item in reversed(thread.items.items)
        if item.role == "user" and item.kind == "message"
    }
    unfinished = {
        prompts[run.run_id]: run.status
        for thread in imported.threads.values()
        for run in thread.runs
        if run.status != "completed"
    }
    assert unfinished == dict.fromkeys(interrupted(truth(scenario)), "interrupted")
