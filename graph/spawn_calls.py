"""The spawning calls that a parent's transcript shows, remembered until their child is known."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from graph.records import SpawnCallRecord

if TYPE_CHECKING:
    from collections.abc import Iterable

    from graph.model import ThreadId

_ENCODER = msgspec.json.Encoder()
_DECODER = msgspec.json.Decoder(tuple[SpawnCallRecord, ...])


def remember(text: str | None, calls: Iterable[SpawnCallRecord]) -> str | None:
    """The text that holds the calls of *text* and these, each once; ``None`` for none at all."""
    together = {*recall(text), *calls}
    return _ENCODER.encode(sorted(together, key=_order)).decode() if together else None


@lru_cache(maxsize=64)
def recall(text: str | None) -> tuple[SpawnCallRecord, ...]:
    """The calls that a text of ``remember`` holds, in order."""
    return () if text is None else _DECODER.decode(text)


def call_for(
    child_id: ThreadId, agent_path: str | None, calls: Iterable[SpawnCallRecord]
) -> SpawnCallRecord | None:
    """The first call that made the child: one that names it, else one that names its path."""
    named = [call for call in calls if call.child_thread_id == child_id]
    by_path = [
        call
        for call in calls
        if call.child_thread_id is None
        and agent_path is not None
        and call.agent_path == agent_path
    ]
    return min(named or by_path, key=_order, default=None)


def _order(call: SpawnCallRecord) -> tuple[str, ...]:
    # Unknown times and ids stand behind all known ones.
    return (
        call.at or "~",
        call.call_id or "~",
        call.run_id,
        call.child_thread_id or "",
        call.agent_path or "",
    )
