// How many direct children each thread has.
// reads: thread_ids, types, status
// returns: owner_id, count
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
  WHERE type(edge) IN $types AND ($status IS NULL OR edge.status = $status) AND child <> start
  RETURN count(DISTINCT child) AS count
}
RETURN owner_id, count
