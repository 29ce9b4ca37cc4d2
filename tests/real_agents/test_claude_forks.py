"""The plans for Claude Code, performed by its real SDK: what it then reads is our history."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adapters.plan import NativePlan, PlanRefused, plan_native_fork
from importers.claude_code.importer import IMPORTER
from tests.importing import import_paths
from tests.node_programs import installed
from tests.real_agents.native_points import history_of, point_of, run_with
from tests.real_agents.performing import perform
from tests.samples_on_disk import SAMPLES, truth

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.anyio

PACKAGES = Path(__file__).parent / "claude_sdk"
SCENARIO = "claude-code-2.1.332/sdk-fork"
SESSION = truth(SCENARIO)["sessions"]["main"]
SESSION_ID: str = SESSION["id"]
PROMPTS: list[str] = SESSION["own_prompts"]


@dataclass(frozen=True, slots=True)
class ClaudeSdk:
    """The SDK on a configuration of its own."""

    node: Path
    config: Path

    def call(self, method: str, params: Mapping[str, object]) -> Any:  # noqa: ANN401 - the SDK's own
        """What a function of the SDK returns for a session."""
        done = subprocess.run(  # noqa: S603 - the program that is locked here
            [self.node, PACKAGES / "sessions.mjs", method, json.dumps(params)],
            env=os.environ | {"CLAUDE_CONFIG_DIR": str(self.config), "HOME": str(self.config)},
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        return json.loads(done.stdout)

    def prompts(self, session_id: str) -> list[str]:
        """What was asked in a session, as the SDK reads it."""
        return [text for role, text in self.said(session_id) if role == "user"]

    def said(self, session_id: str) -> list[tuple[str, str]]:
        """What was asked and answered in a session, as the SDK reads it."""
        read: list[dict[str, Any]] = self.call("getSessionMessages", {"sessionId": session_id})
        return [
            (entry["type"], text)
            for entry in read
            if (text := _text(entry["message"]["content"])) is not None
        ]


@pytest.fixture
def sdk(tmp_path: Path) -> ClaudeSdk:
    """The SDK where one real session was written, with three prompts and a command."""
    node = installed(PACKAGES)
    (kept,) = (SAMPLES / SCENARIO / "projects").glob(f"*/{SESSION_ID}.jsonl")
    project = tmp_path / "projects" / kept.parent.name
    project.mkdir(parents=True)
    shutil.copy(kept, project)
    return ClaudeSdk(node=node, config=tmp_path)


@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_fork_at_a_run_has_its_answer_last(sdk: ClaudeSdk, at: int) -> None:
    """The run is told by its newest answer, not by its prompt: nothing of it is lost."""
    before = await import_paths(IMPORTER, [sdk.config])
    point = await point_of(before, await run_with(before, SESSION_ID, at))

    plan = plan_native_fork("claude", point)
    assert isinstance(plan, NativePlan)
    fork_id = perform(plan, sdk.call)[0]["sessionId"]

    after = await import_paths(IMPORTER, [sdk.config])
    history = await history_of(after, fork_id)
    source = await history_of(after, SESSION_ID)
    assert history == source[:at]
    assert sdk.said(fork_id) == [message for said in history for message in said.messages]
    assert sdk.prompts(fork_id) == PROMPTS[:at]


async def test_a_fork_at_the_head_needs_no_message(sdk: ClaudeSdk) -> None:
    """Where nothing came after the run, the whole session is what was asked for."""
    before = await import_paths(IMPORTER, [sdk.config])
    point = await point_of(before, await run_with(before, SESSION_ID, 3), is_named=False)

    plan = plan_native_fork("claude", point)
    assert isinstance(plan, NativePlan)
    fork_id = perform(plan, sdk.call)[0]["sessionId"]

    assert sdk.said(fork_id) == sdk.said(SESSION_ID)
    assert sdk.prompts(fork_id) == PROMPTS


async def test_a_run_whose_messages_are_not_known_is_not_forked_amid_a_session(
    sdk: ClaudeSdk,
) -> None:
    """A fork at its prompt would lack the answer, one at the head would hold too much."""
    before = await import_paths(IMPORTER, [sdk.config])
    point = await point_of(before, await run_with(before, SESSION_ID, 2), is_named=False)

    plan = plan_native_fork("claude", point)

    assert isinstance(plan, PlanRefused)


def _text(content: str | list[dict[str, Any]]) -> str | None:
    """The text of a message; ``None`` for what a tool was asked or gave."""
    if isinstance(content, str):
        return content
    texts = [block["text"] for block in content if block["type"] == "text"]
    return "\n".join(texts) if texts else None
