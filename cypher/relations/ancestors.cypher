// All threads above each thread, nearest first.
// reads: thread_ids, types, columns
// returns: owner_id, columns
// The shortest distance alone is asked for, so that the walk prunes breadth first and ends on
// cycles; the types are tested while it walks.
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})
  MATCH path = (start)-[edges:FORKED_FROM|SPAWNED_BY|CHILD_OF*1..]->(above)
  WHERE all(edge IN edges WHERE type(edge) IN $types)
  WITH start, above, min(length(path)) AS distance
  WHERE above <> start
  WITH above, distance ORDER BY distance, above.threadId
  RETURN collect(above) AS threads
}
RETURN owner_id, [c IN $columns | [thread IN threads | thread[c]]] AS columns
