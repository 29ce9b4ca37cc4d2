// A page of the direct children of each thread, by id.
// reads: thread_ids, types, status, after, limit, columns
// returns: owner_id, columns, has_previous
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})<-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
  WHERE type(edge) IN $types AND ($status IS NULL OR edge.status = $status) AND child <> start
    AND child.threadId > $after
  WITH DISTINCT child ORDER BY child.threadId LIMIT $limit
  RETURN collect(child) AS children
}
RETURN owner_id,
  [c IN $columns | [child IN children | child[c]]] AS columns,
  EXISTS {
    MATCH (start:Thread {threadId: owner_id})
      <-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(child)
    WHERE type(edge) IN $types AND ($status IS NULL OR edge.status = $status)
      AND child <> start AND child.threadId <= $after
  } AS has_previous
