"""The point at which a native thread is to be forked, as an adapter needs to know it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from graph.model import ACTIVE_STATUSES, NativeRef, RunId, Strength

if TYPE_CHECKING:
    from collections.abc import Sequence

TERMINAL = frozenset({"completed", "waiting", "interrupted", "failed", "cancelled"})
"""The words for a run whose turn the provider has finished."""

NAMED_BY_ANSWERS = frozenset({"claude"})
"""The drivers whose points are named by the message that a run ended with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeTurn:
    """A run of a native thread; *native_turn_ref* is how its provider names it, if it does."""

    run_id: RunId
    status: str
    received: bool
    rolled_back: bool = False
    native_turn_ref: NativeRef | None = None

    @property
    def is_there(self) -> bool:
        """Whether the native thread holds the turn."""
        return self.received and not self.rolled_back

    @property
    def is_terminal(self) -> bool:
        """Whether the provider has finished the turn."""
        return self.status in TERMINAL

    @property
    def is_active(self) -> bool:
        """Whether the turn may be half written."""
        return self.status in ACTIVE_STATUSES and not self.rolled_back


@dataclass(frozen=True, slots=True, kw_only=True)
class ForkPoint:
    """The end of a run, in the native thread that served it.

    *turns* are all runs of that native thread in order, whatever became of them; *history_mode*
    is that of the native thread, ``None`` where it is not known. *last_answer_ref* names the
    newest assistant message of the run, where one is known; only the drivers that are
    ``NAMED_BY_ANSWERS`` ask for it. *read_from_files* says that the run
    was imported: its turn is then named as the tool's files name it, by its prompt.
    """

    run_id: RunId
    native_thread_ref: NativeRef
    native_turn_ref: NativeRef | None = None
    last_answer_ref: NativeRef | None = None
    history_mode: str | None = None
    turns: Sequence[NativeTurn] = ()
    read_from_files: bool = False

    @property
    def turn(self) -> NativeTurn | None:
        """The turn of the run, ``None`` where the native thread does not hold it."""
        return next((turn for turn in self.turns if self._is_here(turn)), None)

    @property
    def later(self) -> Sequence[NativeTurn]:
        """The turns after the run's."""
        places = [place for place, turn in enumerate(self.turns) if turn.run_id == self.run_id]
        return self.turns[places[-1] + 1 :] if places else ()

    def _is_here(self, turn: NativeTurn) -> bool:
        return turn.run_id == self.run_id and turn.is_there


def known_id(ref: NativeRef | None) -> str | None:
    """The native id of a ref that names something, else ``None``."""
    return None if ref is None or ref.strength is Strength.NONE else ref.native_id or None
