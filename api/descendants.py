"""Threads below another, each with its distance."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import strawberry

from api.connections import ListedRow, Listing, PageInfo, edges_or_taken
from api.context import Info

if TYPE_CHECKING:
    from api.thread import Thread


@dataclass(frozen=True, slots=True)
class ListedDescendant(ListedRow):
    """A row of a page of descendants: what stands behind their edges."""

    depth: int


@strawberry.type(description="A thread below another, and its place in the list.")
class DescendantEdge:
    """A thread below another; its rows are ``ListedDescendant``."""

    node: Annotated["Thread", strawberry.lazy("api.thread")]
    cursor: str = strawberry.field(
        description="The row's place, good for lists that are asked with the same arguments."
    )

    depth: int = strawberry.field(description="The hops of the shortest path to it.")


@strawberry.type(description="A page of the threads below a thread.")
class DescendantConnection:
    """A page of the threads below a thread."""

    @strawberry.field(
        graphql_type=list[DescendantEdge], description="The rows, by depth and thread id."
    )
    @staticmethod
    async def edges(listing: strawberry.Parent[Listing], info: Info) -> list[ListedRow]:
        """The rows, by depth and thread id."""
        return await edges_or_taken(info, listing)

    @strawberry.field(description="What is known about the list around this page.")
    @staticmethod
    async def page_info(listing: strawberry.Parent[Listing]) -> PageInfo:
        """What is known about the list around this page."""
        return await listing.page_info()

    @strawberry.field(description="The length of the whole list; costs only when selected.")
    @staticmethod
    async def total_count(listing: strawberry.Parent[Listing]) -> int:
        """The length of the whole list."""
        return await listing.total_count()
