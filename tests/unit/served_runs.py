"""Runs, providers and points as the tests of decisions write them: short, by position."""

from __future__ import annotations

from adapters.abilities import Capabilities
from adapters.native_plan import NativeCall, NativePlan, PlanRefused
from graph.model import NativeRef, RunId, Strength
from graph.transfers import Provider
from resolvers.coverage import ServedRun

ALL = Capabilities(
    fork=True,
    fork_at_turn=True,
    rollback=True,
    full_handoff=True,
    delta_handoff=True,
    checkpoint_handoff=True,
)
NOTHING = Capabilities(
    fork=False,
    fork_at_turn=False,
    rollback=False,
    full_handoff=False,
    delta_handoff=False,
    checkpoint_handoff=False,
)

CODEX = Provider(instance_id="codex-1", driver="codex", continuation_key="team")
CODEX_TOO = Provider(instance_id="codex-2", driver="codex", continuation_key="team")
CODEX_ALONE = Provider(instance_id="codex-3", driver="codex")
CLAUDE = Provider(instance_id="claude-1", driver="claude", continuation_key="team")

AT_TURN = NativePlan((NativeCall("fork", {"at": "turn"}),), names_turn=True)
AT_HEAD = NativePlan((NativeCall("fork", {}),))
NO_PLAN = PlanRefused("The adapter says no.")


def native(native_id: str | None, strength: Strength = Strength.STRONG) -> NativeRef:
    """A provider's own name of a thread."""
    return NativeRef(driver="any", native_id=native_id, strength=strength)


def run(  # noqa: PLR0913 - each argument is one fact
    name: str,
    provider: Provider = CODEX,
    status: str = "completed",
    *,
    own: bool = True,
    thread: NativeRef | None = None,
    turn_id: str | None = None,
    confirmed: bool = False,
    rolled_back: bool = False,
) -> ServedRun:
    """A run of a history; without a *thread* its native one is named for its provider."""
    return ServedRun(
        run_id=RunId(name),
        status=status,
        own=own,
        rolled_back=rolled_back,
        confirmed=confirmed,
        provider_instance_id=provider.instance_id,
        driver=provider.driver,
        continuation_key=provider.continuation_key,
        native_thread_ref=native(f"of {provider.instance_id}") if thread is None else thread,
        native_turn_id=turn_id,
    )


def lost(name: str, provider: Provider = CODEX) -> ServedRun:
    """A run that failed before its provider received it."""
    return run(name, provider, "failed")


def ids(*names: str) -> tuple[RunId, ...]:
    """Run ids."""
    return tuple(RunId(name) for name in names)
