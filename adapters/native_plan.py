"""What a provider is to be asked for, call by call; nothing here makes a call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class NativeCall:
    """One call of a provider's own interface, with the arguments that have a value."""

    method: str
    params: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NativePlan:
    """The calls that make a native fork, in order; *names_turn* says that one names a turn."""

    calls: tuple[NativeCall, ...]
    names_turn: bool = False


@dataclass(frozen=True, slots=True)
class PlanRefused:
    """That there is no plan, and why, as a sentence."""

    reason: str


def result_of(call: int, path: str) -> Mapping[str, object]:
    """An argument that a call of the same plan returns, counted from 0."""
    return {"$result": call, "path": path}
