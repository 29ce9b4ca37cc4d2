// The listed threads among the few that one condition selects through an index or an edge.
// reads: by, most, key, descending, low, low_id, high, high_id, limit, columns,
//   archived, deleted, filter
// returns: found, columns
// One key of by is given: ids, parent, ancestor, source, root, cwd, repository or search; a
// missing one selects nothing. Sorting many threads costs more than walking the index of a time:
// when found is as large as most, not all were looked at and the answer is not to be used.
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
  LIMIT $most
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.cwd IN $by.cwd
  RETURN thread
  LIMIT $most
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.gitRepository = $by.repository
  RETURN thread
  LIMIT $most
UNION ALL
  MATCH (thread:Thread)
  WHERE thread.searchText CONTAINS $by.search
  RETURN thread
  LIMIT $most
}
WITH collect(thread) AS candidates
CALL (candidates) {
  UNWIND candidates AS thread
  WITH thread, thread[$key] AS at
  WHERE thread.recorded AND thread.deleted IN $deleted AND thread.archived = $archived
    AND at >= $low AND at <= $high
    AND CASE at WHEN $low THEN thread.threadId > $low_id ELSE true END
    AND CASE at WHEN $high THEN thread.threadId < $high_id ELSE true END
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
  WITH thread, at
  ORDER BY CASE WHEN $descending THEN at END DESC,
    CASE WHEN $descending THEN thread.threadId END DESC,
    at, thread.threadId
  LIMIT $limit
  RETURN collect(thread) AS threads
}
RETURN size(candidates) AS found, [c IN $columns | [thread IN threads | thread[c]]] AS columns
