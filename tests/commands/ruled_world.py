"""What the rules of commands say there is: threads, runs and transfers, kept in memory.

It is written from the rules alone, as plainly as they are, and knows nothing of the service.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Command = dict[str, Any]
"""The input of a mutation, with its name under ``mutation``."""

Told = dict[str, Any]
"""What is expected of an answer."""

ENDED = frozenset({"completed", "interrupted", "failed", "cancelled"})
ACTIVE = frozenset({"preparing", "starting", "running"})
CONVERSED = frozenset({"completed", "waiting", "failed", "interrupted"})


class Forbidden(Exception):
    """That a rule refuses a command."""

    def __init__(self, code: str) -> None:
        """Refuse by *code*."""
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class Account:
    """The provider of a thread or a run."""

    instance_id: str
    driver: str
    continuation_key: str | None = None

    @classmethod
    def told(cls, provider: Told | None) -> Account | None:
        """The one that an input names."""
        if provider is None:
            return None
        return cls(provider["instanceId"], provider["driver"], provider.get("continuationKey"))


@dataclass(slots=True)
class Run:
    """A run as the rules know it."""

    run_id: str
    thread_id: str
    status: str
    account: Account | None
    thread_ref: Told | None = None
    turn_ref: Told | None = None
    error: str | None = None
    rolled_back: int | None = None
    by_start: bool = False
    confirmed: bool = False
    checkpoints: dict[str, str] = field(default_factory=dict[str, str])

    @property
    def starts(self) -> bool:
        """Whether its provider has neither accepted nor refused it."""
        return self.by_start and not self.confirmed and self.status == "starting"

    @property
    def left(self) -> bool:
        """Whether it was not rolled back."""
        return self.rolled_back is None

    @property
    def ready_checkpoint(self) -> str | None:
        """Its newest checkpoint that is ready."""
        ready = [name for name, status in self.checkpoints.items() if status == "ready"]
        return ready[-1] if ready else None

    @property
    def strong_turn(self) -> bool:
        """Whether its provider's name for it is known for certain."""
        return _strong(self.turn_ref)

    @property
    def strong_thread(self) -> bool:
        """Whether its provider's name for its thread is known for certain."""
        return _strong(self.thread_ref)


@dataclass(slots=True)
class Item:
    """Something that was said."""

    item_id: str
    run_id: str | None
    kind: str
    role: str | None
    text: str | None


@dataclass(slots=True)
class Transfer:
    """A transfer as the rules know it; a step is a status and a run."""

    type: str
    source: str
    target: str
    source_run: str | None
    steps: list[tuple[str, str | None]]
    source_checkpoint: str | None = None
    base_run: str | None = None
    target_run: str | None = None
    strategy: str | None = None
    replaces: Transfer | None = None
    outcome: str | None = None
    text: str | None = None

    @property
    def status(self) -> str:
        """Where it stands."""
        return self.steps[-1][0]


@dataclass(slots=True)
class Thread:
    """A thread as the rules know it; *parent* is what it hangs on by *hangs_by*."""

    thread_id: str
    account: Account | None = None
    model: str | None = None
    title: str | None = None
    name: str | None = None
    cwd: str | None = None
    archived: bool = False
    deleted_by: str | None = None
    parent: str | None = None
    hangs_by: str | None = None
    origin: str | None = None
    spawn_status: str | None = None
    fork: Transfer | None = None
    forked_at: int = 0
    has_window: bool = False
    runs: list[Run] = field(default_factory=list[Run])
    items: list[Item] = field(default_factory=list[Item])

    @property
    def status(self) -> str | None:
        """That of its last run that was not rolled back, else of the last."""
        runs = [run for run in self.runs if run.left] or self.runs
        return runs[-1].status if runs else None


class World:
    """All that there is, and the questions that several rules ask of it."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.threads: dict[str, Thread] = {}
        self.transfers: list[Transfer] = []
        self.receipts: dict[str, tuple[Command, Told]] = {}
        self.time = 0

    def thread(self, thread_id: str) -> Thread:
        """A thread that is there and not deleted."""
        thread = self.recorded(thread_id)
        if thread.deleted_by is not None:
            raise Forbidden("THREAD_DELETED")
        return thread

    def recorded(self, thread_id: str) -> Thread:
        """A thread that is there."""
        if thread_id not in self.threads:
            raise Forbidden("THREAD_NOT_FOUND")
        return self.threads[thread_id]

    def known(self, run_id: str) -> Run | None:
        """A run of any thread."""
        runs = (run for thread in self.threads.values() for run in thread.runs)
        return next((run for run in runs if run.run_id == run_id), None)

    def run(self, run_id: str) -> Run:
        """A run of any thread that is there."""
        run = self.known(run_id)
        if run is None:
            raise Forbidden("RUN_NOT_FOUND")
        return run

    def run_of(self, thread: Thread, run_id: str) -> Run:
        """A thread's own run."""
        run = self.run(run_id)
        if run.thread_id != thread.thread_id:
            raise Forbidden("RUN_NOT_FOUND")
        return run

    def spawned_below(self, thread_id: str) -> list[str]:
        """The thread and all that it spawned, the deepest first after itself."""
        level, found = [thread_id], list[str]()
        while level:
            level = sorted(
                other.thread_id
                for other in self.threads.values()
                if other.hangs_by == "SPAWN" and other.parent in level
            )
            found += level
        return [thread_id, *reversed(found)]

    def history(self, thread: Thread) -> list[Run]:
        """The runs that a thread inherits and its own, without those rolled back."""
        return [*self.inherited(thread), *(run for run in thread.runs if run.left)]

    def inherited(self, thread: Thread) -> list[Run]:
        """The runs up to a fork's point that were not rolled back when it was forked."""
        if thread.fork is None:
            return []
        source = self.threads[thread.fork.source]
        ids = [run.run_id for run in source.runs]
        at = ids.index(thread.fork.source_run or "")
        own = [
            run
            for run in source.runs[: at + 1]
            if run.rolled_back is None or run.rolled_back > thread.forked_at
        ]
        return [*self.inherited(source), *own]

    def lineage(self, thread: Thread) -> tuple[str, int]:
        """The root of a thread, and how far below it the thread is."""
        if thread.parent is None:
            return thread.thread_id, 0
        root, depth = self.lineage(self.threads[thread.parent])
        return root, depth + 1


def _strong(ref: Told | None) -> bool:
    return ref is not None and ref["strength"] == "STRONG" and ref.get("nativeId") is not None
