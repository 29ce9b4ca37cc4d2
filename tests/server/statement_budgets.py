"""What each statement may read at most on the graph of ``test_every_plan``, in database hits.

A new statement gets its line here, or the test that pins it stands in ``PINNED_ELSEWHERE``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

BUDGETS: Mapping[str, int] = {
    "contents/checkpoints": 10,
    "contents/context_windows": 20,
    "contents/count_checkpoints": 20,
    "contents/count_items": 10,
    "contents/count_items_of_runs": 10,
    "contents/count_runs": 20,
    "contents/count_runs_of_stretches": 30,
    "contents/fork_chains": 65,
    "contents/items": 10,
    "contents/items_of_runs": 10,
    "contents/runs": 10,
    "contents/runs_by_id": 15,
    "contents/runs_of_stretches": 25,
    "lineage/downward": 3_100,
    "lineage/upward": 200,
    "lineage/ways": 250,
    "merge_back/deltas": 45,
    "merge_back/items": 200,
    "merge_back/sums": 150,
    "record/below": 60,
    "record/child_of": 20,
    "record/count_items": 10,
    "record/drop_items": 65,
    "record/enter": 85,
    "record/enter_transfers": 40,
    "record/facts": 500,
    "record/finish_items": 10,
    "record/forked_from": 50,
    "record/forks_below": 35,
    "record/forks_to_settle": 20,
    "record/handoffs": 35,
    "record/history_base": 25,
    "record/hold_items": 35,
    "record/import_states": 45,
    "record/items": 200,
    "record/known": 75,
    "record/linked_trees": 55,
    "record/lock_trees": 200,
    "record/provider_threads": 30,
    "record/remember_sources": 10,
    "record/revise": 20,
    "record/runs": 550,
    "record/settle_forks": 15,
    "record/settle_runs": 10,
    "record/settle_spawns": 15,
    "record/spawned_by": 30,
    "record/threads": 550,
    "record/transfers": 150,
    "record/unsettled_forks": 150,
    "record/unsettled_runs": 35,
    "record/unsettled_spawns": 25,
    "record/windows": 35,
    "relations/ancestors": 70,
    "relations/children": 80,
    "relations/count_children": 30,
    "relations/count_descendants": 550,
    "relations/count_spawn_edges": 20,
    "relations/descendants": 300,
    "relations/family": 1_200,
    "relations/fork_origins": 35,
    "relations/history_bases": 20,
    "relations/nearest_common_ancestor": 90,
    "relations/spawn_edges": 55,
    "relations/totals_below": 2_000,
    "threads/any_recorded": 10,
    "threads/by_id": 75,
    "threads/count": 1_600,
    "threads/count_selected": 900,
    "threads/created_ascending": 15,
    "threads/created_descending": 600,
    "threads/ids_starting_with": 10,
    "threads/recency_ascending": 15,
    "threads/recency_descending": 650,
    "threads/selected": 1_300,
    "threads/standings": 20,
    "threads/updated_ascending": 15,
    "threads/updated_descending": 650,
    "transfers/by_id": 50,
    "transfers/count_listed": 10,
    "transfers/count_of_threads": 15,
    "transfers/count_selected": 25,
    "transfers/handoffs": 10,
    "transfers/listed": 10,
    "transfers/of_threads": 60,
    "transfers/selected": 65,
}

PINNED_ELSEWHERE: Mapping[str, str] = {
    "connection/": "test_connection.py",
    "integrity/": "test_integrity.py",
    "migration/": "test_migrations.py",
    "command/": "test_recording_plans.py",
    "contents/checkpoints_by_id": "test_recording_plans.py",
}
"""By the beginning of a statement's name, the test that runs it on a graph of its own.

What checks the whole graph looks at all of it, what waits or migrates reads no threads, and of
commands it is held that none scans.
"""
