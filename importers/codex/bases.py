"""The turns of rollouts that a thread goes on from or was copied from, read when asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from importers.codex.ids import thread_id
from importers.codex.lines import decoded
from importers.codex.ownership import SourceTurns, ownership
from importers.codex.rollout import Rollout, read_rollout
from importers.codex.run_ids import run_id
from importers.raw_lines import Skipping, raw_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from graph.model import RunId, ThreadId, Timestamp
    from importers.codex.context import ThreadFile
    from importers.codex.lines import Line
    from importers.codex.revisions import OutsideBase
    from importers.raw_lines import RawLine

_KEPT_FILES = 256

_HEAD_BYTES = 400
_MODEL_ITEM = b'"type":"response_item"'
_SAID = re.compile(rb'"payload":\{"type":"(?:reasoning|message)"')
_SPAWN_WORDS = (b"spawn_agent", b"agent_id", b"task_name", b'"agent_message"')
_MOST_OF_A_SPAWN = 64 * 1024
_DONE = re.compile(rb'"item":\{"type":"(?:CommandExecution|FileChange|McpToolCall|Reasoning)"')
_WORLD = b'"type":"world_state"'


@dataclass(frozen=True, slots=True)
class BaseTurn:
    """A turn of another thread's rollout; *run_id* only where its owner is known."""

    turn_id: str | None
    run_id: RunId | None
    ordinal: int | None
    at: Timestamp | None


@dataclass(frozen=True, slots=True)
class BaseRollout:
    """What is asked of a base: its turns in order, and where it goes on itself.

    *nested* are the runs in which turns of other threads stand, by the ids of these.
    """

    turns: Sequence[BaseTurn] = ()
    base_rollout_id: str | None = None
    base_end_ordinal: int | None = None
    nested: Mapping[str, RunId] = field(default_factory=dict["str", "RunId"])


def tells_turns(raw: bytes) -> bool:
    """Whether a line may say something about turns; most of a long rollout does not."""
    head = raw[:_HEAD_BYTES]
    if _MODEL_ITEM in head:
        if _SAID.search(head) is not None or len(raw) > _MOST_OF_A_SPAWN:
            return False
        return any(word in raw for word in _SPAWN_WORDS)
    return _DONE.search(head) is None and _WORLD not in head


def turn_lines(file: ThreadFile) -> Iterator[Line]:
    """The lines of a file that may say something about turns, and the last one.

    Bad lines are passed over, not counted.
    """
    skipping = Skipping(file.path)
    return decoded(_telling(raw_lines(file.path, skipping, most=file.size)), skipping)


def _telling(lines: Iterable[RawLine]) -> Iterator[RawLine]:
    passed: RawLine | None = None
    for line in lines:
        if tells_turns(line[1]):
            passed = None
            yield line
        else:
            passed = line
    if passed is not None:
        # The last line says when the thread was written to.
        yield passed


def last_turn(base: OutsideBase, files: Mapping[str, ThreadFile]) -> BaseTurn | None:
    """The last turn that began before the end of a referenced history, at any depth.

    ``None`` where a file of the chain is not there; a ``BaseTurn`` without ids where all are
    there and the history holds no turn.
    """
    rollout_id, end = base.rollout_id, base.end_ordinal
    asked: set[str] = set()
    while rollout_id in files and rollout_id not in asked:
        asked.add(rollout_id)
        found = _base_rollout(files[rollout_id])
        for turn in reversed(found.turns):
            if end is None or turn.ordinal is None or turn.ordinal < end:
                return turn
        if found.base_rollout_id is None:
            return BaseTurn(None, None, None, None)
        rollout_id, end = found.base_rollout_id, _lesser(end, found.base_end_ordinal)
    return None


def source_turns(files: Iterable[ThreadFile], before: Timestamp | None) -> SourceTurns | None:
    """What the files of a fork's source say of its turns; ``None`` when there are none."""
    turns = [turn for file in files for turn in _base_rollout(file).turns]
    if not turns:
        return None
    earlier = [turn for turn in turns if before is None or turn.at is None or turn.at < before]
    return SourceTurns(
        frozenset(turn.turn_id for turn in turns if turn.turn_id is not None),
        tuple(turn.run_id for turn in earlier if turn.run_id is not None),
    )


def run_around(turn_id: str, files: Iterable[ThreadFile]) -> RunId | None:
    """The run of a parent's in whose middle the turn of a child stands."""
    for file in files:
        found = _base_rollout(file).nested.get(turn_id)
        if found is not None:
            return found
    return None


def _lesser(left: int | None, right: int | None) -> int | None:
    return min((end for end in (left, right) if end is not None), default=None)


@lru_cache(maxsize=_KEPT_FILES)
def _base_rollout(file: ThreadFile) -> BaseRollout:
    """Read once a process: a thread with a thousand forks is asked for a thousand times."""
    try:
        rollout = read_rollout(file.path, file.rollout_id, turn_lines(file))
    except OSError:
        return BaseRollout()
    header = rollout.header
    owner = file.thread_id
    if header is None or thread_id(header.id) != owner:
        return BaseRollout()
    base = header.history_base
    return BaseRollout(
        tuple(_turns(rollout, owner)),
        base.thread_id.lower() if base is not None else None,
        base.end_ordinal_exclusive if base is not None else None,
        {
            turn_id: run_id(owner, file.rollout_id, outer)
            for turn_id, outer in rollout.story.turns.nested.items()
        },
    )


def _turns(rollout: Rollout, owner: ThreadId) -> Iterator[BaseTurn]:
    owned = ownership(rollout)
    for turn in rollout.story.turns.turns:
        if turn.turn_id in owned.foreign_turn_ids:
            continue
        known = run_id(owner, rollout.rollout_id, turn) if owned.owns(turn) else None
        yield BaseTurn(turn.turn_id, known, turn.ordinal, turn.at)
