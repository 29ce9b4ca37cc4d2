"""A generated home of Claude Code: many sessions, large as those of people who use it daily."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)
VERSION = "2.1.332"
TURN_BYTES = 50_000
"""What a turn weighs on average, most of it the output of a command."""

WORDS = tuple(f"word{number}" for number in range(997))


def write_claude_home(home: Path, sessions: int, megabytes: int) -> int:
    """Write *sessions* sessions of *megabytes* in all below *home*; gives the bytes.

    Every tenth session begins with the history of the one before it, as a fork does.
    """
    chance = random.Random(1)  # noqa: S311 - the same home in every run
    turns = max(1, megabytes * 1_000_000 // sessions // TURN_BYTES)
    size = 0
    before: list[dict[str, Any]] = []
    for number in range(sessions):
        folder = home / "projects" / f"-home-dev-project-{number % 50}"
        folder.mkdir(parents=True, exist_ok=True)
        session = _id(number, 0)
        copied = [_copied(line, session) for line in before[:8]] if number % 10 == 1 else []
        lines = [*copied, *_session(session, number, turns, copied, chance)]
        text = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
        (folder / f"{session}.jsonl").write_text(text)
        size += len(text)
        before = [line for line in lines if "uuid" in line] if number % 10 == 0 else []
    return size


def _session(
    session: str, number: int, turns: int, copied: list[dict[str, Any]], chance: random.Random
) -> Iterator[dict[str, Any]]:
    at = BEGIN + timedelta(minutes=number)
    leaf = copied[-1]["uuid"] if copied else None
    count = 1
    for turn in range(turns):
        for kind, message in _turn(f"{session}-{turn}", turn, chance):
            at += timedelta(seconds=1)
            line: dict[str, Any] = {
                "parentUuid": leaf,
                "isSidechain": False,
                "type": kind,
                "message": message,
                "uuid": _id(number, count),
                "timestamp": at.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "userType": "external",
                "cwd": f"/home/dev/project-{number % 50}",
                "sessionId": session,
                "version": VERSION,
                "gitBranch": "main",
            }
            yield line
            leaf = line["uuid"]
            count += 1


def _turn(name: str, turn: int, chance: random.Random) -> Iterator[tuple[str, dict[str, Any]]]:
    call = f"toolu_{name}"
    usage = {"input_tokens": 1_000 + turn, "output_tokens": 200}
    yield "user", {"role": "user", "content": f"Look at part {turn} and tell what it does."}
    yield (
        "assistant",
        {
            "id": f"msg_{name}_0",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [
                {
                    "type": "tool_use",
                    "id": call,
                    "name": "Bash",
                    "input": {"command": f"cat part-{turn}"},
                }
            ],
            "stop_reason": "tool_use",
            "usage": usage,
        },
    )
    output = " ".join(chance.choices(WORDS, k=TURN_BYTES // 8 + chance.randrange(100)))
    yield (
        "user",
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": call, "content": output}],
        },
    )
    yield (
        "assistant",
        {
            "id": f"msg_{name}_1",
            "role": "assistant",
            "model": "claude-opus-5-5",
            "content": [{"type": "text", "text": f"Part {turn} reads words."}],
            "stop_reason": "end_turn",
            "usage": usage,
        },
    )


def _copied(line: dict[str, Any], session: str) -> dict[str, Any]:
    origin = {"sessionId": line["sessionId"], "messageUuid": line["uuid"]}
    return {**line, "sessionId": session, "forkedFrom": origin}


def _id(number: int, count: int) -> str:
    return str(uuid.UUID(int=(number << 64) | (4 << 76) | (2 << 62) | count))
