"""Relay connections: a page of a list, the places of its rows, and the length of the list."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, cast

import strawberry

from api.context import Info, graph_of
from api.cursors import Cursors, Position
from api.loaders import Loaders, Place, place_of, stands_alone
from graph.questions import Page
from graph.store import ThreadGraph

NodeType = TypeVar("NodeType")
Key = TypeVar("Key", bound=str)
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


def _themselves(rows: Sequence[Any]) -> Sequence[Any]:
    return rows


def _no_facts(_: Sequence[Any]) -> Mapping[str, Sequence[Any]]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuestion(Generic[Key, Row, Position]):
    """How a field asks for its list, the same way whoever's list it is.

    *fetch* and *count* answer for several owners at once. *cursors* are those of one owner, and
    *positions* the places of rows. Of an edge, *nodes* has the nodes of rows, *facts* what else
    stands in it by its name here, and *listed* makes the edge of one row and its cursor.
    """

    fetch: Callable[[ThreadGraph, list[Key]], Awaitable[Mapping[Key, Page[Row]]]]
    count: Callable[[ThreadGraph, list[Key]], Awaitable[Mapping[Key, int]]]
    cursors: Callable[[Key], Cursors[Position]]
    positions: Callable[[Sequence[Row]], Iterable[Position]]
    nodes: Callable[[Sequence[Row]], Sequence[Any]] = _themselves
    facts: Callable[[Sequence[Row]], Mapping[str, Sequence[Any]]] = _no_facts
    listed: Callable[[Row, str], ListedRow] = ListedRow

    def page_info(self, page: Page[Row], cursors: Cursors[Position]) -> PageInfo:
        """What is known about the list around a page."""
        ends = [page.rows[0], page.rows[-1]] if page.rows else []
        first, last = cursors.write_all(self.positions(ends)) if ends else (None, None)
        return PageInfo(
            has_next_page=page.has_next,
            has_previous_page=page.has_previous,
            start_cursor=first,
            end_cursor=last,
        )


@dataclass(frozen=True, slots=True)
class Listing:
    """A list that was asked for: what stands behind any connection.

    Nothing is fetched before it is selected, and then together with the lists of the other
    owners at this place.
    """

    graph: ThreadGraph
    loaders: Loaders
    place: Place
    owner: str
    question: ListQuestion[str, Any, Any]
    alone: bool

    async def page(self) -> Page[Any]:
        """The page; empty where the graph says nothing of the owner."""
        question, graph = self.question, self.graph
        found = await self.loaders.load(
            self.place,
            self.owner,
            lambda owners: question.fetch(graph, owners),
            "page",
            alone=self.alone,
        )
        return found or Page()

    async def edges(self) -> list[ListedRow]:
        """The rows of the page, each with its place."""
        rows, cursors = (await self.page()).rows, self.question.cursors(self.owner)
        written = cursors.write_all(self.question.positions(rows))
        return list(map(self.question.listed, rows, written))

    async def page_info(self) -> PageInfo:
        """What is known about the list around the page."""
        return self.question.page_info(await self.page(), self.question.cursors(self.owner))

    async def total_count(self) -> int:
        """The length of the whole list."""
        question, graph = self.question, self.graph
        counted = await self.loaders.load(
            self.place,
            self.owner,
            lambda owners: question.count(graph, owners),
            "count",
            alone=self.alone,
        )
        return counted or 0


def list_of(info: Info, owner: Key, question: ListQuestion[Key, Row, Position]) -> Listing:
    """The list of *owner* at this field: fetched together with those of the other owners.

    The list of an owner that *question* fetches nothing for is empty.
    """
    return Listing(
        graph_of(info),
        info.context.loaders,
        place_of(info),
        owner,
        cast("ListQuestion[str, Any, Any]", question),
        stands_alone(info),
    )


async def edges_or_taken(info: Info, listing: Listing) -> list[ListedRow]:
    """The edges of a list, none where they are taken."""
    answers = info.context.answers
    if answers is not None and await answers.take_edges(info, listing):
        return []
    return await listing.edges()


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
    async def edges(listing: strawberry.Parent[Listing], info: Info) -> list[ListedRow]:
        """The rows, in order."""
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
