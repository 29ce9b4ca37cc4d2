"""What a handoff carries: whole items within a budget, as JSON and as text for a prompt.

Both are made of facts of the source alone, so the same items give the same bytes to any target.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from graph.model import Checkpoint, Item, ItemId, ThreadId

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

DEFAULT_BUDGET_TOKENS = 16_000
LEAST_BUDGET_TOKENS = 1_024
MOST_BUDGET_TOKENS = 64_000

CARRIED_KINDS = frozenset({"plan", "command", "error", "interrupt", "file_change"})
"""The kinds of items that a payload carries besides messages."""

CARRIED_ROLES = frozenset({"user", "assistant"})
"""The roles of the messages that a payload carries."""

_BYTES_A_TOKEN = 4
_MARK = "==="
_MARKED = re.compile(f"^{_MARK}", re.MULTILINE)
_END = f"\n{_MARK} end of the context\n"

_canonical = msgspec.json.Encoder(order="sorted").encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What is handed over; *item_ids* are those of its messages, in order.

    *omitted_item_ids* are those that the budget left out, in order. *text* holds the same
    messages as *payload_json*, ready for a prompt.
    """

    payload_json: str
    text: str
    tokens: int
    item_ids: tuple[ItemId, ...]
    omitted_item_ids: tuple[ItemId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TooSmall:
    """That a budget does not hold even the frame of a payload, and what it would need."""

    budget_tokens: int
    needed_tokens: int


def is_carried(item: Item) -> bool:
    """Whether a payload carries an item, where there is room for it."""
    is_told = item.kind in CARRIED_KINDS
    return bool(item.text) and (is_told or _is_message(item, CARRIED_ROLES))


def build_payload(
    items: Iterable[Item],
    *,
    budget_tokens: int,
    source_thread_id: ThreadId,
    already_delivered: int | None = None,
) -> Payload | TooSmall:
    """The items that fit a budget, in the order given, each once.

    Kept first are the newest user message, the newest assistant message and the first user
    message, then newest to oldest; one that does not fit is left out whole and an older one
    tried. *already_delivered* is how many a merge-back does not repeat.
    """
    carried = list(_first_of_each(items))
    opening = _opening(source_thread_id, already_delivered)
    told = [_told(item, source_thread_id) for item in carried]
    size = _size(opening) + _size(_END)
    if _tokens(size) > budget_tokens:
        return TooSmall(budget_tokens=budget_tokens, needed_tokens=_tokens(size))
    kept = set[int]()
    for place in _by_worth(carried):
        grown = size + _size(told[place])
        if _tokens(grown) <= budget_tokens:
            kept.add(place)
            size = grown
    places = sorted(kept)
    return Payload(
        payload_json=_payload_json([carried[place] for place in places], already_delivered),
        text="".join([opening, *(told[place] for place in places), _END]),
        tokens=_tokens(size),
        item_ids=tuple(carried[place].item_id for place in places),
        omitted_item_ids=tuple(
            item.item_id for place, item in enumerate(carried) if place not in kept
        ),
    )


def build_checkpoint_payload(checkpoint: Checkpoint, *, budget_tokens: int) -> Payload | TooSmall:
    """The state of the files alone: which checkpoint it is, and the files that it changed.

    The text names as many of them as fit; the JSON has them all.
    """
    heading = f"checkpoint {_quoted(checkpoint.checkpoint_id)}"
    ref = checkpoint.native_ref
    if ref is not None and ref.native_id:
        heading += f", {ref.driver} {_quoted(ref.native_id)}"
    opening = f"{_opening(checkpoint.thread_id, None)}\n{_MARK} {_one_line(heading)}\n"
    size = _size(opening) + _size(_END)
    if _tokens(size) > budget_tokens:
        return TooSmall(budget_tokens=budget_tokens, needed_tokens=_tokens(size))
    lines = list[str]()
    for name in checkpoint.files:
        line = _MARKED.sub(f" {_MARK}", f"{_one_line(name)}\n")
        if _tokens(size + _size(line)) <= budget_tokens:
            lines.append(line)
            size += _size(line)
    told = {
        "checkpointId": checkpoint.checkpoint_id,
        "threadId": checkpoint.thread_id,
        "runId": checkpoint.run_id,
        "nativeRef": ref,
        "files": checkpoint.files,
    }
    return Payload(
        payload_json=_canonical({"messages": [], "checkpoint": told}).decode(),
        text="".join([opening, *lines, _END]),
        tokens=_tokens(size),
        item_ids=(),
        omitted_item_ids=(),
    )


def _first_of_each(items: Iterable[Item]) -> Iterator[Item]:
    seen = set[ItemId]()
    for item in items:
        if is_carried(item) and item.item_id not in seen:
            seen.add(item.item_id)
            yield item


def _by_worth(items: Sequence[Item]) -> Iterator[int]:
    """The places of items, the ones to keep first."""
    newest_first = range(len(items) - 1, -1, -1)
    users = [place for place in newest_first if _is_message(items[place], {"user"})]
    answers = [place for place in newest_first if _is_message(items[place], {"assistant"})]
    yield from dict.fromkeys([*users[:1], *answers[:1], *users[-1:], *newest_first])


def _is_message(item: Item, roles: Collection[str | None]) -> bool:
    return item.kind == "message" and item.role in roles


def _opening(source_thread_id: ThreadId, already_delivered: int | None) -> str:
    name = _quoted(source_thread_id)
    asked = "items { edges { node { itemId kind role text } } }"
    opening = (
        f"What follows is context from thread {name}, oldest first; all of its items, also those"
        " that are left out here, can be read from the lineage service with the GraphQL query"
        f" {{ thread(threadId: {name}) {{ history {{ edges {{ node {{ {asked} }} }} }} }} }}.\n"
    )
    if already_delivered:
        opening += (
            f"Items that were handed over before and are not repeated: {already_delivered}.\n"
        )
    return opening


def _told(item: Item, source_thread_id: ThreadId) -> str:
    """An item as text: a line that looks like a heading of ours is moved in by a blank."""
    heading = item.kind if item.role is None else f"{item.role} {item.kind}"
    if item.thread_id != source_thread_id:
        heading += f" of thread {_quoted(item.thread_id)}"
    if item.status is not None:
        heading += f", {item.status}"
    text = _MARKED.sub(f" {_MARK}", item.text or "")
    return f"\n{_MARK} {_one_line(heading)}\n{text}\n"


def _payload_json(items: Iterable[Item], already_delivered: int | None) -> str:
    payload: dict[str, object] = {
        "messages": [
            {
                "role": item.role,
                "kind": item.kind,
                "threadId": item.thread_id,
                "runId": item.run_id,
                "itemId": item.item_id,
                "status": item.status,
                "text": item.text,
            }
            for item in items
        ]
    }
    if already_delivered is not None:
        payload["alreadyDelivered"] = already_delivered
    return _canonical(payload).decode()


def _quoted(text: str) -> str:
    return msgspec.json.encode(text).decode()


def _one_line(text: str) -> str:
    return " ".join(text.split("\n"))


def _size(text: str) -> int:
    return len(text.encode())


def _tokens(size: int) -> int:
    return -(-size // _BYTES_A_TOKEN)
