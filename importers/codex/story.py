"""What the lines of one rollout file tell, line by line: turns, compactions, spawning calls."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, assert_never

from importers.codex.shapes import (
    CompactedLine,
    ContextLine,
    Event,
    EventLine,
    KnownLine,
    LetterFactsLine,
    LetterLine,
    MetaLine,
    RealtimeLine,
    ResponseLine,
    RetainedLine,
    RiskLine,
    ThreadItem,
    UsageLine,
    WorldLine,
)
from importers.codex.spawn_calls import SpawnCalls
from importers.codex.texts import content_text, error_text, is_prompt
from importers.codex.tokens import TokenCounter, plus
from importers.codex.turn import Compaction, Turn
from importers.codex.turns import Moment, Turns
from importers.timestamps import from_seconds

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Story:
    """Takes a file's lines in order; afterwards its fields say what happened.

    *settings_lines* are those that name a thread whose settings were applied, *item_threads*
    the turns, by line, of each thread that an item names. *has_messages* is whether messages
    were told as events: where they were, the model's own messages are not the conversation.
    """

    turns: Turns = field(default_factory=Turns)
    compactions: list[Compaction] = field(default_factory=list[Compaction])
    spawn_calls: SpawnCalls = field(default_factory=SpawnCalls)
    settings_lines: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    item_threads: dict[str, list[tuple[int, str]]] = field(
        default_factory=dict[str, list[tuple[int, str]]]
    )
    has_messages: bool = False
    tokens: TokenCounter = field(default_factory=TokenCounter)

    def take(self, number: int, line: KnownLine) -> None:
        """Go on with the next line."""
        match line:
            case EventLine():
                _on_event(self, number, line)
            case ResponseLine():
                _on_response(self, Moment(number, line.ordinal, line.timestamp), line)
            case ContextLine():
                _on_context(self, line)
            case CompactedLine():
                _on_compaction(self, number, line)
            case UsageLine():
                _on_usage(self, line)
            case LetterLine():
                _on_letter(self, line)
            case (
                MetaLine()
                | LetterFactsLine()
                | WorldLine()
                | RiskLine()
                | RetainedLine()
                | RealtimeLine()
            ):
                pass
            case _:
                assert_never(line)

    def turn(self, turn_id: str | None) -> Turn | None:
        """The turn of that id, else the active one."""
        return self.turns.named(turn_id) or self.turns.active

    def worked(self, turn_id: str | None) -> None:
        """Note that a turn did more than compact its context."""
        turn = self.turn(turn_id)
        if turn is not None:
            turn.worked = True


_Handler: TypeAlias = "Callable[[Story, Moment, Event], None]"


def _on_event(story: Story, number: int, line: EventLine) -> None:
    handler = _ON_EVENT.get(line.payload.type)
    if handler is not None:
        handler(story, Moment(number, line.ordinal, line.timestamp), line.payload)


def _on_context(story: Story, line: ContextLine) -> None:
    turn = story.turn(line.payload.turn_id)
    if turn is not None and line.payload.model:
        turn.model = line.payload.model


def _on_letter(story: Story, line: LetterLine) -> None:
    if line.payload.trigger_turn:
        story.worked(None)


def _on_start(story: Story, moment: Moment, event: Event) -> None:
    story.turns.start(moment, event.turn_id, event.root_turn_id, event.turn_attribution)


def _on_complete(story: Story, moment: Moment, event: Event) -> None:
    story.turns.complete(
        moment,
        event.turn_id,
        error_text(event.error),
        began=from_seconds(event.started_at),
        root_turn_id=event.root_turn_id,
    )


def _on_abort(story: Story, moment: Moment, event: Event) -> None:
    story.turns.abort(moment, event.turn_id)


def _on_rollback(story: Story, moment: Moment, event: Event) -> None:
    story.turns.roll_back(moment, event.num_turns)


def _on_user_message(story: Story, moment: Moment, event: Event) -> None:
    story.has_messages = True
    if not story.turns.in_review:
        # Inside a review the reviewer's prompts are told here, too.
        story.turns.prompt(moment, event.message or "", None)


def _on_agent_message(story: Story, _moment: Moment, _event: Event) -> None:
    story.has_messages = True
    story.worked(None)


def _on_settings(story: Story, moment: Moment, event: Event) -> None:
    if event.thread_id:
        story.settings_lines.append((moment.line, event.thread_id))


def _on_review(story: Story, moment: Moment, event: Event) -> None:
    story.turns.enter_review(moment, event.turn_id)


def _on_review_end(story: Story, _moment: Moment, _event: Event) -> None:
    story.turns.in_review = False


def _on_token_count(story: Story, _moment: Moment, event: Event) -> None:
    used = None if event.info is None else story.tokens.used(event.info)
    turn = story.turns.active
    if used is not None and turn is not None:
        turn.counted_usage = plus(turn.counted_usage, used)


def _on_activity(story: Story, moment: Moment, event: Event) -> None:
    story.spawn_calls.activity(
        event.kind,
        call_id=event.event_id,
        child=event.agent_thread_id,
        path=event.agent_path,
        place=(moment.line, story.turns.active, moment.written),
    )


def _on_item(story: Story, moment: Moment, event: Event) -> None:
    item, turn_id = event.item, event.turn_id
    if item is None:
        return
    if event.thread_id and turn_id:
        # Whose it is, is asked later: copies name the thread that they were copied from.
        seen = story.item_threads.setdefault(event.thread_id, [])
        if not seen or seen[-1][1] != turn_id:
            seen.append((moment.line, turn_id))
    if turn_id not in story.turns.nested:
        _on_own_item(story, moment, event, item)


def _on_own_item(story: Story, moment: Moment, event: Event, item: ThreadItem) -> None:
    place = (moment.line, story.turn(event.turn_id), moment.written)
    match item.type:
        case "UserMessage":
            story.has_messages = True
            story.turns.prompt(moment, content_text(item.content), event.turn_id)
        case "AgentMessage":
            story.has_messages = True
            story.worked(event.turn_id)
        case "EnteredReviewMode":
            story.turns.enter_review(moment, event.turn_id)
        case "ExitedReviewMode":
            story.turns.in_review = False
        case "SubAgentActivity":
            story.spawn_calls.activity(
                item.kind,
                call_id=item.id,
                child=item.agent_thread_id,
                path=item.agent_path,
                place=place,
            )
        case "CollabAgentToolCall":
            story.spawn_calls.tool_call(
                item.tool, call_id=item.id, children=item.receiver_thread_ids or [], place=place
            )
        case _:
            pass


def _on_response(story: Story, moment: Moment, line: ResponseLine) -> None:
    item = line.payload
    match item.type:
        case "function_call" if item.name == "spawn_agent":
            place = (moment.line, story.turn(item.turn_id), moment.written)
            story.spawn_calls.called(item.call_id, place)
        case "function_call_output":
            story.spawn_calls.answered(item.call_id, item.output)
        case "agent_message":
            story.worked(item.turn_id)
        case "message" if item.role == "user" and moment.written is None:
            text = content_text(item.content)
            if is_prompt(text):
                story.turns.prompt(moment, text, None)
        case _:
            pass


def _on_compaction(story: Story, number: int, line: CompactedLine) -> None:
    said, turn = line.payload, story.turns.active
    if turn is not None:
        turn.compacted = True
    old_number = said.window_id if isinstance(said.window_id, int) else None
    story.compactions.append(
        Compaction(
            line=number,
            turn=turn,
            counted=len(story.compactions) + 1,
            number=old_number if said.window_number is None else said.window_number,
            window_id=said.window_id,
            first_window_id=said.first_window_id,
            previous_window_id=said.previous_window_id,
        )
    )


def _on_usage(story: Story, line: UsageLine) -> None:
    said = line.payload
    turn = story.turns.named(said.turn_id)
    if turn is None:
        return
    if said.turn_token_usage is not None:
        turn.recorded_usage = said.turn_token_usage
    elif said.usage is not None:
        turn.recorded_usage = plus(turn.recorded_usage, said.usage)


# A table, because a rollout has thousands of events and most of them concern no turn.
_ON_EVENT: dict[str, _Handler] = {
    "item_completed": _on_item,
    "token_count": _on_token_count,
    "user_message": _on_user_message,
    "agent_message": _on_agent_message,
    "task_started": _on_start,
    "turn_started": _on_start,
    "task_complete": _on_complete,
    "turn_complete": _on_complete,
    "turn_aborted": _on_abort,
    "thread_rolled_back": _on_rollback,
    "thread_settings_applied": _on_settings,
    "entered_review_mode": _on_review,
    "exited_review_mode": _on_review_end,
    "sub_agent_activity": _on_activity,
}
