"""The plans for Codex, performed by the real program: what it then reads is our history."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from adapters.plan import NativePlan, PlanRefused, plan_native_fork
from importers.codex.importer import CodexImporter
from tests.importing import import_paths
from tests.node_programs import brought_program
from tests.real_agents.codex_server import CodexRefused, CodexServer, codex_server
from tests.real_agents.native_points import Said, history_of, point_of, run_with
from tests.real_agents.performing import perform

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

pytestmark = pytest.mark.anyio

HERE = Path(__file__).parent
PAGINATED = HERE / "codex_paginated"
LEGACY = HERE / "codex_legacy"

SAID = ("first", "second", "third")


@contextmanager
def codex(packages: Path, tmp_path: Path, address: str) -> Generator[CodexServer]:
    """A running Codex; its home is ``home``."""
    program = brought_program(packages, "@openai/codex-*/vendor/*/bin/codex")
    with codex_server(program, tmp_path / "home", address) as server:
        yield server


def conversation(server: CodexServer, **options: object) -> tuple[str, list[str]]:
    """A thread in which three things were said, and its turns."""
    thread_id = server.start_thread(**options)
    return thread_id, [server.say(thread_id, text) for text in SAID]


def read(server: CodexServer, thread_id: str) -> list[Said]:
    """What Codex itself tells of a thread."""
    thread = server.call("thread/read", {"threadId": thread_id, "includeTurns": True})["thread"]
    return [
        Said(
            turn_id=turn["id"],
            messages=tuple(_message(item) for item in turn["items"] if _is_message(item)),
        )
        for turn in thread["turns"]
    ]


def told(turns: Sequence[str], texts: Sequence[str]) -> list[Said]:
    """Turns as they were said and answered."""
    return [
        Said(turn_id, (("user", text), ("assistant", f"reply to {text}")))
        for turn_id, text in zip(turns, texts, strict=True)
    ]


@pytest.mark.parametrize("packages", [PAGINATED, LEGACY], ids=["paginated", "legacy"])
@pytest.mark.parametrize("at", [1, 2, 3])
async def test_a_fork_at_a_named_turn_has_that_turn_last(
    packages: Path, at: int, tmp_path: Path, model_address: str
) -> None:
    """In either history mode, at the newest turn too; afterwards it goes on by itself."""
    with codex(packages, tmp_path, model_address) as server:
        thread_id, turns = conversation(server)
        before = await import_paths(CodexImporter(), [tmp_path / "home"])
        point = await point_of(before, await run_with(before, thread_id, at))

        plan = plan_native_fork("codex", point)
        assert isinstance(plan, NativePlan)
        fork_id = perform(plan, server.call)[0]["thread"]["id"]
        turns = [*turns[:at], server.say(fork_id, "fourth")]

        after = await import_paths(CodexImporter(), [tmp_path / "home"])
        expected = told(turns, [*SAID[:at], "fourth"])
        assert read(server, fork_id) == expected
        assert await history_of(after, fork_id) == expected
        assert point.history_mode == packages.name.removeprefix("codex_")


async def test_a_fork_without_a_named_turn_is_rolled_back_to_it(
    tmp_path: Path, model_address: str
) -> None:
    """On legacy history the turns after the point are taken from the fork, not from the source."""
    with codex(LEGACY, tmp_path, model_address) as server:
        thread_id, turns = conversation(server)
        before = await import_paths(CodexImporter(), [tmp_path / "home"])
        point = await point_of(before, await run_with(before, thread_id, 1), is_named=False)

        plan = plan_native_fork("codex", point)
        assert isinstance(plan, NativePlan)
        fork_id = perform(plan, server.call)[0]["thread"]["id"]
        turns_of_fork = [turns[0], server.say(fork_id, "fourth")]

        after = await import_paths(CodexImporter(), [tmp_path / "home"])
        expected = told(turns_of_fork, ["first", "fourth"])
        assert [call.method for call in plan.calls] == ["thread/fork", "thread/rollback"]
        assert read(server, fork_id) == expected
        assert await history_of(after, fork_id) == expected
        assert read(server, thread_id) == told(turns, SAID)


@pytest.mark.parametrize("packages", [PAGINATED, LEGACY], ids=["paginated", "legacy"])
async def test_a_fork_at_the_head_needs_no_name(
    packages: Path, tmp_path: Path, model_address: str
) -> None:
    """Where nothing came after the point, the whole thread is what was asked for."""
    with codex(packages, tmp_path, model_address) as server:
        thread_id, turns = conversation(server)
        before = await import_paths(CodexImporter(), [tmp_path / "home"])
        point = await point_of(before, await run_with(before, thread_id, 3), is_named=False)

        plan = plan_native_fork("codex", point)
        assert isinstance(plan, NativePlan)
        fork_id = perform(plan, server.call)[0]["thread"]["id"]

        assert read(server, fork_id) == told(turns, SAID)


async def test_what_could_not_be_rolled_back_is_refused_before_it_is_forked(
    tmp_path: Path, model_address: str
) -> None:
    """On paginated history no thread is left behind that nobody asked for."""
    with codex(PAGINATED, tmp_path, model_address) as server:
        thread_id, _ = conversation(server)
        before = await import_paths(CodexImporter(), [tmp_path / "home"])
        point = await point_of(before, await run_with(before, thread_id, 2), is_named=False)

        plan = plan_native_fork("codex", point)

        assert isinstance(plan, PlanRefused)
        assert [thread["id"] for thread in server.call("thread/list", {})["data"]] == [thread_id]


async def test_a_codex_without_rollback_says_so_to_its_caller(
    tmp_path: Path, model_address: str
) -> None:
    """Newer ones lost the call, also for legacy threads: the caller fails the start with it."""
    with codex(PAGINATED, tmp_path, model_address) as server:
        thread_id, _ = conversation(server, historyMode="legacy")
        before = await import_paths(CodexImporter(), [tmp_path / "home"])
        point = await point_of(before, await run_with(before, thread_id, 2), is_named=False)

        plan = plan_native_fork("codex", point)

        assert point.history_mode == "legacy"
        assert isinstance(plan, NativePlan)
        with pytest.raises(CodexRefused, match="unknown variant `thread/rollback`"):
            perform(plan, server.call)


def _is_message(item: dict[str, Any]) -> bool:
    return item["type"] in {"userMessage", "agentMessage"}


def _message(item: dict[str, Any]) -> tuple[str, str]:
    if item["type"] == "agentMessage":
        return "assistant", item["text"]
    return "user", "\n".join(part["text"] for part in item["content"])
