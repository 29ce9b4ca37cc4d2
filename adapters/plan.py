"""How the provider of a native thread forks it at a point."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters import claude, codex, opencode
from adapters.abilities import Capabilities
from adapters.capabilities import capabilities_of
from adapters.fork_point import ForkPoint, NativeTurn, known_id
from adapters.native_plan import NativeCall, NativePlan, PlanRefused

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = [
    "ForkPoint",
    "NativeCall",
    "NativePlan",
    "NativeTurn",
    "PlanRefused",
    "plan_native_fork",
]

_PLANS: Mapping[str, Callable[[ForkPoint, Capabilities], NativePlan | PlanRefused]] = {
    codex.DRIVER: codex.plan_fork,
    claude.DRIVER: claude.plan_fork,
    opencode.DRIVER: opencode.plan_fork,
}


def plan_native_fork(
    driver: str, point: ForkPoint, capabilities: Capabilities | None = None
) -> NativePlan | PlanRefused:
    """The calls with which a driver forks a native thread, or why there are none.

    *capabilities* are the driver's own unless given. Only ids that the provider gave are named
    in the calls.
    """
    plan = _PLANS.get(driver)
    if plan is None:
        return PlanRefused(f"No native fork of {driver} is known.")
    if known_id(point.native_thread_ref) is None:
        return PlanRefused("The native thread of the run is not known.")
    if point.turn is None:
        return PlanRefused("The native thread does not hold the run.")
    return plan(point, capabilities or capabilities_of(driver))
