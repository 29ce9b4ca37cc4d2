"""Which threads a list holds, in the in-memory model."""

from __future__ import annotations

from graph.errors import BadInput
from graph.model import EdgeKind, Thread, ThreadId
from graph.questions import ThreadFilter
from tests.memory_facts import MemoryFacts
from tests.memory_rules import among, source_kind_matches, within


def listed(facts: MemoryFacts, asked: ThreadFilter) -> list[Thread]:
    """The threads of the whole list, in no order."""
    relation = _related(facts, asked)
    kinds = asked.source_kinds
    return [
        thread
        for thread in map(facts.thread, sorted(facts.records))
        if (relation is None or thread.thread_id in relation)
        and (relation is not None or not facts.records[thread.thread_id].unlisted)
        and source_kind_matches(thread, kinds, every=relation is not None or asked.include_spawned)
        and among(thread.thread_id, asked.ids)
        and (not asked.roots_only or thread.parent_thread_id is None)
        and asked.root_thread_id in (None, thread.root_thread_id)
        and among(thread.driver, asked.drivers)
        and among(thread.provider_instance_id, asked.provider_instance_ids)
        and among(thread.thread_source, asked.thread_sources)
        and among(thread.cwd, asked.cwd)
        and asked.git_repository in (None, thread.git_repository)
        and asked.git_branch in (None, thread.git_branch)
        and facts.records[thread.thread_id].archived is asked.archived
        and within(thread.created_at, asked.created_after, asked.created_before)
        and within(thread.updated_at, asked.updated_after, asked.updated_before)
        and (
            asked.search is None
            or any(
                asked.search in (text or "")
                for text in (thread.name, thread.title, thread.preview)
            )
        )
    ]


def _related(facts: MemoryFacts, asked: ThreadFilter) -> set[ThreadId] | None:
    relations = (
        asked.parent_thread_id,
        asked.ancestor_thread_id,
        asked.attached_to_thread_id,
    )
    if sum(relation is not None for relation in relations) > 1:
        raise BadInput("Only one of the relation filters can be given.")
    if asked.parent_thread_id is not None:
        return {
            child
            for child, spawn in facts.spawns.items()
            if spawn.parent_thread_id == asked.parent_thread_id
        }
    if asked.ancestor_thread_id is not None:
        return set(facts.walk_down(asked.ancestor_thread_id, (EdgeKind.SPAWN,)))
    if asked.attached_to_thread_id is not None:
        return {
            child
            for child, fork in facts.forks.items()
            if fork.attached and fork.source_thread_id == asked.attached_to_thread_id
        }
    return None
