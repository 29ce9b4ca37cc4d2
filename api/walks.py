"""How walks over edges are asked for."""

from collections.abc import Mapping
from typing import Any, cast

from api.enums import EdgeKind
from api.limits import ABSENT, given
from graph.errors import BadInput
from graph.questions import WALKED_KINDS


def walked_kinds(kinds: list[EdgeKind] | None) -> tuple[EdgeKind, ...]:
    """The kinds of edges that a walk follows, each once and in one order."""
    asked = given(kinds)
    if asked is None:
        return WALKED_KINDS
    for kind in asked:
        if kind not in WALKED_KINDS:
            raise BadInput(f"A walk follows FORK, SPAWN and PARENT edges, never {kind}.")
    return tuple(kind for kind in WALKED_KINDS if kind in asked)


def refuse_status_of_other_kinds(status: str | None, kinds: tuple[EdgeKind, ...]) -> None:
    """``BadInput`` where a spawn status is asked of edges that have none."""
    if status is not None and kinds != (EdgeKind.SPAWN,):
        raise BadInput("spawnStatus is of spawn edges alone: ask with kinds: [SPAWN].")


def kinds_written(arguments: Mapping[str, Any]) -> Any:  # noqa: ANN401 - kinds, ``None`` or absent
    """The kinds among the arguments of a document; one alone means a list of one."""
    kinds = arguments.get("kinds", ABSENT)
    if kinds is None or kinds is ABSENT:
        return kinds
    some = cast("list[Any]", kinds) if isinstance(kinds, list) else [kinds]
    return [EdgeKind(kind) for kind in some]
