"""What a provider has of a thread's history: computed from the runs, never stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.model import NativeRef, RunId, Strength

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.transfers import Provider

CONVERSATION = frozenset({"completed", "waiting", "failed", "interrupted"})
"""The words for a run that is part of the conversation."""

DELIVERED = frozenset({"completed", "waiting"})
"""The words for a run that its provider answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedRun:
    """A run of a thread's history, and the provider that served it.

    *own* is false for an inherited run, *confirmed* says that its start was confirmed.
    *rolled_back* is how this history sees it: an inherited run that its thread rolled back after
    the fork was made still belongs to the fork.
    """

    run_id: RunId
    status: str
    own: bool = True
    rolled_back: bool = False
    confirmed: bool = False
    provider_instance_id: str | None = None
    driver: str | None = None
    continuation_key: str | None = None
    native_thread_ref: NativeRef | None = None
    native_turn_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """How far a provider knows a thread.

    *last_received* is the last run that it received, *uncovered* are the runs that it lacks, and
    *since* all conversation runs after the last received one.
    """

    last_received: ServedRun | None
    uncovered: tuple[RunId, ...]
    since: tuple[RunId, ...]


def is_conversation(run: ServedRun) -> bool:
    """Whether a run is part of the conversation: ended, not cancelled and not rolled back."""
    return run.status in CONVERSATION and not run.rolled_back


def received(run: ServedRun) -> bool:
    """Whether the provider that served a run really got its message."""
    answered = run.status in DELIVERED or run.confirmed or run.native_turn_id is not None
    return is_conversation(run) and answered


def same_account(run: ServedRun, provider: Provider) -> bool:
    """Whether a run was served by an account, or by one that shares its state."""
    shares_state = (
        run.continuation_key is not None
        and run.continuation_key == provider.continuation_key
        and run.driver == provider.driver
    )
    return run.provider_instance_id == provider.instance_id or shares_state


def has_strong_thread(run: ServedRun) -> bool:
    """Whether the native thread of a run is known for certain."""
    ref = run.native_thread_ref
    return ref is not None and bool(ref.native_id) and ref.strength is Strength.STRONG


def covers(run: ServedRun, provider: Provider) -> bool:
    """Whether a provider has a run: it received it, or can go on with the one that did.

    What another account received is only had through a native thread that is known for certain.
    """
    is_at_hand = run.provider_instance_id == provider.instance_id or has_strong_thread(run)
    return received(run) and same_account(run, provider) and is_at_hand


def coverage(
    runs: Sequence[ServedRun], provider: Provider, *, forked_by_command: bool = False
) -> Coverage:
    """How far a provider knows a thread with this history.

    In a fork that a command made nobody has what was inherited before it received a run of the
    fork itself: the transfer of the fork, not its history, is what would have delivered it.
    """
    last = None
    for place, run in enumerate(runs):
        if covers(run, provider) and (run.own or not forked_by_command):
            last = place
    since = [run for run in runs[0 if last is None else last + 1 :] if is_conversation(run)]
    return Coverage(
        last_received=None if last is None else runs[last],
        uncovered=tuple(
            run.run_id
            for run in since
            if run.provider_instance_id != provider.instance_id
            or (forked_by_command and not run.own)
        ),
        since=tuple(run.run_id for run in since),
    )


def uncovered(
    runs: Sequence[ServedRun], provider: Provider, *, forked_by_command: bool = False
) -> tuple[RunId, ...]:
    """The runs that a provider lacks before it can go on with a thread, in order."""
    return coverage(runs, provider, forked_by_command=forked_by_command).uncovered


def conversation(runs: Sequence[ServedRun], *, chosen: RunId | None = None) -> tuple[RunId, ...]:
    """The runs that a whole context carries, in order; the *chosen* one whatever its status."""
    return tuple(run.run_id for run in runs if is_conversation(run) or run.run_id == chosen)
