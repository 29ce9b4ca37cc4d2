"""Relay connections: a page of a list, the places of its rows, and the length of the list."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import strawberry

from api.context import Info
from api.cursors import Cursors, Position
from api.loaders import Key, place_of
from graph.questions import Page

NodeType = TypeVar("NodeType")
Row = TypeVar("Row")


@strawberry.type(description="What is known about the list around a page.")
class PageInfo:
    """What is known about the list around a page."""

    has_next_page: bool = strawberry.field(description="Whether rows follow this page.")
    has_previous_page: bool = strawberry.field(description="Whether rows come before this page.")
    start_cursor: str | None = strawberry.field(description="The place of the first row.")
    end_cursor: str | None = strawberry.field(description="The place of the last row.")


@dataclass(frozen=True, slots=True)
class ListedRow:
    """A row of a page: what stands behind an edge of any connection."""

    node: object
    cursor: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A list that was asked for: what stands behind any connection.

    Nothing is fetched before it is selected.
    """

    edges: Callable[[], Awaitable[list[ListedRow]]]
    page_info: Callable[[], Awaitable[PageInfo]]
    total_count: Callable[[], Awaitable[int]]


def list_of(  # noqa: PLR0913 - the parts of a list, each named where it is called
    info: Info,
    owner: Key,
    *,
    fetch: Callable[[list[Key]], Awaitable[Mapping[Key, Page[Row]]]],
    count: Callable[[list[Key]], Awaitable[Mapping[Key, int]]],
    cursors: Cursors[Position],
    position: Callable[[Row], Position],
    listed: Callable[[Row, str], ListedRow] = ListedRow,
) -> Listing:
    """The list of *owner* at this field: fetched together with those of the other owners.

    The list of an owner that *fetch* says nothing of is empty.
    """
    place, loaders = place_of(info), info.context.loaders

    async def page() -> Page[Row]:
        return await loaders.load(place, owner, fetch, "page") or Page()

    def cursor(row: Row) -> str:
        return cursors.write(position(row))

    async def edges() -> list[ListedRow]:
        return [listed(row, cursor(row)) for row in (await page()).rows]

    async def page_info() -> PageInfo:
        shown = await page()
        return PageInfo(
            has_next_page=shown.has_next,
            has_previous_page=shown.has_previous,
            start_cursor=cursor(shown.rows[0]) if shown.rows else None,
            end_cursor=cursor(shown.rows[-1]) if shown.rows else None,
        )

    async def total_count() -> int:
        return await loaders.load(place, owner, count, "count") or 0

    return Listing(edges, page_info, total_count)


@strawberry.type(description="A row of a page and its place in the list.")
class Edge(Generic[NodeType]):
    """A row of a page and its place in the list."""

    node: NodeType
    cursor: str = strawberry.field(
        description="The row's place, good for lists that are asked with the same arguments."
    )


@strawberry.type(description="A page of a list.")
class Connection(Generic[NodeType]):
    """A page of a list; its rows are ``ListedRow``."""

    @strawberry.field(graphql_type=list[Edge[NodeType]], description="The rows, in order.")
    @staticmethod
    async def edges(listing: strawberry.Parent[Listing]) -> list[ListedRow]:
        """The rows, in order."""
        return await listing.edges()

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
