"""What the graph in memory remembers of imports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from graph.model import ThreadId
from graph.records import ImportState, ThreadRecord


@dataclass
class MemoryImports:
    """How far the import of each thread came, and from what."""

    states: dict[ThreadId, ImportState] = field(default_factory=dict[ThreadId, ImportState])

    def begin(self, record: ThreadRecord) -> None:
        digest = record.digest if record.items.complete else None
        self._keep(record.thread_id, record.driver, digest, record.items.settled)

    def finish(self, thread_id: ThreadId, settled: int, digest: str | None) -> None:
        if thread_id in self.states:
            self._keep(thread_id, self.states[thread_id].driver, digest, settled)

    def remember(self, fingerprints: Mapping[ThreadId, str]) -> None:
        for thread_id, fingerprint in fingerprints.items():
            state = self.states.get(thread_id)
            if state is not None and state.digest is not None:
                self._keep(thread_id, state.driver, state.digest, state.settled_items, fingerprint)

    def digest(self, thread_id: ThreadId) -> str | None:
        state = self.states.get(thread_id)
        return None if state is None else state.digest

    def _keep(
        self,
        thread_id: ThreadId,
        driver: str | None,
        digest: str | None,
        settled: int,
        fingerprint: str | None = None,
    ) -> None:
        self.states[thread_id] = ImportState(
            thread_id=thread_id,
            driver=driver,
            digest=digest,
            item_count=0,
            settled_items=settled,
            fingerprint=fingerprint,
        )
