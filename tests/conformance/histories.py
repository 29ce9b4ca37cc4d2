"""Random histories: what several importers could tell a store, in any order and grouping.

Hypothesis draws which threads are told in which batch, and one number for each: all else of a
record follows from that number, so that a history stays small enough to be shrunk.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

from graph.model import (
    Actor,
    Evidence,
    ItemId,
    NativeRef,
    Proof,
    RunId,
    RunKind,
    SourcePoint,
    Strength,
    ThreadId,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.records import (
    Batch,
    ForkRecord,
    HistoryBaseRecord,
    ItemRecord,
    ItemsRecord,
    ParentRecord,
    RunRecord,
    SpawnCallRecord,
    SpawnRecord,
    ThreadRecord,
    TransferRecord,
    WindowRecord,
)
from graph.transfers import (
    Handoff,
    HandoffId,
    HandoffKind,
    Provider,
    Resolution,
    Strategy,
    TransferStep,
)
from tests.conformance.told import at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from graph.model import Timestamp

Value = TypeVar("Value")

STATUSES = ("completed", "completed", "running", "interrupted", "queued", "something-new")


@dataclass(frozen=True, slots=True)
class World:
    """The names that a history uses; those of two worlds have nothing in common."""

    name: str

    @property
    def thread_ids(self) -> list[ThreadId]:
        """All threads that can be named."""
        return [ThreadId(f"{self.name}-{letter}") for letter in "abcdef"]

    @property
    def turn_ids(self) -> list[str]:
        """The turns that the threads of a tool can have: forks have some in common."""
        return [f"{self.name}-turn-{number}" for number in range(5)]

    @property
    def transfer_ids(self) -> list[TransferId]:
        """All transfers that can be told."""
        return [TransferId(f"{self.name}-transfer-{number}") for number in range(4)]

    @property
    def run_ids(self) -> list[RunId]:
        """All runs that can be told."""
        turns = [*self.turn_ids, "line-1"]
        return [RunId(f"{thread_id}/{turn}") for thread_id in self.thread_ids for turn in turns]


class Teller:
    """Makes up what is told, from one number."""

    def __init__(self, world: World, number: int) -> None:
        self.world = world
        self.dice = Random(number)  # noqa: S311 - a test's dice

    def maybe(self, value: Value, chance: float = 0.5) -> Value | None:
        """The value or nothing."""
        return value if self.dice.random() < chance else None

    def thread_id(self) -> ThreadId:
        """Any thread."""
        return self.dice.choice(self.world.thread_ids)

    def run_id(self) -> RunId:
        """Any run, told or not."""
        return self.dice.choice(self.world.run_ids)

    def turn_id(self) -> str:
        """Any turn."""
        return self.dice.choice(self.world.turn_ids)

    def second(self) -> Timestamp:
        """Any of a few times, so that equal ones occur."""
        return at(self.dice.randrange(10))

    def evidence(self) -> Evidence:
        """Any proof."""
        return Evidence(self.dice.choice(list(Proof)), "a rule")

    def batch(self, told: Sequence[ThreadId]) -> Batch:
        """The given threads, and sometimes spawns between any."""
        spawned = [self.thread_id() for _ in range(self.dice.choice([0, 0, 1, 2]))]
        handed = self.dice.sample(self.world.transfer_ids, self.dice.choice([0, 0, 1, 2]))
        return Batch(
            threads=tuple(self.thread(thread_id) for thread_id in told),
            spawns=tuple(self.spawn(child_id) for child_id in spawned),
            transfers=tuple(self.transfer(transfer_id) for transfer_id in handed),
        )

    def thread(self, thread_id: ThreadId) -> ThreadRecord:
        """What one importer knows of a thread at one time."""
        turns = self.dice.sample([*self.world.turn_ids, "line-1"], self.dice.randrange(4))
        return ThreadRecord(
            thread_id=thread_id,
            native_thread_id=self.maybe(thread_id),
            driver=self.dice.choice(["codex"] * 12 + ["pi"]),
            provider_instance_id=self.dice.choice(["codex", "work"]),
            title=self.maybe("a title"),
            name=self.maybe("a name"),
            session_id=self.maybe(f"{self.world.name}-session", 0.2),
            source_kind=self.dice.choice([None, "cli", "exec", "subAgentReview"]),
            agent_path=self.dice.choice([None, "/root/a", "/root/b"]),
            created_at=self.second(),
            updated_at=self.second(),
            recency_at=self.second(),
            archived=self.dice.random() < 0.3,
            unlisted=self.dice.random() < 0.3,
            runs=tuple(self.run(thread_id, turn) for turn in turns),
            windows=tuple(
                WindowRecord(number=number, run_id=self.maybe(self.run_id()))
                for number in self.dice.sample(range(3), self.dice.randrange(3))
            ),
            items=self.items(thread_id),
            fork=self.maybe(self.fork()),
            spawn=self.maybe(self.spawn(thread_id), 0.4),
            child_of=self.maybe(self.parent(), 0.2),
            history_base=self.maybe(self.history_base(), 0.3),
            spawn_calls=tuple(self.spawn_call() for _ in range(self.dice.choice([0, 0, 1, 2]))),
            digest=self.dice.choice([None, None, "digest-1", "digest-2"]),
        )

    def run(self, thread_id: ThreadId, turn: str) -> RunRecord:
        """A run of a thread; its rollout is the thread's own or one that it reverted to."""
        native = self.dice.random() < 0.7
        return RunRecord(
            run_id=RunId(f"{thread_id}/{turn}"),
            native_turn_id=None if turn == "line-1" else turn,
            kind=self.dice.choice(list(RunKind)),
            status=self.dice.choice(STATUSES),
            rolled_back_at=self.maybe(self.second(), 0.3),
            driver=self.dice.choice([None, None, "codex", "pi"]),
            model=self.maybe("a model"),
            started_at=self.second(),
            completed_at=self.maybe(self.second(), 0.7),
            input_tokens=self.maybe(self.dice.randrange(1_000)),
            output_tokens=self.maybe(self.dice.randrange(1_000)),
            parent_run_id=self.maybe(self.run_id(), 0.2),
            root_run_id=self.maybe(self.run_id(), 0.2),
            parent_native_turn_id=self.maybe(self.turn_id()) if native else None,
            root_native_turn_id=self.maybe(self.dice.choice([turn, self.turn_id()])),
            rollout_id=self.dice.choice([None, thread_id, f"{thread_id}-reverted"]),
            native_ordinal=self.maybe(self.dice.randrange(6), 0.8),
        )

    def fork(self) -> ForkRecord:
        """A fork, its point named in one or several of the possible ways or not at all."""
        owner = self.thread_id()
        return ForkRecord(
            source_thread_id=self.thread_id(),
            point_run_id=self.maybe(self.run_id(), 0.2),
            point_native_turn_id=self.maybe(self.turn_id()),
            base_rollout_id=self.dice.choice([None, owner, owner, f"{owner}-reverted"]),
            base_end_ordinal=self.maybe(self.dice.randrange(7), 0.9),
            kept_through_run_id=self.dice.choice([None, None, RunId(""), self.run_id()]),
            context_only=self.dice.random() < 0.3,
            attached=self.dice.random() < 0.3,
            at=self.maybe(self.second()),
            evidence=self.evidence(),
        )

    def spawn(self, child_id: ThreadId) -> SpawnRecord:
        """A spawn of a thread."""
        return SpawnRecord(
            child_thread_id=child_id,
            parent_thread_id=self.thread_id(),
            status=self.dice.choice(["open", "closed", "lost"]),
            run_id=self.maybe(self.run_id(), 0.3),
            call_id=self.maybe("stated-call", 0.3),
            at=self.maybe(self.second(), 0.3),
            evidence=self.evidence(),
        )

    def transfer(self, transfer_id: TransferId) -> TransferRecord:
        """A transfer between any two threads, most often a hand-off, in any state."""
        status = self.dice.choice(list(TransferStatus))
        ref = NativeRef(driver="pi", native_id=self.maybe("native"), strength=Strength.WEAK)
        handoff = Handoff(
            handoff_id=HandoffId(f"{transfer_id}-handoff"),
            transfer_id=transfer_id,
            kind=HandoffKind.DELTA_CONTEXT,
            payload=self.dice.choice(['{"messages":[]}', "{}"]),
            text="a text",
            tokens=2,
            item_ids=tuple(self.dice.sample(["x", "y"], self.dice.randrange(3))),
            created_at=self.second(),
        )
        return TransferRecord(
            transfer_id=transfer_id,
            type=self.dice.choice([TransferType.PROVIDER_HANDOFF, *TransferType]),
            status=status,
            source_thread_id=self.thread_id(),
            target_thread_id=self.thread_id(),
            source_point=self.point(),
            base_point=self.maybe(self.point(), 0.3),
            source_provider=self.maybe(Provider(instance_id="work", driver="pi"), 0.3),
            target_run_id=self.maybe(self.run_id(), 0.3),
            evidence=self.evidence(),
            created_by=self.dice.choice(list(Actor)),
            created_at=self.second(),
            consumed_at=self.maybe(self.second()),
            resolution=self.maybe(
                Resolution(
                    strategy=self.dice.choice(list(Strategy)),
                    native_thread_ref=self.maybe(ref),
                    handoff_id=self.maybe(handoff.handoff_id),
                )
            ),
            handoff=self.maybe(handoff, 0.7),
            steps=(TransferStep(status=status, at=self.second(), reason=self.maybe("why")),),
        )

    def point(self) -> SourcePoint:
        """A point at any run, or at none."""
        return SourcePoint(thread_id=self.thread_id(), run_id=self.maybe(self.run_id(), 0.7))

    def parent(self) -> ParentRecord:
        """The parent of a review, guardian or job."""
        return ParentRecord(
            parent_thread_id=self.thread_id(),
            run_id=self.maybe(self.run_id()),
            at=self.maybe(self.second()),
            evidence=self.evidence(),
        )

    def history_base(self) -> HistoryBaseRecord:
        """A history that goes on from another one's."""
        return HistoryBaseRecord(
            thread_id=self.thread_id(),
            end_ordinal=self.maybe(self.dice.randrange(9)),
            evidence=self.evidence(),
        )

    def spawn_call(self) -> SpawnCallRecord:
        """A spawning call; two that differ have different ids, as real ones do."""
        child = self.maybe(self.thread_id())
        path = self.dice.choice([None, "/root/a", "/root/b"])
        run_id = self.run_id()
        when = self.maybe(self.second())
        return SpawnCallRecord(
            call_id=f"{child}-{path}-{run_id}-{when}",
            run_id=run_id,
            child_thread_id=child,
            agent_path=path,
            at=when,
        )

    def items(self, thread_id: ThreadId) -> ItemsRecord:
        """Items from a position on; an item with another text has another id."""
        first = self.dice.choice([0, 0, 1, 2])
        texts = [self.dice.choice("xy") for _ in range(self.dice.randrange(4))]
        return ItemsRecord(
            first_position=first,
            items=tuple(
                ItemRecord(
                    item_id=ItemId(f"{thread_id}/{position}-{text}"),
                    position=position,
                    run_id=self.maybe(self.run_id()),
                    kind="message",
                    text=text,
                )
                for position, text in enumerate(texts, start=first)
            ),
            settled=self.dice.randrange(4),
            complete=self.dice.random() < 0.7,
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One batch: which threads it tells, by their places, and the number it is made up from."""

    places: tuple[int, ...]
    number: int

    def batch(self, world: World) -> Batch:
        """The batch in a world."""
        told = [world.thread_ids[place] for place in self.places]
        return Teller(world, self.number).batch(told)


_PLACES = st.lists(st.integers(0, 5), unique=True, max_size=4).map(tuple)
_NUMBERS = st.integers(0, 2**32)

histories = st.lists(st.builds(Step, _PLACES, _NUMBERS), min_size=1, max_size=6)
"""Batches one after the other: the same thread again and again, parents late or never."""


@dataclass(frozen=True, slots=True)
class Grouping:
    """The same facts twice: as one batch, and shuffled into several."""

    facts: tuple[tuple[int, int], ...]
    cuts: frozenset[int]

    def batches(self, world: World) -> tuple[Batch, list[Batch]]:
        """All in one, and apart."""
        records = [
            Teller(world, number).thread(world.thread_ids[place]) for place, number in self.facts
        ]
        transfers = [
            Teller(world, number).transfer(world.transfer_ids[place])
            for place, number in self.facts[: len(world.transfer_ids)]
            if place < len(world.transfer_ids)
        ]
        bounds = [0, *sorted(cut for cut in self.cuts if cut < len(records)), len(records)]
        return Batch(
            threads=tuple(sorted(records, key=lambda record: record.thread_id)),
            transfers=tuple(transfers),
        ), [
            Batch(threads=tuple(records[begin:end]), transfers=tuple(transfers[begin:end]))
            for begin, end in pairwise(bounds)
        ]


groupings = st.builds(
    Grouping,
    st.lists(
        st.tuples(st.integers(0, 5), _NUMBERS), unique_by=lambda fact: fact[0], min_size=2
    ).map(tuple),
    st.frozensets(st.integers(1, 5)),
)
"""Facts in any order, cut into batches anywhere."""
