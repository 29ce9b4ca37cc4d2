"""Own runs and compactions as records.

A run that nothing ended is *running* while its file still grows. It was *interrupted* when the
conversation went on elsewhere, or when the last line is older than ``IDLE_SECONDS`` at the time
of the import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from graph.records import RunRecord, WindowRecord
from importers.claude_code.context import DRIVER, Form
from importers.claude_code.entries import NONE, Kind
from importers.contract import IDLE_SECONDS
from importers.timestamps import seconds_between

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from graph.model import Timestamp
    from importers.claude_code.conversation import Conversation
    from importers.claude_code.entries import Answer, Entry
    from importers.claude_code.turns import Turn
    from importers.contract import ReadOptions

_UNFINISHED = frozenset({"tool_use", "pause_turn"})


def runs_of(
    conversation: Conversation, options: ReadOptions, clean: Callable[[str], str]
) -> Iterator[RunRecord]:
    """The runs of a conversation, in the order of its files."""
    is_written = _is_written(conversation.last_at, options.now)
    is_root = conversation.context.form is Form.SESSION
    for turn in conversation.turns:
        if turn.is_copied:
            continue
        run_id = conversation.run_id(turn)
        status = _status(turn, may_go_on=turn.is_end and is_written)
        tokens = turn.tokens
        last_at = max(turn.started_at, turn.last_at or turn.started_at)
        error = _answer(turn.last_step)
        yield RunRecord(
            run_id=run_id,
            native_turn_id=turn.native_id,
            status=status,
            rolled_back_at=turn.left_at,
            driver=DRIVER,
            provider_instance_id=options.provider or DRIVER,
            model=turn.model,
            started_at=turn.started_at,
            completed_at=None if status == "running" else last_at,
            input_tokens=tokens.input if tokens is not None else None,
            cached_input_tokens=tokens.cached if tokens is not None else None,
            output_tokens=tokens.output if tokens is not None else None,
            reasoning_tokens=tokens.reasoning if tokens is not None else None,
            root_run_id=run_id if is_root else None,
            error=clean(error.error) if error is not None and error.error else None,
        )


def windows_of(conversation: Conversation) -> Iterator[WindowRecord]:
    """A context window for each own compaction, in the order of the files."""
    boundaries = [entry for entry in conversation.own_entries if _is_boundary(conversation, entry)]
    on_way = _on_way(conversation) if boundaries else set[str]()
    for number, entry in enumerate(boundaries, start=1):
        yield WindowRecord(
            number=number,
            run_id=conversation.own_run(entry),
            rolled_back=entry.uuid not in on_way,
        )


def _status(turn: Turn, *, may_go_on: bool) -> str:
    step = turn.last_step
    answer = _answer(step)
    if step is not None and step.kind is Kind.INTERRUPT:
        return "interrupted"
    if answer is None:
        return "running" if may_go_on else "interrupted"
    if answer.error is not None:
        return "failed"
    if answer.stopped in _UNFINISHED or (answer.stopped is None and answer.calls_tool):
        return "running" if may_go_on else "interrupted"
    if answer.stopped is None:
        # Old versions write an answer's parts as they come, and never why it ended.
        return "running" if may_go_on else "completed"
    return "completed"


def _answer(entry: Entry | None) -> Answer | None:
    return entry.answer if entry is not None else None


def _is_written(last_at: Timestamp | None, now: Timestamp | None) -> bool:
    """Whether the file was written to a short while ago."""
    return (
        now is not None and last_at is not None and seconds_between(last_at, now) <= IDLE_SECONDS
    )


def _is_boundary(conversation: Conversation, entry: Entry) -> bool:
    if entry.kind is Kind.BOUNDARY:
        return True
    if entry.kind is not Kind.SUMMARY:
        return False
    parent = conversation.entries[entry.parent] if entry.parent != NONE else None
    return parent is None or parent.kind is not Kind.BOUNDARY


def _on_way(conversation: Conversation) -> set[str]:
    """The links on the way to where the conversation stands, in any of its files."""
    entries = conversation.entries
    ends = {entry.file: place for place, entry in enumerate(entries) if entry.same_as == NONE}
    on_way: set[str] = set()
    for end in ends.values():
        place = end
        while place != NONE and entries[place].uuid not in on_way:
            on_way.add(entries[place].uuid)
            place = entries[place].parent
    return on_way
