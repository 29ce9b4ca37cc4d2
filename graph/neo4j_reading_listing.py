"""What a filter and an order of the thread list mean to the statements that read it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graph.errors import BadInput
from graph.neo4j_reading_pages import once
from graph.questions import ThreadPosition

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.model import Thread, ThreadId, Timestamp
    from graph.questions import ThreadFilter, ThreadOrder

INTERACTIVE = ("", "cli", "vscode", "custom:atlas", "custom:chatgpt")

WALKABLE = {"root", "cwd", "repository", "search"}
"""The selectors that are also conditions of a row, so that a walk of an index can answer."""


# No thread has these times. Texts as long as real ones share a plan with them: the server plans a
# statement anew for parameters of another order of length.
LOWEST = ("0000-00-00T00:00:00.000000Z", "0" * 36)
HIGHEST = ("9999-99-99T99:99:99.999999Z", "9" * 36)


@dataclass(frozen=True, slots=True)
class Span:
    """The part of a list strictly between two places, told by time and id."""

    low: tuple[str, str] = LOWEST
    high: tuple[str, str] = HIGHEST


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """What a filter and an order mean to the statements; *by* is the condition that selects few.

    *key* is the property of the order's time, *span* what the filter leaves of it.
    """

    key: str
    descending: bool
    span: Span
    by: dict[str, Any] | None
    archived: bool
    deleted: list[bool]
    conditions: dict[str, Any]

    @staticmethod
    def of(asked: ThreadFilter, order: ThreadOrder) -> Listing | None:
        """The listing, ``None`` where a condition that nothing can meet leaves it empty."""
        choices = (
            asked.ids,
            asked.drivers,
            asked.provider_instance_ids,
            asked.thread_sources,
            asked.cwd,
        )
        by = _selector(asked)
        if any(choice is not None and not choice for choice in choices):
            return None
        time, direction = order.split("_")
        bounds = {
            "CREATED": (asked.created_after, asked.created_before),
            "UPDATED": (asked.updated_after, asked.updated_before),
            "RECENCY": (None, None),
        }
        return Listing(
            key=KEYS[time],
            descending=direction == "DESC",
            span=_span(*bounds[time]),
            by=by,
            archived=asked.archived,
            deleted=[False, True] if asked.include_deleted else [False],
            conditions=_conditions(asked),
        )

    def place(self, thread: Thread) -> ThreadPosition:
        """Where a row stands in this list."""
        return ThreadPosition(getattr(thread, FIELDS[self.key]), thread.thread_id)

    def is_behind(self, place: ThreadPosition, other: ThreadPosition) -> bool:
        """Whether *place* comes after *other* in this list."""
        here, there = (place.at, place.thread_id), (other.at, other.thread_id)
        return here < there if self.descending else here > there


KEYS = {"CREATED": "createdAt", "UPDATED": "updatedAt", "RECENCY": "recencyAt"}
FIELDS = {"createdAt": "created_at", "updatedAt": "updated_at", "recencyAt": "recency_at"}


def _span(after: Timestamp | None, before: Timestamp | None) -> Span:
    # No id is smaller than the empty text: with it the lower end is inside, the upper outside.
    return Span(
        low=LOWEST if after is None else (after, ""),
        high=HIGHEST if before is None else (before, ""),
    )


def _selector(asked: ThreadFilter) -> dict[str, Any] | None:
    """The condition that selects few threads through an index or an edge, if the filter has one.

    Relations and ids come first: they name their threads.
    """
    given = _relation(asked)
    if len(given) > 1:
        raise BadInput("Only one of the relation filters can be given.")
    if given:
        return given
    selective = {
        "ids": _listed(asked.ids),
        "root": asked.root_thread_id,
        "search": asked.search or None,
        "cwd": _listed(asked.cwd),
        "repository": asked.git_repository,
    }
    return next(({name: value} for name, value in selective.items() if value is not None), None)


def _relation(asked: ThreadFilter) -> dict[str, ThreadId]:
    relations = {
        "parent": asked.parent_thread_id,
        "ancestor": asked.ancestor_thread_id,
        "source": asked.attached_to_thread_id,
    }
    return {name: value for name, value in relations.items() if value is not None}


def _conditions(asked: ThreadFilter) -> dict[str, Any]:
    """The conditions that the statements test on each row."""
    related = bool(_relation(asked))
    all_kinds = related or asked.include_spawned
    kinds = () if asked.source_kinds is None and not all_kinds else asked.source_kinds
    if kinds is not None and not kinds:
        kinds = INTERACTIVE
    return {
        "unlisted": related,
        "source_kinds": _listed(kinds),
        "any_subagent": kinds is not None and "subAgent" in kinds,
        "ids": _listed(asked.ids),
        "roots_only": asked.roots_only,
        "root_thread_id": asked.root_thread_id,
        "drivers": _listed(asked.drivers),
        "provider_instance_ids": _listed(asked.provider_instance_ids),
        "thread_sources": _listed(asked.thread_sources),
        "cwd": _listed(asked.cwd),
        "git_repository": asked.git_repository,
        "git_branch": asked.git_branch,
        "created_after": asked.created_after,
        "created_before": asked.created_before,
        "updated_after": asked.updated_after,
        "updated_before": asked.updated_before,
        "search": asked.search or None,
    }


def _listed(choices: Sequence[str] | None) -> list[str] | None:
    return None if choices is None else once(choices)
