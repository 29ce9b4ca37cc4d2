"""Pages of several owners' lists, as the statements that read them answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from graph.columns import rows_of
from graph.store import Page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Shape = TypeVar("Shape", bound=msgspec.Struct)
Item = TypeVar("Item")


class PageOf(msgspec.Struct, frozen=True):
    """One owner's page: its columns, and whether rows stand before it."""

    owner_id: str
    columns: list[list[Any]]
    has_previous: bool


class CountOf(msgspec.Struct, frozen=True):
    """How many rows one owner's whole list holds."""

    owner_id: str
    count: int


class Columns(msgspec.Struct, frozen=True):
    """The columns of one list."""

    columns: list[list[Any]]


class Count(msgspec.Struct, frozen=True):
    """The length of one list."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountsOfThreads:
    """The threads whose lists are counted."""

    thread_ids: list[str]


def cut(rows: list[Item], first: int, *, has_previous: bool) -> Page[Item]:
    """The page of the *first* rows, of which one more was read where there is one."""
    return Page(rows[:first], has_next=len(rows) > first, has_previous=has_previous)


def pages_of(
    shape: type[Shape], answers: Iterable[PageOf], first: int
) -> Mapping[str, Page[Shape]]:
    """Each owner's page of rows of *shape*."""
    return {
        answer.owner_id: cut(
            rows_of(shape, answer.columns), first, has_previous=answer.has_previous
        )
        for answer in answers
    }


def counts_of(answers: Iterable[CountOf]) -> Mapping[str, int]:
    """Each owner's count."""
    return {answer.owner_id: answer.count for answer in answers}
