"""A native plan, performed: what a caller of the service does with what it was told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from adapters.plan import NativePlan

Result = dict[str, Any]  # what a program answers is its own


def perform(plan: NativePlan, call: Callable[[str, Mapping[str, object]], Result]) -> list[Result]:
    """What the calls of a plan return, made in order, each with what earlier ones gave."""
    results: list[Result] = []
    for each in plan.calls:
        params = {name: _resolved(value, results) for name, value in each.params.items()}
        results.append(call(each.method, params))
    return results


def _resolved(value: object, results: list[Result]) -> object:
    match value:
        case {"$result": int(number), "path": str(path)}:
            found: Any = results[number]
            for name in path.split("."):
                found = found[name]
            return found
        case _:
            return value
