// A page of each thread's own runs, by ordinal.
// reads: thread_ids, include_rolled_back, after, limit, columns
// returns: owner_id, columns, has_previous
// Each page is a seek in the index (threadId, ordinal), which also gives the order.
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (run:Run)
  WHERE run.threadId = owner_id AND run.ordinal > $after
    AND ($include_rolled_back OR run.rolledBackAt IS NULL)
  WITH run ORDER BY run.threadId, run.ordinal LIMIT $limit
  RETURN collect(run) AS runs
}
RETURN owner_id,
  [c IN $columns | [run IN runs | run[c]]] AS columns,
  EXISTS {
    MATCH (run:Run)
    WHERE run.threadId = owner_id AND run.ordinal <= $after
      AND ($include_rolled_back OR run.rolledBackAt IS NULL)
  } AS has_previous
