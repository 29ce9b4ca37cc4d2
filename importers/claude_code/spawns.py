"""How agents hang below the conversations that started them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from graph.model import Evidence, Proof
from graph.records import SpawnCallRecord, SpawnRecord
from importers.claude_code.context import Context, Form, agent_thread
from importers.claude_code.conversation import conversation_of
from importers.claude_code.entries import content_hash
from importers.claude_code.lines import read_lines
from importers.claude_code.texts import blocks_of, prompt_text
from importers.raw_lines import Skipping

if TYPE_CHECKING:
    from collections.abc import Iterator

    from graph.model import RunId, ThreadId, Timestamp
    from importers.claude_code.context import TranscriptFile
    from importers.claude_code.conversation import Conversation
    from importers.claude_code.lines import Read

BY_SIDECAR = Evidence(proof=Proof.FILE, rule="agent metadata")
BY_LINES = Evidence(proof=Proof.INFERRED, rule="agentId of a session's lines")
BY_SIDECHAIN = Evidence(proof=Proof.FILE, rule="isSidechain")


def spawn_of(conversation: Conversation) -> SpawnRecord | None:
    """The spawn edge of an agent; ``None`` for a session."""
    context = conversation.context
    if context.parent is None or context.parent == context.thread_id:
        return None
    record = SpawnRecord(
        child_thread_id=context.thread_id,
        parent_thread_id=context.parent,
        at=conversation.began_at,
        evidence=BY_SIDECHAIN if context.form is Form.SIDECHAIN else BY_LINES,
    )
    agent = context.agent
    if agent is not None and (agent.call_id or agent.parent_agent_id):
        return replace(record, call_id=agent.call_id, evidence=BY_SIDECAR)
    if context.form is Form.SIDECHAIN:
        call = _call_of_sidechain(context)
        if call is not None:
            return replace(record, call_id=call.call_id, run_id=call.run_id)
    return record


def spawn_calls_of(conversation: Conversation) -> Iterator[SpawnCallRecord]:
    """The calls of a conversation's own that started agents, where the agent is known."""
    context = conversation.context
    started: dict[str, set[ThreadId]] = {}
    for call_id, child in context.agents:
        started.setdefault(call_id, set()).add(child)
    for entry in conversation.own_entries:
        for call_id, agent_id in entry.facts.agents if entry.facts is not None else ():
            child = agent_thread(context.session, agent_id)
            started.setdefault(call_id, set()).add(child)
    for entry in conversation.own_entries:
        run_id = conversation.own_run(entry)
        if entry.facts is None or run_id is None:
            continue
        for call in entry.facts.spawn_calls:
            for child in sorted(started.get(call.call_id, ())):
                yield SpawnCallRecord(
                    call_id=call.call_id, run_id=run_id, child_thread_id=child, at=entry.at
                )


def sidechain_roots(file: TranscriptFile) -> dict[str, int]:
    """The first messages of the agents that are written in a session's file, with their tasks.

    Raises ``OSError`` where the file can't be opened.
    """
    return {
        uuid: content_hash(prompt_text(blocks_of(read.line.message)))
        for read in read_lines(file.path, Skipping(file.path), most=file.size)
        if (uuid := read.line.uuid) and _is_root(read)
    }


@dataclass(frozen=True, slots=True)
class _Call:
    call_id: str
    run_id: RunId | None
    prompt: int
    at: Timestamp | None


@dataclass(slots=True)
class _Calls:
    """The calls that started agents, each to be taken by one agent with the same task."""

    calls: list[_Call] = field(default_factory=list[_Call])

    def take(self, prompt: int) -> _Call | None:
        """The first call with that task that nobody took yet."""
        for place, call in enumerate(self.calls):
            if call.prompt == prompt:
                return self.calls.pop(place)
        return None


def _is_root(read: Read) -> bool:
    line = read.line
    return bool(line.is_sidechain) and not line.parent_uuid and line.type == "user"


def _call_of_sidechain(context: Context) -> _Call | None:
    """The call with the task that the agent began with: the files say no more than that."""
    session = Context(
        thread_id=context.parent or context.thread_id,
        form=Form.SESSION,
        session=context.session,
        files=context.files,
        root=context.root,
    )
    skippings = tuple(Skipping(file.path) for file in context.files)
    main = conversation_of(
        session, lambda file, skipping: read_lines(file.path, skipping, most=file.size), skippings
    )
    calls = _Calls(
        [
            _Call(call.call_id, main.own_run(entry), call.prompt, entry.at)
            for entry in main.own_entries
            if entry.facts is not None
            for call in entry.facts.spawn_calls
        ]
    )
    for file in context.files:
        try:
            roots = sidechain_roots(file)
        except OSError:
            continue
        for uuid, prompt in roots.items():
            call = calls.take(prompt)
            if uuid == context.sidechain_root:
                return call
    return None
