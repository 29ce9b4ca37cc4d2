"""Own prompts as runs, and own compactions as the context windows that they opened.

A run whose last answer was no end, or that has none, is *running* while its session still
changes. It was *interrupted* when a later run began, or when nothing was written for longer than
``IDLE_SECONDS`` before the import.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from graph.model import RunId
from graph.records import RunRecord, WindowRecord
from importers.contract import IDLE_SECONDS
from importers.opencode.driver import DRIVER
from importers.opencode.items import ABORTED
from importers.opencode.moments import moment
from importers.timestamps import EPOCH, seconds_between

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from graph.model import Timestamp
    from importers.contract import ReadOptions
    from importers.opencode.calls import Callers
    from importers.opencode.conversation import Conversation
    from importers.opencode.session import Message
    from importers.opencode.shapes import Number, Tokens

_OPEN = "tool-calls"
"""Why an answer ended after which another one follows."""

_MOST_TOKENS = 2**53


@dataclass(slots=True)
class Work:
    """What a run did; *status* is ``None`` while its last answer was no end."""

    status: str | None = None
    error: str | None = None
    model: str | None = None
    ended: int | None = None
    has_usage: bool = False
    input_tokens: int = 0
    cached_input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0


@dataclass(slots=True)
class Works:
    """What each run did, by the place of its prompt, and when anything was said last."""

    by_prompt: dict[int, Work] = field(default_factory=dict[int, Work])
    said_at: int = 0
    model: str | None = None


def run_ids_of(told: Conversation, inherited: Collection[str]) -> dict[int, RunId]:
    """The run ids of the session's own prompts, by their places."""
    return {
        place: RunId(f"{told.session_id}/{told.messages[place].message_id}")
        for place in told.prompts
        if told.messages[place].message_id not in inherited
    }


def works_of(told: Conversation, inherited: Collection[str]) -> Works:
    """What the session's own runs did."""
    works = Works({place: Work() for place in told.prompts})
    for place, message in enumerate(told.messages):
        if message.info.role == "assistant":
            works.model = message.info.modelID or works.model
        if message.message_id in inherited:
            continue
        works.said_at = max(works.said_at, message.created, _whole(message.info.time.completed))
        work = works.by_prompt.get(told.run_of[place])
        if work is not None and message.info.role == "assistant":
            _take(work, message)
    return works


def runs_of(
    told: Conversation,
    works: Works,
    run_ids: dict[int, RunId],
    callers: Callers,
    options: ReadOptions,
) -> Iterator[RunRecord]:
    """The runs of a session."""
    last = told.prompts[-1] if told.prompts else None
    for place, run_id in run_ids.items():
        prompt, work = told.messages[place], works.by_prompt[place]
        status = work.status or "interrupted"
        if work.status is None and place == last and _goes_on(works, options.now):
            status = "running"
        ended = max(work.ended or prompt.created, prompt.created)
        yield RunRecord(
            run_id=run_id,
            native_turn_id=prompt.message_id,
            status=status,
            rolled_back_at=moment(prompt.left_at),
            driver=DRIVER,
            provider_instance_id=options.provider or DRIVER,
            model=work.model,
            started_at=started_at(prompt),
            completed_at=None if status == "running" else moment(ended),
            input_tokens=work.input_tokens if work.has_usage else None,
            cached_input_tokens=work.cached_input_tokens if work.has_usage else None,
            output_tokens=work.output_tokens if work.has_usage else None,
            reasoning_tokens=work.reasoning_tokens if work.has_usage else None,
            parent_run_id=callers.parent_run(prompt.created),
            root_run_id=callers.root_run(prompt.created) if callers.is_spawned else run_id,
            error=work.error,
        )


def windows_of(
    told: Conversation, run_ids: dict[int, RunId], inherited: Collection[str]
) -> Iterator[WindowRecord]:
    """A context window for each compaction, in order."""
    own = [place for place in told.compacts if told.messages[place].message_id not in inherited]
    for number, place in enumerate(own, start=1):
        yield WindowRecord(
            number=number,
            run_id=run_ids.get(told.run_of[place]),
            rolled_back=told.messages[place].left_at is not None,
        )


def started_at(message: Message) -> Timestamp:
    """When a message was written."""
    return moment(message.created) or EPOCH


def _take(work: Work, message: Message) -> None:
    info = message.info
    completed = _whole(info.time.completed)
    work.ended = max(work.ended or 0, completed or message.created)
    work.error = None
    if info.error is not None:
        work.status = "interrupted" if info.error.name == ABORTED else "failed"
        if work.status == "failed":
            work.error = info.error.data.message or info.error.name or None
    elif not completed or info.finish == _OPEN:
        work.status = None
    else:
        work.status = "completed"
    work.model = info.modelID or work.model
    if info.tokens is not None:
        _add(work, info.tokens)


def _add(work: Work, tokens: Tokens) -> None:
    """The cache's part counts as input and thoughts as output, as they do for other tools."""
    cached, written = _whole(tokens.cache.read), _whole(tokens.cache.write)
    thoughts, output = _whole(tokens.reasoning), _whole(tokens.output)
    spent = _whole(tokens.input) + cached + written
    if tokens.total is None or _whole(tokens.total) != spent + output:
        output += thoughts
    work.has_usage = True
    work.input_tokens += spent
    work.cached_input_tokens += cached
    work.output_tokens += output
    work.reasoning_tokens += thoughts


def _goes_on(works: Works, now: Timestamp | None) -> bool:
    at = moment(works.said_at)
    return now is not None and at is not None and seconds_between(at, now) <= IDLE_SECONDS


def _whole(count: Number) -> int:
    try:
        return min(max(int(count or 0), 0), _MOST_TOKENS)
    except (OverflowError, ValueError):
        return 0
