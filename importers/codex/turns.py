"""The turns of one rollout file, as they begin and end, copied ones included.

Which turns are the thread's own is not known here; ``ownership`` tells that afterwards.

- A start opens a turn, an end closes the one it names. An abort without a name closes the
  active turn, one with an unknown name closes nothing.
- A turn that starts while another is open replaces it: the earlier one was interrupted, and
  stays so when a completion comes later.
- A review opens a turn of its own, without a start and in old files without a name until it
  ends. What starts inside it belongs to the reviewer's thread. So does any turn that starts
  inside another, is never closed here, and is outlived by the other.
- Without any of these lines, a turn begins at each message of the user.
- A rollback hides the last turns that are still in view, of any kind.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from importers.codex.turn import PROMPT_CHARACTERS, Turn
from importers.timestamps import timestamp

if TYPE_CHECKING:
    from graph.model import Timestamp
    from importers.codex.shapes import Attribution

Span: TypeAlias = tuple[int, Turn | None]
"""From this line on, this turn is the active one."""


@dataclass(frozen=True, slots=True)
class Moment:
    """Where and when something stands in a file."""

    line: int
    ordinal: int | None
    written: str | None

    @property
    def at(self) -> Timestamp | None:
        """The time, as the graph keeps it."""
        return timestamp(self.written)


@dataclass(slots=True)
class Turns:
    """Keeps the turns of a file while its lines are told in order.

    *nested* are the turns of other threads that stand inside one of these, by their ids.
    """

    turns: list[Turn] = field(default_factory=list[Turn])
    spans: list[Span] = field(default_factory=list[Span])
    nested: dict[str, Turn] = field(default_factory=dict[str, Turn])
    active: Turn | None = None
    in_review: bool = False
    _outer: Turn | None = None
    _by_id: dict[str, Turn] = field(default_factory=dict[str, Turn])
    _in_view: list[Turn] = field(default_factory=list[Turn])

    def named(self, turn_id: str | None) -> Turn | None:
        """The turn of that id, when one is known."""
        return None if turn_id is None else self._by_id.get(turn_id)

    def start(
        self,
        moment: Moment,
        turn_id: str | None,
        root_turn_id: str | None,
        attribution: Attribution | None,
    ) -> None:
        """A turn starts."""
        outer = self.active
        if self.named(turn_id) is not None:
            # Said twice: a turn starts once.
            return
        if self.in_review and turn_id is not None and outer is not None:
            self.nested[turn_id] = outer
            return
        turn = Turn(turn_id, moment.line, moment.ordinal, moment.at)
        turn.root_turn_id = root_turn_id
        if attribution is not None:
            turn.trigger = attribution.turn_trigger
            turn.parent_turn_id = attribution.parent_turn_id
            turn.root_turn_id = attribution.root_turn_id or root_turn_id
        self._replace_active(moment)
        self._outer = None if outer is None or outer.implicit else outer
        self._open(turn)

    def complete(
        self,
        moment: Moment,
        turn_id: str | None,
        error: str | None = None,
        *,
        began: Timestamp | None = None,
        root_turn_id: str | None = None,
    ) -> None:
        """A turn ends by itself; *began* is what the end says of its start."""
        turn = self.named(turn_id)
        if turn is None and turn_id is not None:
            turn = self._first_heard_of(moment, turn_id, began)
        ended = turn or self.active
        if ended is not None:
            # A review has no start that would say whose work it is part of.
            ended.root_turn_id = ended.root_turn_id or root_turn_id
        self._end(ended, moment, "completed" if error is None else "failed", error)

    def abort(self, moment: Moment, turn_id: str | None) -> None:
        """A turn is cut short."""
        turn = self.active if turn_id is None else self.named(turn_id)
        self._end(turn, moment, "interrupted", None)

    def enter_review(self, moment: Moment, turn_id: str | None) -> None:
        """A review begins."""
        turn = self.active if turn_id is None else self.named(turn_id)
        if turn is None:
            turn = Turn(turn_id, moment.line, moment.ordinal, moment.at)
            self._replace_active(moment)
            self._open(turn)
        self.in_review = True
        turn.review = turn.worked = True

    def prompt(self, moment: Moment, text: str, turn_id: str | None) -> None:
        """The user says something."""
        turn = self.named(turn_id) or self.active
        if turn is None or (turn.implicit and turn_id is None):
            turn = Turn(turn_id, moment.line, moment.ordinal, moment.at)
            turn.implicit = turn_id is None
            self._replace_active(moment)
            self._open(turn)
        if turn.prompt is None:
            turn.prompt = text[:PROMPT_CHARACTERS]
        turn.worked = True

    def roll_back(self, moment: Moment, count: int) -> None:
        """The last turns in view are hidden."""
        for _ in range(min(count, len(self._in_view))):
            turn = self._in_view.pop()
            turn.hidden_line = moment.line
            turn.hidden_at = moment.at

    def _first_heard_of(self, moment: Moment, turn_id: str, began: Timestamp | None) -> Turn:
        """A turn whose end is the first that is said of it: a review, or its start is lost."""
        active = self.active
        if active is not None and active.review and active.turn_id is None:
            active.turn_id = turn_id
            self._by_id[turn_id] = active
            return active
        turn = Turn(turn_id, moment.line, moment.ordinal, began or moment.at)
        turn.worked = True
        self._remember(turn)
        return turn

    def _open(self, turn: Turn) -> None:
        self._remember(turn)
        self.active = turn
        self.spans.append((turn.line, turn))

    def _remember(self, turn: Turn) -> None:
        self.turns.append(turn)
        self._in_view.append(turn)
        if turn.turn_id is not None:
            self._by_id[turn.turn_id] = turn

    def _replace_active(self, moment: Moment) -> None:
        active = self.active
        if active is not None:
            active.status = "completed" if active.implicit else "interrupted"
            active.ended_at = moment.at
        self.in_review = False

    def _end(self, turn: Turn | None, moment: Moment, status: str, error: str | None) -> None:
        if turn is None:
            return
        self._drop_nested(turn, moment)
        if turn.is_open:
            turn.status = status
            turn.error = error
            turn.ended_at = moment.at
        if turn is self.active:
            self.active = None
            self.in_review = False
            # The line that ends a turn still belongs to it.
            self.spans.append((moment.line + 1, None))

    def _drop_nested(self, turn: Turn, moment: Moment) -> None:
        """A turn outlives the one that seemed to replace it: that one is another thread's."""
        inner = self.active
        if turn is not self._outer or inner is None or inner is turn:
            return
        self._outer = None
        if inner.turn_id is not None:
            self.nested[inner.turn_id] = turn
            del self._by_id[inner.turn_id]
        self.turns.remove(inner)
        if inner.hidden_line is None:
            self._in_view.remove(inner)
        turn.status = turn.ended_at = None
        self.active = turn
        self.spans.append((moment.line, turn))
