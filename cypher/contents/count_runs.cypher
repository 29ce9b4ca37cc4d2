// How many own runs each thread has.
// reads: thread_ids, include_rolled_back
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
RETURN owner_id, COUNT {
  MATCH (run:Run)
  WHERE run.threadId = owner_id AND run.ordinal IS NOT NULL
    AND ($include_rolled_back OR run.rolledBackAt IS NULL)
} AS count
