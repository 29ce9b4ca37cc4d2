"""A generated Codex home: many small rollouts, shaped like the real ones."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

BEGIN = datetime(2026, 3, 1, tzinfo=UTC)


def write_home(home: Path, threads: int, *, turns: int = 10, every: int = 10) -> int:
    """Write *threads* rollouts below *home*, *turns* turns in each *every*-th; gives the bytes."""
    size = 0
    for number in range(threads):
        at = BEGIN + timedelta(seconds=number)
        folder = home / "sessions" / at.strftime("%Y/%m/%d")
        if number % 1000 == 0 or not folder.exists():
            folder.mkdir(parents=True, exist_ok=True)
        thread_id = _uuid(at, number, 0)
        name = f"rollout-{at.strftime('%Y-%m-%dT%H-%M-%S')}-{thread_id}.jsonl"
        own = turns if number % every == 0 else 0
        text = "".join(_line(*line) for line in _lines(thread_id, number, at, own))
        (folder / name).write_text(text)
        size += len(text)
    return size


def _line(ordinal: int, at: datetime, kind: str, payload: dict[str, object]) -> str:
    stamp = at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    line = {"timestamp": stamp, "ordinal": ordinal, "type": kind, "payload": payload}
    return json.dumps(line, separators=(",", ":")) + "\n"


def _lines(
    thread_id: str, number: int, begin: datetime, turns: int
) -> Iterator[tuple[int, datetime, str, dict[str, object]]]:
    meta: dict[str, object] = {
        "session_id": thread_id,
        "id": thread_id,
        "timestamp": begin.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "cwd": f"/home/dev/project-{number % 50}",
        "originator": "codex_cli_rs",
        "cli_version": "0.171.0",
        "source": "cli",
        "thread_source": "user",
        "model_provider": "openai",
        "history_mode": "paginated",
        "context_window": {"window_id": _uuid(begin, number, 1)},
        "git": {"branch": "main", "commit_hash": f"{number:040x}"},
    }
    ordinal = 0
    yield ordinal, begin, "session_meta", meta
    for turn in range(turns):
        at = begin + timedelta(milliseconds=100 * (turn + 1))
        for kind, payload in _turn(thread_id, _uuid(at, number, 2 + turn), turn, at):
            ordinal += 1
            yield ordinal, at, kind, payload


def _turn(
    thread_id: str, turn_id: str, turn: int, at: datetime
) -> Iterator[tuple[str, dict[str, object]]]:
    passed = {"turn_id": turn_id}
    usage = {"input_tokens": 1000 + turn, "cached_input_tokens": 10, "output_tokens": 20}
    second = int(at.timestamp())
    yield (
        "event_msg",
        {
            "type": "task_started",
            "turn_id": turn_id,
            "root_turn_id": turn_id,
            "turn_attribution": {"turn_id": turn_id, "root_turn_id": turn_id},
            "started_at": second,
        },
    )
    yield "turn_context", {"turn_id": turn_id, "model": "gpt-6", "cwd": "/home/dev"}
    yield "response_item", _message(f"msg_u_{turn_id}", "user", f"Question {turn}", passed)
    yield (
        "event_msg",
        _completed(thread_id, turn_id, "UserMessage", f"u_{turn_id}", f"Question {turn}"),
    )
    yield "response_item", _message(f"msg_a_{turn_id}", "assistant", f"Answer {turn}", passed)
    yield (
        "event_msg",
        _completed(thread_id, turn_id, "AgentMessage", f"msg_a_{turn_id}", f"Answer {turn}"),
    )
    yield (
        "token_usage_record",
        {"thread_id": thread_id, "turn_id": turn_id, "session_id": thread_id, "usage": usage},
    )
    yield (
        "event_msg",
        {"type": "task_complete", "turn_id": turn_id, "completed_at": second, "duration_ms": 90},
    )


def _message(item_id: str, role: str, text: str, passed: dict[str, str]) -> dict[str, object]:
    kind = "input_text" if role == "user" else "output_text"
    return {
        "type": "message",
        "id": item_id,
        "role": role,
        "content": [{"type": kind, "text": text}],
        "internal_chat_message_metadata_passthrough": passed,
    }


def _completed(
    thread_id: str, turn_id: str, kind: str, item_id: str, text: str
) -> dict[str, object]:
    return {
        "type": "item_completed",
        "thread_id": thread_id,
        "turn_id": turn_id,
        "item": {"type": kind, "id": item_id, "content": [{"type": "text", "text": text}]},
    }


def _uuid(at: datetime, number: int, salt: int) -> str:
    """A time-ordered uuid (version 7) that is the same in every run."""
    value = (int(at.timestamp() * 1000) << 80) | (7 << 76) | (salt << 64)
    value |= (2 << 62) | number
    text = f"{value:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
