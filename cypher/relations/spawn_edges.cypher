// A page of each thread's own spawn edges, by child id.
// reads: thread_ids, status, after, limit, columns
// returns: owner_id, child_ids, columns, has_previous
UNWIND $thread_ids AS owner_id
CALL (owner_id) {
  MATCH (:Thread {threadId: owner_id})<-[spawn:SPAWNED_BY]-(child)
  WHERE ($status IS NULL OR spawn.status = $status) AND child.threadId > $after
  WITH child, spawn ORDER BY child.threadId LIMIT $limit
  RETURN collect(child.threadId) AS child_ids, collect(spawn) AS spawns
}
RETURN owner_id, child_ids,
  [c IN $columns | [spawn IN spawns | spawn[c]]] AS columns,
  EXISTS {
    MATCH (:Thread {threadId: owner_id})<-[spawn:SPAWNED_BY]-(child)
    WHERE ($status IS NULL OR spawn.status = $status) AND child.threadId <= $after
  } AS has_previous
