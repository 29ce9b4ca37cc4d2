"""The parts of a plan that ask the graph: one row, a list or a page for each row."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from api.compiled.asking import Asking
from api.compiled.columns import Columns, Given, Lists, Objects, joined, lists_in, objects_in
from api.compiled.plans import ObjectPlan, answered_lists, answers_of
from api.compiled.refusals import Unfit
from api.compiled.sources import Many, One, Pages
from api.connections import ListQuestion, PageInfo
from api.selections import Selected
from graph.errors import LineageError
from graph.questions import Page

Question = ListQuestion[Any, Any, Any]


@dataclass(frozen=True, slots=True)
class OnePart:
    """A row that is fetched by a key; rows with the same key share its answer."""

    selected: Selected
    type_name: str
    source: One
    row_type: type
    plan: ObjectPlan
    nullable: bool
    remote: bool = True

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        keys = rows.column(self.source.key)
        wanted = [key for key in dict.fromkeys(keys) if key is not None]
        if self.source.fetch is None:
            found = await asking.threads(self.selected, wanted)
        else:
            found = await asking.fetched(self.selected, self.type_name, wanted, self.source.fetch)
        below = asking.below(self.selected.key)
        made = await answers_of(objects_in(found, self.row_type), self.plan, below)
        by_key = dict(zip(wanted, made, strict=True))
        answers = [by_key.get(key) for key in keys]
        if not self.nullable and None in answers:
            raise Unfit
        return answers


@dataclass(frozen=True, slots=True)
class ManyPart:
    """A list of rows that is fetched by a key."""

    selected: Selected
    type_name: str
    source: Many
    row_type: type
    plan: ObjectPlan
    remote: bool = True

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        try:
            fetch = self.source.fetch(self.selected.arguments(asking.variables))
        except LineageError:
            raise Unfit from None
        found = await asking.fetched(
            self.selected, self.type_name, rows.column(self.source.key), fetch
        )
        lists = lists_in([some or () for some in found], self.row_type)
        return await answered_lists(lists, self.plan, asking.below(self.selected.key))


@dataclass(frozen=True, slots=True)
class PagesPart:
    """A connection; *plan* is that of the connection, *node_type* the class of its rows.

    *wanted* names what is selected of the connection, and ``cursor`` where an edge's is.
    """

    selected: Selected
    type_name: str
    source: Pages
    node_type: type
    plan: ObjectPlan
    wanted: frozenset[str]
    remote: bool = True

    async def values(self, rows: Columns, asking: Asking) -> Sequence[Any]:
        owners = rows.column(self.source.key)
        if not owners:
            return []
        question = self._question(owners, asking)
        if "totalCount" in self.wanted:
            pages, counts = await asyncio.gather(
                self._pages(owners, question, asking), self._counts(owners, question, asking)
            )
        else:
            pages, counts = await self._pages(owners, question, asking), [0] * len(owners)
        connections = connections_of(owners, pages, counts, question, self.node_type, self.wanted)
        return await self.plan.objects(connections, asking.below(self.selected.key))

    def _question(self, owners: Sequence[Any], asking: Asking) -> Question:
        given = self.selected.arguments(asking.variables)
        if given.get("after") is not None and len(set(owners)) > 1:
            raise Unfit
        try:
            return self.source.question(owners[0], given)
        except LineageError:
            raise Unfit from None

    async def _pages(
        self, owners: Sequence[Any], question: Question, asking: Asking
    ) -> Sequence[Page[Any]]:
        if self.wanted.isdisjoint({"edges", "pageInfo"}):
            return [Page()] * len(owners)
        found = await asking.fetched(self.selected, self.type_name, owners, question.fetch, "page")
        return [page or Page() for page in found]

    async def _counts(
        self, owners: Sequence[Any], question: Question, asking: Asking
    ) -> Sequence[int]:
        found = await asking.fetched(
            self.selected, self.type_name, owners, question.count, "count"
        )
        return [count or 0 for count in found]


def connections_of(  # noqa: PLR0913, PLR0917 - the parts of a connection
    owners: Sequence[Any],
    pages: Sequence[Page[Any]],
    counts: Sequence[int],
    question: Question,
    node_type: type,
    wanted: frozenset[str],
) -> Given:
    """Connections as rows, with what is *wanted* of them."""
    about = objects_in(
        [
            question.page_info(page, question.cursors(owner))
            for owner, page in zip(owners, pages, strict=True)
        ]
        if "pageInfo" in wanted
        else (),
        PageInfo,
    )
    edges = edges_of(owners, pages, question, node_type, with_cursors="cursor" in wanted)
    return Given(
        size=len(owners),
        columns={"total_count": counts},
        rows={"page_info": about},
        row_lists={"edges": Lists(edges, [len(page.rows) for page in pages])},
    )


def edges_of(
    owners: Sequence[Any],
    pages: Sequence[Page[Any]],
    question: Question,
    node_type: type,
    *,
    with_cursors: bool,
) -> Given:
    """The edges of pages, one page after another, as rows."""
    nodes = joined([question.nodes(page.rows) for page in pages], node_type)
    facts = [question.facts(page.rows) for page in pages]
    columns: dict[str, Sequence[Any]] = {
        name: list(chain.from_iterable(of_page[name] for of_page in facts))
        for name in (facts[0] if facts else ())
    }
    if with_cursors:
        columns["cursor"] = [
            cursor
            for owner, page in zip(owners, pages, strict=True)
            if page.rows
            for cursor in question.cursors(owner).write_all(question.positions(page.rows))
        ]
    return Given(size=len(nodes), columns=columns, rows={"node": Objects(nodes, None)})
