// The listed threads between two places of the list, newest first.
// reads: low, low_id, high, high_id, limit, columns, archived, deleted, filter
// returns: columns
// The index (deleted, archived, createdAt, threadId) gives the order, so that a page costs its
// own rows alone. That holds only in these words: one branch for each value of deleted, all four
// properties in the order, the ids compared inside CASE (an OR is split into two scans and a
// sort), and threadId IS NOT NULL. Placeholders have no times and are not in the index.
CALL () {
  UNWIND $deleted AS deleted
  CALL (deleted) {
    MATCH (thread:Thread)
    WHERE thread.deleted = deleted AND thread.archived = $archived
      AND thread.createdAt >= $low AND thread.createdAt <= $high AND thread.threadId IS NOT NULL
      AND CASE thread.createdAt WHEN $low THEN thread.threadId > $low_id ELSE true END
      AND CASE thread.createdAt WHEN $high THEN thread.threadId < $high_id ELSE true END
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
    WITH thread
    ORDER BY thread.deleted DESC, thread.archived DESC, thread.createdAt DESC, thread.threadId DESC
    LIMIT $limit
    RETURN thread
  }
  RETURN thread ORDER BY thread.createdAt DESC, thread.threadId DESC LIMIT $limit
}
WITH collect(thread) AS threads
RETURN [c IN $columns | [thread IN threads | thread[c]]] AS columns
