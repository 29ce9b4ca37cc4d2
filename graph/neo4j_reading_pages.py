"""Pages of several owners' lists, out of what the statements that read them answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from graph.questions import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from graph.columns import ChosenFields

Owner = TypeVar("Owner", bound=str)
Shape = TypeVar("Shape", bound=msgspec.Struct)
Item = TypeVar("Item")


class Columns(msgspec.Struct, frozen=True):
    """One list."""

    columns: list[list[Any]]


class ColumnsOf(msgspec.Struct, frozen=True):
    """One owner's list."""

    owner_id: str
    columns: list[list[Any]]


class PageOf(msgspec.Struct, frozen=True):
    """One owner's page, and whether rows stand before it."""

    owner_id: str
    columns: list[list[Any]]
    has_previous: bool


class Count(msgspec.Struct, frozen=True):
    """The length of one list."""

    count: int


class CountOf(msgspec.Struct, frozen=True):
    """The length of one owner's whole list."""

    owner_id: str
    count: int


def page_of(rows: Sequence[Item], first: int, *, has_previous: bool) -> Page[Item]:
    """The page of the *first* rows, of which one more was read where there is one."""
    return Page(rows[:first], has_next=len(rows) > first, has_previous=has_previous)


def pages_of(
    shape: type[Shape],
    owner: Callable[[str], Owner],
    answers: Iterable[PageOf],
    first: int,
    chosen: ChosenFields,
) -> Mapping[Owner, Page[Shape]]:
    """The page of rows of *shape* that each owner has."""
    return {
        owner(answer.owner_id): page_of(
            chosen.rows(shape, answer.columns), first, has_previous=answer.has_previous
        )
        for answer in answers
    }


def counts_of(owner: Callable[[str], Owner], answers: Iterable[CountOf]) -> Mapping[Owner, int]:
    """The count that each owner has."""
    return {owner(answer.owner_id): answer.count for answer in answers}


def once(ids: Iterable[str]) -> list[str]:
    """Each id once, as a statement takes them."""
    return list(dict.fromkeys(ids))
