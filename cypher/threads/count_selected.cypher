// How many threads the list holds, of those that one condition selects.
// reads: by, archived, deleted, filter
// returns: count
// One key of by is given, as in threads/selected.
CALL () {
  UNWIND coalesce($by.ids, []) AS id
  MATCH (thread:Thread {threadId: id})
  RETURN thread
UNION ALL
  MATCH (:Thread {threadId: $by.parent})<-[:SPAWNED_BY]-(thread)
  RETURN thread
UNION ALL
  MATCH (top:Thread {threadId: $by.ancestor})<-[:SPAWNED_BY*1..]-(thread)
  WHERE thread <> top
  RETURN DISTINCT thread
UNION ALL
  MATCH (:Thread {threadId: $by.source})<-[fork:FORKED_FROM]-(thread)
  WHERE fork.attached
  RETURN thread
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.rootThreadId = $by.root AND thread.threadId IS NOT NULL
  RETURN thread
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.cwd IN $by.cwd
  RETURN thread
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.gitRepository = $by.repository
  RETURN thread
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.searchText CONTAINS $by.search
  RETURN thread
}
WITH thread
WHERE thread.recorded AND thread.deleted IN $deleted AND thread.archived = $archived
  AND ($filter.unlisted OR NOT coalesce(thread.unlisted, false))
  AND ($filter.source_kinds IS NULL
       OR coalesce(thread.sourceKind, '') IN $filter.source_kinds
       OR ($filter.any_subagent AND thread.sourceKind STARTS WITH 'subAgent'))
  AND ($filter.ids IS NULL OR thread.threadId IN $filter.ids)
  AND (NOT $filter.roots_only OR thread.parentThreadId IS NULL)
  AND ($filter.root_thread_id IS NULL OR thread.rootThreadId = $filter.root_thread_id)
  AND ($filter.drivers IS NULL OR thread.driver IN $filter.drivers)
  AND ($filter.provider_instance_ids IS NULL
       OR thread.providerInstanceId IN $filter.provider_instance_ids)
  AND ($filter.thread_sources IS NULL OR thread.threadSource IN $filter.thread_sources)
  AND ($filter.cwd IS NULL OR thread.cwd IN $filter.cwd)
  AND ($filter.git_repository IS NULL OR thread.gitRepository = $filter.git_repository)
  AND ($filter.git_branch IS NULL OR thread.gitBranch = $filter.git_branch)
  AND ($filter.created_after IS NULL OR thread.createdAt >= $filter.created_after)
  AND ($filter.created_before IS NULL OR thread.createdAt < $filter.created_before)
  AND ($filter.updated_after IS NULL OR thread.updatedAt >= $filter.updated_after)
  AND ($filter.updated_before IS NULL OR thread.updatedAt < $filter.updated_before)
  AND ($filter.search IS NULL OR (thread.searchText CONTAINS $filter.search
       AND (thread.name CONTAINS $filter.search OR thread.title CONTAINS $filter.search
            OR thread.preview CONTAINS $filter.search)))
RETURN count(thread) AS count
