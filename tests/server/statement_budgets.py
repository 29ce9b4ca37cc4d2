"""What each statement may read at most on the graph of ``test_every_plan``, in database hits.

A new statement gets its line here, or the test that pins it stands in ``PINNED_ELSEWHERE``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BUDGETS: Mapping[str, int] = {
    "contents/checkpoints": 45,
    "contents/context_windows": 60,
    "contents/count_checkpoints": 60,
    "contents/count_items": 45,
    "contents/count_items_of_runs": 45,
    "contents/count_runs": 60,
    "contents/count_runs_of_stretches": 70,
    "contents/fork_chains": 150,
    "contents/items": 45,
    "contents/items_of_runs": 45,
    "contents/runs": 45,
    "contents/runs_by_id": 50,
    "contents/runs_of_stretches": 65,
    "lineage/downward": 4_100,
    "lineage/upward": 300,
    "lineage/ways": 400,
    "merge_back/deltas": 90,
    "merge_back/items": 300,
    "merge_back/sums": 250,
    "record/below": 150,
    "record/child_of": 60,
    "record/count_items": 45,
    "record/drop_items": 150,
    "record/enter": 150,
    "record/enter_transfers": 85,
    "record/facts": 700,
    "record/finish_items": 45,
    "record/forked_from": 95,
    "record/forks_below": 80,
    "record/forks_to_settle": 60,
    "record/handoffs": 80,
    "record/history_base": 65,
    "record/hold_items": 80,
    "record/import_states": 90,
    "record/items": 300,
    "record/known": 150,
    "record/linked_trees": 150,
    "record/lock_trees": 300,
    "record/provider_threads": 70,
    "record/remember_sources": 45,
    "record/revise": 60,
    "record/runs": 750,
    "record/settle_forks": 50,
    "record/settle_runs": 45,
    "record/settle_spawns": 50,
    "record/spawned_by": 70,
    "record/threads": 750,
    "record/transfers": 250,
    "record/unsettled_forks": 250,
    "record/unsettled_runs": 80,
    "record/unsettled_spawns": 65,
    "record/windows": 80,
    "relations/ancestors": 150,
    "relations/children": 150,
    "relations/count_children": 70,
    "relations/count_descendants": 750,
    "relations/count_spawn_edges": 60,
    "relations/descendants": 450,
    "relations/family": 1_600,
    "relations/fork_origins": 80,
    "relations/history_bases": 60,
    "relations/nearest_common_ancestor": 150,
    "relations/spawn_edges": 150,
    "relations/totals_below": 2_700,
    "threads/any_recorded": 45,
    "threads/by_id": 150,
    "threads/count": 2_200,
    "threads/count_selected": 1_200,
    "threads/created_ascending": 50,
    "threads/created_descending": 850,
    "threads/ids_starting_with": 45,
    "threads/recency_ascending": 50,
    "threads/recency_descending": 900,
    "threads/selected": 1_800,
    "threads/standings": 60,
    "threads/updated_ascending": 50,
    "threads/updated_descending": 900,
    "transfers/by_id": 95,
    "transfers/count_listed": 45,
    "transfers/count_of_threads": 50,
    "transfers/count_selected": 65,
    "transfers/handoffs": 45,
    "transfers/listed": 45,
    "transfers/of_threads": 150,
    "transfers/selected": 150,
}

PINNED_ELSEWHERE: Mapping[str, str] = {
    "connection/": "test_connection.py",
    "integrity/": "test_integrity.py",
    "migration/": "test_migrations.py",
    "command/": "test_recording_plans.py",
    "contents/checkpoints_by_id": "test_recording_plans.py",
    "transfers/handoffs_by_id": "test_transfer_plans.py",
}
"""By the beginning of a statement's name, the test that runs it on a graph of its own.

What checks the whole graph looks at all of it, what waits or migrates reads no threads, and of
commands it is held that none scans.
"""
