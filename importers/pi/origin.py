"""Which entries of a session were copied from another, and what that makes of the two.

pi keeps the ids and times of what it copies, and writes the same header for a fork and for a
hand-off, which copies nothing. So the session that the header names is compared with; where its
file is not there, what is older than the session was copied, for pi writes the header first.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import msgspec

from graph.model import (
    Actor,
    Evidence,
    Proof,
    RunId,
    SourcePoint,
    TransferId,
    TransferStatus,
    TransferType,
)
from graph.records import ForkRecord, SpawnRecord, TransferRecord
from graph.transfers import Provider
from importers.pi.driver import DRIVER
from importers.pi.shapes import Key
from importers.raw_lines import Skipping, raw_lines
from importers.timestamps import moment

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from graph.model import ThreadId, Timestamp
    from importers.pi.context import Context
    from importers.pi.shapes import Line
    from importers.pi.tree import Prompt, Tree

BY_SHARED_ENTRIES = Evidence(proof=Proof.FILE, rule="parentSession and shared entries")
BY_FOLDER = Evidence(proof=Proof.INFERRED, rule="in the folder of a session")
BY_NO_SHARED_ENTRY = Evidence(
    proof=Proof.INFERRED, rule="parentSession and no shared entry: a hand-off"
)

EntryKey: TypeAlias = "tuple[str, Timestamp | None]"

_decode_key = msgspec.json.Decoder(Key).decode


@dataclass(slots=True)
class Copied:
    """Knows a copied entry: one that the other session has, with the same id and time.

    Without *keys*, and for entries of a time before ids, it is one at the front that is older
    than the session itself.
    """

    keys: Collection[EntryKey]
    born: Timestamp | None
    _own_began: bool = False

    def __call__(self, line: Line, at: Timestamp | None) -> bool:
        if self.keys and line.id is not None:
            return (line.id, moment(line.timestamp)) in self.keys
        if at is None or self.born is None:
            return False
        self._own_began = self._own_began or at >= self.born
        return not self._own_began


def copied_from(context: Context) -> Copied | None:
    """What tells copied entries; ``None`` where the header names no other session."""
    if context.file.origin_path is None:
        return None
    path = context.ancestors[0].path if context.ancestors else None
    there = set(_keys(path)) if path is not None else set[EntryKey]()
    here = list(_keys(context.file.path)) if there else []
    shared = [place for place, key in enumerate(here) if key in there]
    # What stands before a copied entry was copied, too, though its line be damaged over there.
    return Copied(frozenset(here[: shared[-1] + 1] if shared else there), context.file.born)


def fork_of(context: Context, tree: Tree) -> ForkRecord | None:
    """The fork edge; ``None`` where nothing was copied, or nobody knows from where."""
    if tree.inherited == 0 or not context.ancestors:
        return None
    source = context.ancestors[0].thread_id
    at_copy = list(tree.runs_up_from(tree.inherited - 1))
    point = tree.prompts[at_copy[0]] if at_copy else None
    named = point is not None and point.native_id is not None
    return ForkRecord(
        source_thread_id=source,
        point_run_id=None if point is None or named else run_of_owner(context, point),
        point_native_turn_id=point.native_id if point is not None and named else None,
        kept_through_run_id=_kept_through(context, tree, at_copy),
        context_only=context.spawner is not None,
        at=context.file.born,
        evidence=BY_SHARED_ENTRIES,
    )


def spawn_of(context: Context) -> SpawnRecord | None:
    """The spawn edge of a session that lies in the folder of another."""
    if context.spawner is None:
        return None
    return SpawnRecord(
        child_thread_id=context.file.thread_id,
        parent_thread_id=context.spawner,
        at=context.file.born,
        evidence=BY_FOLDER,
    )


def hand_off_of(
    context: Context, tree: Tree, header: Line | None, born: Timestamp, provider: str
) -> TransferRecord | None:
    """The hand-off that a session began with; ``None`` where it copied entries, or names none.

    A session without entries could still become a fork, and one in the folder of the session
    that it names is its child. Where in the other session it came from stands nowhere.
    """
    if tree.inherited > 0 or len(tree) == 0 or not context.ancestors:
        return None
    source = context.ancestors[0].thread_id
    if header is None or not header.parent_session or source == context.spawner:
        return None
    target = context.file.thread_id
    return TransferRecord(
        transfer_id=TransferId(f"{target}/hand-off"),
        type=TransferType.PROVIDER_HANDOFF,
        status=TransferStatus.CONSUMED,
        source_thread_id=source,
        target_thread_id=target,
        source_point=SourcePoint(thread_id=source),
        target_provider=Provider(instance_id=provider, driver=DRIVER),
        evidence=BY_NO_SHARED_ENTRY,
        created_by=Actor.SYSTEM,
        created_at=born,
        consumed_at=born,
    )


def run_of_owner(context: Context, prompt: Prompt) -> RunId:
    """The run of an inherited prompt: of the nearest session that is older than it."""
    owner: ThreadId = context.ancestors[0].thread_id
    for ancestor in context.ancestors:
        owner = ancestor.thread_id
        if ancestor.born is not None and ancestor.born <= prompt.at:
            break
    return RunId(f"{owner}/{prompt.name}")


def _kept_through(context: Context, tree: Tree, at_copy: list[int]) -> RunId | None:
    """The last inherited run that is still on the current way, where the fork left some."""
    if not at_copy or len(tree) == tree.inherited:
        return None
    point = at_copy[0]
    if tree.is_current(tree.prompts[point].index):
        return None
    copied = set(at_copy)
    for run in tree.runs_up_from(len(tree) - 1):
        if run in copied:
            return run_of_owner(context, tree.prompts[run])
    return RunId("")


def _keys(path: str) -> Iterator[EntryKey]:
    """The ids and times of all entries of a file, in order; none where it can't be read."""
    with suppress(OSError):
        for _, raw in raw_lines(path, Skipping(path)):
            try:
                key = _decode_key(raw)
            except (msgspec.DecodeError, RecursionError):
                continue
            if key.id is not None:
                yield key.id, moment(key.timestamp)
