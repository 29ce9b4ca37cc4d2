"""How commands change the graph: each as one transaction under the locks of its trees.

The promises of ``graph.store`` hold for what a command reads, too: it reads through the same
methods, at the moment of its locks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence

    from graph.commands import (
        Activity,
        CommandId,
        CommandRun,
        HeldThread,
        InTheWay,
        NewestAnswer,
        Receipt,
        Taken,
    )
    from graph.model import Checkpoint, CheckpointId, Item, RunId, SpawnEdge, ThreadId, Timestamp
    from graph.records import Batch, ItemRecord, WindowRecord
    from graph.store import ThreadGraph
    from graph.transfers import Handoff, HandoffId

Outcome = TypeVar("Outcome")


class CommandTransaction(Protocol):
    """One command's transaction: what it reads, and what it writes together or not at all."""

    @property
    def graph(self) -> ThreadGraph:
        """The graph as this transaction sees it, to read; it records nothing."""
        ...

    async def take_receipt(self, command_id: CommandId) -> Receipt | None:
        """The receipt of a command that was sent before.

        ``None``: nobody else can have this command until this transaction has ended.
        """
        ...

    async def write_receipt(self, receipt: Receipt) -> None:
        """Keep what became of the command whose receipt was taken."""
        ...

    async def hold(self, thread_ids: Collection[ThreadId]) -> Mapping[ThreadId, HeldThread]:
        """The threads that are known, once the trees that they are in are locked.

        Placeholders are known. No other command and no import changes these trees until this
        transaction has ended.
        """
        ...

    async def activity(self, thread_id: ThreadId) -> Activity:
        """What goes on in a thread."""
        ...

    async def own_runs(self, thread_id: ThreadId) -> Sequence[CommandRun]:
        """All runs of a thread itself by ordinal, also those that were rolled back."""
        ...

    async def runs(self, run_ids: Collection[RunId]) -> Mapping[RunId, CommandRun]:
        """The runs that are there."""
        ...

    async def checkpoints_by_id(
        self, checkpoint_ids: Collection[CheckpointId]
    ) -> Mapping[CheckpointId, Checkpoint]:
        """The checkpoints that are there."""
        ...

    async def ready_checkpoint(self, run: CommandRun) -> Checkpoint | None:
        """The newest checkpoint of a run that is ready, by (time, id)."""
        ...

    async def delivered_items(self, run_ids: Collection[RunId]) -> Mapping[RunId, Sequence[Item]]:
        """What merge-backs delivered to each run that consumed one, in the order of telling.

        That is by (time of the merge-back, its id), then as its handoff has it.
        """
        ...

    async def has_text(self, run_ids: Collection[RunId], kinds: Collection[str]) -> bool:
        """Whether any item of these runs has text: a message, or of one of the *kinds*."""
        ...

    async def last_answer_id(self, run_id: RunId) -> str | None:
        """How the tool names the last message of the assistant in a run, where it does."""
        ...

    async def newest_answer(self, thread_id: ThreadId) -> NewestAnswer:
        """What a thread's assistant said last."""
        ...

    async def taken(self, run_ids: Collection[RunId], item_ids: Collection[str]) -> Taken:
        """Which ids of runs and items are there, on whatever thread."""
        ...

    async def record(self, batch: Batch) -> None:
        """Write new threads, edges and transfers as ``ThreadGraph.record`` does.

        Where somebody else records one of the threads at the same time, the work is run again.
        """
        ...

    async def write_runs(self, runs: Sequence[CommandRun]) -> None:
        """Write runs whole, new or not, and what follows from them for their threads.

        The threads are held. The revision of their trees grows.
        """
        ...

    async def roll_back(self, runs: Sequence[CommandRun], at: Timestamp) -> None:
        """Mark runs of one held thread, at least one, and what they left of it as rolled back.

        Their statuses stay. The revision of the thread grows, as the runs keep it, and that of
        its tree.
        """
        ...

    async def in_the_way_of_deletion(self, thread_ids: Collection[ThreadId]) -> InTheWay:
        """What keeps these threads from being deleted together."""
        ...

    async def change_threads(
        self, thread_ids: Sequence[ThreadId], changes: Mapping[str, Any]
    ) -> None:
        """Set the same fields of held threads, by their names in ``ThreadRecord``.

        ``None`` takes one away. The text that is searched follows from the fields, and the
        revision of their trees grows.
        """
        ...

    async def append_items(
        self, thread: HeldThread, items: Sequence[ItemRecord]
    ) -> tuple[int, int]:
        """Write new items behind the last of a held thread; answers the first and last position.

        The positions that the items state do not count. No revision moves.
        """
        ...

    async def write_window(self, thread_id: ThreadId, window: WindowRecord) -> None:
        """Write a context window of a held thread."""
        ...

    async def write_checkpoint(self, checkpoint: Checkpoint) -> None:
        """Write a checkpoint of a held thread whole, new or not."""
        ...


@runtime_checkable
class CommandGraph(Protocol):
    """A graph that takes commands."""

    async def checkpoints_by_id(
        self, checkpoint_ids: Collection[CheckpointId]
    ) -> Mapping[CheckpointId, Checkpoint]:
        """The checkpoints that are there."""
        ...

    async def handoffs_by_id(
        self, handoff_ids: Collection[HandoffId]
    ) -> Mapping[HandoffId, Handoff]:
        """The handoffs that were made, also those that no transfer carries any more."""
        ...

    async def spawn_edge(self, child_id: ThreadId) -> SpawnEdge | None:
        """The spawn edge of a thread, ``None`` where nobody spawned it."""
        ...

    async def forget_receipts(self, before: Timestamp, *, most: int) -> int:
        """Remove receipts from before a time, the oldest first and *most* at most; how many.

        A command that comes again without its receipt is a new one.
        """
        ...

    async def transact(self, work: Callable[[CommandTransaction], Awaitable[Outcome]]) -> Outcome:
        """What *work* makes of a transaction that is committed when it returns.

        It can run more than once, each time from the beginning: what it raises undoes all, and
        what fails for the moment only is tried again. Errors are those of ``graph.errors``.
        """
        ...
