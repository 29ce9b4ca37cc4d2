"""Answers that are kept: when they are given again, and what leaves first."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import pytest

from api.kept_answers import ENTRY_BYTES, LARGEST_SHARE, KeptAnswers, Told
from api.standing_checks import StandingChecks
from graph.errors import StoreUnavailable
from graph.model import ThreadId
from graph.standings import SETTLED_SECONDS, Standing, TreeNotes

if TYPE_CHECKING:
    from graph.store import ThreadGraph

pytestmark = pytest.mark.anyio

ROOT = ThreadId("root")
LARGE = 1 << 20


@dataclass
class Trees:
    """A graph of one tree, which tells how it stands as often as it is asked."""

    revision: int = 1
    fails: bool = False
    checks: list[set[ThreadId]] = field(default_factory=list[set[ThreadId]])
    notes: TreeNotes = field(default_factory=lambda: TreeNotes(thorough=False))
    open_gate: asyncio.Event = field(default_factory=asyncio.Event)
    asked: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        """Let everybody through."""
        self.open_gate.set()

    @property
    def standing(self) -> Standing:
        """How the tree stands now."""
        return Standing(self.revision, f"id-{self.revision}")

    def noting(self, notes: TreeNotes) -> ThreadGraph:
        """Itself; what is executed next notes there."""
        self.notes = notes
        return cast("ThreadGraph", self)

    async def standings(self, root_ids: Collection[ThreadId]) -> Mapping[ThreadId, Standing]:
        """How the tree stands, once the gate is open."""
        self.checks.append(set(root_ids))
        self.asked.set()
        await self.open_gate.wait()
        if self.fails:
            raise StoreUnavailable("away")
        return {ROOT: self.standing}


class Service:
    """Asks a place that keeps answers, on a clock that is set by hand."""

    def __init__(self, most_bytes: int = LARGE) -> None:
        self.trees, self.now, self.executed = Trees(), 0.0, 0
        self.keepable, self.told, self.size = True, True, 10
        self.kept = KeptAnswers(self.trees, most_bytes, lambda: self.now)

    async def ask(self, question: str = "q") -> bytes:
        """The answer to a question."""
        return (await self.kept.told(question.encode(), self.execute)).body

    async def execute(self, graph: ThreadGraph) -> Told:
        """An answer that says how the tree stood and which execution it was."""
        trees = cast("Trees", graph)
        self.executed += 1
        trees.notes.rests_on(ROOT, trees.standing)
        trees.notes.told = trees.notes.told and self.told
        body = f"{trees.revision}/{self.executed}".encode().ljust(self.size)
        return Told(body, keepable=self.keepable)

    async def ask_until_kept(self, question: str = "q") -> None:
        """Ask until the answer is kept."""
        await self.ask(question)
        self.now += SETTLED_SECONDS
        await self.ask(question)

    async def is_kept(self, question: str = "q") -> bool:
        """Whether a question is answered without executing it."""
        before = self.executed
        await self.ask(question)
        return self.executed == before


async def test_what_is_asked_again_is_kept() -> None:
    """The second answer is looked at closely and kept, the third is the second."""
    service = Service()
    await service.ask_until_kept()

    answers = [await service.ask(), await service.ask()]

    assert [answer.strip() for answer in answers] == [b"1/2", b"1/2"]
    assert (service.executed, len(service.trees.checks)) == (2, 2)


async def test_a_tree_that_has_just_changed_is_waited_for() -> None:
    """Part of a write can be seen before the rest: nothing is kept until it has settled."""
    service = Service()
    await service.ask()
    await service.ask()
    service.now += SETTLED_SECONDS / 2

    assert not await service.is_kept()
    service.now += SETTLED_SECONDS / 2
    assert not await service.is_kept()
    assert await service.is_kept()


async def test_a_changed_tree_is_asked_anew() -> None:
    """And its answer kept again when it has settled."""
    service = Service()
    await service.ask_until_kept()
    service.trees.revision = 2

    first = await service.ask()
    service.now += SETTLED_SECONDS
    second = await service.ask()

    assert (first.strip(), second.strip()) == (b"2/3", b"2/4")
    assert (await service.ask()).strip() == b"2/4"


async def test_other_questions_have_other_answers() -> None:
    """Each is kept by itself."""
    service = Service()
    await service.ask_until_kept("q")
    await service.ask_until_kept("p")

    assert (await service.ask("q")).strip() == b"1/2"
    assert (await service.ask("p")).strip() == b"1/4"


@pytest.mark.parametrize("attribute", ["keepable", "told"])
async def test_what_may_rest_on_anything_is_not_kept(attribute: str) -> None:
    """An answer with errors or of another field, or one that shows more than trees."""
    service = Service()
    setattr(service, attribute, False)
    for _ in range(3):
        await service.ask_until_kept()

    assert not await service.is_kept()


async def test_the_least_used_leaves_first() -> None:
    """There is room for so many bytes and no more."""
    service = Service(most_bytes=5 * (ENTRY_BYTES + 10))
    for question in "abcde":
        await service.ask_until_kept(question)
    await service.ask("a")

    await service.ask_until_kept("f")

    assert await service.is_kept("a")
    assert not await service.is_kept("b")
    assert await service.is_kept("f")


async def test_an_answer_that_would_drive_out_all_others_is_not_kept() -> None:
    """It is answered as ever."""
    service = Service(most_bytes=LARGE)
    service.size = LARGE // LARGEST_SHARE
    await service.ask_until_kept()

    assert not await service.is_kept()


async def test_a_graph_that_does_not_answer_is_asked_the_question_itself() -> None:
    """Its own error is the answer then."""
    service = Service()
    await service.ask_until_kept()
    service.trees.fails = True

    assert not await service.is_kept()


async def test_many_who_wait_are_answered_by_one_look() -> None:
    """But never by one that had begun before they asked."""
    trees = Trees()
    checks = StandingChecks(trees)
    trees.open_gate.clear()
    first = asyncio.create_task(checks.standings([ThreadId("a")]))
    await trees.asked.wait()
    others = [asyncio.create_task(checks.standings([ThreadId(name)])) for name in "bcb"]
    await asyncio.sleep(0)
    trees.open_gate.set()

    await asyncio.gather(first, *others)

    assert trees.checks == [{"a"}, {"b", "c"}]


async def test_who_stops_waiting_leaves_the_others_their_answer() -> None:
    """A client that hangs up does not end the look."""
    trees = Trees()
    checks = StandingChecks(trees)
    trees.open_gate.clear()
    leaving = asyncio.create_task(checks.standings([ROOT]))
    staying = asyncio.create_task(checks.standings([ROOT]))
    await trees.asked.wait()
    leaving.cancel()
    trees.open_gate.set()

    assert await staying == {ROOT: Standing(1, "id-1")}
    assert leaving.cancelled()


async def test_a_look_that_fails_fails_for_all_who_wait() -> None:
    """And the next one is a new one."""
    trees = Trees(fails=True)
    checks = StandingChecks(trees)

    failed = await asyncio.gather(
        checks.standings([ROOT]), checks.standings([ROOT]), return_exceptions=True
    )
    trees.fails = False

    assert [type(error) for error in failed] == [StoreUnavailable, StoreUnavailable]
    assert await checks.standings([ROOT]) == {ROOT: Standing(1, "id-1")}
