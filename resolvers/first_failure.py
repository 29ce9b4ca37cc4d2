"""What to tell when things that ran side by side failed together."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from graph.errors import LineageError

if TYPE_CHECKING:
    from collections.abc import Generator


@contextmanager
def first_failure() -> Generator[None]:
    """Raise the first ``LineageError`` of a group alone: it ended the others."""
    try:
        yield
    except BaseExceptionGroup as group:
        failed = group.split(LineageError)[0]
        while isinstance(failed, BaseExceptionGroup):
            failed = failed.exceptions[0]
        if failed is None:
            raise
        raise failed from group
