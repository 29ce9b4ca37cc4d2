"""The plans for Claude Code, performed by its real SDK: what it then reads is our history."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from adapters.plan import NativePlan, PlanRefused, plan_native_fork
from importers.claude_code.importer import IMPORTER
from tests.importing import import_paths
from tests.real_agents.claude_sessions import PROMPTS, SESSION_ID, ClaudeSdk, sdk_with_session
from tests.real_agents.native_points import history_of, point_of, run_with
from tests.real_agents.performing import perform

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.anyio


@pytest.fixture
def sdk(tmp_path: Path) -> ClaudeSdk:
    """The SDK where one real session was written, with three prompts and a command."""
    return sdk_with_session(tmp_path)


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
