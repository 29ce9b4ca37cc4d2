"""Recording batches in Neo4j: each as one transaction of a fixed number of statements."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from graph.edges import kept, spawn_edges, stored_spawn
from graph.errors import BadInput, StoreUnavailable
from graph.ids import check_ids
from graph.neo4j_recording import Recording, TreeMoved
from graph.neo4j_transfers import changing, ends, standing
from graph.record_statements import (
    IMPORT_STATES,
    KNOWN,
    REMEMBER_SOURCES,
    KnownOf,
    SourceRows,
    ThreadsAsked,
)
from graph.recording import Stated
from graph.records import ImportState, Recorded

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from graph.edges import Cells
    from graph.model import ThreadId
    from graph.properties import Properties
    from graph.records import Batch, SpawnRecord
    from graph.runner import Runner, Transaction

log = logging.getLogger(__name__)

STATE_COLUMNS = (
    *("threadId", "driver", "importDigest"),
    *("itemCount", "settledItems", "sourceFingerprint"),
)

ATTEMPTS = 20
"""How often a batch starts over because a tree was moved from under it."""


async def record(runner: Runner, batch: Batch) -> Recorded:
    """Write a batch as one transaction: see ``ThreadGraph.record``."""
    check_ids(batch)
    thread_ids = [record.thread_id for record in batch.threads]
    if len(set(thread_ids)) < len(thread_ids):
        raise BadInput("A thread stands more than once in a batch.")
    transfer_ids = [transfer.transfer_id for transfer in batch.transfers]
    if len(set(transfer_ids)) < len(transfer_ids):
        raise BadInput("A transfer stands more than once in a batch.")
    for _ in range(ATTEMPTS):
        try:
            return await runner.write(lambda transaction: _record(transaction, batch))
        except TreeMoved:
            log.info("a tree was moved while its lock was waited for; starting over")
    raise StoreUnavailable("Other writers keep moving the same threads; try again.")


async def import_states(
    runner: Runner, thread_ids: Collection[ThreadId]
) -> Mapping[ThreadId, ImportState]:
    """What is remembered of imports: see ``ThreadGraph.import_states``."""
    asked = ThreadsAsked(list(set(thread_ids)), list(STATE_COLUMNS))
    found = await runner.read_one(IMPORT_STATES, asked)
    return {
        thread_id: ImportState(
            thread_id=thread_id,
            driver=driver,
            digest=digest,
            item_count=item_count or 0,
            settled_items=settled_items or 0,
            fingerprint=fingerprint,
            unrecorded=tuple(unrecorded),
        )
        for thread_id, driver, digest, item_count, settled_items, fingerprint, unrecorded in zip(
            *found.columns, found.unrecorded, strict=True
        )
    }


async def remember_sources(runner: Runner, fingerprints: Mapping[ThreadId, str]) -> None:
    """Remember how sources stood: see ``ThreadGraph.remember_sources``."""
    rows: list[Properties] = [
        {"threadId": thread_id, "fingerprint": fingerprint}
        for thread_id, fingerprint in sorted(fingerprints.items())
    ]
    if rows:
        await runner.write(lambda transaction: transaction.run(REMEMBER_SOURCES, SourceRows(rows)))


async def _record(transaction: Transaction, batch: Batch) -> Recorded:
    spawned = sorted({spawn.child_thread_id for spawn in batch.spawns})
    [known] = await transaction.run(
        KNOWN,
        KnownOf(
            [record.thread_id for record in batch.threads],
            spawned,
            [transfer.transfer_id for transfer in batch.transfers],
        ),
    )
    drivers = {thread_id: driver for thread_id, driver, _ in known.threads}
    digests = {thread_id: digest for thread_id, _, digest in known.threads}
    conflicts = tuple(
        record.thread_id
        for record in batch.threads
        if (drivers.get(record.thread_id) or record.driver) != record.driver
    )
    news = [
        record
        for record in batch.threads
        if record.thread_id not in conflicts
        and (record.digest is None or digests.get(record.thread_id) != record.digest)
    ]
    stored = standing(known.transfers)
    transfers = changing(batch.transfers, stored)
    if news or transfers or _changes_spawns(batch.spawns, known.spawns):
        replaced = [stored[at.transfer_id] for at in transfers if at.transfer_id in stored]
        stated = Stated.of(news, batch.spawns, transfers, ends([*transfers, *replaced]))
        await Recording(transaction, stated).write()
    return Recorded(
        written=len(news),
        unchanged=len(batch.threads) - len(news) - len(conflicts),
        conflicts=conflicts,
    )


def _changes_spawns(spawns: Sequence[SpawnRecord], stored: list[Cells]) -> bool:
    """Whether any spawn names a parent that the child does not have, or says more of its edge."""
    standing = {cells[0]: stored_spawn(cells) for cells in stored}
    for edge in spawn_edges(spawns):
        old = standing.get(edge.child_id)
        if old is None or old.origin_id != edge.origin_id or kept(old, edge) is not old:
            return True
    return False
