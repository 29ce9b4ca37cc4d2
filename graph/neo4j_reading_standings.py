"""How trees stand, and on which of them answers rest, out of Neo4j."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.model import Thread, ThreadId
from graph.neo4j_reading_pages import once
from graph.standings import Standing
from graph.statements import reading

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping

    from graph.columns import ColumnRows
    from graph.runner import Runner, Transaction
    from graph.standings import TreeNotes
    from graph.statements import Asked, Result, Row, Statement


async def standings(runner: Runner, root_ids: Collection[ThreadId]) -> Mapping[ThreadId, Standing]:
    """How trees stand, by their roots."""
    found = await runner.read_one(STANDINGS, RootsAsked(once(root_ids)))
    return {
        root_id: Standing(revision, revision_id)
        for root_id, revision, revision_id in zip(
            found.root_ids, found.revisions, found.revision_ids, strict=True
        )
    }


def note_trees(
    notes: TreeNotes,
    trees: Iterable[tuple[ThreadId, int, str | None]],
    *lists: ColumnRows[Thread],
) -> None:
    """Note trees, which were read before *lists*: no thread in these is of another one."""
    known: set[ThreadId] = set()
    for root_id, revision, revision_id in trees:
        if revision_id is None:
            notes.told = False
        else:
            known.add(root_id)
            notes.rests_on(root_id, Standing(revision, revision_id))
    if notes.thorough:
        shown = {root_id for rows in lists for root_id in rows.column("root_thread_id")}
        notes.told = notes.told and shown <= known


@dataclass(frozen=True, slots=True)
class Untold:
    """Runs statements whose answers may rest on anything, which it notes."""

    inner: Runner
    notes: TreeNotes

    async def read(self, statement: Statement[Asked, Row], parameters: Asked) -> list[Row]:
        self.notes.told = False
        return await self.inner.read(statement, parameters)

    async def read_one(self, statement: Statement[Asked, Row], parameters: Asked) -> Row:
        self.notes.told = False
        return await self.inner.read_one(statement, parameters)

    async def read_together(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        self.notes.told = False
        return await self.inner.read_together(work, seconds=seconds)

    async def write(
        self, work: Callable[[Transaction], Awaitable[Result]], *, seconds: float | None = None
    ) -> Result:
        self.notes.told = False
        return await self.inner.write(work, seconds=seconds)


@dataclass(frozen=True, slots=True)
class RootsAsked:
    """Which trees."""

    root_ids: list[str]


class StandingsFound(msgspec.Struct, frozen=True):
    """The trees that say how they stand, with the number and the id of their revision."""

    root_ids: list[ThreadId]
    revisions: list[int]
    revision_ids: list[str]


STANDINGS = reading("threads/standings", RootsAsked, StandingsFound)
