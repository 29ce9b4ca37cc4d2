"""What a thread that a command makes takes from the one that it comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from graph.model import CapabilityRoot
from graph.records import ThreadRecord

if TYPE_CHECKING:
    from graph.commands import HeldThread
    from graph.model import ThreadId, Timestamp


def thread_after(origin: HeldThread, thread_id: ThreadId, at: Timestamp) -> ThreadRecord:
    """A thread made at a time, in the place and with the capabilities of its origin.

    It has no provider yet.
    """
    roots = origin.selected_capability_roots or "[]"
    return ThreadRecord(
        thread_id=thread_id,
        driver=None,
        provider_instance_id=None,
        originator=origin.originator,
        cwd=origin.cwd,
        git_branch=origin.git_branch,
        git_commit=origin.git_commit,
        git_repository=origin.git_repository,
        selected_capability_roots=msgspec.json.decode(roots, type=tuple[CapabilityRoot, ...]),
        created_at=at,
        updated_at=at,
        recency_at=at,
    )
