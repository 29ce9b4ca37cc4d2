"""What there is to import, and what of it is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from graph.errors import SourceNotRecognized
from graph.model import Evidence, Proof, ThreadId, Timestamp
from graph.records import SpawnRecord
from importers.contract import Importer, Plan, Skip, Source
from resolvers.find_transcripts import Selection, find_transcripts, paths_to_read
from tests.notes_importer import NotesImporter

pytestmark = pytest.mark.anyio

FOLDER = Path("/work")


def source(thread_id: str, *, day: int | None = None, cwd: str | None = None) -> Source:
    """A conversation that was last written to on a day of November."""
    changed_at = None if day is None else Timestamp(f"2026-11-{day:02d}T12:00:00.000000Z")
    return Source(
        thread_id=ThreadId(thread_id),
        paths=(f"/notes/{thread_id}",),
        size=10,
        fingerprint=1,
        changed_at=changed_at,
        cwd=cwd,
        context=None,
    )


def spawn(child: str, by: str) -> SpawnRecord:
    """An edge that only the plan knows."""
    return SpawnRecord(
        child_thread_id=ThreadId(child),
        parent_thread_id=ThreadId(by),
        evidence=Evidence(Proof.DATABASE, "notes"),
    )


@dataclass(frozen=True, slots=True)
class PlannedImporter(NotesImporter):
    """An importer whose plan is given."""

    sources: tuple[Source, ...] = ()
    name: str = "notes"

    @property
    def driver(self) -> str:
        return self.name

    def plan(self, paths: Sequence[Path]) -> Plan:
        """What the test says."""
        del paths
        return Plan(
            driver=self.name,
            sources=self.sources,
            spawns=self.spawns,
            files=len(self.sources),
        )


async def found(selection: Selection, *sources: Source) -> Plan:
    """What is left of a plan."""
    importer = PlannedImporter(home=FOLDER, sources=sources, spawns=SPAWNS)
    [only] = await find_transcripts((importer,), selection)
    return only.plan


SPAWNS = (spawn("x", by="old"), spawn("y", by="new"))


async def test_without_conditions_everything_is_meant() -> None:
    """The plan is the importer's."""
    sources = (source("a"), source("b", day=1, cwd="/x"))

    assert await found(Selection(), *sources) == Plan(
        driver="notes", sources=sources, spawns=SPAWNS, files=2
    )


async def test_since_keeps_what_was_written_to_at_that_time_or_later() -> None:
    """And what nobody knows the time of; edges go with their parents."""
    old, new, unknown = source("old", day=1), source("new", day=2), source("unknown")
    since = Timestamp("2026-11-02T12:00:00.000000Z")

    plan = await found(Selection(since=since), old, new, unknown)

    assert plan == Plan(driver="notes", sources=(new, unknown), spawns=SPAWNS[1:], files=2)


async def test_a_project_is_its_folder_and_all_below_it() -> None:
    """A conversation without a folder is left out and counted."""
    inside = (source("a", cwd="/shop"), source("b", cwd="/shop/api"))
    outside = (source("c", cwd="/shop-two"), source("d", cwd="/"), source("e"))

    plan = await found(Selection(project=Path("/shop")), *inside, *outside)

    assert plan.sources == inside
    assert plan.skips == (Skip(path="/notes/e", reason="unknown-project"),)


async def test_the_root_folder_is_the_project_of_all() -> None:
    """Nothing is outside of it."""
    sources = (source("a", cwd="/shop"), source("b", cwd="/"))

    assert (await found(Selection(project=Path("/")), *sources)).sources == sources


async def test_a_tool_is_chosen_by_its_word() -> None:
    """The others are not even looked at."""
    importers = tuple(PlannedImporter(home=FOLDER, name=name) for name in ("one", "two"))

    chosen = await find_transcripts(importers, Selection(drivers=("two",)))

    assert [each.importer.driver for each in chosen] == ["two"]
    assert paths_to_read(importers, Selection(drivers=("two",))) == (FOLDER,)


async def test_an_unknown_tool_is_told_with_those_that_are_known() -> None:
    """A typing mistake imports nothing."""
    importers: Sequence[Importer] = (NotesImporter(home=FOLDER),)

    with pytest.raises(SourceNotRecognized) as raised:
        await find_transcripts(importers, Selection(drivers=("nots",)))

    assert str(raised.value) == "There is no importer for 'nots'. Known are: notes."
