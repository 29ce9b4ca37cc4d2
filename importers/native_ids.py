"""Which of a tool's own ids can name something in the graph."""

from __future__ import annotations

from typing import TypeGuard

MAX_NATIVE_ID_BYTES = 128
"""A longer id names nothing: ids of runs and items are made of two."""


def is_usable(name: object) -> TypeGuard[str]:
    """Whether something can be named by this id."""
    if not isinstance(name, str) or not name:
        return False
    size = len(name) if name.isascii() else len(name.encode("utf-8", "replace"))
    return size <= MAX_NATIVE_ID_BYTES
