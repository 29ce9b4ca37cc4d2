// A page of what hangs below each thread, by depth, then by id.
// reads: thread_ids, types, status, max_depth, after_depth, after_id, limit, columns
// returns: owner_id, depths, columns, has_previous
// The walk prunes breadth first and stops behind the level in which the limit falls: the limit
// has to come before the condition on the depth.
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (start:Thread {threadId: owner_id})
  MATCH path = (start)<-[edges:FORKED_FROM|SPAWNED_BY|CHILD_OF*1..]-(below)
  WHERE all(edge IN edges
            WHERE type(edge) IN $types AND ($status IS NULL OR edge.status = $status))
  WITH start, below, min(length(path)) AS depth
  WHERE below <> start
    AND (depth > $after_depth OR (depth = $after_depth AND below.threadId > $after_id))
  WITH below, depth ORDER BY depth, below.threadId LIMIT $limit
  WITH below, depth WHERE depth <= $max_depth
  RETURN collect(below) AS threads, collect(depth) AS depths
}
RETURN owner_id, depths,
  [c IN $columns | [thread IN threads | thread[c]]] AS columns,
  $after_depth > 0 AND $max_depth > 0 AND EXISTS {
    MATCH (start:Thread {threadId: owner_id})
      <-[edge:FORKED_FROM|SPAWNED_BY|CHILD_OF]-(below)
    WHERE type(edge) IN $types AND ($status IS NULL OR edge.status = $status)
      AND below <> start AND ($after_depth > 1 OR below.threadId <= $after_id)
  } AS has_previous
