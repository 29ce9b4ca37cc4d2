"""The plans for OpenCode, performed by its real server: what it then reads is our history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from adapters.plan import NativePlan, plan_native_fork
from importers.opencode.importer import IMPORTER
from tests.importing import import_paths
from tests.node_programs import brought_program
from tests.real_agents.native_points import history_of, point_of, run_with
from tests.real_agents.opencode_server import OpenCodeServer, opencode_server
from tests.real_agents.performing import perform

if TYPE_CHECKING:
    from tests.importing import Imported

pytestmark = pytest.mark.anyio

PACKAGES = Path(__file__).parent / "opencode"
SAID = ("first", "second", "third")


def read(server: OpenCodeServer, session_id: str) -> list[tuple[str, str]]:
    """What was asked and answered in a session, as OpenCode tells it."""
    return [
        (message["info"]["role"], part["text"])
        for message in server.messages(session_id)
        for part in message["parts"]
        if part["type"] == "text"
    ]


async def told(imported: Imported, session_id: str) -> list[tuple[str, str]]:
    """What was asked and answered in a session, as our history tells it."""
    history = await history_of(imported, session_id)
    return [message for said in history for message in said.messages]


async def test_a_fork_at_a_run_ends_before_the_next_one(
    tmp_path: Path, model_address: str
) -> None:
    """At an older run the next one's message is the bound; at the newest there is none."""
    program = brought_program(PACKAGES, "opencode-*/bin/opencode")
    with opencode_server(program, tmp_path, model_address) as server:
        session_id = server.call("POST /session", {})["id"]
        for text in SAID:
            server.say(session_id, text)
        before = await import_paths(IMPORTER, [tmp_path / "data" / "opencode"])

        fork_ids: list[str] = []
        for at in (1, 2, 3):
            point = await point_of(before, await run_with(before, session_id, at))
            plan = plan_native_fork("opencode", point)
            assert isinstance(plan, NativePlan)
            fork_ids.append(perform(plan, server.call)[0]["id"])
        server.say(fork_ids[1], "fourth")

        after = await import_paths(IMPORTER, [tmp_path / "data" / "opencode"])
        expected = [_conversation(*SAID[:1]), _conversation(*SAID[:2], "fourth")]
        assert [read(server, each) for each in fork_ids] == [*expected, _conversation(*SAID)]
        assert [await told(after, each) for each in fork_ids] == [*expected, _conversation(*SAID)]
        source = [said.turn_id for said in await history_of(before, session_id)]
        assert [
            [said.turn_id for said in await history_of(after, each)][:2] for each in fork_ids
        ] == [source[:1], source[:2], source[:2]]


def _conversation(*texts: str) -> list[tuple[str, str]]:
    return [
        message
        for text in texts
        for message in (("user", text), ("assistant", f"reply to {text}"))
    ]
