// How many threads hang below each thread.
// reads: thread_ids, types, status, max_depth
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})
  MATCH path = (start)<-[edges:FORKED_FROM|SPAWNED_BY|CHILD_OF*1..]-(below)
  WHERE all(edge IN edges
            WHERE type(edge) IN $types AND ($status IS NULL OR edge.status = $status))
  WITH start, below, min(length(path)) AS depth
  WHERE below <> start AND depth <= $max_depth
  RETURN count(below) AS count
}
RETURN owner_id, count
