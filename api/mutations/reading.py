"""Inputs in the words of the product."""

from dataclasses import fields

from adapters.abilities import CapabilityOverrides
from api.enums import Actor
from api.limits import ABSENT, given
from api.mutations import inputs
from api.mutations.commands import converted
from graph.errors import BadInput
from graph.model import (
    CapabilityRoot,
    CheckpointId,
    ItemId,
    NativeRef,
    RunId,
    ThreadId,
)
from graph.transfers import Provider
from resolvers.append_items import ItemSaid, ItemsSaid
from resolvers.fork_thread import ForkWish
from resolvers.merge_back import MergeWish
from resolvers.payload import DEFAULT_BUDGET_TOKENS
from resolvers.record_checkpoint import CheckpointSeen
from resolvers.record_runs import RunNews, RunSeen, RunUsage
from resolvers.record_thread import ParentOfThread, ThreadToRecord
from resolvers.settle_start import StartAccepted
from resolvers.start_context import StartWish
from resolvers.subagents import SpawnWish


def provider(told: inputs.ProviderInput) -> Provider:
    """An account."""
    return Provider(
        instance_id=told.instance_id,
        driver=told.driver,
        continuation_key=given(told.continuation_key),
    )


def native_ref(told: inputs.NativeRefInput) -> NativeRef:
    """A provider's own id."""
    return NativeRef(
        driver=told.driver,
        native_id=given(told.native_id),
        strength=told.strength,
        ordinal=given(told.ordinal),
    )


def thread_to_record(told: inputs.RecordThreadInput) -> ThreadToRecord:
    """A thread that begins."""
    return ThreadToRecord(
        thread_id=ThreadId(_id("threadId", told.thread_id)),
        provider=converted(told.provider, provider),
        model=given(told.model),
        title=given(told.title),
        history_mode=given(told.history_mode),
        thread_source=given(told.thread_source),
        service_name=given(told.service_name),
        originator=given(told.originator),
        session_id=given(told.session_id),
        created_by=given(told.created_by),
        cwd=given(told.cwd),
        agent_nickname=given(told.agent_nickname),
        agent_role=given(told.agent_role),
        agent_path=given(told.agent_path),
        selected_capability_roots=tuple(
            CapabilityRoot(id=root.id, environment_id=root.environment_id, path=root.path)
            for root in given(told.selected_capability_roots) or ()
        ),
        initial_window_id=given(told.initial_window_id),
        parent=converted(told.parent, _parent),
    )


def run_seen(told: inputs.StartRunInput) -> RunSeen:
    """A run that was begun elsewhere."""
    return RunSeen(
        thread_id=ThreadId(told.thread_id),
        run_id=converted(told.run_id, _run_id),
        provider=converted(told.provider, provider),
        model=given(told.model),
        status=told.status,
        native_thread_ref=converted(told.native_thread_ref, native_ref),
        native_turn_ref=converted(told.native_turn_ref, native_ref),
        started_at=given(told.started_at),
    )


def run_news(told: inputs.UpdateRunInput) -> RunNews:
    """What is new of a run."""
    return RunNews(
        run_id=RunId(told.run_id),
        status=given(told.status),
        native_thread_ref=converted(told.native_thread_ref, native_ref),
        native_turn_ref=converted(told.native_turn_ref, native_ref),
        usage=converted(told.usage, _usage),
        completed_at=given(told.completed_at),
        error=given(told.error),
    )


def items_said(told: inputs.AppendItemsInput) -> ItemsSaid:
    """Items of one run."""
    return ItemsSaid(
        thread_id=ThreadId(told.thread_id),
        run_id=converted(told.run_id, _run_id),
        items=[_item(item) for item in told.items],
    )


def checkpoint_seen(told: inputs.RecordCheckpointInput) -> CheckpointSeen:
    """A checkpoint of a run."""
    return CheckpointSeen(
        thread_id=ThreadId(told.thread_id),
        run_id=RunId(told.run_id),
        checkpoint_id=converted(told.checkpoint_id, _checkpoint_id),
        parent_checkpoint_id=converted(told.parent_checkpoint_id, _checkpoint_id),
        status=told.status,
        native_ref=converted(told.native_ref, native_ref),
        files=tuple(given(told.files) or ()),
    )


