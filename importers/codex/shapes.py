"""What is read of a rollout's lines: the fields that matter, everything else is passed over.

A line is an envelope with a payload. Fields are lenient where versions of Codex differ; a line
whose fields have other types altogether is one bad line.
"""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec

Id: TypeAlias = Annotated[str, msgspec.Meta(max_length=200)]
"""An id of Codex's. A longer one is none: the graph's ids are made of two of them."""


Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number of things: not negative, and small enough for every language."""


class Git(msgspec.Struct, frozen=True):
    """The state of the repository that a thread was started in."""

    commit_hash: str | None = None
    branch: str | None = None
    repository_url: str | None = None


class HistoryBaseField(msgspec.Struct, frozen=True):
    """Where a referenced history ends; ``thread_id`` holds a rollout id, despite its name."""

    thread_id: Id = ""
    end_ordinal_exclusive: Count | None = None


class WindowField(msgspec.Struct, frozen=True):
    """The context window that a thread began with."""

    window_id: Id | None = None


class RootLocation(msgspec.Struct, frozen=True, rename="camel"):
    """Where a capability stands."""

    environment_id: str = ""
    path: str = ""


class RootField(msgspec.Struct, frozen=True):
    """A capability that a thread selected."""

    id: Id = ""
    location: RootLocation = RootLocation()


class Meta(msgspec.Struct, frozen=True):
    """The payload of a ``session_meta`` line."""

    id: Annotated[Id, msgspec.Meta(min_length=1)]
    session_id: Id | None = None
    forked_from_id: Id | None = None
    parent_thread_id: Id | None = None
    timestamp: str | None = None
    cwd: str | None = None
    originator: str | None = None
    cli_version: str | None = None
    source: object = None
    thread_source: str | None = None
    agent_nickname: str | None = None
    agent_role: str | None = None
    agent_type: str | None = None
    agent_path: Id | None = None
    selected_capability_roots: list[RootField] | None = None
    memory_mode: str | None = None
    history_mode: str | None = None
    history_base: HistoryBaseField | None = None
    subagent_history_start_ordinal: Count | None = None
    multi_agent_version: str | None = None
    context_window: WindowField | None = None
    attached_thread: bool | None = None
    git: Git | None = None
    instructions: object = msgspec.UNSET


class Block(msgspec.Struct, frozen=True):
    """One piece of a message's content."""

    type: str = ""
    text: str | None = None


Content: TypeAlias = list[Block] | str | None


class PassedThrough(msgspec.Struct, frozen=True):
    """What Codex ties to a model item: the turn that it belongs to."""

    turn_id: Id | None = None


class ResponseItem(msgspec.Struct, frozen=True):
    """The payload of a ``response_item`` line: what the model saw or said."""

    type: str = ""
    id: Id | None = None
    role: str | None = None
    status: str | None = None
    content: Content = None
    summary: Content = None
    name: str | None = None
    namespace: str | None = None
    arguments: object = None
    input: object = None
    action: object = None
    call_id: Id | None = None
    output: object = None
    author: str | None = None
    recipient: str | None = None
    internal_chat_message_metadata_passthrough: PassedThrough | None = None

    @property
    def turn_id(self) -> str | None:
        """The turn that the item says it belongs to."""
        passed = self.internal_chat_message_metadata_passthrough
        return None if passed is None else passed.turn_id


class Attribution(msgspec.Struct, frozen=True):
    """What started a turn."""

    turn_trigger: str | None = None
    parent_turn_id: Id | None = None
    root_turn_id: Id | None = None


class TokenUsage(msgspec.Struct, frozen=True):
    """Tokens, of a response or in all so far."""

    input_tokens: Count = 0
    cached_input_tokens: Count = 0
    output_tokens: Count = 0
    reasoning_output_tokens: Count = 0


class TokenInfo(msgspec.Struct, frozen=True):
    """The body of a ``token_count`` event."""

    total_token_usage: TokenUsage | None = None
    last_token_usage: TokenUsage | None = None


class ThreadItem(msgspec.Struct, frozen=True):
    """The item of an ``item_completed`` event."""

    type: str = ""
    id: Id | None = None
    content: object = None
    text: str | None = None
    tool: str | None = None
    kind: str | None = None
    status: str | None = None
    receiver_thread_ids: list[Id] | None = None
    agent_thread_id: Id | None = None
    agent_path: Id | None = None
    command: object = None
    aggregated_output: str | None = None
    exit_code: int | None = None
    changes: object = None
    query: str | None = None
    user_facing_hint: str | None = None
    review_output: object = None


