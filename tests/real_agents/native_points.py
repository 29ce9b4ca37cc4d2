"""Points of imported threads as adapters need them, and what our history tells of a thread."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.plan import ForkPoint, NativeTurn
from graph.model import Item, NativeRef, Run, Strength, ThreadId
from resolvers.coverage import CONVERSATION
from tests.importing import ALL

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.importing import Imported


@dataclass(frozen=True, slots=True)
class Said:
    """One turn: what its tool calls it, where that is kept, and who said what in it."""

    turn_id: str | None
    messages: tuple[tuple[str, str], ...]


async def point_of(imported: Imported, run: Run, *, is_named: bool = True) -> ForkPoint:
    """The end of a run of a thread whose native thread has the thread's own id.

    Where the turn is not named, it is as if a caller had recorded the run without its turn.
    """
    record = imported.threads[run.thread_id]
    assert record.native_thread_id is not None
    answers = [
        item.native_item_id
        for item in record.items.items
        if item.run_id == run.run_id and (item.kind, item.role) == ("message", "assistant")
    ]
    return ForkPoint(
        run_id=run.run_id,
        native_thread_ref=_ref(record.native_thread_id, Strength.STRONG),
        native_turn_ref=_ref(run.native_turn_id) if is_named else None,
        last_answer_ref=_ref(answers[-1]) if answers and is_named else None,
        history_mode=record.history_mode,
        turns=tuple(
            NativeTurn(
                run_id=each.run_id,
                status=each.status,
                received=each.status in CONVERSATION and each.native_turn_id is not None,
                rolled_back=each.rolled_back_at is not None,
                native_turn_ref=_ref(each.native_turn_id),
            )
            for each in await imported.runs(run.thread_id)
        ),
        read_from_files=True,
    )


async def history_of(imported: Imported, thread_id: str) -> list[Said]:
    """What our history tells of a thread, inherited and own."""
    asked = ThreadId(thread_id)
    pages = await imported.store.history([asked], include_rolled_back=False, first=ALL, after=None)
    runs = [row.run for row in pages[asked].rows]
    items = await imported.store.items_of_runs([run.run_id for run in runs], first=ALL, after=None)
    return [
        Said(turn_id=run.native_turn_id, messages=_messages(items[run.run_id].rows))
        for run in runs
    ]


async def run_with(imported: Imported, thread_id: str, ordinal: int) -> Run:
    """An own run of a thread, counted from 1."""
    (run,) = [run for run in await imported.runs(ThreadId(thread_id)) if run.ordinal == ordinal]
    return run


def _messages(items: Iterable[Item]) -> tuple[tuple[str, str], ...]:
    return tuple(
        (item.role or "", item.text or "")
        for item in items
        if item.kind == "message" and item.role in {"user", "assistant"}
    )


def _ref(native_id: str | None, strength: Strength = Strength.WEAK) -> NativeRef:
    return NativeRef(driver="any", native_id=native_id, strength=strength)