def fork_wish(told: inputs.ForkThreadInput) -> ForkWish:
    """A fork of a thread."""
    at = given(told.at)
    if at is not None and given(at.latest_stable) is False:
        raise BadInput("at: latestStable is true or not there.")
    return ForkWish(
        source_thread_id=ThreadId(told.source_thread_id),
        target_thread_id=converted(told.target_thread_id, _thread_id),
        run_id=None if at is None else converted(at.run_id, _run_id),
        checkpoint_id=None if at is None else converted(at.checkpoint_id, _checkpoint_id),
        title=given(told.title),
        thread_source=given(told.thread_source),
        created_by=given(told.created_by) or Actor.USER,
    )


def merge_wish(told: inputs.MergeBackInput) -> MergeWish:
    """What is to be brought back."""
    return MergeWish(
        fork_thread_id=ThreadId(told.fork_thread_id),
        run_id=converted(told.run_id, _run_id),
        into_thread_id=converted(told.into_thread_id, _thread_id),
    )


def spawn_wish(told: inputs.SpawnSubagentInput) -> SpawnWish:
    """A thread that an agent spawns."""
    return SpawnWish(
        parent_thread_id=ThreadId(told.parent_thread_id),
        parent_run_id=converted(told.parent_run_id, _run_id),
        child_thread_id=converted(told.child_thread_id, _thread_id),
        task=given(told.task),
        call_id=given(told.call_id),
        provider=converted(told.provider, provider),
        origin=told.origin,
    )


def start_wish(told: inputs.ResolveStartContextInput) -> StartWish:
    """A run that is to start."""
    budget = given(told.budget_tokens)
    return StartWish(
        thread_id=ThreadId(told.thread_id),
        message=told.message,
        provider=converted(told.provider, provider),
        model=given(told.model),
        budget_tokens=DEFAULT_BUDGET_TOKENS if budget is None else budget,
        capabilities=converted(told.capabilities, _capabilities) or CapabilityOverrides(),
        run_id=converted(told.run_id, _run_id),
    )


def start_accepted(told: inputs.ConfirmStartInput) -> StartAccepted:
    """What a provider said to a start."""
    return StartAccepted(
        run_id=RunId(told.run_id),
        native_thread_ref=converted(told.native_thread_ref, native_ref),
        native_turn_ref=converted(told.native_turn_ref, native_ref),
        history_mode=given(told.history_mode),
        initial_window_id=given(told.initial_window_id),
    )


def thread_patch(told: inputs.ThreadPatch) -> dict[str, str | None]:
    """What is new of a thread, by the names of its fields."""
    said = {field.name: getattr(told, field.name) for field in fields(told)}  # pyright: ignore[reportArgumentType] - strawberry makes it a dataclass
    return {name: value for name, value in said.items() if value is not ABSENT}


def _capabilities(told: inputs.CapabilitiesInput) -> CapabilityOverrides:
    return CapabilityOverrides(
        fork=given(told.fork),
        fork_at_turn=given(told.fork_at_turn),
        rollback=given(told.rollback),
        full_handoff=given(told.full_handoff),
        delta_handoff=given(told.delta_handoff),
        checkpoint_handoff=given(told.checkpoint_handoff),
    )


def _parent(told: inputs.ParentInput) -> ParentOfThread:
    return ParentOfThread(
        thread_id=ThreadId(told.thread_id),
        kind=told.kind,
        run_id=converted(told.run_id, RunId),
        call_id=given(told.call_id),
    )


def _usage(told: inputs.UsageInput) -> RunUsage:
    return RunUsage(
        input_tokens=given(told.input_tokens),
        cached_input_tokens=given(told.cached_input_tokens),
        output_tokens=given(told.output_tokens),
        reasoning_tokens=given(told.reasoning_tokens),
    )


def _item(told: inputs.ItemInput) -> ItemSaid:
    return ItemSaid(
        item_id=converted(told.item_id, _item_id),
        kind=told.kind,
        role=given(told.role),
        text=given(told.text),
        status=given(told.status),
        native_ref=converted(told.native_ref, native_ref),
        at=given(told.at),
    )


def _thread_id(told: str) -> ThreadId:
    return ThreadId(_id("threadId", told))


def _run_id(told: str) -> RunId:
    return RunId(_id("runId", told))


def _item_id(told: str) -> ItemId:
    return ItemId(_id("itemId", told))


def _checkpoint_id(told: str) -> CheckpointId:
    return CheckpointId(_id("checkpointId", told))


def _id(name: str, told: str) -> str:
    if not told:
        raise BadInput(f"{name} is empty.")
    return told