class Event(msgspec.Struct, frozen=True):
    """The payload of an ``event_msg`` line."""

    type: str = ""
    turn_id: Id | None = None
    root_turn_id: Id | None = None
    thread_id: Id | None = None
    turn_attribution: Attribution | None = None
    started_at: float | None = None
    duration_ms: float | None = None
    reason: str | None = None
    num_turns: Count = 0
    error: object = None
    message: str | None = None
    item: ThreadItem | None = None
    info: TokenInfo | None = None
    event_id: Id | None = None
    agent_thread_id: Id | None = None
    agent_path: Id | None = None
    kind: str | None = None
    call_id: Id | None = None
    changes: object = None
    success: bool | None = None
    user_facing_hint: str | None = None
    review_output: object = None


class TurnContext(msgspec.Struct, frozen=True):
    """The payload of a ``turn_context`` line."""

    turn_id: Id | None = None
    model: str | None = None
    multi_agent_version: str | None = None


class Compacted(msgspec.Struct, frozen=True):
    """The payload of a ``compacted`` line; an old one has a number for its *window_id*."""

    message: str | None = None
    window_number: Count | None = None
    window_id: Count | Id | None = None
    first_window_id: Id | None = None
    previous_window_id: Id | None = None


class UsageRecord(msgspec.Struct, frozen=True):
    """The payload of a ``token_usage_record`` line."""

    thread_id: Id | None = None
    turn_id: Id | None = None
    usage: TokenUsage | None = None
    turn_token_usage: TokenUsage | None = None


class AgentLetter(msgspec.Struct, frozen=True):
    """The payload of an ``inter_agent_communication`` line."""

    id: Id | None = None
    author: str | None = None
    recipient: str | None = None
    content: str | None = None
    trigger_turn: bool = False


class _Line(msgspec.Struct, frozen=True, tag_field="type"):
    timestamp: str | None = None
    ordinal: Count | None = None


class MetaLine(_Line, frozen=True, kw_only=True, tag="session_meta"):
    """A line that says whose file this is, or was copied from."""

    payload: Meta


class EventLine(_Line, frozen=True, kw_only=True, tag="event_msg"):
    """A line that says what happened."""

    payload: Event


class ResponseLine(_Line, frozen=True, kw_only=True, tag="response_item"):
    """A line of what the model saw or said."""

    payload: ResponseItem


class ContextLine(_Line, frozen=True, kw_only=True, tag="turn_context"):
    """A line that says how a turn runs."""

    payload: TurnContext


class CompactedLine(_Line, frozen=True, kw_only=True, tag="compacted"):
    """A line that replaces the context so far."""

    payload: Compacted


class UsageLine(_Line, frozen=True, kw_only=True, tag="token_usage_record"):
    """A line that says what a response cost."""

    payload: UsageRecord


class LetterLine(_Line, frozen=True, kw_only=True, tag="inter_agent_communication"):
    """A message from one agent to another."""

    payload: AgentLetter


class LetterFactsLine(_Line, frozen=True, tag="inter_agent_communication_metadata"):
    """A line beside a message between agents."""


class WorldLine(_Line, frozen=True, tag="world_state"):
    """A line that only Codex itself needs."""


class RiskLine(_Line, frozen=True, tag="security_risk_score"):
    """A line that only Codex itself needs."""


class RetainedLine(_Line, frozen=True, tag="retained_context"):
    """A line that only Codex itself needs."""


class RealtimeLine(_Line, frozen=True, tag="realtime_item"):
    """A line that only Codex itself needs."""


KnownLine: TypeAlias = (
    MetaLine
    | EventLine
    | ResponseLine
    | ContextLine
    | CompactedLine
    | UsageLine
    | LetterLine
    | LetterFactsLine
    | WorldLine
    | RiskLine
    | RetainedLine
    | RealtimeLine
)


class AnyLine(msgspec.Struct, frozen=True):
    """Any object at all: a line of a type that is not known, or of a time before types."""

    type: str | None = None
    record_type: str | None = None
    timestamp: str | None = None
    payload: msgspec.Raw | None = None
