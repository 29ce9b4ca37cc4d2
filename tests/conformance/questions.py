"""Random questions about a small world: every filter, order, direction, bound and page size."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any, TypeVar

from graph.model import EdgeKind, Thread, TransferStatus, TransferType
from graph.questions import (
    WALKED_KINDS,
    ChildrenQuestion,
    DescendantPosition,
    DescendantsQuestion,
    Direction,
    FamilyLevel,
    FamilyQuestion,
    HistoryPosition,
    LineageDirection,
    LineageQuestion,
    ThreadFilter,
    ThreadOrder,
    ThreadPosition,
    ThreadsQuestion,
    ThreadTransfersQuestion,
    TransferFilter,
    TransferPosition,
    TransfersQuestion,
)
from tests.conformance.told import at

if TYPE_CHECKING:
    from graph.model import ThreadId, Timestamp
    from tests.conformance.histories import World

Value = TypeVar("Value")

RELATIONS = ("parent_thread_id", "ancestor_thread_id", "attached_to_thread_id")
SOURCE_KINDS: tuple[list[str], ...] = (
    [],
    ["cli"],
    ["subAgent"],
    ["exec", "subAgentReview"],
    ["unheard-of"],
)


class Asker:
    """Makes up questions about a world, from one number."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.dice = Random(number)  # noqa: S311 - a test's dice

    def maybe(self, value: Value, chance: float) -> Value | None:
        """The value or nothing."""
        return value if self.dice.random() < chance else None

    def some(self, *values: str) -> list[str]:
        """Some of the values, in any order; none of them too."""
        return self.dice.sample(values, self.dice.randrange(len(values) + 1))

    def thread_id(self) -> ThreadId:
        """Any thread."""
        return self.dice.choice(self.world.thread_ids)

    def second(self) -> Timestamp:
        """Any time of the world."""
        return at(self.dice.randrange(10))

    def first(self) -> int:
        """A small page, or one that holds all."""
        return self.dice.choice([1, 2, 3, 25])

    def thread_filter(self) -> ThreadFilter:
        """Few conditions or many, with a relation or without."""
        conditions: dict[str, Any] = {
            "ids": self.some(*self.world.thread_ids),
            "root_thread_id": self.thread_id(),
            "drivers": self.some("codex", "pi"),
            "provider_instance_ids": self.some("codex", "work"),
            "source_kinds": self.dice.choice(SOURCE_KINDS),
            "created_after": self.second(),
            "created_before": self.second(),
            "updated_after": self.second(),
            "updated_before": self.second(),
            "search": self.dice.choice(["name", "a ", "e\na", ""]),
            "roots_only": True,
            "archived": True,
            "include_deleted": True,
            "include_spawned": True,
        }
        given = {name: value for name, value in conditions.items() if self.dice.random() < 0.15}
        relation = self.maybe(self.dice.choice(RELATIONS), 0.3)
        if relation is not None:
            given[relation] = self.thread_id()
        return ThreadFilter(**given)

    def threads(self) -> ThreadsQuestion:
        """A page of the list, from any place in either direction."""
        return ThreadsQuestion(
            filter=self.thread_filter(),
            order=self.dice.choice(list(ThreadOrder)),
            first=self.first(),
            after=self.maybe(ThreadPosition(self.second(), self.thread_id()), 0.4),
            before=self.maybe(ThreadPosition(self.second(), self.thread_id()), 0.4),
            backward=self.dice.random() < 0.5,
        )

    def kinds(self) -> tuple[list[EdgeKind], str | None]:
        """What a walk follows, and the status that it asks for where it may."""
        every: list[EdgeKind] = [*WALKED_KINDS]
        kinds = self.dice.sample(every, self.dice.randrange(4))
        if kinds == [EdgeKind.SPAWN]:
            return kinds, self.dice.choice([None, "open", "closed"])
        return kinds, None

    def place(self) -> DescendantPosition | None:
        """A place in a walk, that of a thread or not."""
        return self.maybe(DescendantPosition(self.dice.randrange(4), self.thread_id()), 0.5)

    def descendants(self) -> DescendantsQuestion:
        """A page of descendants."""
        kinds, status = self.kinds()
        return DescendantsQuestion(
            kinds=kinds,
            spawn_status=status,
            max_depth=self.dice.choice([0, 1, 2, 1_000]),
            first=self.first(),
            after=self.place(),
        )

    def children(self) -> ChildrenQuestion:
        """A page of children."""
        kinds, status = self.kinds()
        after = self.maybe(self.thread_id(), 0.5)
        return ChildrenQuestion(kinds=kinds, spawn_status=status, first=self.first(), after=after)

    def family(self) -> FamilyQuestion:
        """The parents, the roots and up to three levels of children."""
        levels: list[FamilyLevel] = []
        for _ in range(self.dice.randrange(4)):
            kinds, status = self.kinds()
            asked = ChildrenQuestion(kinds=kinds, spawn_status=status, first=self.first())
            levels.append(FamilyLevel(children=asked, fields=Thread.__struct_fields__))
        return FamilyQuestion(
            fields=Thread.__struct_fields__,
            parent=self.maybe(Thread.__struct_fields__, 0.7),
            root=self.maybe(Thread.__struct_fields__, 0.7),
            levels=levels,
        )

    def lineage(self, thread_id: ThreadId) -> LineageQuestion:
        """A page of the lineage of a thread."""
        return LineageQuestion(
            thread_id=thread_id,
            direction=self.dice.choice(list(LineageDirection)),
            kinds=self.kinds()[0],
            max_depth=self.dice.choice([0, 1, 2, 1_000]),
            max_nodes=self.first(),
            after=self.place(),
        )

    def transfer_place(self) -> TransferPosition | None:
        """A place in a list of transfers, that of one or not."""
        transfer_id = self.dice.choice(self.world.transfer_ids)
        return self.maybe(TransferPosition(self.second(), transfer_id), 0.5)

    def transfers(self) -> TransfersQuestion:
        """A page of all transfers, under few conditions or many."""
        conditions: dict[str, Any] = {
            "ids": self.dice.sample(self.world.transfer_ids, self.dice.randrange(4)),
            "types": self.dice.sample(list(TransferType), self.dice.randrange(4)),
            "statuses": self.dice.sample(list(TransferStatus), self.dice.randrange(4)),
            "source_thread_id": self.thread_id(),
            "target_thread_id": self.thread_id(),
            "thread_id": self.thread_id(),
            "created_after": self.second(),
            "created_before": self.second(),
        }
        given = {name: value for name, value in conditions.items() if self.dice.random() < 0.2}
        return TransfersQuestion(
            filter=TransferFilter(**given), first=self.first(), after=self.transfer_place()
        )

    def thread_transfers(self) -> ThreadTransfersQuestion:
        """A page of transfers of threads, at one end or both."""
        statuses = self.dice.sample(list(TransferStatus), self.dice.randrange(4))
        return ThreadTransfersQuestion(
            direction=self.maybe(self.dice.choice(list(Direction)), 0.6),
            statuses=self.maybe(statuses, 0.4),
            first=self.first(),
            after=self.transfer_place(),
        )

    def history_place(self) -> HistoryPosition | None:
        """A place in a history."""
        place = HistoryPosition(self.dice.randrange(3), self.dice.randrange(4))
        return self.maybe(place, 0.5)
