"""How much one request may ask for."""

from typing import Any, TypeVar

import strawberry

from graph.errors import BadInput, LimitExceeded
from graph.questions import MAX_DEPTH

MAX_PAGE = 500
DEFAULT_PAGE = 50
MAX_THREADS_PAGE = 100
DEFAULT_THREADS_PAGE = 25
MAX_LINEAGE_NODES = 10_000
DEFAULT_LINEAGE_NODES = 1_000
MAX_NODE_IDS = 100

Value = TypeVar("Value")

ABSENT: Any = strawberry.UNSET
"""The default of an argument that has none: it is neither in the schema nor in the answer."""


def given(value: Value | None) -> Value | None:
    """The value of an argument, ``None`` where it is absent."""
    return None if value is strawberry.UNSET else value


def page_size(
    first: int | None,
    *,
    name: str = "first",
    default: int = DEFAULT_PAGE,
    most: int = MAX_PAGE,
) -> int:
    """How many rows a page holds; nothing is clamped."""
    size = given(first)
    if size is None:
        return default
    if size < 1:
        raise BadInput(f"{name} is {size}; the least is 1.")
    if size > most:
        raise LimitExceeded(name, size, most)
    return size


def hops(max_depth: int | None) -> int:
    """How many hops a walk may take; nothing is clamped."""
    depth = given(max_depth)
    if depth is None:
        return MAX_DEPTH
    if depth < 0:
        raise BadInput(f"maxDepth is {depth}; the least is 0.")
    if depth > MAX_DEPTH:
        raise LimitExceeded("maxDepth", depth, MAX_DEPTH)
    return depth
